"""What clients learn of servers that this process looks after: whether one fell meanwhile, and whether it comes back.

Whoever looks after servers (:mod:`endpoints.serving.supervision`) tells an :class:`Upkeep` what becomes of them, on
threads of its own. A client (:mod:`endpoints.sending`) finds the object by the URL that it asks, waits there while no
server is up, and does not count an attempt during which one fell. A URL that nobody looks after has none.
"""

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from endpoints.url import checked_url

__all__ = ["Upkeep", "looked_after", "upkeep_of"]

_POLL_S: Final = 0.1


class Upkeep:
    """The servers behind one URL. Every method may be called on any thread.

    Args:
        servers: names of the servers that answer.
        front: name of the router before them; None if the only server takes the requests itself.
    """

    def __init__(self, servers: Sequence[str], front: str | None = None) -> None:
        self._lock = threading.Lock()
        now = time.monotonic()
        # When each server that is up was last heard of; a name that is missing is down for now, or for good.
        self._heard = dict.fromkeys([*servers, *([front] if front is not None else [])], now)
        self._left = set(servers)
        self._front = front
        self._falls = 0
        self._gone = ""
        self._wanted = -math.inf

    def heard(self, name: str, at: float) -> None:
        """A server is up: it answered a look that began at this moment of ``time.monotonic``."""
        with self._lock:
            self._heard[name] = at

    def fell(self, name: str) -> None:
        """A server died or hangs."""
        with self._lock:
            self._falls += 1
            self._heard.pop(name, None)

    def lost(self, name: str, why: str) -> None:
        """A server that fell is not started again, for this reason."""
        with self._lock:
            self._left.discard(name)
            if name == self._front or not self._left:
                self._gone = self._gone or why

    @property
    def falls(self) -> int:
        """How many times a server fell."""
        return self._falls

    @property
    def gone(self) -> str:
        """Why no request will ever be answered again; empty while one may be."""
        return self._gone

    @property
    def up(self) -> frozenset[str]:
        """Names of the servers behind the router that are up."""
        with self._lock:
            return frozenset(self._heard) - {self._front}

    def wants_look(self, last: float) -> bool:
        """Whether a client waits for a look that began after ``last``."""
        return self._wanted >= last

    async def settled(self, since: float, closed: Callable[[], bool]) -> None:
        """Wait until a server is up and each that is was heard of after ``since``, or none is left, or ``closed()``."""
        while not (self._gone or closed() or self._is_settled(since)):
            self._wanted = max(self._wanted, since)
            await asyncio.sleep(_POLL_S)

    def _is_settled(self, since: float) -> bool:
        with self._lock:
            front_is_up = self._front is None or self._front in self._heard
            answers = any(name != self._front for name in self._heard)
            return front_is_up and answers and all(at > since for at in self._heard.values())


_LOOKED_AFTER: Final[dict[str, Upkeep]] = {}


@contextlib.contextmanager
def looked_after(base_url: str, upkeep: Upkeep) -> Iterator[None]:
    """Clients of this URL find the upkeep of its servers within the block."""
    url, _ = checked_url(base_url)
    _LOOKED_AFTER[url] = upkeep
    try:
        yield
    finally:
        del _LOOKED_AFTER[url]


def upkeep_of(base_url: str) -> Upkeep | None:
    """The upkeep of the servers at a URL as :func:`endpoints.url.checked_url` gives it; None if nobody has it."""
    return _LOOKED_AFTER.get(base_url)
