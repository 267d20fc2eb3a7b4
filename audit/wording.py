"""Words each benchmark's constraints for reviewers, and reads its records; one table holds all benchmarks."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifbench.reasoning import split_reasoning as split_ifbench
from metrics.ifhard import CATEGORIES
from metrics.ifhard.reasoning import split_reasoning as split_ifhard
from metrics.reasoning import cut_reasoning
from metrics.sobhard import CONSTRAINTS

__all__ = ["LOOSE_NOTE", "READERS", "Constraint", "Reader", "compact", "describe_ifbench", "is_loose", "reader_of"]

LOOSE_NOTE: Final = (
    "loose grading also passes a response that passes without its asterisks, first or last line; the labels are of the "
    "response as it stands, so what loose grading forgives counts as a false pass"
)


class Constraint(NamedTuple):
    """One constraint of a question.

    Attributes:
        instruction_id: id of the constraint's type.
        kwargs_json: the constraint's parameters, as JSON with sorted keys.
        instruction: what the constraint asks for, in words.
    """

    instruction_id: str
    kwargs_json: str
    instruction: str


class Reader(NamedTuple):
    """The functions that read the records of one benchmark.

    Attributes:
        answer: takes the model's raw text; returns the text that was graded, and whether its reasoning is unclosed.
        constraints: takes the scoring key, the ids of one grader's verdicts and the prompt; returns the constraints,
            in the order of the verdicts.
    """

    answer: Callable[[str], tuple[str, bool]]
    constraints: Callable[[str, Sequence[str], str], list[Constraint]]


def compact(value: Any) -> str:
    """A value as JSON with sorted keys and no spaces, as fixtures have it."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def describe_ifbench(instruction_id: str, kwargs: Mapping[str, Any] | None) -> str:
    """The words of an IFBench instruction with its arguments; "" for an unknown type or wrong arguments."""
    # The checkers' data are a part of the installation that only this benchmark needs.
    from metrics.ifbench import CHECKERS, ArgumentsError, check_kwargs

    try:
        return CHECKERS[instruction_id].describe(check_kwargs(instruction_id, kwargs))
    except (KeyError, ArgumentsError):
        return ""


def _ifbench(scoring: str, ids: Sequence[str], prompt: str) -> list[Constraint]:
    return [
        Constraint(entry["id"], compact(entry["kwargs"]), describe_ifbench(entry["id"], entry["kwargs"]))
        for entry in json.loads(scoring)["constraints"]
    ]


_LISTED: Final = re.compile(r"^Требования к ответу:\n((?:- .*\n?)+)", re.MULTILINE)


def _lines_of_prompt(prompt: str, count: int) -> list[str] | None:
    """The lines of the prompt's last list of requirements, or None if there are not ``count`` of them."""
    lists = _LISTED.findall(prompt)
    lines = [line.removeprefix("- ") for line in lists[-1].splitlines()] if lists else []
    return lines if len(lines) == count else None


def _ifhard(scoring: str, ids: Sequence[str], prompt: str) -> list[Constraint]:
    entries = json.loads(scoring)
    worded = _lines_of_prompt(prompt, len(entries))
    found = []
    for place, entry in enumerate(entries):
        params = compact(entry.get("params"))
        category = CATEGORIES.get(entry["category"])
        text = f"{category.description if category else entry['category']} Parameters: {params}"
        found.append(Constraint(entry["category"], params, worded[place] if worded else text))
    return found


def _sobhard(scoring: str, ids: Sequence[str], prompt: str) -> list[Constraint]:
    return [Constraint(name, "{}", CONSTRAINTS[name].description if name in CONSTRAINTS else name) for name in ids]


def _plain(scoring: str, ids: Sequence[str], prompt: str) -> list[Constraint]:
    return [Constraint(name, "{}", name) for name in ids]


def _ifbench_answer(raw: str) -> tuple[str, bool]:
    parted = split_ifbench(raw)
    return parted.answer, parted.extraction != "ok"


def _ifhard_answer(raw: str) -> tuple[str, bool]:
    parted = split_ifhard(raw)
    return parted.answer, parted.unclosed


def _sobhard_answer(raw: str) -> tuple[str, bool]:
    parted = cut_reasoning(raw)
    return parted.answer, parted.unclosed


READERS: Final[Mapping[str, Reader]] = {
    "ifbench": Reader(_ifbench_answer, _ifbench),
    "ifhard": Reader(_ifhard_answer, _ifhard),
    "sobhard": Reader(_sobhard_answer, _sobhard),
}
_OTHER: Final = Reader(_sobhard_answer, _plain)


def is_loose(grader: str) -> bool:
    """Whether a grader grades loosely, which IFBench's graders and the published audit's have in their names."""
    return grader.endswith("_loose")


def reader_of(benchmark: str) -> Reader:
    """The reader of a benchmark; that of a benchmark outside the table words a constraint by its id alone."""
    return READERS.get(benchmark, _OTHER)
