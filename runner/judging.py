"""The judge of a run: checked at the start, open while answers arrive."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from endpoints.client import Endpoint, ServerInfo
from endpoints.errors import EndpointError
from judges.asking import Judge, open_judge
from judges.judgement import Ask, JudgeCall, JudgeReply
from runner.answer_source import read_key
from runner.settings import Settings
from tasks.benchmark import Benchmark

__all__ = ["RunJudge", "judge_model"]


def judge_model(settings: Settings, benchmarks: Mapping[str, Benchmark]) -> str | None:
    """The judge that a run needs, None if no answer of it is judged."""
    defaults = [found.judging.default_model for found in benchmarks.values() if found.judging is not None]
    return settings.judge_model or defaults[0] if defaults else None


class RunJudge:
    """Another model that judges this run's answers.

    Args:
        model: name its server knows it by.
        settings: of the run.

    Attributes:
        model, base_url: which judge.
        most_waiting: answers that may wait for it before generation pauses.
        info: what its server said of itself, once it was checked.
    """

    def __init__(self, model: str, settings: Settings) -> None:
        self.model = model
        self.base_url = settings.judge_base_url
        self.most_waiting = 4 * settings.judge_concurrency
        self.info: ServerInfo | None = None
        self._key = read_key(settings.judge_api_key_env, "--judge-api-key-env")
        self._concurrency = settings.judge_concurrency
        self._open: Judge | None = None

    def check(self) -> None:
        """Ask its server whether it serves the judge.

        Raises:
            EndpointError: it does not, or is not there.
        """
        with _as_judge():
            self.info = asyncio.run(self._describe())

    async def _describe(self) -> ServerInfo:
        async with Endpoint(self.base_url, self._key, concurrency=1) as endpoint:
            return await endpoint.describe(self.model)

    @contextlib.asynccontextmanager
    async def opened(self, journal: Path) -> AsyncIterator[None]:
        """Ready to be asked for the length of the block, on the event loop that enters it.

        Args:
            journal: file of its replies.
        """
        async with open_judge(self.base_url, self.model, self._key, self._concurrency, journal) as judge:
            self._open = judge
            try:
                yield
            finally:
                self._open = None

    def ask(self, doc: Any) -> Ask:
        """The way to put calls about one document's answer; what it raises names the judge's own options."""
        if self._open is None:
            raise RuntimeError("the judge is not open")
        specific = doc.specific
        put = self._open.ask(doc.task_name, specific["id"], specific["repeat"])

        async def ask(call: JudgeCall) -> JudgeReply:
            with _as_judge():
                return await put(call)

        return ask

    def record(self, benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
        """What ``run.json`` says of it."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "prompts": {found.name: found.judging.identity() for found in benchmarks if found.judging is not None},
            "reported": dict(self.info.reported) if self.info is not None and self.info.reported is not None else None,
        }


@contextlib.contextmanager
def _as_judge() -> Iterator[None]:
    """An endpoint's advice is about the model's options; a judge has options of its own.

    Raises:
        EndpointError: as the block did, about the judge.
    """
    try:
        yield
    except EndpointError as error:
        advice = re.sub(r"--(?=(?:api-key-env|base-url|model)\b)", "--judge-", str(error))
        more = " (--judge-model names another judge)" if "does not serve" in advice else ""
        raise EndpointError(f"the judge: {advice}{more}") from error
