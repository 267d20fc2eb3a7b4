"""Inputs of one group, one after another: drawn, judged under a clock, kept where they show something new.

A session is decided by its seed, its number and the code alone, but for the clock: the same inputs in the same order.
"""

import copy
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple

from proofs.fuzz.group import Group, Input
from proofs.fuzz.mutation import shrunk

__all__ = ["SLOW_S", "Case", "Fault", "Session", "Tally", "faults_of", "kept_case"]

SLOW_S: Final = 1.0  # processor time
_STOPPED_S: Final = 20.0  # of one input: what takes longer is broken off
_AGAIN: Final = 2  # a slow verdict is a fault if it is slow each time
_POOL: Final = 4_000  # inputs that later ones are made of
_LONGEST_KEPT: Final = 4_000  # characters
_VARIED: Final = 0.45  # share of inputs made of earlier ones
_SLOW_TRIES: Final = 25
_KEPT_TRIES: Final = 150


class OutOfTimeError(BaseException):
    """An input took very long; no verifier's own ``except`` may take it."""


class Fault(NamedTuple):
    """What a target did that none may do."""

    target: str
    kind: str  # the exception's name, or "slow"
    words: str


class Case(NamedTuple):
    """An input that is kept: what it shows, of which target."""

    group: str
    target: str
    shows: str
    given: Input


@dataclass(slots=True)
class Tally:
    """What a target has done so far; times in seconds of processor time."""

    inputs: int = 0
    faults: int = 0
    total_s: float = 0.0
    slowest_s: float = 0.0


class _Ran(NamedTuple):
    target: str
    shape: str  # "" where the target does not apply, or at a fault
    seconds: float
    fault: Fault | None


@contextmanager
def _clock() -> Iterator[None]:
    """Break off what runs longer than ``_STOPPED_S``."""

    def stop(*_: Any) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, _STOPPED_S)
    try:
        yield
    except OutOfTimeError:
        pass  # between two targets; what was judged before stays judged
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _judge(group: Group, given: Input, only: str | None = None) -> Iterator[_Ran]:
    """Every target on one input, or one alone."""
    target = "input"
    start = time.process_time()
    try:
        for target, check in group.checks(given):
            if only is not None and target != only:
                continue
            start = time.process_time()
            shape, fault = "", None
            try:
                shape = check()
            except Exception as error:
                fault = Fault(target, type(error).__name__, f"{error!s:.200}")
            yield _Ran(target, shape, time.process_time() - start, fault)
            target, start = "input", time.process_time()
    except OutOfTimeError:
        yield _Ran(target, "", time.process_time() - start, Fault(target, "slow", f"over {_STOPPED_S:.0f} s"))
    except Exception as error:  # while the input was prepared
        yield _Ran(target, "", 0.0, Fault(target, type(error).__name__, f"{error!s:.200}"))


def faults_of(group: Group, given: Input, only: str | None = None) -> list[Fault]:
    """What goes wrong with an input: exceptions, and verdicts that are slow each time they are asked for."""
    found: list[Fault] = []
    ran: list[_Ran] = []
    with _clock():
        ran.extend(_judge(group, given, only))
    for one in ran:
        if one.fault is not None:
            found.append(one.fault)
        elif one.seconds > SLOW_S and _is_slow(group, given, one.target):
            found.append(Fault(one.target, "slow", f"{one.seconds:.1f} s"))
    return found


def _is_slow(group: Group, given: Input, target: str, times: int = _AGAIN) -> bool:
    """Whether a target takes too long for an input, each time."""
    slow = 0
    for _ in range(times):
        with _clock():
            slow += any(one.seconds > SLOW_S for one in _judge(group, given, target))
    return slow == times


class Session:
    """A run of one group.

    Args:
        group: whose inputs are drawn; it is copied.
        seed: of everything that is drawn.
        known: inputs that later ones may be made of.

    Attributes:
        tallies: by target.
        faults: those found, each with its input, shrunk; one for each target and kind.
        news: inputs that showed an outcome first, by target and the first word of its shape.
    """

    def __init__(self, group: Group, seed: int, known: Sequence[Input] = ()) -> None:
        self.group = copy.deepcopy(group)  # what it has drawn before is no matter
        self.tallies = {target: Tally() for target in group.targets}
        self.faults: dict[tuple[str, str], tuple[Fault, Input]] = {}
        self.news: dict[tuple[str, str], Input] = {}
        self._source = Random(f"{seed} {group.name}")
        self._pool = [*known, *self.group.seeds()]
        self._shapes: set[tuple[str, str]] = set()

    def run(self, inputs: int, until: Callable[[], bool] = lambda: False) -> int:
        """Judge that many inputs, fewer if ``until`` comes true; the number judged."""
        for done in range(inputs):
            if until():
                return done
            self._one()
        return inputs

    def _next(self) -> Input:
        if self._pool and self._source.random() < _VARIED:
            return self.group.varied(self._source, self._source.choice(self._pool))
        return self.group.fresh(self._source)

    def _one(self) -> None:
        given = self._next()
        faults: list[Fault] = []
        with _clock():
            for target, shape, seconds, fault in _judge(self.group, given):
                if fault is not None:
                    faults.append(fault)
                if not shape and fault is None:
                    continue
                if fault is None and seconds > SLOW_S:
                    faults.append(Fault(target, "slow", f"{seconds:.1f} s"))
                tally = self.tallies.setdefault(target, Tally())
                tally.inputs += 1
                tally.total_s += seconds
                tally.slowest_s = max(tally.slowest_s, seconds)
                if shape and (target, shape) not in self._shapes:
                    self._keep(given, target, shape)
        for fault in faults:
            self._blame(fault, given)

    def _keep(self, given: Input, target: str, shape: str) -> None:
        self._shapes.add((target, shape))
        if len(given["text"]) > _LONGEST_KEPT:
            return
        narrowed = self.group.narrowed(given, target)
        self.news.setdefault((target, shape.partition(" ")[0]), narrowed)
        if len(self._pool) < _POOL:
            self._pool.append(narrowed)
        else:
            self._pool[self._source.randrange(_POOL)] = narrowed

    def _blame(self, fault: Fault, given: Input) -> None:
        """Count a fault; the first of its kind is shrunk and kept."""
        if fault.kind == "slow" and not _is_slow(self.group, given, fault.target):
            return
        self.tallies.setdefault(fault.target, Tally()).faults += 1
        if (fault.target, fault.kind) in self.faults:
            return
        whole = given if fault.target == "input" else self.group.narrowed(given, fault.target)

        def holds(text: str) -> bool:
            if fault.kind == "slow":
                return _is_slow(self.group, {**whole, "text": text}, fault.target, times=1)
            again = faults_of(self.group, {**whole, "text": text}, None if fault.target == "input" else fault.target)
            return any((other.target, other.kind) == (fault.target, fault.kind) for other in again)

        tries = _SLOW_TRIES if fault.kind == "slow" else 400
        text = shrunk(whole["text"], holds, tries)
        self.faults[fault.target, fault.kind] = (fault, {**whole, "text": text})


def kept_case(group: Group, target: str, word: str, given: Input) -> Case:
    """An input as it is kept: as short as it can be for the target to say the same."""

    def holds(text: str) -> bool:
        return any(one.shape.partition(" ")[0] == word for one in _judge(group, {**given, "text": text}, target))

    return Case(group.name, target, word, {**given, "text": shrunk(given["text"], holds, _KEPT_TRIES)})
