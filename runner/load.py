"""The load of a run's servers: how many requests they get at once, and what the run says of it."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from endpoints.client import Endpoint
from endpoints.gate import Gate
from endpoints.load import LoadWatch, gate_of, metrics_url
from runner.access import api_key, model_access
from runner.answer_source import AnswerSource
from runner.console import say
from runner.judging import RunJudges
from runner.settings import AUTO, EMBEDDED, Settings

__all__ = ["RunLoads", "load_phrase"]

_WORDS: Final = {"model": "Load", "judge": "Judge's load"}
_PREFIX: Final = {"model": "", "judge": "judge-"}


class RunLoads:
    """Watches the servers of a run's roles while it runs.

    Args:
        settings: of the run.
        server: what answers.
        judges: of the run.
        workers: addresses of the servers that the run itself has started, by role; they are read anew, since those of
            servers on other machines change.

    Attributes:
        model_gate: lets requests to the model be sent; None where no server of the user's answers.
    """

    def __init__(
        self, settings: Settings, server: AnswerSource, judges: RunJudges, workers: Mapping[str, Sequence[str]]
    ) -> None:
        self._asked = {"model": settings.concurrency == AUTO, "judge": settings.judge_concurrency == AUTO}
        self._watches: dict[str, LoadWatch] = {}
        self.model_gate: Gate | None = None
        base_url = server.base_url
        if base_url is not None and server.kept is None and settings.model != EMBEDDED:
            self.model_gate, auto = gate_of(settings.concurrency)
            key, access = api_key(settings), model_access(settings)
            self._watches["model"] = LoadWatch(
                self.model_gate,
                auto=auto,
                urls=_metrics(base_url, workers.get("model", ())),
                connect=lambda: Endpoint(base_url, key, concurrency=1, **access.options()),
                present=lambda: _metrics(base_url, workers.get("model", ())),
            )
        if judges.all:
            judge = judges.all[0]
            self._watches["judge"] = LoadWatch(
                judges.gate,
                auto=judges.auto,
                urls=_metrics(judge.base_url, workers.get("judge", ())),
                connect=judge.connect,
                present=lambda: _metrics(judge.base_url, workers.get("judge", ())),
            )

    @contextlib.asynccontextmanager
    async def beside(self, other: contextlib.AbstractAsyncContextManager[Any]) -> AsyncIterator[None]:
        """Watch for the length of the block, with something else open."""
        async with contextlib.AsyncExitStack() as stack:
            for watch in self._watches.values():
                await stack.enter_async_context(watch.opened())
            await stack.enter_async_context(other)
            yield
        for role, watch in self._watches.items():
            if self._asked[role] and watch.problem:
                say(
                    f"note: --{_PREFIX[role]}concurrency auto: {watch.gate.limit} requests in flight, since the "
                    f"server does not say what its load is ({watch.problem})"
                )

    def record(self) -> dict[str, Any]:
        """What ``run.json`` says of it, by role."""
        return {role: watch.record() for role, watch in self._watches.items()}

    def heading(self) -> dict[str, str]:
        """The lines of the table: of servers that told of their load."""
        records = self.record()
        return {_WORDS[role]: load_phrase(found) for role, found in records.items() if found["running"] is not None}


def _metrics(base_url: str, workers: Sequence[str]) -> list[str]:
    return [f"{worker}/metrics" for worker in workers] or [metrics_url(base_url)]


def load_phrase(found: Mapping[str, Any]) -> str:
    """What the table says of a server's load (:meth:`endpoints.load.LoadWatch.record`)."""
    concurrency, running, waiting = found["concurrency"], found["running"], found["waiting"]
    settled = "auto settled on " if concurrency["auto"] else ""
    parts = [
        f"{settled}{concurrency['limit']} requests in flight",
        f"the server had {running['mean']:.1f} running (at most {running['max']:.0f}) "
        f"and {waiting['mean']:.1f} waiting (at most {waiting['max']:.0f})",
    ]
    if found["tokens_per_second"] is not None:
        parts.append(f"{found['tokens_per_second']:.1f} tokens a second")
    if found["kv_cache_use_max"] is not None:
        parts.append(f"KV cache at most {found['kv_cache_use_max']:.0%} full")
    if found["preemptions"]:
        parts.append(f"{found['preemptions']} preemptions")
    if found["prefix_cache_hit_share"] is not None:
        parts.append(f"{found['prefix_cache_hit_share']:.0%} of prompt tokens from the prefix cache")
    return ", ".join(parts)
