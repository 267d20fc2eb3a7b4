"""``python -m tasks.sobhard.build.damage DIR``: wrong answers made of each reference, each against one constraint.

``wrong_answers`` gives, for every constraint that the reference meets, answers that must fail it: the set is released
only if each question refuses its own, by the right name.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from builders.sobhard.spoilers import SPOILERS, Spoiled
from endpoints.terminal import speak_utf8, survive_closed_pipes
from metrics.sobhard import answer_text, score
from metrics.sobhard.targets import TARGETS, parse

__all__ = ["Wrong", "main", "refused", "wrong_answers"]

Row = Mapping[str, Any]
_EACH: Final = 5  # wrong answers of a question


class Wrong(NamedTuple):
    """A wrong answer.

    Attributes:
        constraint: id of the constraint that must refuse it.
        answer: the text of the answer.
    """

    constraint: str
    answer: str


def refused(row: Row, wrong: Wrong) -> bool:
    """Whether the constraint that must refuse an answer does."""
    verdict = score(row, wrong.answer).constraints[wrong.constraint]
    return verdict is not None and not verdict.passed


def wrong_answers(rng: random.Random, row: Row) -> Iterator[Wrong]:
    """A wrong answer for each constraint of a row that one can be made for, in an order of chance."""
    meta = row["meta"]
    value = parse(TARGETS[meta["categories"]["target_format"]], meta["reference"]).value
    spoiled = Spoiled(rng, row, value, json.loads(meta["task_meta"]), json.loads(meta["checks"]))
    met = [name for name, verdict in score(row, answer_text(dict(row))).constraints.items() if verdict is not None]
    for name in rng.sample(met, len(met)):
        for answer in SPOILERS[name](spoiled):
            wrong = Wrong(name, answer)
            if refused(row, wrong):
                yield wrong
                break


def main(arguments: Sequence[str] | None = None) -> int:
    """Show of every question of a built set that it refuses five wrong answers, each by the constraint it breaks.

    Exit status: 0 all do; 1 a question has fewer, which are named.
    """
    parser = argparse.ArgumentParser(prog="python -m tasks.sobhard.build.damage", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="of a built set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=None, help="only so many questions")
    options = parser.parse_args(arguments)
    if not (options.folder / "test.jsonl").is_file():
        parser.error(f"{options.folder} holds no test.jsonl: name the folder of a built set")
    counts: Counter[str] = Counter()
    few = []
    with (options.folder / "test.jsonl").open(encoding="utf-8") as stream:
        for line in islice(stream, options.limit):
            row = json.loads(line)
            rng = random.Random(f"{options.seed}/{row['meta']['base_id']}")
            found = list(islice(wrong_answers(rng, row), _EACH))
            counts.update(wrong.constraint for wrong in found)
            if len(found) < _EACH:
                few.append(f"question {row['meta']['id']} refuses {len(found)} wrong answers")
    for name, count in sorted(counts.items()):
        sys.stdout.write(f"{count:6} {name}\n")
    sys.stdout.write(f"{counts.total():6} wrong answers refused\n")
    sys.stdout.writelines(f"{entry}\n" for entry in few)
    return 1 if few else 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
