"""Which questions a server has been asked and has not answered for long."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from endpoints.request import Request

__all__ = ["OnWaiting", "Waited", "WaitingList"]

AFTER_S: Final = 60.0
EVERY_S: Final = 5.0


class Waited(NamedTuple):
    """A question that is waited for.

    Attributes:
        task, sample_id, repeat: which.
        seconds: how long so far, all attempts and pauses together.
    """

    task: str
    sample_id: str
    repeat: int
    seconds: float


OnWaiting = Callable[[Sequence[Waited]], None]


class WaitingList:
    """The requests under way.

    Args:
        tell: called every few seconds, on the event loop, with the questions that have been waited for longer than
            ``AFTER_S`` seconds, the longest first; with none, once, when these are gone. None to call nothing.
    """

    def __init__(self, tell: OnWaiting | None) -> None:
        self._tell = tell
        self._since: dict[int, tuple[Request, float]] = {}

    @contextlib.contextmanager
    def of(self, request: Request) -> Iterator[None]:
        """The request is under way for the length of the block."""
        self._since[id(request)] = (request, asyncio.get_running_loop().time())
        try:
            yield
        finally:
            del self._since[id(request)]

    async def watch(self) -> None:
        """Tell of the questions until this is cancelled."""
        told = False
        while self._tell is not None:
            await asyncio.sleep(EVERY_S)
            now = asyncio.get_running_loop().time()
            waited = [
                Waited(request.task, request.sample_id, request.repeat, now - since)
                for request, since in self._since.values()
                if now - since > AFTER_S
            ]
            if waited or told:
                self._tell(sorted(waited, key=lambda one: -one.seconds))
            told = bool(waited)
