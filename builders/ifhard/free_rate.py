"""Free rate: how often a requirement is met by answers that nobody asked to meet it.

``python -m tasks.ifhard.build.free_rate [--answers FILE] [--dataset DIR]`` scores every requirement of the dataset
against unconstrained answers (JSON Lines with an ``answer``) and prints a table, the highest rate first. The two
branches of a conditional are separate lines: the true branch decides, the false one is a control by design.
"""

import argparse
import functools
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from endpoints.terminal import speak_utf8, survive_closed_pipes
from metrics.ifhard.text import Text
from metrics.ifhard.verification import judge, read_requirement
from tasks.ifhard.dataset import BUILTIN

__all__ = ["BAR", "FreeRate", "above_bar", "free_answers", "free_rates", "free_rates_of"]

BAR: Final = 0.15
"""A type above this does not ship."""

_ANSWERS: Final = Path(__file__).with_name("unconstrained") / "answers.jsonl"


class FreeRate(NamedTuple):
    """One line of the table.

    Attributes:
        name: the category, with ``@true`` or ``@false`` for the branches of a conditional.
        uses: requirements of this kind in the dataset.
        rate: mean share of answers that meet them, each requirement counting the same.
        worst: the highest share of any one requirement.
    """

    name: str
    uses: int
    rate: float
    worst: float

    @property
    def is_control(self) -> bool:
        """Whether the bar does not apply: the false branch of a conditional."""
        return self.name.endswith("@false")


def free_rates(rows: Iterable[Mapping[str, Any]], answers: Sequence[str]) -> list[FreeRate]:
    """The table, highest rate first.

    Args:
        rows: dataset rows.
        answers: unconstrained answers to the dataset's tasks.

    Raises:
        ValueError: there are no answers.
    """
    return free_rates_of((item for row in rows for item in json.loads(row["meta"]["constraints"])), answers)


def free_rates_of(constraints: Iterable[Mapping[str, Any]], answers: Sequence[str]) -> list[FreeRate]:
    """The table of requirements that are given as in a scoring key, highest rate first.

    Raises:
        ValueError: there are no answers.
    """
    if not answers:
        raise ValueError("a free rate needs answers")
    texts = _texts(tuple(answers))
    known: dict[str, float] = {}  # many requirements of a dataset are the same
    shares: dict[str, list[float]] = {}
    for item in constraints:
        category, params = item["category"], item["params"]
        branch = f"@{str(bool(params['holds'])).lower()}" if "holds" in params else ""
        key = json.dumps([category, params])
        if key not in known:
            requirement = read_requirement(category, params)
            known[key] = sum(judge(requirement, text).passed for text in texts) / len(texts)
        shares.setdefault(category + branch, []).append(known[key])
    table = [FreeRate(name, len(found), sum(found) / len(found), max(found)) for name, found in shares.items()]
    return sorted(table, key=lambda line: (-line.rate, line.name))


@functools.lru_cache(maxsize=1)
def _texts(answers: tuple[str, ...]) -> list[Text]:
    """The answers with what the rules work out of them, kept because the builder asks about the same ones each time."""
    return [Text(answer) for answer in answers]


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def above_bar(constraints: Iterable[Mapping[str, Any]], answers: Sequence[str]) -> list[str]:
    """The names of the requirements that more than :data:`BAR` of the answers meet, each taken alone; no controls.

    Raises:
        ValueError: there are no answers.
    """
    return [line.name for line in free_rates_of(constraints, answers) if line.worst > BAR and not line.is_control]


def free_answers(path: Path = _ANSWERS) -> list[str]:
    """The answers of a file of JSON Lines, by default those to the tasks of the bank."""
    return [record["answer"] for record in _read(path)]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a type lies above the bar."""
    parser = argparse.ArgumentParser(prog="python -m tasks.ifhard.build.free_rate", description="Measure free rates.")
    parser.add_argument("--answers", type=Path, default=_ANSWERS, help="JSON Lines, each with an answer")
    parser.add_argument("--dataset", type=Path, default=BUILTIN, help="folder of test.jsonl (default: built-in)")
    options = parser.parse_args(argv)
    table = free_rates(_read(options.dataset / "test.jsonl"), free_answers(options.answers))
    sys.stdout.write("| requirement | uses | free rate | worst single |\n|---|---:|---:|---:|\n")
    for line in table:
        sys.stdout.write(f"| {line.name} | {line.uses} | {line.rate:.3f} | {line.worst:.3f} |\n")
    return int(any(line.rate > BAR and not line.is_control for line in table))


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    sys.exit(main())
