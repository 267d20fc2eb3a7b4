"""Conversations: the earlier turns of a question, taken from the ``shots`` split (SOBHard contract, section 2.3)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from metrics.sobhard import answer_text
from tasks.sobhard.prompts import render

__all__ = ["History", "Turn", "bounded"]

_NAMED: Final = 8  # missing turns that a message names


class Turn(NamedTuple):
    """One earlier turn: what the user wrote and what was answered."""

    query: str
    answer: str


def bounded(turns: Sequence[Turn], fewshot: int) -> Sequence[Turn]:
    """The latest ``fewshot`` turns, oldest first; 0 means all of them."""
    return turns[-fewshot:] if fewshot > 0 else turns


class History:
    """The earlier turns of every conversation of a dataset.

    Args:
        shots: rows of the ``shots`` split; those outside conversations are left out.

    Raises:
        ValueError: a turn has no answer or cannot be rendered, or two rows are the same turn.
    """

    def __init__(self, shots: Iterable[Mapping[str, Any]]) -> None:
        self._turns: dict[int, dict[int, Turn]] = {}
        for row in shots:
            dialogue, number = row["meta"].get("dialogue_id"), row["meta"].get("turn_index")
            if dialogue is None or number is None:
                continue
            turns = self._turns.setdefault(dialogue, {})
            if number in turns:
                raise ValueError(f"conversation {dialogue} has its turn {number} twice")
            turns[number] = Turn(render(row), answer_text(row))
            if not turns[number].answer.strip():
                raise ValueError(f"turn {number} of conversation {dialogue} has no answer to show")

    def turns(self, row: Mapping[str, Any]) -> tuple[Turn, ...]:
        """What was said before a question, oldest first; nothing for a question outside conversations.

        Raises:
            ValueError: turns between the first and the question's own are missing.
        """
        dialogue, number = row["meta"].get("dialogue_id"), row["meta"].get("turn_index")
        if dialogue is None or number is None:
            return ()
        known = self._turns.get(dialogue, {})
        missing = list(islice((turn for turn in range(1, number) if turn not in known), _NAMED + 1))
        if missing:
            listed = ", ".join(map(str, missing[:_NAMED])) + (", ..." if len(missing) > _NAMED else "")
            raise ValueError(f"turn {number} of conversation {dialogue}: no earlier turn {listed} in the shots")
        return tuple(known[turn] for turn in range(1, number))
