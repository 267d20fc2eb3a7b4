"""Questions of LightEval's documents, and the order in which they are asked where the first are to speak for all."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metrics.decision.order import even_order

__all__ = ["Question", "drawn_order", "question_of"]

Question = tuple[str, str]
"""A document's task and the id of its question; repeats of a question share it."""


def question_of(doc: Any) -> Question:
    """The question of a LightEval document."""
    return doc.task_name, doc.specific["id"]


def drawn_order(docs: Sequence[Any], cells: Sequence[str], seed: int) -> list[Question]:
    """The questions of documents in an order drawn at random, evenly over their cells (:func:`even_order`).

    Args:
        docs: the documents, in any order, repeats included.
        cells: labels whose values make up a question's cell.
        seed: of the draw.
    """
    return even_order({question_of(doc): _cell(json.loads(doc.specific["labels"]), cells) for doc in docs}, seed)


def _cell(labels: Mapping[str, Any], cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(labels.get(name)) for name in cells)
