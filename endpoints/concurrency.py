"""How many requests to keep in flight, decided by what the server says of its load. No clock, no network.

A server works best with as many requests as it can run at once and a short queue from which it refills its places. More
in flight only wait there; where the KV cache is too small for them, running requests are put back and computed again.
So the limit

- falls below what was running when the server preempts, or when its KV cache is nearly full;
- falls by the queue that has not emptied for two windows, beyond a short one, once the number of running requests no
  longer rises;
- rises while nothing waits, the limit is what holds requests back, and the server generates more for it.

Decisions fall once a window of observations is full. After a change one window passes without a look, so that the
server's numbers are of the new limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Controller", "Observation"]

_FIRST_WINDOW_S: Final = 3.0  # of a window, until the limit has stopped doubling
_WINDOW_S: Final = 5.0
_LOOKS: Final = 3  # least observations of a window
_FULL: Final = 0.97  # share of the KV cache
_ROOM: Final = 0.95  # growth is to leave the KV cache below it
_NONE: Final = 0.25  # of a short queue, up to which next to nothing waits
_BOUND: Final = 0.9  # share of the limit in flight from which the limit is what holds back
_MOST_BACK: Final = 0.05  # share of what was running that the limit falls by at once, however many were preempted
_EASE: Final = 0.97  # of what was running when the KV cache was full
_GAIN: Final = 1.03  # of the tokens a second, for the limit to stay at a higher number
_TRIES: Final = 2  # steps up without gain, since one may be by chance
_REST: Final = 12  # windows until the next try
_FIRST_STEP: Final = 2.0
_STEP: Final = 1.25
_CAREFUL_STEP: Final = 1.05


@dataclass(frozen=True, slots=True)
class Observation:
    """The server between two looks at it.

    Attributes:
        seconds: time since the look before.
        in_flight: requests of ours.
        running, waiting: requests that it works on, and that wait in it; others' may be among them.
        kv_use: share of its KV cache in use.
        preempted: preemptions since the look before.
        generated: tokens generated since then; None where it does not count them.
    """

    seconds: float
    in_flight: float
    running: float
    waiting: float
    kv_use: float = 0.0
    preempted: float = 0.0
    generated: float | None = None


class Controller:
    """Turns observations into a limit.

    Args:
        limit: to begin with.
        most: most that it may be.

    Attributes:
        limit: most requests to keep in flight.
    """

    def __init__(self, limit: int, most: int) -> None:
        self.limit = min(limit, most)
        self._most = most
        self._window: list[Observation] = []
        self._step = _FIRST_STEP
        self._window_s = _FIRST_WINDOW_S
        self._settling = False
        self._resting = 0
        # The queue that has never emptied in the latest window: in the next it may still be the first wave's.
        self._queue: float | None = None
        # Limits with the rates measured at them: before each of the latest steps up, which have shown no gain so far.
        self._tried: list[tuple[int, float]] = []

    def observe(self, observation: Observation) -> int:
        """Take note of an observation; returns the limit."""
        self._window.append(observation)
        if len(self._window) >= _LOOKS and sum(o.seconds for o in self._window) >= self._window_s:
            window, self._window = self._window, []
            before = self.limit
            if self._settling:
                self._settling = False
            else:
                self._decide(window)
                self._settling = self.limit != before
        return self.limit

    def _decide(self, window: Sequence[Observation]) -> None:
        in_flight = _mean([o.in_flight for o in window])
        if in_flight > self.limit + 1 and in_flight * _BOUND > self.limit:
            return  # a lower limit is still to take effect
        running = _mean([o.running for o in window])
        preempted = sum(o.preempted for o in window)
        if preempted > 0:
            share = min(_MOST_BACK, preempted / max(running, 1))
            self._back_off((1 - share) * min(self.limit, running))
            return
        if _mean([o.kv_use for o in window]) >= _FULL:
            self._back_off(_EASE * min(self.limit, running))
            return
        short = _short_queue(running)
        queue = min(_own_queue(o) for o in window)
        if queue > short:
            if not _rising([o.running for o in window]):
                before, self._queue = self._queue, queue
                if before is not None:
                    self._lower(self.limit - min(before, queue) + short)
            return
        self._queue = None
        served = min(in_flight, _mean([o.running + o.waiting for o in window]))
        if _mean([o.waiting for o in window]) <= _NONE * short and served >= _BOUND * self.limit:
            self._try_more(window)

    def _lower(self, limit: float) -> None:
        self.limit = min(self.limit, max(1, round(limit)))
        self._step = min(self._step, _STEP)
        self._window_s = _WINDOW_S
        self._tried.clear()
        self._queue = None

    def _back_off(self, limit: float) -> None:
        self._lower(limit)
        self._step = _CAREFUL_STEP

    def _try_more(self, window: Sequence[Observation]) -> None:
        """Raise the limit, unless raising it has brought nothing."""
        if self._resting:
            self._resting -= 1
            return
        rate = _rate(window)
        if self._tried and rate is not None:
            first, before = self._tried[0]
            if rate >= before * _GAIN:
                self._tried.clear()
            elif len(self._tried) >= _TRIES:
                self._lower(first)
                self._resting = _REST
                return
        room = _ROOM * self.limit / max(max(o.kv_use for o in window), 1e-9)
        raised = min(max(self.limit + 1, int(self.limit * self._step)), int(room), self._most)
        if raised <= self.limit:
            return
        if rate is not None:
            self._tried.append((self.limit, rate))
        self.limit = raised
        if self._step < _STEP:
            self._step = min(_STEP, 1 + 1.5 * (self._step - 1))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _short_queue(running: float) -> float:
    """The length of a queue from which the places that fall free can be filled at once."""
    return max(2.0, running / 8)


def _own_queue(observation: Observation) -> float:
    """What waits, but for as many as the requests of others: taking ours away would not shorten theirs."""
    others = max(0.0, observation.running + observation.waiting - observation.in_flight)
    return observation.waiting - others


def _rising(running: Sequence[float]) -> bool:
    """Whether more run in the later half of a window: a first wave of prompts is still being read."""
    half = len(running) // 2
    return _mean(running[half:]) > 1.02 * _mean(running[:half]) + 0.5


def _rate(window: Sequence[Observation]) -> float | None:
    """Tokens a second; None where the server does not count them, or generated none."""
    tokens = [o.generated for o in window if o.generated is not None]
    return sum(tokens) / sum(o.seconds for o in window) if sum(tokens) else None
