"""Conversations: turns, each on the result of the one before."""

from typing import Final

from builders.sobhard.samplers.draw import Choice, Draw, Recipe, holds
from builders.sobhard.samplers.edits import draw_ops
from builders.sobhard.samplers.programs import Unsuitable, draw_program

__all__ = ["session"]

# Rules after which a document still has enough for the next turn.
_EARLIER_RULES: Final = (
    *("sort_keys", "camel_keys", "drop_empty", "filter_records", "sort_records", "project_fields"),
    *("numbers_from_strings", "dedup_records", "renumber", "top_n_per_group"),
)


def session(draw: Draw) -> Choice:
    """Turns of patches and rules, each on the result of the one before; the targets of earlier turns are drawn."""
    rng, slot = draw.rng, draw.slot
    state, states, turns = draw.document.value, [draw.document.value], []
    for number, turn in enumerate(slot.turns, 1):
        graded = number == len(slot.turns)
        start = states[-2] if turn.undo else state
        targets = [slot.target] if graded else rng.sample(["json", "yaml", "jsonl", "toml"], 4)
        used = draw.used
        if turn.family == "patch":
            ops, state = draw_ops(rng, start, draw.count("turn ops"))
            made: Recipe = {"ops": ops}
        else:
            steps = 1 if slot.difficulty == "easy" or isinstance(start, dict) else 2
            rules, fits = (None, draw.holds) if graded else (_EARLIER_RULES, bool)
            program, state = draw_program(rng, start, steps, used, rules, fits)
            made = {"program": program}
        target = next((name for name in targets if holds(name, state)), None)
        if target is None:
            raise Unsuitable("no notation holds the state of a turn")
        turns.append({"family": turn.family, "target": target, "undo": turn.undo, **made})
        states.append(state)
    return {"turns": turns}, {}
