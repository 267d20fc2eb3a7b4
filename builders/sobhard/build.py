"""The full set: for each slot of the plan a document, a recipe, a row, and the proofs of it."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from builders.sobhard import rows
from builders.sobhard.checks import problem_of, stands_in_input
from builders.sobhard.choose import Chooser, Shown
from builders.sobhard.corpus import Document
from builders.sobhard.families import RecipeError
from builders.sobhard.operations import OperationRefused
from builders.sobhard.plan import Slot, demonstrations, plan
from builders.sobhard.rows import Row
from builders.sobhard.samplers import SAMPLERS, Draw, Unsuitable
from builders.sobhard.sources import SourceRefused
from builders.sobhard.targets import TargetRefused

__all__ = ["MOST_IN_INPUT", "BuildError", "Built", "build"]

MOST_IN_INPUT = 9  # questions whose answer stands in the input
_TRIES = 60  # documents tried for a question
_RARE = ("properties", "sqlinsert")  # targets that few documents fit
_SHOWN = 100  # characters of a reason
# What a document may be refused by. Anything else is a fault of the builder and stops it.
_REFUSALS = (Unsuitable, RecipeError, OperationRefused, SourceRefused, TargetRefused)


class BuildError(RuntimeError):
    """The corpus does not give a set; the message names the question that could not be made."""


class Built(NamedTuple):
    """A set.

    Attributes:
        test: graded rows.
        shots: demonstrations and earlier turns, with their answers.
        documents: ids of the documents behind them.
        held_back: graded rows from documents that the shipped set never uses.
    """

    test: list[Row]
    shots: list[Row]
    documents: frozenset[str]
    held_back: int


def build(
    documents: Iterable[Document],
    seed: int,
    *,
    slots: Iterable[Slot] | None = None,
    private: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Built:
    """Make a set.

    Args:
        documents: the corpus.
        seed: decides everything that is left to chance.
        slots: the questions wanted; the full plan by default.
        private: whether documents and wordings that are held back from the shipped set may be used; they are preferred.
        progress: told how many questions are done.

    Raises:
        BuildError: a question could not be made.
    """
    wanted = plan(seed) if slots is None else list(slots)
    dialogues = {slot.number: place for place, slot in enumerate((s for s in wanted if s.turns), 1)}
    kept = [document for document in documents if private or not document.held_back]
    maker = _Maker(kept, seed, "private" if private else "shipped", dialogues)
    shown = [row for slot in demonstrations(seed) for row in maker.make(slot, "demonstration")]
    test: list[Row] = []
    # What is shown comes first, so that no answer is taken which stands there; then what few documents fit.
    order = sorted(wanted, key=lambda slot: (not slot.turns, slot.target not in _RARE, slot.target != "toml"))
    made: dict[int, list[Row]] = {}
    for done in range(len(order)):
        progress(done, len(order))
        made[order[done].number] = _make_or_swap(maker, order, done)
    for slot in wanted:
        *earlier, graded = made[slot.number]
        shown += earlier
        test.append(graded)
    progress(len(order), len(order))
    rows.complete(test, shown)
    return Built(test, shown, frozenset(maker.documents), maker.held_back)


def _make_or_swap(maker: "_Maker", order: list[Slot], place: int) -> list[Row]:
    """The rows of a slot. Where no document gives them, it takes the target of a later slot of its family and gives it
    its own; where that does not help either, it has a rule less.
    """
    slot = order[place]
    try:
        return maker.make(slot, "question")
    except BuildError:
        tried = {slot.target}
        for later in range(place + 1, len(order)):
            other = order[later]
            if other.family != slot.family or other.target in tried:
                continue
            tried.add(other.target)
            try:
                made = maker.make(slot._replace(target=other.target), "question")
            except BuildError:
                continue
            order[later] = other._replace(target=slot.target)
            return made
        for steps in range(slot.steps - 1, 0, -1):
            try:
                return maker.make(slot._replace(steps=steps), "question")
            except BuildError:
                continue
        raise


class _Maker:
    def __init__(self, documents: Iterable[Document], seed: int, pool: str, dialogues: Mapping[int, int]) -> None:
        self._chooser = Chooser(documents, seed)
        self._seed = seed
        self._pool = pool
        self._dialogues = dialogues
        self._used: Counter[str] = Counter()
        self._in_input = 0
        self._shown: list[str] = []
        self._answers: list[str] = []
        self.documents: set[str] = set()
        self.held_back = 0

    def make(self, slot: Slot, role: str) -> list[Row]:
        """The rows of a slot, the graded one last."""
        rng = random.Random(f"{self._seed}/{role}/{slot.number}")
        refused: Counter[str] = Counter()
        for tried, shown in enumerate(self._chooser.candidates(rng, slot)):
            if tried == _TRIES:
                break
            try:
                made = self._try(rng, slot, shown)
            except _REFUSALS as error:
                refused[str(error)[:_SHOWN]] += 1
                continue
            self.documents.add(shown.document.id)
            self.held_back += shown.document.held_back and role == "question"
            self._chooser.take(slot, shown, len(made[0]["inputs"]["input_data"]), apart=role == "demonstration")
            self._shown += _texts(made if role == "demonstration" else made[:-1])
            if role == "question":
                self._answers.append(made[-1]["meta"]["reference"])
            return made
        wanted = f"a {slot.tier} {slot.family} question, {slot.difficulty}, in {slot.target}"
        reasons = "; ".join(f"{count} times: {why}" for why, count in refused.most_common(3)) or "none has its length"
        raise BuildError(f"no document of the corpus gives {wanted}; {reasons}")

    def _try(self, rng: random.Random, slot: Slot, shown: Shown) -> list[Row]:
        draw = Draw(rng, slot, shown.document, shown.notation, shown.layout, self._used)
        chosen, named = SAMPLERS[slot.family](draw)
        recipe: dict[str, Any] = {
            "family": slot.family,
            "difficulty": slot.difficulty,
            "document": "document",
            "source": shown.notation,
            "target": slot.target,
            "style": slot.style,
            # The parts of a table that are joined have columns of their own.
            "layout": {} if slot.family == "merge" else shown.layout._asdict(),
            "words": rng.randrange(2**32),
            "pool": self._pool,
            **chosen,
        }
        documents = {"document": shown.document, **named}
        made = (
            rows.session(recipe, documents, self._dialogues[slot.number])
            if slot.turns
            else [rows.single(recipe, documents)]
        )
        for row in made:
            row["meta"]["categories"]["origin"] = shown.document.origin
        if made[0]["meta"]["categories"]["length_tier"] != slot.tier:
            raise Unsuitable("the input is of another tier")
        in_input = stands_in_input(made[-1])
        if in_input and self._in_input == MOST_IN_INPUT:
            raise Unsuitable("the answer stands in the input")
        self._check_apart(made)
        for row in made:
            if problem := problem_of(row):
                raise Unsuitable(problem)
        self._in_input += in_input
        self._used.update(step["rule"] for step in chosen.get("program", ()))
        return made

    def _check_apart(self, made: Sequence[Row]) -> None:
        """No graded answer stands in what is shown, in neither direction."""
        *earlier, graded = made
        shown = _texts(earlier)
        answer = graded["meta"]["reference"]
        if any(answer in text for text in [*self._shown, *shown]):
            raise Unsuitable("the answer stands in a shot")
        if any(other in text for text in shown for other in self._answers):
            raise Unsuitable("a turn shows the answer of another conversation")


def _texts(shots: Iterable[Row]) -> list[str]:
    """What shots show: prompts and answers."""
    return [text for row in shots for text in (row["meta"]["reference"], *row["inputs"].values())]
