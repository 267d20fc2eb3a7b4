"""What a requirement type does while a witness is composed: one function for each step that concerns it."""

from collections.abc import Callable
from typing import NamedTuple

from builders.ifhard.draft import Ask, Draft

__all__ = ["Handler"]

Step = Callable[[Draft, Ask], None]


class Handler(NamedTuple):
    """The steps in the order they are run for the whole stack; None where a type has nothing to do.

    Attributes:
        fix: texts that stand in the answer whatever is chosen (a quoted task, JSON keys).
        narrow: choose parameters that restrict every unit, as far as the pool bears it.
        shape: say how many sentences, paragraphs or items there are.
        place: restrict single slots, relate slots, fix sums; the layout is known.
        aim: ask for totals that are chosen from what a random filling has.
        settle: the units are chosen: read off what is left, embolden.
        seal: the text is complete but for a number that counts it.
    """

    fix: Step | None = None
    narrow: Step | None = None
    shape: Step | None = None
    place: Step | None = None
    aim: Step | None = None
    settle: Step | None = None
    seal: Step | None = None
