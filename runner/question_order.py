"""The order in which questions are asked where the first of them are to speak for all."""

import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Question", "drawn_order", "question_of"]

Question = tuple[str, str]
"""A document's task and the id of its question; repeats of a question share it."""


def question_of(doc: Any) -> Question:
    """The question of a LightEval document."""
    return doc.task_name, doc.specific["id"]


def drawn_order(docs: Sequence[Any], cells: Sequence[str], seed: int) -> list[Question]:
    """The questions of documents in an order drawn at random, evenly over their cells.

    Each question is as likely at any place as another, and each stretch of the order has about as large a share of
    every cell as the whole: the j-th question drawn of a cell of n stands at ``(j + u) / n``, u being uniform in
    [0, 1). The order depends on the seed, the ids and the cells alone.

    Args:
        docs: the documents, in any order, repeats included.
        cells: labels whose values make up a question's cell.
        seed: of the draw.
    """
    groups: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question, labels in sorted({question_of(doc): doc.specific["labels"] for doc in docs}.items()):
        groups[_cell(json.loads(labels), cells)].append(question)
    generator = random.Random(seed)
    places = []
    for _, members in sorted(groups.items()):
        generator.shuffle(members)
        places += [((j + generator.random()) / len(members), question) for j, question in enumerate(members)]
    return [question for _, question in sorted(places)]


def _cell(labels: Mapping[str, Any], cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(labels.get(name)) for name in cells)
