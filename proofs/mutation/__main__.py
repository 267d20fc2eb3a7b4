"""Faults put into the code one at a time: how many do the tests see?

    python -m proofs.mutation [--sample N] [--seed N] [--room ROOM]... [--jobs N] [--folder FOLDER] [--again]

Exit status 1: the score is below the one asked for, or a listed equivalent mutant is killed or no longer there.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from proofs.mutation import equivalent, rooms
from proofs.mutation.mutants import Mutant, mutants_of, sample

SAMPLE: Final = 1_200
SEED: Final = 20_261_130
ASKED: Final = 0.85
SEEN: Final = {"killed", "out of time"}
FOLDER: Final = rooms.TOP / ".cache" / "mutation"


def _drawn(folder: Path, mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    drawn = sample(mutants, size, seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sample.json").write_text(json.dumps([mutant.key for mutant in drawn]), encoding="utf-8")
    return drawn


def _results(folder: Path, room: str, keys: set[str]) -> list[dict[str, Any]]:
    lines = (folder / f"{room}.jsonl").read_text(encoding="utf-8").splitlines()
    return [result for result in map(json.loads, lines) if result["key"] in keys]


def _forget(folder: Path, room: str, outcomes: set[str]) -> None:
    """Takes results of some outcomes away, so that these mutants are tried again."""
    path = folder / f"{room}.jsonl"
    if path.exists():
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text(
            "".join(line for line in lines if json.loads(line)["outcome"] not in outcomes), encoding="utf-8"
        )


def _work(room: str, folder: Path) -> int:
    return subprocess.run([sys.executable, "-m", "proofs.mutation.work", room, str(folder)], cwd=rooms.TOP).returncode


def _line(name: str, results: Sequence[dict[str, Any]], listed: set[str]) -> str:
    counts = Counter(result["outcome"] for result in results if result["key"] not in listed)
    seen = sum(counts[outcome] for outcome in SEEN)
    counted = seen + counts["survived"] + counts["not reached"]
    equal = sum(result["key"] in listed for result in results)
    share = f"{seen / counted:.1%}" if counted else "none"
    return (
        f"{name:12} {share:>6} of {counted:5} mutants: killed {counts['killed']}, "
        f"out of time {counts['out of time']}, survived {counts['survived']}, not reached {counts['not reached']}; "
        f"beside these equivalent {equal}, not applied {counts['not applied']}"
    )


def score(results: Sequence[dict[str, Any]], listed: set[str]) -> float:
    """Share of the mutants that tests see, of those that are neither equivalent nor could not be put in."""
    counted = [one["outcome"] for one in results if one["key"] not in listed and one["outcome"] != "not applied"]
    return sum(outcome in SEEN for outcome in counted) / len(counted) if counted else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, try, print."""
    table = rooms.read()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=SAMPLE, help="mutants, each module's share of them")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--room", action="append", choices=list(table), help="these alone, of the same sample")
    parser.add_argument("--jobs", type=int, default=2, help="rooms at the same time")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="results; what stands there is not tried again")
    parser.add_argument("--again", action="store_true", help="try again what survived")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve() / f"{options.seed}-{options.sample}"
    mutants = [mutant for room in table.values() for module in room.modules for mutant in mutants_of(module)]
    drawn = _drawn(folder, mutants, options.sample, options.seed)
    listed = equivalent.matched(equivalent.read(), mutants)
    asked = options.room or list(table)
    for room in asked:
        _forget(folder, room, {"survived", "not reached", "not applied"} if options.again else set())
    with ThreadPoolExecutor(options.jobs) as pool:
        if any(list(pool.map(lambda room: _work(room, folder), asked))):
            return 1
    everything: list[dict[str, Any]] = []
    print(f"\nseed {options.seed}: {len(drawn)} of {len(mutants)} mutants")
    for room in asked:
        results = _results(folder, room, {mutant.key for mutant in drawn if mutant.module in table[room].modules})
        for one in results:
            if one["outcome"] in {"survived", "not reached"} and one["key"] not in listed:
                print(
                    f"\n{one['module']}:{one['line']} {one['function']}: {one['outcome']}, {one['asked']} tests asked"
                )
                print(f"- {one['before']}\n+ {one['after']}")
        everything += results
    print()
    for room in asked:
        print(_line(room, [one for one in everything if one["module"] in table[room].modules], set(listed)))
    print(_line("all", everything, set(listed)))
    wrong = [one for one in everything if one["key"] in listed and one["outcome"] in SEEN]
    for one in wrong:
        print(
            f"listed as equivalent, but {one['outcome']} by {one['test']}: "
            f"{one['module']} {one['function']}: {one['after']}"
        )
    return int(bool(wrong) or score(everything, set(listed)) < ASKED)


if __name__ == "__main__":
    sys.exit(main())
