"""Looks at the load of a role's servers during a run, says what it was, and sizes their gate by it."""

import asyncio
import contextlib
import dataclasses
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

from endpoints.client import Endpoint
from endpoints.concurrency import Controller, Observation
from endpoints.defaults import CONCURRENCY, MOST_AUTO
from endpoints.failure import Failure
from endpoints.gate import Gate
from endpoints.metrics_text import COUNTERS, Reading, together
from endpoints.transport import allow_connections, connections_allowed
from endpoints.url import checked_url

__all__ = ["LoadWatch", "gate_of", "metrics_url"]

_EVERY_S: Final = 1.0
_LIMIT_S: Final = 5.0
_GONE: Final = 5  # looks in a row that failed
_BACKWARDS: Final = 3  # spans in which counters fell, among the last _SPANS of them: a restart makes one
_SPANS: Final = 20
_SEVERAL: Final = "its counters go backwards: several servers answer at this address, one at a time"


def metrics_url(base_url: str) -> str:
    """Where the server of an API says what its load is; the query that the URL may hold goes along with every request.

    Raises:
        EndpointError: it is not a usable http(s) URL.
    """
    return checked_url(base_url)[0].removesuffix("/v1") + "/metrics"


def gate_of(concurrency: int | str | None) -> tuple[Gate, bool]:
    """The gate for a number of requests in flight, and whether it follows the servers' load: where it is no number.

    Such a gate begins at the usual number and may become as wide as this machine allows connections to two roles.
    """
    if isinstance(concurrency, int):
        return Gate(concurrency), False
    return Gate(CONCURRENCY, max(CONCURRENCY, min(MOST_AUTO, connections_allowed() // 2))), True


@dataclasses.dataclass(slots=True)
class _Server:
    """One of the servers: where it is asked, how often it has failed in a row, and whether it ever answered."""

    url: str
    failed: int = 0
    answered: bool = False


@dataclasses.dataclass(slots=True)
class _Spread:
    """Mean and largest of a number over time."""

    total: float = 0.0
    most: float = 0.0
    looks: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.looks += 1
        self.most = max(self.most, value)

    def to_json(self) -> dict[str, float] | None:
        return {"mean": round(self.total / self.looks, 2), "max": round(self.most, 2)} if self.looks else None


class LoadWatch:
    """Looks once a second at what the servers of one role say of their load.

    A look at which a server does not answer is passed over, so the limit stays meanwhile; after some of them the look
    is at the others. A server that has no metrics of vLLM's form is not asked again.

    Args:
        gate: of the requests to the servers.
        auto: whether the gate is sized by what they say.
        urls: of their metrics, each server's own: a router shows one of them at a time. Empty: nothing is looked at.
        connect: makes an endpoint that can reach them.
        present: gives the URLs anew before each look, where servers may come back elsewhere.

    Attributes:
        gate, auto: as given.
        problem: why a server, or all of them, is no longer looked at; empty while each is.
    """

    def __init__(
        self,
        gate: Gate,
        *,
        auto: bool,
        urls: Sequence[str],
        connect: Callable[[], Endpoint],
        present: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        self.gate = gate
        self.auto = auto
        self.problem = ""
        self._urls = list(urls)  # all that were ever looked at
        self._places = list(urls)  # where the servers are
        self._servers = [_Server(url) for url in urls]
        self._connect = connect
        self._present = present
        self._controller = Controller(gate.limit, gate.most) if auto else None
        self._before: tuple[float, tuple[str, ...], Reading] | None = None
        self._backwards: deque[bool] = deque(maxlen=_SPANS)
        self._looks = self._failed = 0
        self._seconds = self._busy_s = 0.0
        self._running, self._waiting, self._kv = _Spread(), _Spread(), _Spread()
        self._sums: dict[str, float] = {}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Look for the length of the block.

        Raises:
            EndpointError: the machine allows too few open files.
        """
        if self.auto:
            allow_connections(min(2 * self.gate.most, connections_allowed()))
        self._before = None
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()
            (ended,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(ended, Exception):  # it only looks: the run does not end with it
                self.problem = f"{type(ended).__name__}: {ended}"

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop().time
        async with self._connect() as endpoint:
            while self._servers:
                self._relocate()
                found = await asyncio.gather(*(endpoint.load(server.url, _LIMIT_S) for server in self._servers))
                self._look(found, clock())
                await asyncio.sleep(_EVERY_S)

    def _relocate(self) -> None:
        """Follow servers that have other addresses now."""
        if self._present is None or (present := list(self._present())) == self._places:
            return
        new = [url for url in present if url not in self._places]
        self._places = present
        self._urls += [url for url in new if url not in self._urls]
        self._servers = [*(server for server in self._servers if server.url in present), *map(_Server, new)]

    def _look(self, found: Sequence[Reading | Failure], now_s: float) -> None:
        """Take note of one look at every server."""
        readings = {}
        complete = True
        for server, reading in zip(tuple(self._servers), found, strict=True):
            if isinstance(reading, Failure):
                server.failed += 1
                complete = complete and (server.failed >= _GONE)
                if not server.answered and (server.failed >= _GONE or _has_none(reading)):
                    self._servers.remove(server)
                    self.problem = f"{server.url}: {reading.error}"
            else:
                server.failed, server.answered = 0, True
                readings[server.url] = reading
        if not complete or not readings:
            self._failed += 1
            return
        self._looks += 1
        urls, reading = tuple(readings), together(list(readings.values()))
        before, self._before = self._before, (now_s, urls, reading)
        if before is not None and before[1] == urls:
            self._between(now_s - before[0], before[2], reading)

    def _between(self, seconds: float, before: Reading, now: Reading) -> None:
        """Take note of what happened between two looks at the same servers."""
        grown = {name: _growth(getattr(before, name), getattr(now, name)) for name in COUNTERS}
        self._backwards.append(any(growth is not None and growth < 0 for growth in grown.values()))
        if self._backwards[-1]:
            if sum(self._backwards) >= _BACKWARDS and len(self._servers) == 1:
                self.problem = f"{self._servers[0].url}: {_SEVERAL}"
                self._servers.clear()
                if self.auto:
                    self.gate.resize(CONCURRENCY)
            return
        self._seconds += seconds
        if now.running or grown["generated"]:
            self._busy_s += seconds
            self._running.add(now.running)
            self._waiting.add(now.waiting)
            if now.kv_use is not None:
                self._kv.add(now.kv_use)
        for name, growth in grown.items():
            if growth is not None:
                self._sums[name] = self._sums.get(name, 0.0) + growth
        if self._controller is not None:
            observation = Observation(
                seconds=seconds,
                in_flight=self.gate.in_flight,
                running=now.running,
                waiting=now.waiting,
                kv_use=now.kv_use or 0.0,
                preempted=grown["preempted"] or 0.0,
                generated=grown["generated"],
            )
            self.gate.resize(self._controller.observe(observation))

    def record(self) -> dict[str, Any]:
        """What ``run.json`` says of it. Numbers are the servers' own, other users' requests among them.

        ``running`` and ``waiting`` are over the looks at which the servers worked, and ``tokens_per_second`` is over
        that time; None is what the servers did not tell.
        """
        generated, queries = self._sums.get("generated"), self._sums.get("prefix_queries")
        hits = self._sums.get("prefix_hits")
        return {
            "concurrency": {"auto": self.auto, "limit": self.gate.limit},
            "metrics": self._urls,
            "problem": self.problem or None,
            "looks": self._looks,
            "failed_looks": self._failed,
            "busy_seconds": round(self._busy_s, 1),
            "running": self._running.to_json(),
            "waiting": self._waiting.to_json(),
            "kv_cache_use_max": round(self._kv.most, 4) if self._kv.looks else None,
            "preemptions": _whole(self._sums.get("preempted")),
            "generated_tokens": _whole(generated),
            "tokens_per_second": round(generated / self._busy_s, 2) if generated and self._busy_s else None,
            "prefix_cache_hit_share": round(hits / queries, 4) if hits is not None and queries else None,
        }


def _has_none(failure: Failure) -> bool:
    """Whether a failure says that there are no metrics, rather than that the server cannot be asked now."""
    return failure.code == "bad-body" or not failure.retried


def _growth(before: float | None, now: float | None) -> float | None:
    return None if before is None or now is None else now - before


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
