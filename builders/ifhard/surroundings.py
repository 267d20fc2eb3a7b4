"""What stands beside a requirement, as far as its wording should know.

Read alone, a wording explains everything that it uses. In a stack some of that is said already: what a sentence or a
list item is, how many there are, that no letter is a capital. Wordings mark such parts (see the header of
``structure.yaml``), and this module tells which of them a stack makes needless.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from builders.ifhard.catalogue import Variant
from builders.ifhard.frames import LISTS
from builders.ifhard.type_tables import RULES

__all__ = ["surroundings", "worded"]


def surroundings(frame: str, keys: Sequence[str], place: int) -> frozenset[str]:
    """What the wording of one requirement may take for granted, whatever the wordings of the others.

    Args:
        frame: shape of the answer, one of :data:`builders.ifhard.frames.FRAMES`.
        keys: the stack in the order of the question, keys of :data:`builders.ifhard.type_tables.RULES`.
        place: index of the requirement in it.

    Returns:
        Tags of :data:`builders.ifhard.catalogue.BESIDE`.
    """
    tags = {"listed"} if frame in LISTS | {"parts"} else set()
    for other, key in enumerate(keys):
        if other != place:
            tags |= RULES[key].tells
    # Where nothing says that the list has no numbers, the answer may have them.
    if frame in LISTS and "digitless" not in tags and not any("bullets" in RULES[key].tells for key in keys):
        tags.add("numbered")
    return frozenset(tags)


def worded(
    frame: str, keys: Sequence[str], variants: Sequence[Variant], values: Sequence[Mapping[str, Any]], rng: Random
) -> tuple[str, ...]:
    """The lines of a question: for each requirement one of its wordings; the first that needs a rule explains it.

    Args:
        frame, keys: as for :func:`surroundings`.
        variants, values: of each requirement, in the order of the question.
        rng: chooses the wordings.
    """
    lines, explained = [], frozenset[str]()
    for place, (variant, slots) in enumerate(zip(variants, values, strict=True)):
        index = rng.randrange(len(variant.ru))
        lines.append(variant.wording(index, slots, surroundings(frame, keys, place) | explained))
        explained |= variant.defines(index)
    return tuple(lines)
