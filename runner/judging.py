"""The judges of a run: checked at the start, open while answers arrive."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

from endpoints.client import Endpoint
from endpoints.errors import EndpointError
from endpoints.gate import Gate
from endpoints.journal import Journal
from endpoints.load import gate_of
from endpoints.outlook import idle_keys
from endpoints.request import Request
from endpoints.server_info import ServerInfo
from endpoints.waiting import OnWaiting
from judges.asking import TEMPLATE, Judge, JudgeRequest, open_judge
from judges.judgement import Ask, JudgeCall, JudgeReply
from metrics.record import Sample
from runner.access import judge_access, read_key
from runner.console import say
from runner.extra_body import extra_body_phrase
from runner.idle_keys import idle_warnings
from runner.settings import Settings
from tasks.benchmark import Benchmark

__all__ = ["RunJudge", "RunJudges"]


class RunJudge:
    """Another model that judges this run's answers.

    Args:
        model: name its server knows it by.
        prompts: identity of what it reads, by benchmark.
        settings: the settings of the run.
        gate: lets requests to it be sent.

    Attributes:
        model, base_url: which judge.
        prompts: as given.
        info: what its server said of itself, once it was checked.

    Raises:
        UsageError: the key of its server or the value of a header cannot be had.
    """

    def __init__(self, model: str, prompts: Mapping[str, str], settings: Settings, gate: Gate) -> None:
        self.model = model
        self.base_url = settings.judge_base_url
        self.prompts = dict(prompts)
        self.info: ServerInfo | None = None
        self._key = read_key(settings.judge_api_key_env, "--judge-api-key-env")
        self._access = judge_access(settings)
        self._gate = gate
        self._request = JudgeRequest(
            settings.judge_max_tokens, settings.judge_chat_template_kwargs, settings.judge_extra_body
        )
        self._form = "json_schema"
        self._open: Judge | None = None

    def check(self) -> None:
        """Ask its server whether it serves the judge.

        Raises:
            EndpointError: it does not, or is not there.
        """
        with _as_judge():
            self.info = asyncio.run(self._describe())

    def connect(self) -> Endpoint:
        """Its server, for single requests."""
        return Endpoint(self.base_url, self._key, concurrency=1, **self._access.options())

    async def _describe(self) -> ServerInfo:
        async with self.connect() as endpoint:
            info = await endpoint.describe(self.model, must_be_listed=self._access.listed)
            if self._request.chat_template_kwargs:
                turn = ({"role": "user", "content": "?"},)
                probe = Request("", "", 0, "chat", self.model, turn, None, 1, {}, self._request.fields())
                idle = await idle_keys(probe, endpoint.tokenizer, TEMPLATE)
                for line in idle_warnings("--judge-chat-template-kwargs", idle or []):
                    say(f"warning: {line}")
            return info

    @contextlib.asynccontextmanager
    async def opened(
        self, journal: Journal, on_waiting: OnWaiting | None = None, enough: asyncio.Event | None = None
    ) -> AsyncIterator[None]:
        """Ready to be asked for the length of the block, on the event loop that enters it.

        Args:
            journal: of its replies.
            on_waiting: told of answers that wait for it long; None for none.
            enough: once it is set, it is not asked any more; None for never.
        """
        async with open_judge(
            *(self.base_url, self.model, self._key, self._gate, journal),
            request=self._request,
            say=say,
            access=self._access,
            on_waiting=on_waiting,
            enough=enough,
        ) as judge:
            self._open = judge
            try:
                yield
            finally:
                self._form = judge.form
                self._open = None

    def ask(self, task: str, sample: Sample) -> Ask:
        """The way to put calls about one answer; what it raises names the judge's own options."""
        if self._open is None:
            raise RuntimeError("the judge is not open")
        put = self._open.ask(task, sample.id, sample.repeat)

        async def ask(call: JudgeCall) -> JudgeReply:
            with _as_judge():
                return await put(call)

        return ask

    def record(self) -> dict[str, Any]:
        """What ``run.json`` says of it."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "prompts": self.prompts,
            "structured_output": self._form,
            "max_tokens": self._request.max_tokens,
            "chat_template_kwargs": dict(self._request.chat_template_kwargs),
            "extra_body": dict(self._request.extra_body),
            "reported": dict(self.info.reported) if self.info is not None and self.info.reported is not None else None,
        }

    def phrase(self) -> str:
        """What the table says of it."""
        form = "" if self._form == "json_schema" else f", replies as {self._form} (no json_schema)"
        fields = extra_body_phrase(self._request.extra_body)
        return f"{self.model} at {self.base_url}, {', '.join(self.prompts.values())}{form}{fields}"


class RunJudges:
    """The judges of a run: each benchmark's own, unless the user names one for all.

    Args:
        settings: the settings of the run.
        benchmarks: by name.

    Attributes:
        all: each judge once, in the order of the benchmarks; empty where no answer of the run is judged.
        gate: lets requests to them be sent; they share a server.
        auto: whether it follows what the server says of its load.

    Raises:
        UsageError: the key of the judge's server or the value of a header cannot be had.
    """

    def __init__(self, settings: Settings, benchmarks: Mapping[str, Benchmark]) -> None:
        self.gate, self.auto = gate_of(settings.judge_concurrency)
        self._model_of = {
            name: settings.judge_model or bench.judging.default_model
            for name, bench in benchmarks.items()
            if bench.judging is not None
        }
        prompts = {name: bench.judging.identity for name, bench in benchmarks.items() if bench.judging is not None}
        self.all = [
            RunJudge(
                model, {name: prompts[name] for name, of in self._model_of.items() if of == model}, settings, self.gate
            )
            for model in dict.fromkeys(self._model_of.values())
        ]

    def most_waiting(self) -> int:
        """Answers that may wait for their judges before generation pauses."""
        return 4 * self.gate.limit

    def of(self, benchmark: str) -> RunJudge | None:
        """The judge of a benchmark, None where no model judges."""
        return next((judge for judge in self.all if judge.model == self._model_of.get(benchmark)), None)

    def check(self) -> None:
        """Ask each judge's server whether it serves it.

        Raises:
            EndpointError: it does not, or is not there.
        """
        for judge in self.all:
            judge.check()

    @contextlib.asynccontextmanager
    async def opened(
        self, journal: Path, on_waiting: OnWaiting | None = None, enough: asyncio.Event | None = None
    ) -> AsyncIterator[None]:
        """All of them ready for the length of the block.

        Args:
            journal: file of their replies; a reply is found again by its whole request, the judge's name included.
            on_waiting: told of answers that wait for a judge long; None for none.
            enough: once it is set, no judge is asked any more; None for never.

        Raises:
            JournalError: it cannot be used.
        """
        with contextlib.closing(Journal(journal)) as kept:
            if kept.repair:
                say(f"warning: {journal.name}: {kept.repair}")
            async with contextlib.AsyncExitStack() as stack:
                for judge in self.all:
                    await stack.enter_async_context(judge.opened(kept, on_waiting, enough))
                yield

    def record(self) -> Any:
        """What ``run.json`` says: of the one judge, of several in a list, or None."""
        records = [judge.record() for judge in self.all]
        return records if len(records) > 1 else next(iter(records), None)


@contextlib.contextmanager
def _as_judge() -> Iterator[None]:
    """An endpoint's advice is about the model's options; a judge has options of its own.

    Raises:
        EndpointError: as the block did, about the judge.
    """
    try:
        yield
    except EndpointError as error:
        advice = re.sub(
            r"--(?=(?:api-key-env|base-url|model|chat-template-kwargs|extra-body)\b)", "--judge-", str(error)
        )
        more = " (--judge-model names another judge)" if "does not serve" in advice else ""
        raise EndpointError(f"the judge: {advice}{more}") from error
