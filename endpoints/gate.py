"""How many requests may be in flight to a server: a number that may change while they are."""

import asyncio
from collections import deque
from types import TracebackType

__all__ = ["Gate"]


class Gate:
    """Lets at most ``limit`` holders in at a time, in the order in which they came; an asynchronous context manager.

    A lower limit turns nobody out: holders leave in their own time, and nobody is let in until there are fewer.

    Args:
        limit: most holders, at least 1.
        most: most that ``limit`` will ever be; None for a limit that stays.

    Attributes:
        limit: most holders at present.
        most: most that it will ever be.
        in_flight: holders at present.

    Raises:
        ValueError: a number is below 1, or ``most`` is below ``limit``.
    """

    def __init__(self, limit: int, most: int | None = None) -> None:
        if limit < 1:
            raise ValueError(f"concurrency is {limit}, at least 1 is needed")
        self.limit = limit
        self.most = limit if most is None else most
        if self.most < limit:
            raise ValueError(f"concurrency is {limit}, at most {most} was to be allowed")
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def resize(self, limit: int) -> None:
        """Change the limit; what is outside of 1 to ``most`` becomes the nearer of the two."""
        self.limit = min(max(limit, 1), self.most)
        self._admit()

    async def __aenter__(self) -> None:
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # let in and cancelled at the same time
                self._leave()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self.in_flight -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)
