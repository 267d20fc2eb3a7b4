"""The five types of answer: what the dataset calls them, what task names call them."""

from collections.abc import Mapping
from typing import Final

from metrics.hardmultiqa import TYPES

__all__ = ["ALIASES", "LISTS", "MODES", "OPTIONS", "SUBSETS", "TASK_VALUES", "TYPES", "type_of"]

OPTIONS: Final = TYPES[0]
# Types that ask for a list of things.
LISTS: Final = ("strict-list", "not-strict-list")
SUBSETS: Final = ("all", *TYPES)
MODES: Final = ("pretrain", "alignment")

# The value of the dataset's field ``task`` by type; it also stands in the ids.
TASK_VALUES: Final[Mapping[str, str]] = {
    OPTIONS: "one option, many options",
    "open": "open",
    "strict-list": "strict list",
    "not-strict-list": "not strict list",
    "mistakes": "mistakes",
}

# How else people write the subsets in task names.
ALIASES: Final[Mapping[str, str]] = {
    "one option, many options": OPTIONS,
    "one-option, many-options": OPTIONS,
    "one-option,many-options": OPTIONS,
    "one option,many options": OPTIONS,
    "one option many options": OPTIONS,
    "strict list": "strict-list",
    "not strict list": "not-strict-list",
    "not-strict list": "not-strict-list",
}

_TYPE_OF: Final[Mapping[str, str]] = {
    **{value: kind for kind, value in TASK_VALUES.items()},
    **dict(zip(TYPES, TYPES, strict=True)),
}


def type_of(value: object) -> str:
    """The type that a row's field ``task`` names, in the dataset's own spelling or with hyphens.

    Raises:
        ValueError: the field names no type.
    """
    if isinstance(value, str) and value in _TYPE_OF:
        return _TYPE_OF[value]
    legal = "; ".join(TASK_VALUES.values())
    raise ValueError(f"the task is {value!r}; it must be one of: {legal}")
