"""Differences between two readings that are known, each with its reason; any other fails the proof."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from builders.sobhard.operations import resolve
from builders.sobhard.operations.paths import OperationRefused, steps_of
from proofs.differential.difference import Difference

__all__ = ["EXPLAINED", "Explained", "explanation"]


class Explained(NamedTuple):
    """A kind of difference.

    Attributes:
        name: kebab-case.
        targets: what it is found in.
        reason: why both readings may stand.
        applies: whether it is the cause of a difference.
    """

    name: str
    targets: Sequence[str]
    reason: str
    applies: Callable[[Difference], bool]


def _leads_into_a_string(document: Any, path: str) -> bool:
    """Whether an index of a path is an index into a string."""
    try:
        steps = steps_of(path)
        return any(
            isinstance(resolve(document, steps[:place]), str)
            for place, step in enumerate(steps)
            if isinstance(step, int)
        )
    except OperationRefused:
        return False


def _found_in_a_string(difference: Difference) -> bool:
    return _leads_into_a_string(difference.given["document"], difference.given["path"])


def _filled_from_a_string(difference: Difference) -> bool:
    template = difference.given["template"]
    slots = [part.partition("}")[0] for part in template.split("${")[1:]]
    return any(_leads_into_a_string(difference.given["record"], slot) for slot in slots)


def _fields_in_order(difference: Difference) -> bool:
    """The fields in the order asked for, the answer is what the builder makes."""
    fields = difference.given["params"]["fields"]
    return difference.found == {"builder": False, "scorer": True} and all(
        set(record) == set(fields) for record in difference.given["answer"]
    )


def _floats_as_integers(difference: Difference) -> bool:
    """With whole floats made integers both readings are the same."""
    field = difference.given["params"]["field"]
    numbers = [record.get(field) for record in difference.given["answer"]]
    return numbers == list(range(1, len(numbers) + 1)) and not any(isinstance(number, bool) for number in numbers)


def _beyond_floats(difference: Difference) -> bool:
    """A number of so many digits stands in the answer, and strings are read as numbers."""
    huge = any(len(digits) > _DIGITS_OF_FLOATS for digits in _digits(json.dumps(difference.given["pred"])))
    return difference.found["scorer"] == "not comparable" and difference.given["coerce"] and huge


_DIGITS_OF_FLOATS: Final = 308
_digits = re.compile("[0-9]+").findall


EXPLAINED: Final = (
    Explained(
        "index-into-a-string",
        ("find",),
        "The official scorer takes the character that an index names in a string, as Python does; the builder sees "
        "nothing there, since a path of a prompt leads through objects and lists. Prompts hold no such path.",
        _found_in_a_string,
    ),
    Explained(
        "slot-into-a-string",
        ("template",),
        "As index-into-a-string, for the path of a slot.",
        _filled_from_a_string,
    ),
    Explained(
        "integer-beyond-floats",
        ("comparison",),
        "An integer beyond floats makes the comparison raise (5, step 6). Where strings are read as numbers the scorer "
        "reads both sides first and raises beside a string that is no number too; read step by step, that pair is a "
        "difference of kind. The answer fails either way.",
        _beyond_floats,
    ),
    Explained(
        "order-of-fields",
        ("left by project_fields",),
        "The contract asks for the set of fields of each record (6.1); the builder writes them in the order asked for.",
        _fields_in_order,
    ),
    Explained(
        "float-of-equal-value",
        ("left by renumber",),
        "A float of equal value is a right number (6.1); the builder writes integers.",
        _floats_as_integers,
    ),
)


def explanation(difference: Difference) -> Explained | None:
    """The known kind of a difference; None for a new one."""
    for known in EXPLAINED:
        if difference.target in known.targets and known.applies(difference):
            return known
    return None
