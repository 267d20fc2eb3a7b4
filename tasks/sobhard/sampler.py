"""Session replay in LightEval: each turn of a conversation gets its own earlier turns (SOBHard contract, section 2.3).

The number behind the bar (``sobhard:all|N``) is the most turns that are replayed, the latest N; 0 replays all of them.
Questions outside conversations are asked alone, whatever the number, and demonstrations are never shown.

LightEval assigns ``doc.fewshot_samples`` once a document is made: the first N rows of one pool shared by all, or
nothing at 0. A SessionDoc does not take that assignment; it holds its own turns and gives the latest N of them to
whoever reads the attribute, our model and every other backend alike.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from lighteval.tasks.requests import Doc

from tasks.names import fewshot_number
from tasks.sobhard.history import Turn, bounded

__all__ = ["SessionDoc", "history_notes"]

# A child of LightEval's logger: its own command shows it; our runner, which prints history_notes, keeps it quiet.
logger = logging.getLogger(f"lighteval.{__name__}")


class SessionDoc(Doc):
    """A document with the turns that come before it.

    Attributes:
        turns: all earlier turns, oldest first; empty outside conversations.
        row: the dataset row, for whoever writes answers in the official form.
    """

    # Class attributes, so that a document made without them is one outside conversations.
    turns: tuple[Turn, ...] = ()
    row: Mapping[str, Any] = {}

    @property
    def fewshot_samples(self) -> list[Doc]:
        """The turns that are replayed, oldest first."""
        shown = bounded(self.turns, fewshot_number(self.task_name))
        return [Doc(query=turn.query, choices=[turn.answer], gold_index=0) for turn in shown]

    @fewshot_samples.setter
    def fewshot_samples(self, pool: list[Doc]) -> None:
        """Ignore LightEval's pool of samples, and log how many earlier turns the few-shot number leaves out."""
        fewshot = fewshot_number(self.task_name)
        left_out = len(self.turns) - len(bounded(self.turns, fewshot))
        if left_out:
            logger.warning(
                "%s, id %s: the first %d of %d earlier turns are not replayed, the document among them",
                *(self.task_name, (self.specific or {}).get("id", self.id), left_out, len(self.turns)),
            )


def history_notes(docs: Sequence[Any], fewshot: int) -> list[str]:
    """Warnings about the conversations among documents whose history the bound cuts: one, with their count.

    Args:
        docs: SessionDocs that are about to be asked; repeats of a question count once.
        fewshot: the bound, 0 for none.
    """
    talks = [doc for doc in {doc.specific["id"]: doc for doc in docs}.values() if doc.turns]
    cut = [doc for doc in talks if len(bounded(doc.turns, fewshot)) < len(doc.turns)]
    if not cut:
        return []
    longest = max(len(doc.turns) for doc in talks)
    return [
        f"|{fewshot} cuts the history of {len(cut)} of {len(talks)} conversations: their first turns, which show the "
        f"document, are not replayed (longest history: {longest} turns; |0 replays all)"
    ]
