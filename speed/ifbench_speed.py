"""How fast the IFBench checkers are: verdicts per second, and the slowest verdict over answers of a million characters.

``python -m speed.ifbench_speed [--prompts IFBench_test.jsonl --responses sample_output.jsonl] [--long]``

Without files the fixtures of the project are graded. Prompts and responses are matched by prompt text, outer white
space aside. ``--long`` takes some minutes.

Over the public sample (334 constraints) the floor is one search a text of Python's own ``re``: cutting 1,650 characters
into words is most of a verdict that counts words, and no other search was more than a sixth faster. The target of 2.17
times the speed of 2026-11-30, 14:30 is not reached; 1.75 times is.
"""

import argparse
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from metrics import ifbench

FIXTURES = Path(__file__).parents[1] / "tasks" / "ifbench" / "fixtures"
ROUNDS = 5
MILLION = 1_000_000
Case = tuple[str, dict[str, Any], str]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def fixture_cases() -> list[Case]:
    """Every fixture of the project."""
    files = sorted(FIXTURES.glob("*.jsonl"))
    return [
        (row["instruction_id"], json.loads(row["kwargs_json"]), row["response"])
        for path in files
        for row in _rows(path)
    ]


def sample_cases(prompts: Path, responses: Path) -> list[Case]:
    """One case for each constraint of each response whose prompt is known."""
    known = {row["prompt"].strip(): row for row in _rows(prompts)}
    found = ((known.get(row["prompt"].strip()), row["response"]) for row in _rows(responses))
    return [
        (instruction_id, kwargs, response)
        for row, response in found
        if row is not None
        for instruction_id, kwargs in zip(row["instruction_id_list"], row["kwargs"], strict=True)
    ]


def seconds_of(cases: Iterable[Case], grader: str) -> float:
    """CPU seconds of grading all cases once."""
    start = time.process_time()
    for instruction_id, kwargs, response in cases:
        ifbench.verify(instruction_id, kwargs, response, grader=grader)
    return time.process_time() - start


def long_answers() -> Iterator[tuple[str, str]]:
    """Answers of about a million characters that a careless pattern would choke on."""
    pieces = (
        "a ",
        "a",
        ". ",
        "A. b ",
        "\n",
        '"',
        "(",
        "()",
        "* x\n",
        "<i>",
        "1,",
        "Question 1: a\n",
        "🌞. ",
        "e\u0301",
    )
    for piece in pieces:
        yield ascii(piece), piece * (MILLION // len(piece))
    yield "deep brackets", "(" * (MILLION // 2) + ")" * (MILLION // 2)
    yield "one space run", "x" + " " * (MILLION - 2) + "x"


def long_cases() -> Iterator[tuple[float, str, str]]:
    """CPU seconds, instruction and kind of answer, for every checker over every long answer."""
    arguments = {row[0]: row[1] for row in fixture_cases()}
    for kind, answer in long_answers():
        for instruction_id in ifbench.CHECKERS:
            yield seconds_of([(instruction_id, arguments[instruction_id], answer)], "proposed"), instruction_id, kind


def main() -> None:
    """Print the speeds."""
    parser = argparse.ArgumentParser(description="Speed of the IFBench checkers")
    parser.add_argument("--prompts", type=Path)
    parser.add_argument("--responses", type=Path)
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    if (options.prompts is None) != (options.responses is None):
        parser.error("--prompts and --responses go together")
    start = time.process_time()
    ifbench.check_resources()
    print(f"dictionaries read and checked in {1000 * (time.process_time() - start):.0f} ms")
    cases = sample_cases(options.prompts, options.responses) if options.prompts else fixture_cases()
    for grader in ifbench.OWN_GRADERS:
        times = [seconds_of(cases, grader) for _ in range(ROUNDS)]
        print(
            f"{grader:17} {len(cases)} constraints: first round {len(cases) / times[0]:.0f}, "
            f"best {len(cases) / min(times):.0f} verdicts/s"
        )
    if options.long:
        slowest = sorted(long_cases(), reverse=True)[:5]
        for seconds, instruction_id, kind in slowest:
            print(f"{seconds:.2f} s for a million characters of {kind}: {instruction_id}")


if __name__ == "__main__":
    main()
