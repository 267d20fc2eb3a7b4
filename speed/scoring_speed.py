"""Print how many IFHardBench verdicts a second one core gives, reasons included, and where the time goes.

    python speed/scoring_speed.py [VECTORS.jsonl]

VECTORS.jsonl holds verdict cases with ``category``, ``params`` and ``response``, one a line; other lines are
skipped. Without it the project's own test tables are used.
"""

import argparse
import cProfile
import json
import logging
import pstats
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from metrics import ifhard  # noqa: E402  # the checkout's own package, wherever the script is called from

FAMILIES = ("structure", "lexical", "style", "format", "logic")
ROUNDS = 7  # the best of them is reported: the others were disturbed
SECONDS = 0.5  # of work a round, at least


class Case(NamedTuple):
    """One verdict to ask for."""

    category: str
    params: Mapping[str, Any]
    response: str


def vector_cases(path: Path) -> list[Case]:
    """The verdict cases of a JSON Lines file."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Case(row["category"], row["params"], row["response"]) for row in rows if row.get("kind") == "verdict"]


def own_cases() -> list[Case]:
    """The verdict cases of the project's own tables."""
    tables = [ROOT / "tests" / "metrics" / "ifhard" / "cases" / f"{family}.yaml" for family in FAMILIES]
    loaded = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in tables]
    return [Case(name, c["params"], c["text"]) for table in loaded for name, cases in table.items() for c in cases]


def verify_all(cases: Sequence[Case]) -> None:
    """One verdict a case."""
    verify = ifhard.verify
    for category, params, response in cases:
        verify(category, params, response)


def rate(cases: Sequence[Case]) -> float:
    """Verdicts a second of processor time, of the best round."""
    best = 0.0
    for _ in range(ROUNDS):
        done, start = 0, time.process_time()
        while (spent := time.process_time() - start) < SECONDS:
            verify_all(cases)
            done += len(cases)
        best = max(best, done / spent)
    return best


def slowest(cases: Sequence[Case], count: int) -> list[tuple[float, str]]:
    """The categories that take longest, with the microseconds a verdict of about 3,000."""
    found = []
    for name in {case.category for case in cases}:
        group = [case for case in cases if case.category == name]
        repeats = 3_000 // len(group) + 1
        start = time.process_time()
        for _ in range(repeats):
            verify_all(group)
        found.append(((time.process_time() - start) / (repeats * len(group)) * 1e6, name))
    return sorted(found, reverse=True)[:count]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rate, the slowest categories and a profile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", nargs="?", type=Path, help="labelled verdict cases, JSON Lines")
    path = parser.parse_args(arguments).vectors
    cases = vector_cases(path) if path else own_cases()
    if not cases:
        parser.error(f"no verdict cases in {path}")
    logging.disable(logging.WARNING)  # cases with bad parameters warn, once a verdict
    characters = sum(len(case.response) for case in cases) / len(cases)
    print(
        f"cases: {len(cases)} of {len({case.category for case in cases})} categories, {characters:.0f} characters each"
    )
    print(f"verdicts per second on one core, reasons included: {rate(cases):,.0f}")
    print("slowest categories, microseconds a verdict:")
    for microseconds, name in slowest(cases, 8):
        print(f"  {microseconds:6.1f}  {name}")
    profile = cProfile.Profile()
    profile.runcall(verify_all, [*cases] * 20)
    pstats.Stats(profile, stream=sys.stdout).strip_dirs().sort_stats("tottime").print_stats(12)


if __name__ == "__main__":
    main()
