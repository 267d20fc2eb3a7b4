"""Says which questions have been waited for longer than a minute: beside the bar, or in lines without a terminal."""

import time
from collections.abc import Callable, Sequence

from endpoints.waiting import Waited

__all__ = ["WaitLines", "span", "wait_phrase"]

_NAMED = 3
_APART_S = 60.0


def wait_phrase(waited: Sequence[Waited], named: int = 1) -> str:
    """The questions as a phrase; empty if there are none.

    Args:
        waited: the questions, the longest wait first.
        named: how many of them are named.
    """
    if not waited:
        return ""
    names = ", ".join(f"{_name(one)} ({span(one.seconds)})" for one in waited[:named])
    more = f" and {len(waited) - named} more" if len(waited) > named else ""
    return f"waiting for {names}{more}"


def _name(one: Waited) -> str:
    repeat = f" repeat {one.repeat}" if one.repeat else ""
    return f"{one.task} {one.sample_id}{repeat}"


def span(seconds: float) -> str:
    """A time in words: ``61 s``, ``42 min``, ``2 h 5 min``."""
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{seconds:.0f} s" if seconds < 120 else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


class WaitLines:
    """Writes at most a line a minute; each question is named again only when its wait has doubled.

    Args:
        say: writes a line.
        clock: the time in seconds.
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._last = -_APART_S
        self._next: dict[tuple[str, str, int], float] = {}

    def tell(self, waited: Sequence[Waited]) -> None:
        """Name the questions whose turn it is."""
        due = [one for one in waited if one.seconds >= self._next.get(one[:3], 0.0)]
        if not due or self._clock() - self._last < _APART_S:
            return
        self._last = self._clock()
        self._next |= {one[:3]: 2 * one.seconds for one in due}
        self._say(wait_phrase(due, _NAMED))
