"""Mutated fixture responses under every instruction. A test runs some; run this file for many.

    python tests/metrics/ifbench/ifbench_fuzz.py [COUNT] [SEED]

It prints how many answers passed, the slowest ones, and stops with an error at the first on which a checker crashes.
"""

# ruff: noqa: T201 - a script prints

import json
import random
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[3]), str(Path(__file__).parent)]

from ifbench_cases import own_fixtures  # noqa: E402 (found by the line above)

from metrics import ifbench  # noqa: E402

DEFAULT_COUNT = 100_000
SLOW_SECONDS = 1.0
PIECES = [
    *"\n\r\t \"'{}[]()<>:;,.=-_#!&*|?%@`~$^\\/0123456789aZéЯ\x85\u2028\ufeff\xa0\x0c\x00\u200b\ud83d😀”“’…—‽",
    *(
        "\n\n",
        "\n\n\n",
        "***",
        "- ",
        "* ",
        "1. ",
        "# ",
        "```",
        "<think>",
        "</think>",
        "?!",
        "!?",
        "...",
        "e.g. ",
        "Dr. ",
    ),
    *("and ", "but ", "she ", "Kyiv", "3.5", "1,200", "-7", "12321", "\u0301", "\u202e", "日本", "ß", "İ", "’s", "``"),
]


def mutate(source, text, others):
    """One to six edits of a response."""
    for _ in range(source.choice((1, 1, 2, 3, 6))):
        at, kind = source.randrange(len(text) + 1), source.random()
        end = min(len(text), at + source.choice((1, 3, 20, 200)))
        if kind < 0.45:
            text = text[:at] + source.choice(PIECES) + text[at:]
        elif kind < 0.6:
            text = text[:at] + text[end:]
        elif kind < 0.75:
            text = text[:end] + text[at:end] * source.choice((1, 2, 30)) + text[end:]
        elif kind < 0.9:
            text = text[:at] + source.choice(others) + text[at:]
        elif kind < 0.95:
            text = text[:at]
        else:
            text = text[:at] + source.choice(PIECES) * source.choice((50, 2_000)) + text[at:]
    return text


def cases(count, seed):
    """Instructions with arguments, and answers: two thirds written for that instruction, a third for another."""
    source = random.Random(seed)
    fixtures = own_fixtures()
    responses = [row["response"] for row in fixtures]
    for _ in range(count):
        row = source.choice(fixtures)
        own = source.random() < 0.67
        text = row["response"] if own else source.choice(responses)
        yield row["instruction_id"], json.loads(row["kwargs_json"]), mutate(source, text, responses)


def check(instruction_id, kwargs, answer):
    """Hold what must hold for any string; whether the answer passes."""
    passed = False
    for grader in ("fixes_only", "proposed"):
        strict = ifbench.verify(instruction_id, kwargs, answer, grader=grader)
        assert strict.code != "crash", strict
        assert strict.reason.encode("utf-8")
        if strict.passed:
            assert ifbench.verify(instruction_id, kwargs, answer, grader=f"{grader}_loose").passed
        passed = strict.passed
    return passed


def main(arguments):
    """Run and report."""
    count = int(arguments[0]) if arguments else DEFAULT_COUNT
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    slowest, passed, total = [], 0, 0.0
    for instruction_id, kwargs, answer in cases(count, seed):
        start = time.process_time()
        try:
            passed += check(instruction_id, kwargs, answer)
        except BaseException:
            print(f"raised on {instruction_id} {kwargs}: {answer!r}")
            raise
        taken = time.process_time() - start
        total += taken
        slowest = sorted([*slowest, (taken, instruction_id, answer[:80])], reverse=True)[:5]
    print(f"{count} answers, {passed} right, {total:.0f} s of processor time")
    for taken, name, start in slowest:
        print(f"{taken:.3f} s  {name}  {start!r}")
    return 1 if slowest and slowest[0][0] > SLOW_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
