"""Mutated answers: whatever a model may do to a right one. A test runs some; run this file for many.

    python tests/metrics/sobhard/sobhard_fuzz.py [COUNT] [SEED]

It prints how many answers passed, the slowest ones, and stops with an error at the first that raises.
"""

# ruff: noqa: T201 - a script prints

import json
import random
import sys
import time

import yaml
from sobhard_questions import QUESTIONS, answer, make_row

from metrics import sobhard

DEFAULT_COUNT = 200_000
SLOW_SECONDS = 1.0
MAX_RUN = 300_000  # characters of one repeated piece
LONG_SHARE = 0.1  # of answers to long documents

PIECES = [
    *"\n\r\t \"'{}[]()<>:;,.=-_#!&*|?%@`~$^\\/0123456789aбЯ\x85\u2028\ufeff\xa0\x0c\x00\u200b\ud83d😀",
    *("```", "```json", "~~~", "````", "<think>", "</think>", "<reason>", "</REASON>", "\n\n\n", "  ", "\r\n"),
    *("null", "true", "NaN", "1e999", "-0.0", "١", "007", "9" * 400, "9" * 4_400, "2024-05-01", "12:30"),
    *("\\ud83d", "\\u0000", "&a ", "*a", "<<: *a", "!!binary x", "!x ", "---\n", "? ", "- ", "|\n  ", "[[", "]]"),
    *("${", "$${", '{"$ref": "file:///x"}', '"$schema": 1,', '"pattern": "(a+)+$",', "added:", "было", "a.b[0].c"),
    "INSERT INTO records (a) VALUES ('1');",
]


def long_rows():
    """Some thousand characters in the notations that are slowest to read."""
    records = [{"id": str(n), "имя": f"запись {n}", "note": "it's 0" + str(n)} for n in range(90)]
    checks = {"source": records, "gates": {"convert.lossless_vs_source": True}}
    program = {"program": [{"rule": "renumber", "params": {"field": "n"}}]}
    numbered = [{"n": n, **record} for n, record in enumerate(records, 1)]
    toml = "r = [" + ", ".join(f'{{n = {n}, "имя" = "запись {n}"}}' for n in range(90)) + "]"
    return [
        make_row("convert", "json", json.dumps(records, ensure_ascii=False, indent=1), checks=checks),
        make_row("transform", "yaml", yaml.safe_dump(numbered, allow_unicode=True), program, checks),
        make_row("convert", "toml", toml),
    ]


def mutate(source, text, others):
    """One to six edits of an answer."""
    for _ in range(source.choice((1, 1, 1, 2, 3, 6))):
        at, kind = source.randrange(len(text) + 1), source.random()
        end = min(len(text), at + source.choice((1, 1, 3, 20, 300)))
        if kind < 0.4:
            text = text[:at] + source.choice(PIECES) + text[at:]
        elif kind < 0.55:
            text = text[:at] + text[end:]
        elif kind < 0.65:
            text = text[:end] + text[at:end] * source.choice((1, 2, 40)) + text[end:]
        elif kind < 0.75:
            lines = text.split("\n")
            first, second = source.randrange(len(lines)), source.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            text = "\n".join(lines)
        elif kind < 0.85:
            digits = [i for i, char in enumerate(text) if char.isdigit()]
            place = source.choice(digits) if digits else 0
            text = text[:place] + source.choice("0123456789.eE-_") + text[place + 1 :]
        elif kind < 0.92:
            other = source.choice(others)
            start = source.randrange(len(other) + 1)
            text = text[:at] + other[start : start + source.choice((5, 50, 500))] + text[at:]
        elif kind < 0.97:
            text = text[:at]
        else:
            piece = source.choice(PIECES)
            text = text[:at] + piece * min(source.choice((100, 5_000)), MAX_RUN // len(piece)) + text[at:]
    return text


def cases(count, seed, long_share=LONG_SHARE):
    """Rows and mutated answers to them."""
    source = random.Random(seed)
    short, long = list(QUESTIONS.values()), long_rows()
    answers = [answer(row) for row in short]
    for _ in range(count):
        row = source.choice(long) if source.random() < long_share else source.choice(short)
        yield row, mutate(source, sobhard.answer_text(row), answers)


def check(row, response):
    """Score one answer and hold what must hold for any; its rate of whole passes."""
    score = sobhard.score(row, response)
    assert all(0.0 <= value <= 1.0 for value in score.metrics.values())
    for verdict in score.constraints.values():
        assert verdict is None or (verdict.reason.isprintable() and len(verdict.reason) < 600), verdict
    return score.metrics["sample_pass_rate"]


def main(arguments):
    """Run and report."""
    count = int(arguments[0]) if arguments else DEFAULT_COUNT
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    slowest, passed, total = [], 0, 0.0
    for row, response in cases(count, seed):
        start = time.process_time()
        try:
            passed += bool(check(row, response))
        except BaseException:
            print(f"raised on {row['meta']['base_id']}: {response!r}")
            raise
        taken = time.process_time() - start
        total += taken
        slowest = sorted([*slowest, (taken, row["meta"]["base_id"], response[:80])], reverse=True)[:5]
    print(f"{count} answers, {passed} right, {total:.0f} s of processor time")
    for taken, name, start in slowest:
        print(f"{taken:.3f} s  {name}  {start!r}")
    return 1 if slowest and slowest[0][0] > SLOW_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
