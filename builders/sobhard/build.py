"""The full set: for each slot of the plan a document, a recipe, a row, and the proofs of it."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from builders.sobhard import rows
from builders.sobhard.checks import problem_of, stands_in_input
from builders.sobhard.choose import Chooser, Shown
from builders.sobhard.corpus import Document
from builders.sobhard.families import RecipeError
from builders.sobhard.plan import Slot, demonstrations, plan
from builders.sobhard.rows import Row
from builders.sobhard.samplers import SAMPLERS, Draw, Unsuitable

__all__ = ["MOST_IN_INPUT", "BuildError", "Built", "build"]

MOST_IN_INPUT = 9  # questions whose answer stands in the input
_TRIES = 60  # documents tried for a question


class BuildError(RuntimeError):
    """The corpus does not give a set; the message names the question that could not be made."""


class Built(NamedTuple):
    """A set.

    Attributes:
        test: graded rows.
        shots: demonstrations and earlier turns, with their answers.
        refused: documents tried for a question and not taken, by family and reason.
    """

    test: list[Row]
    shots: list[Row]
    refused: Counter[tuple[str, str]]


def build(
    documents: Iterable[Document],
    seed: int,
    *,
    slots: Iterable[Slot] | None = None,
    pool: str = "shipped",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Built:
    """Make a set.

    Args:
        documents: the corpus.
        seed: decides everything that is left to chance.
        slots: the questions wanted; the full plan by default.
        pool: which wordings are used, see ``wording``.
        progress: told how many questions are done.

    Raises:
        BuildError: a question could not be made.
    """
    wanted = plan(seed) if slots is None else list(slots)
    maker = _Maker(documents, seed, pool)
    shown = [row for slot in demonstrations(seed) for row in maker.make(slot, "demonstration")]
    test: list[Row] = []
    # Questions that few documents fit come first: what they need is still unused.
    order = sorted(wanted, key=lambda slot: (slot.target not in ("properties", "sqlinsert"), slot.family != "session"))
    made: dict[int, list[Row]] = {}
    for done, slot in enumerate(order):
        progress(done, len(order))
        made[slot.number] = maker.make(slot, "question")
    dialogue = 0
    for slot in wanted:
        *earlier, graded = made[slot.number]
        if earlier:
            dialogue += 1
            rows.name_dialogue([*earlier, graded], dialogue)
        shown += earlier
        test.append(graded)
    progress(len(order), len(order))
    rows.complete(test, shown)
    return Built(test, shown, maker.refused)


class _Maker:
    def __init__(self, documents: Iterable[Document], seed: int, pool: str) -> None:
        self._chooser = Chooser(documents, seed)
        self._seed = seed
        self._pool = pool
        self._used: Counter[str] = Counter()
        self._in_input = 0
        self.refused: Counter[tuple[str, str]] = Counter()

    def make(self, slot: Slot, role: str) -> list[Row]:
        """The rows of a slot, the graded one last."""
        rng = random.Random(f"{self._seed}/{role}/{slot.number}")
        for tried, shown in enumerate(self._chooser.candidates(rng, slot)):
            if tried == _TRIES:
                break
            try:
                made = self._try(rng, slot, shown)
            except (Unsuitable, RecipeError, ValueError) as error:
                self.refused[slot.family, f"{type(error).__name__}: {error}"[:100]] += 1
                continue
            self._chooser.take(slot, shown, rows.input_length(made))
            return made
        raise BuildError(
            f"no document of the corpus gives a {slot.tier} {slot.family} question, {slot.difficulty}, in {slot.target}"
        )

    def _try(self, rng: random.Random, slot: Slot, shown: Shown) -> list[Row]:
        draw = Draw(rng, slot, shown.document, shown.notation, self._used)
        chosen, named = SAMPLERS[slot.family](draw)
        recipe: dict[str, Any] = {
            "family": slot.family,
            "difficulty": slot.difficulty,
            "document": "document",
            "source": shown.notation,
            "target": slot.target,
            "style": slot.style,
            "words": rng.randrange(2**32),
            "pool": self._pool,
            **chosen,
        }
        documents = {"document": shown.document, **named}
        made = rows.session(recipe, documents, 0) if slot.turns else [rows.single(recipe, documents)]
        for row in made:
            row["meta"]["categories"]["origin"] = shown.document.origin
        if rows.tier(made) != slot.tier:
            raise Unsuitable("the input is of another tier")
        in_input = stands_in_input(made[-1])
        if in_input and self._in_input == MOST_IN_INPUT:
            raise Unsuitable("the answer stands in the input")
        for row in made:
            if problem := problem_of({**row, "instruction": _ANY}):
                raise Unsuitable(problem)
        self._in_input += in_input
        self._used.update(step["rule"] for step in chosen.get("program", ()))
        return made


_ANY = "{task}{input_data}{format}{question}"
