"""Conversations: the earlier turns of a question, taken from the ``shots`` split (SOBHard contract, section 2.3)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from metrics.row_error import RowError
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
        RowError: as ``add``.
    """

    def __init__(self, shots: Iterable[Mapping[str, Any]] = ()) -> None:
        self._turns: dict[int, dict[int, Turn]] = {}
        for row in shots:
            self.add(row)

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in a row of the ``shots`` split.

        Raises:
            RowError: it has no answer or cannot be rendered, or another row is the same turn.
        """
        dialogue, number = row["meta"].get("dialogue_id"), row["meta"].get("turn_index")
        if dialogue is None or number is None:
            return
        turns = self._turns.setdefault(dialogue, {})
        if number in turns:
            raise RowError(f"conversation {dialogue} has its turn {number} twice", "meta.turn_index")
        turn = Turn(render(row), answer_text(row))
        if not turn.answer.strip():
            raise RowError(f"turn {number} of conversation {dialogue} has no answer to show", "outputs")
        turns[number] = turn

    def turns(self, row: Mapping[str, Any]) -> tuple[Turn, ...]:
        """The turns before a question, oldest first; none for a question outside conversations.

        Raises:
            RowError: turns between the first and the question's own are missing.
        """
        dialogue, number = row["meta"].get("dialogue_id"), row["meta"].get("turn_index")
        if dialogue is None or number is None:
            return ()
        known = self._turns.get(dialogue, {})
        missing = list(islice((turn for turn in range(1, number) if turn not in known), _NAMED + 1))
        if missing:
            listed = ", ".join(map(str, missing[:_NAMED])) + (", ..." if len(missing) > _NAMED else "")
            problem = f"turn {number} of conversation {dialogue}: no earlier turn {listed} in the shots"
            raise RowError(problem, "meta.turn_index")
        return tuple(known[turn] for turn in range(1, number))
