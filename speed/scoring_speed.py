"""Print how many IFHardBench verdicts a second one core gives, and in a step of the proxy, and where the time goes.

    python speed/scoring_speed.py [VECTORS.jsonl]

VECTORS.jsonl holds verdict cases with ``category``, ``params`` and ``response``, one a line; other lines are
skipped. Without it the project's own test tables are used.

The ratios (speed/proxy.py) are of verdicts in five settings: as a run gives them, the parameters of a question read
once for all its answers (the target, at least 0.50, is of these); with ``verify``, which reads them at each call; the
same and each reason read; whole answers of the embedded dataset, from the generation to the score; and these
answers to their records, where every reason is put into words.
"""

import argparse
import cProfile
import json
import logging
import pstats
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "speed")]

from proxy import IFHARD_STEPS, ratio  # noqa: E402  # beside this script, wherever it is called from

from metrics import ifhard  # noqa: E402
from metrics.ifhard import records  # noqa: E402
from metrics.ifhard.text import Text  # noqa: E402
from metrics.ifhard.verification import judge, read_requirement  # noqa: E402
from metrics.record import Answer, Sample  # noqa: E402

FAMILIES = ("structure", "lexical", "style", "format", "logic")
ROUNDS = 7  # the best of them is reported: the others were disturbed
SECONDS = 0.5  # of work a round, at least
RATIO_ROUNDS = 41
ANSWERS = 200  # of the embedded dataset


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


def whole_answers() -> list[tuple[Sample, str]]:
    """Questions of the embedded dataset with an answer to each that meets all its requirements."""
    folder = ROOT / "tasks" / "ifhard" / "data"
    rows, witnesses = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()[:ANSWERS]]
        for name in ("test.jsonl", "witnesses.jsonl")
    )
    said = {witness["id"]: witness["response"] for witness in witnesses}
    ids = [(row["meta"]["base_id"], row["meta"]["constraints"]) for row in rows]
    return [(Sample(row_id, 0, constraints, "{}"), said[row_id]) for row_id, constraints in ids if row_id in said]


def settings(cases: Sequence[Case]) -> dict[str, Callable[[], int]]:
    """Work by name; each does it once and returns how many verdicts that were."""
    read = [(read_requirement(category, params), response) for category, params, response in cases]
    answers = whole_answers()
    scored = [(ifhard.parse_constraints(sample.scoring), said) for sample, said in answers]
    verdicts = sum(len(constraints) for constraints, _ in scored)

    def judged() -> int:
        for requirement, response in read:
            judge(requirement, Text(response))
        return len(read)

    def verified() -> int:
        verify_all(cases)
        return len(cases)

    def with_reasons() -> int:
        for category, params, response in cases:
            _ = ifhard.verify(category, params, response).reason
        return len(cases)

    def whole() -> int:
        for constraints, said in scored:
            ifhard.score_constraints(constraints, said)
        return verdicts

    def recorded() -> int:
        for sample, said in answers:
            records.score(sample, Answer(said))
        return verdicts

    return {
        "parameters read once": judged,
        "with verify": verified,
        "with verify, reasons read": with_reasons,
        "of whole answers": whole,
        "of whole answers, to records": recorded,
    }


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
    print(f"verdicts per second on one core: {rate(cases):,.0f}")
    print("verdicts in a step of the proxy, median and quartiles:")
    for name, work in settings(cases).items():
        print("  {1:.3f} ({2:.3f} to {3:.3f})  {0}".format(name, *ratio(work, IFHARD_STEPS, RATIO_ROUNDS)))
    print("slowest categories, microseconds a verdict:")
    for microseconds, name in slowest(cases, 8):
        print(f"  {microseconds:6.1f}  {name}")
    profile = cProfile.Profile()
    profile.runcall(verify_all, [*cases] * 20)
    pstats.Stats(profile, stream=sys.stdout).strip_dirs().sort_stats("tottime").print_stats(12)


if __name__ == "__main__":
    main()
