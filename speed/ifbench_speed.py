"""How fast the IFBench checkers are: verdicts per second, and the slowest verdict over answers of a million characters.

``python -m speed.ifbench_speed [--prompts IFBench_test.jsonl --responses sample_output.jsonl] [--long]``

Without files the fixtures of the project are graded. Prompts and responses are matched by prompt text, outer white
space aside. ``--long`` takes some minutes.

Printed are verdicts a second by grader, with ``verify``, which reads the arguments at each call; then strict verdicts
of the proposed readings in the time of a step of ``speed/proxy.py``, in three settings: as a run gives them, the
constraints of a question read once for all its answers (the target is of these); with ``verify``; the same and each
reason put into words. Last, answers to their records, where every reason is worded: verdicts of all four graders of
this project.

The target was set with the public sample (334 constraints): 20,000 strict verdicts a second where the project of
2026-11-30, 14:30 gave 9,200, which is 2.17 verdicts a step. In turns with that project, a run's verdicts are 2.22 times
as many, those of ``verify`` 2.05 times. What is left is mostly searches by Python's own ``re``: cutting 1,650
characters into words is most of a verdict that counts words, and reading 42 names of arguments, nearly all of them
null, is a twentieth of one of ``verify``.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "speed")]

from proxy import ratio  # noqa: E402  # beside this script, wherever it is called from

from metrics import ifbench  # noqa: E402
from metrics.ifbench import records  # noqa: E402
from metrics.ifbench.grading import read_constraint  # noqa: E402
from metrics.record import Answer, Sample  # noqa: E402

FIXTURES = ROOT / "tasks" / "ifbench" / "fixtures"
ROUNDS = 5
# A step is four passes: the project of 2026-11-30, 14:30 gives 1.00 strict verdicts a step on the public sample.
IFBENCH_STEPS: Final = 1 / 4
RATIO_ROUNDS = 41
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


def settings(cases: Sequence[Case]) -> dict[str, Callable[[], int]]:
    """Work by name; each does it once and returns how many verdicts that were."""
    own = ifbench.Graders({})
    read = [(read_constraint(instruction_id, kwargs), response) for instruction_id, kwargs, response in cases]
    answers = [(_sample(instruction_id, kwargs), Answer(response)) for instruction_id, kwargs, response in cases]

    def judged() -> int:
        for constraint, response in read:
            own.judge(constraint, response)
        return len(read)

    def verified() -> int:
        for instruction_id, kwargs, response in cases:
            ifbench.verify(instruction_id, kwargs, response)
        return len(cases)

    def with_reasons() -> int:
        for instruction_id, kwargs, response in cases:
            _ = ifbench.verify(instruction_id, kwargs, response).reason
        return len(cases)

    def recorded() -> int:
        for sample, answer in answers:
            records.score(sample, answer, graders=own)
        return len(answers) * len(own.names)

    return {
        "constraints read once": judged,
        "with verify": verified,
        "with verify, reasons read": with_reasons,
        "of four graders, to records": recorded,
    }


def _sample(instruction_id: str, kwargs: dict[str, Any]) -> Sample:
    row = {"key": "", "prompt": "", "instruction_id_list": [instruction_id], "kwargs": [kwargs]}
    return Sample("", 0, records.scoring_key(row), "{}")


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
    print("verdicts in a step of the proxy, median and quartiles:")
    for name, work in settings(cases).items():
        print("  {1:.2f} ({2:.2f} to {3:.2f})  {0}".format(name, *ratio(work, IFBENCH_STEPS, RATIO_ROUNDS)))
    if options.long:
        slowest = sorted(long_cases(), reverse=True)[:5]
        for seconds, instruction_id, kind in slowest:
            print(f"{seconds:.2f} s for a million characters of {kind}: {instruction_id}")


if __name__ == "__main__":
    main()
