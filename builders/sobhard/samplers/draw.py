"""What every sampler draws from, and what it gives."""

import random
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Final, NamedTuple

from builders.sobhard.corpus import Document
from builders.sobhard.operations import run_program
from builders.sobhard.plan import Slot
from builders.sobhard.samplers.facts import records_of
from builders.sobhard.samplers.programs import draw_program
from builders.sobhard.sources import Layout, SourceRefused
from builders.sobhard.targets import TargetRefused, write_target

__all__ = ["Choice", "Draw", "Recipe", "after", "holds"]

Recipe = dict[str, Any]
Choice = tuple[Recipe, dict[str, Any]]  # and the documents that the recipe names beside the first
_BY_DIFFICULTY: Final[Mapping[str, Mapping[str, tuple[int, int]]]] = {
    "paths": {"easy": (6, 8), "medium": (12, 16), "hard": (20, 26)},
    "absent": {"easy": (1, 1), "medium": (1, 2), "hard": (2, 4)},
    "breaks": {"easy": (1, 1), "medium": (2, 3), "hard": (4, 6)},
    "ops": {"easy": (3, 4), "medium": (6, 8), "hard": (10, 13)},
    "edits": {"easy": (4, 6), "medium": (8, 12), "hard": (14, 20)},
    "placeholders": {"easy": (2, 3), "medium": (3, 5), "hard": (4, 7)},
    "turn ops": {"easy": (3, 4), "medium": (4, 6), "hard": (5, 8)},
}


class Draw(NamedTuple):
    """What a sampler draws from.

    Attributes:
        rng: of the slot.
        slot: the question wanted.
        document: the document chosen.
        notation, layout: what it is shown in.
        used: how often each rule was taken in the set so far.
    """

    rng: random.Random
    slot: Slot
    document: Document
    notation: str
    layout: Layout
    used: MutableMapping[str, int]

    def count(self, what: str) -> int:
        """How many of something, by difficulty."""
        return self.rng.randint(*_BY_DIFFICULTY[what][self.slot.difficulty])

    def holds(self, value: Any) -> bool:
        """Whether the target notation holds a value."""
        return holds(self.slot.target, value)

    def program(
        self,
        value: Any,
        *,
        allowed: tuple[str, ...] | None = None,
        last: bool = True,
        answer: Callable[[Any], Any] = lambda result: result,
    ) -> Recipe:
        """The slot's rules for a value, as part of a recipe.

        Args:
            value: what they start from.
            allowed: rules to choose from.
            last: whether what they make is the answer.
            answer: what becomes of their result; each rule must be seen in it.
        """
        if not self.slot.steps:
            return {}
        steps = min(self.slot.steps, len(allowed)) if allowed else self.slot.steps
        fits = self.holds if last else None
        return {"program": draw_program(self.rng, value, steps, self.used, allowed, fits, answer)[0]}


def holds(target: str, value: Any) -> bool:
    """Whether a target notation holds a value."""
    if target == "sqlinsert" and not records_of(value):
        return False
    try:
        write_target(target, value)
    except (SourceRefused, TargetRefused):
        return False
    return True


def after(value: Any, recipe: Recipe) -> Any:
    """A value after the rules of a recipe, if it has any."""
    return run_program(value, recipe["program"]) if "program" in recipe else value
