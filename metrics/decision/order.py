"""The order in which questions are asked where the first of them are to speak for all."""

import random
from collections import defaultdict
from collections.abc import Mapping
from typing import TypeVar

__all__ = ["even_order"]

Item = TypeVar("Item", int, str, tuple[str, str])


def even_order(cells: Mapping[Item, tuple[str, ...]], seed: int) -> list[Item]:
    """Questions in an order drawn at random, evenly over their cells.

    Each question is as likely at any place as another, and each stretch of the order has about as large a share of
    every cell as the whole: the j-th question drawn of a cell of n stands at ``(j + u) / n``, u being uniform in
    [0, 1). The order depends on the seed, the questions and their cells alone.

    Within a cell it is a simple random order. Over cells that differ the beginning varies less than one of a simple
    random order would, which the formulas of :mod:`metrics.decision.sequences` and :mod:`metrics.decision.evidence`
    assume: ``simulations/cells.py`` shows that they then err on the safe side.

    Args:
        cells: the cell of each question.
        seed: of the draw.
    """
    groups: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for question, cell in sorted(cells.items()):
        groups[cell].append(question)
    generator = random.Random(seed)
    places: list[tuple[float, Item]] = []
    for _, members in sorted(groups.items()):
        generator.shuffle(members)
        places += [((j + generator.random()) / len(members), question) for j, question in enumerate(members)]
    return [question for _, question in sorted(places)]
