"""What a build may use and how often, in views of the table of types.

Two rules are compatible if they share no exclusive group and neither bars what the other brings. Two rules pull against
each other if what helps to meet one easily breaks the other, while an answer still meets both.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from builders.ifhard.requirements import TYPES
from builders.ifhard.requirements.row import Rule

__all__ = [
    "FULL_SIZE",
    "HARD",
    "HOLDS",
    "LEFT_OUT",
    "MINIMUM",
    "NOT_BUILT",
    "PULLS",
    "RULES",
    "SHARES",
    "Pull",
    "Rule",
    "compatible",
    "pulls",
]

FULL_SIZE: Final = 1260
"""Test questions of a full build."""
HARD: Final = 0.5
"""A requirement that a mid-size model meets less often than this is a hard one."""
HOLDS: Final = 0.69
"""Share of conditionals whose condition holds."""
MINIMUM: Final = 14
"""Uses that every type of a full build has at least."""

RULES: Final[Mapping[str, Rule]] = {
    f"{name}/{variant}": rule for name, row in TYPES.items() for variant, rule in row.rules.items()
}
"""``family:name/variant``, for a conditional with ``@true`` or ``@false`` -> its rule."""
NOT_BUILT: Final[Mapping[str, str]] = {
    f"{name}/{variant}": reason for name, row in TYPES.items() for variant, reason in row.not_built.items()
}
"""Variants of the wordings without a rule -> why."""
SHARES: Final[Mapping[str, int]] = {name: row.share for name, row in TYPES.items() if row.rules}
"""Uses of each type that a full build aims at."""
LEFT_OUT: Final[frozenset[str]] = frozenset(name for name, row in TYPES.items() if row.left_out)
"""Types that no question has; their rows say why."""


def compatible(one: Rule, other: Rule) -> bool:
    """Whether two rules may stand in one stack."""
    return not (one.groups & other.groups or one.brings & other.bars or other.brings & one.bars)


class Pull(NamedTuple):
    """Two sides that pull against each other, each a set of words that rules have as groups or bring."""

    one: frozenset[str]
    other: frozenset[str]

    def holds(self, one: Rule, other: Rule) -> bool:
        """Whether the first rule is on one side and the second on the other."""
        left, right = one.groups | one.brings, other.groups | other.brings
        return bool((self.one & left and self.other & right) or (self.one & right and self.other & left))


PULLS: Final[Mapping[str, Pull]] = {
    "counts at two levels": Pull(
        frozenset({"words", "chars", "commas", "start-letter"}),
        frozenset({"sentences", "paragraphs", "paragraphs-sentences", "items", "unit-words"}),
    ),
    "placed words in bounded sentences": Pull(
        frozenset({"nth", "first-words", "last-words", "order", "order-words", "initials", "paragraph-words"}),
        frozenset({"unit-words", "short-words", "line-length"}),
    ),
    "banned letters and demanded words": Pull(
        frozenset({"letters", "letter-pairs", "beginnings", "small-words"}), frozenset({"rare"})
    ),
}
"""What a set with a range of requirements of its own prefers."""


def pulls(one: Rule, other: Rule) -> list[str]:
    """The names of :data:`PULLS` in which two rules pull against each other."""
    return [name for name, pull in PULLS.items() if pull.holds(one, other)]
