"""A run that is killed and resumed again and again, and what must hold of it.

- A request whose answer is in a journal is never sent again, and no answer leaves a journal. A request that was under
  way at a kill may be sent again, and so may one whose line was torn: its answer was on no disk. No session leaves
  more of them than requests in flight.
- No key has two answers, and every answer of an unbroken run is there.
- After the last resume ``run.json``, the table and the details are those of an unbroken run with the same servers.
- After each kill no process is left that the run had started.
"""

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from proofs.faults.evidence import (
    Asked,
    Outcome,
    asked,
    journaled,
    left_running,
    outcome_of,
    run_folder,
    twice_answered,
)
from proofs.faults.moments import Moment, draw_moment
from proofs.faults.scenarios import Place, Scenario, answering_servers
from proofs.faults.sessions import Ended, Starter, run_session

__all__ = ["Found", "Unbroken", "asked_twice", "at_the_end", "chain", "lost", "prepared", "prove"]

_GONE_S: Final = 30.0
_IN_FLIGHT: Final = 6  # of the model and the judge together, in every scenario
_LONGEST: Final = 8


@dataclass(frozen=True, slots=True)
class Unbroken:
    """A run that nothing has disturbed.

    Attributes:
        outcome: what it said.
        wanted: how often each request was sent.
        steps: what it did to its folder.
        status: its exit status.
        lasted_s: number of seconds that it took.
        any_questions: see :class:`proofs.faults.scenarios.Scenario`.
    """

    outcome: Outcome
    wanted: Counter[str]
    steps: list[str]
    status: int
    lasted_s: float
    any_questions: bool


@dataclass(slots=True)
class Found:
    """What a chain has shown.

    Attributes:
        kills: the moments at which its sessions were killed.
        answered_again: requests that were answered in full and asked again, since no journal had them yet.
        faults: whatever must not be, a sentence each.
    """

    kills: list[str] = field(default_factory=list)
    answered_again: int = 0
    faults: list[str] = field(default_factory=list)


def unbroken(place: Place, scenario: Scenario, start: Starter) -> Unbroken:
    """Run a scenario without a fault."""
    record = place.folder / "steps"
    begun = time.monotonic()
    arguments = [*scenario.arguments(place), "--output-dir", str(place.folder / "out")]
    ended = run_session(start, place, arguments, None, record=record)
    lasted = time.monotonic() - begun
    folder = run_folder(place.folder / "out")
    if folder is None or ended.status not in (0, 4):
        raise RuntimeError(f"the unbroken run of {scenario.name} ended with {ended.status}:\n{ended.said[-3000:]}")
    outcome, wanted = outcome_of(folder), asked(place).arrived
    shutil.rmtree(place.folder / "out")
    return Unbroken(
        outcome, wanted, record.read_text("utf-8").splitlines(), ended.status, lasted, scenario.any_questions
    )


def chain(
    place: Place,
    scenario: Scenario,
    start: Starter,
    whole: Unbroken,
    moments: Iterator[Moment],
    number: signal.Signals = signal.SIGKILL,
) -> Found:
    """Run a scenario, kill it at each moment, resume it, until the moments are used up or it has ended before one."""
    found, out = Found(), place.folder / "out"
    first = [*scenario.arguments(place), "--output-dir", str(out)]
    answered: Counter[str] = Counter()
    while True:
        folder = run_folder(out)
        arguments = first if folder is None else ["--resume", str(folder)]
        on_disk, before = journaled(folder), asked(place)
        moment = next(moments, None)
        ended = run_session(start, place, arguments, moment, number=number)
        time.sleep(place.latency_ms / 1000 * 5)  # what was under way to the servers is noted by now
        session = asked(place).since(before)
        found.faults += asked_twice(session, on_disk, whole, scenario)
        found.faults += _left(place, scenario, ended)
        found.faults += lost(on_disk, journaled(run_folder(out)), session.answered)
        found.answered_again += ((answered - on_disk) & session.arrived).total()
        answered += session.answered
        found.faults += [f"a traceback: {ended.said[-2000:]}"] if "Traceback" in ended.said else []
        if not ended.killed:
            break
        found.kills.append(f"{'resume' if folder else 'run'} killed {moment}")
    found.faults += at_the_end(out, whole, ended)
    return found


def asked_twice(session: Asked, on_disk: Counter[str], whole: Unbroken, scenario: Scenario) -> list[str]:
    """Faults of a session: requests that it sent although their answers were in a journal when it began."""
    faults = []
    for mark, times in session.arrived.items():
        wanted = whole.wanted[mark] or int(scenario.any_questions)
        if times > wanted - on_disk[mark]:
            faults.append(
                f"request {mark}: sent {times} times in one session, {wanted} wanted, {on_disk[mark]} in a journal"
            )
    return faults


def lost(before: Counter[str], now: Counter[str], answered: Counter[str]) -> list[str]:
    """Faults of a session: answers that have left a journal, or more that came into none than were in flight.

    Args:
        before, now: how often each answer was in a journal when the session began, and after it.
        answered: how often the servers answered each request meanwhile.
    """
    faults = [f"the answer to request {mark} has left the journal" for mark in before - now]
    nowhere = (answered - (now - before)).total()
    return faults + ([f"{nowhere} answers of one session are in no journal"] if nowhere > _IN_FLIGHT else [])


def _left(place: Place, scenario: Scenario, ended: Ended) -> list[str]:
    if not scenario.serves:
        return []
    end = time.monotonic() + _GONE_S
    while left := left_running(place, ended.token):
        if time.monotonic() > end:
            return [f"processes {left} run {_GONE_S:.0f} s after the run that started them"]
        time.sleep(0.05)
    return []


def at_the_end(out: Path, whole: Unbroken, ended: Ended | None) -> list[str]:
    """Faults of a run that has ended: whatever is not as in the unbroken one.

    Args:
        out: where its folder is.
        whole: the unbroken run.
        ended: its last session; None if it is looked at elsewhere.
    """
    folder = run_folder(out)
    if ended is not None and (folder is None or ended.status != whole.status):
        return [f"the last session ended with {ended.status}, not {whole.status}: {ended.said[-2000:]}"]
    assert folder is not None
    faults = [f"key {key} has two answers" for key in twice_answered(folder)]
    found, wanted = outcome_of(folder), whole.outcome
    if whole.any_questions:
        found, wanted = found.decided(wanted), wanted.decided(found)
    faults += found.differences(wanted)
    faults += [f"left behind: {path.relative_to(out)}" for path in folder.rglob("*.tmp")]
    return faults


@contextmanager
def prepared(folder: Path, scenario: Scenario, start: Starter, latency_ms: float) -> Iterator[tuple[Place, Unbroken]]:
    """Servers for a scenario, and its unbroken run."""
    with answering_servers(folder, scenario, latency_ms) as place:
        yield place, unbroken(place, scenario, start)


def prove(
    folder: Path,
    scenario: Scenario,
    start: Starter,
    *,
    kills: int,
    seed: int,
    latency_ms: float = 10.0,
    number: signal.Signals = signal.SIGKILL,
    tell: Callable[[str], None] = lambda _: None,
) -> Found:
    """Kill a scenario a number of times, in chains; a run that ends before its moment begins another chain.

    Args:
        folder: for everything that the runs and the servers write.
        scenario: what is run.
        start: how its processes are started.
        kills: how many there must be.
        seed: the moments are drawn with it.
        latency_ms: shortest time of an answer.
        number: the signal that kills it.
        tell: told of each chain.
    """
    chance = random.Random(f"{seed} {scenario.name}")
    total = Found()
    with prepared(folder, scenario, start, latency_ms) as (place, whole):
        while len(total.kills) < kills:
            left = min(_LONGEST, kills - len(total.kills))
            moments = (draw_moment(chance, whole.steps, whole.lasted_s / 2) for _ in range(left))
            found = chain(place, scenario, start, whole, moments, number)
            tell("\n".join([f"{scenario.name}: a chain of {len(found.kills)} kills", *found.kills, *found.faults]))
            total.kills += found.kills
            total.answered_again += found.answered_again
            total.faults += found.faults
            shutil.rmtree(place.folder / "out", ignore_errors=bool(not found.faults))
            if found.faults:
                return total
    return total
