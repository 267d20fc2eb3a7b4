"""From a stack to a witness: run every requirement's steps, choose units, put the answer together.

The composer writes nothing. It selects whole bank sentences and phrases and may only order them, lower-case
them, wrap lines, embolden a word, quote the task line, and append a line of hashtags or a count.
"""

from collections.abc import Mapping
from typing import Final

from builders.ifhard.bank import Unit
from builders.ifhard.draft import Aim, Draft, InfeasibleError, Sum
from builders.ifhard.frames import render
from builders.ifhard.layout import lay_out
from builders.ifhard.requirements import TYPES
from builders.ifhard.solver import choose_units

__all__ = ["compose"]

_ANCHORS: Final = 200
"""Random fillings tried before the totals of a stack are called out of reach."""


def _run(step: str, draft: Draft) -> None:
    # A word to be spelled by initials is chosen last, when the others have said how many sentences there may be.
    order = sorted(draft.asks, key=lambda ask: TYPES[ask.variant.category].turn)
    if step == "shape":
        order.sort(key=lambda ask: ask.variant.category.endswith("acrostic"))
    for ask in order:
        action = getattr(TYPES[ask.variant.category].demand, step)
        if action is not None:
            action(draft, ask)


def _filling(draft: Draft, offers: Mapping[int, list[Unit]]) -> list[Unit] | None:
    """One random choice for every slot, all different; None if the last slots run out of units."""
    taken: list[Unit] = []
    for slot in range(draft.n):
        free = [unit for unit in offers[slot] if unit not in taken]
        if not free:
            return None
        taken.append(draft.rng.choice(free))
    return taken


def _resolve(aims: list[Aim], draft: Draft) -> None:
    """Take the totals of a random filling as the numbers that the stack demands.

    A filling obeys the tests of its slots but not the sums and relations, so the solver still has to find another
    answer of the same totals; what is demanded lies where answers are dense, and is not the property of one answer.

    Raises:
        InfeasibleError: no filling has totals within the bounds.
    """
    if not aims:
        return
    offers = {slot: draft.candidates(slot) for slot in range(draft.n)}
    for _ in range(_ANCHORS):
        filling = _filling(draft, offers)
        if filling is None:
            continue
        values = [aim.constant + sum(map(aim.weight, filling)) for aim in aims]
        if all(aim.low <= value <= aim.high for aim, value in zip(aims, values, strict=True)):
            for aim, value in zip(aims, values, strict=True):
                low, high = aim.put(value)
                draft.sums.append(Sum(aim.weight, low - aim.constant, high - aim.constant))
            return
    raise InfeasibleError("totals out of reach")


def _read_off(aims: list[Aim], draft: Draft) -> None:
    """Take the totals of the units already chosen as the numbers that the stack demands.

    Raises:
        InfeasibleError: a total is out of its bounds.
    """
    for aim in aims:
        value = aim.constant + sum(map(aim.weight, draft.units))
        if not aim.low <= value <= aim.high:
            raise InfeasibleError("totals out of reach")
        aim.put(value)


def _choose(draft: Draft) -> None:
    """Choose the units: to totals taken from a random filling, or failing that take the totals of a solution.

    Raises:
        InfeasibleError: there is no choice of units.
    """
    fixed = list(draft.sums)
    try:
        _resolve(draft.aims, draft)
        draft.units = choose_units(draft)
    except InfeasibleError:
        if not draft.aims:
            raise
        draft.sums = fixed
        draft.units = choose_units(draft)
        _read_off(draft.aims, draft)


def compose(draft: Draft) -> str:
    """Compose the witness of a draft; afterwards every ask has all its slot values.

    Raises:
        InfeasibleError: this stack with these choices has no witness.
    """
    for step in ("fix", "narrow", "shape"):
        _run(step, draft)
    lay_out(draft)
    for step in ("place", "aim"):
        _run(step, draft)
    _choose(draft)
    draft.texts = [unit.text.lower() if draft.lower else unit.text for unit in draft.units]
    for step in ("settle", "seal"):
        _run(step, draft)
    return render(draft, draft.texts)
