"""``python -m proofs.fuzz [--minutes N] [--seed N] [--group NAME] [--keep]``: draw inputs until the time is over.

It ends with exit status 1 if a target raised or took over a second; each such input is written to the corpus, shrunk.
"""

import argparse
import datetime
import logging
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from proofs.fuzz import corpus, ledger
from proofs.fuzz.session import Case, Session, Tally, kept_case
from proofs.fuzz.targets import GROUPS, TARGETS

__all__ = ["main"]

_SLICE_S: Final = 2.0
_SAVED_S: Final = 60.0


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


class _Missing:
    """What each group still lacks."""

    def __init__(self, sessions: Sequence[Session], path: Path) -> None:
        self._sessions = sessions
        self._before = ledger.sums(path)

    def of(self, session: Session, most: int) -> tuple[int, float]:
        """Inputs that its poorest target lacks of ``most``, and how many seconds of processor time they take."""
        lacking, seconds = 0, 0.0
        for target, tally in session.tallies.items():
            before = self._before.get(f"{session.group.name}/{target}", ledger.Sum(0, 0, 0.0, 0.0))
            total = before.inputs + tally.inputs
            mean = (before.mean_s * before.inputs + tally.total_s) / total if total else 1e-3
            lacking = max(lacking, min(ledger.Sum(total, 0, mean, 0.0).goal, most) - total)
            seconds += mean
        return lacking, lacking * seconds

    def next(self, turn: int) -> Session:
        """Every other time the group that is done soonest, else one after another; first a million for each."""
        for most in (ledger.GOAL, ledger.CHEAP_GOAL):
            costs = {
                session: cost for session in self._sessions for lacking, cost in [self.of(session, most)] if lacking > 0
            }
            if costs:
                return min(costs, key=costs.__getitem__) if turn % 2 else list(costs)[turn // 2 % len(costs)]
        return self._sessions[turn % len(self._sessions)]


def _tallies(sessions: Sequence[Session]) -> dict[str, Tally]:
    return {f"{s.group.name}/{target}": tally for s in sessions for target, tally in s.tallies.items()}


def _keep(sessions: Sequence[Session], folder: Path, outcomes: bool) -> None:
    for session in sessions:
        name = session.group.name
        found = [Case(name, f.target, f"fault {f.kind}", given) for f, given in session.faults.values()]
        if outcomes:
            known = {(case.target, case.shows) for case in corpus.cases(name, folder)}
            new = (item for item in session.news.items() if item[0] not in known)
            found += [kept_case(session.group, *key, given) for key, given in new]
        corpus.added(name, found, folder)


def _table(path: Path) -> None:
    totals = ledger.sums(path)
    print(f"{'target':56} {'inputs':>11} {'faults':>6} {'mean us':>8} {'slowest s':>9} {'missing':>11}")
    for target in sorted({*TARGETS, *totals}):
        found = totals.get(target, ledger.Sum(0, 0, 0.0, 0.0))
        missing = max(found.goal - found.inputs, 0)
        row = f"{target:56} {found.inputs:11,} {found.faults:6} {found.mean_s * 1e6:8.1f} {found.slowest_s:9.3f}"
        print(f"{row} {missing:11,}")
    print(f"{sum(found.inputs for found in totals.values()):,} verdicts in all")


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proofs.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="of wall clock; 0 prints the ledger alone")
    parser.add_argument("--seed", type=int, help="default: drawn anew")
    parser.add_argument("--group", action="append", choices=sorted(GROUPS), help="these groups alone")
    parser.add_argument("--keep", action="store_true", help="add an input for each new outcome to the corpus")
    parser.add_argument("--ledger", type=Path, default=ledger.LEDGER)
    parser.add_argument("--corpus", type=Path, default=corpus.CORPUS)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run; the exit status."""
    asked = _arguments(given)
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(10**9)
    groups = [GROUPS[name] for name in asked.group or GROUPS]
    sessions = [
        Session(group, seed, [case.given for case in corpus.cases(group.name, asked.corpus)]) for group in groups
    ]
    facts: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _commit(),
        "seed": seed,
    }
    end = time.monotonic() + asked.minutes * 60
    saved = time.monotonic()
    missing = _Missing(sessions, asked.ledger)
    turn = 0
    try:
        while time.monotonic() < end:
            stop = min(end, time.monotonic() + _SLICE_S)
            missing.next(turn).run(10**9, lambda: time.monotonic() > stop)  # noqa: B023 - called at once
            turn += 1
            if time.monotonic() > saved + _SAVED_S:
                saved = time.monotonic()
                ledger.written({**facts, "processor_s": round(time.process_time())}, _tallies(sessions), asked.ledger)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    if turn:
        ledger.written({**facts, "processor_s": round(time.process_time())}, _tallies(sessions), asked.ledger)
        _keep(sessions, asked.corpus, asked.keep)
    _table(asked.ledger)
    faults = [(s.group.name, fault, case) for s in sessions for fault, case in s.faults.values()]
    for name, fault, case in faults:
        words = f"{fault.kind}: {fault.words} ({len(case['text'])} characters)"
        print(f"FAULT {name}/{fault.target}: {words}: {case['text'][:80]!a}")
    return 1 if faults else 0


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # parameters that are no parameters are warned about, each time
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
