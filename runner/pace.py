"""How fast answers and verdicts come, and how long the rest will take."""

import math
import time
from collections.abc import Callable

__all__ = ["Pace"]


class Pace:
    """Counts what comes in, and tells its rate.

    Args:
        total: how many there will be.
        clock: the time in seconds.

    Attributes:
        total: how many there will be; lowered when some turn out not to come.
        count: how many have come.
        fresh: those of them that took time: what an earlier session left comes at once, and tells no rate.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total = total
        self.count = self.fresh = 0
        self._clock = clock
        self._start: float | None = None

    def start(self) -> None:
        """The work on them begins, unless it has begun before."""
        if self._start is None:
            self._start = self._clock()

    def add(self, *, fresh: bool) -> None:
        """One has come."""
        self.count += 1
        self.fresh += fresh

    @property
    def left(self) -> int:
        """How many are still to come."""
        return max(self.total - self.count, 0)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start; 0 before it."""
        return 0.0 if self._start is None else self._clock() - self._start

    @property
    def per_second(self) -> float | None:
        """How many come in a second, over the whole time; None before the first."""
        return self.fresh / self.elapsed_s if self.fresh and self.elapsed_s > 0 else None

    @property
    def left_s(self) -> float:
        """Seconds that the rest will take at this rate; infinite while there is none."""
        if not self.left:
            return 0.0
        return math.inf if self.per_second is None else self.left / self.per_second

    def phrase(self, noun: str = "") -> str:
        """The rate in words, such as ``2.5 answers/s`` or ``2.5/s``; empty while there is none."""
        rate = self.per_second
        if rate is None:
            return ""
        return f"{rate:.1f} {noun}".strip() + "/s" if rate >= 1 else f"{60 * rate:.1f} {noun}".strip() + "/min"
