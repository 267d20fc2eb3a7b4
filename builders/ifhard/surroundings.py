"""What stands beside a requirement, as far as its wording should know.

Read alone, a wording explains everything that it uses. In a stack some of that is said already: what a sentence or a
list item is, how many there are, that no letter is a capital. Wordings mark such parts (see the header of
``structure.yaml``), and this module tells which of them a stack makes needless.
"""

from collections.abc import Sequence

from builders.ifhard.type_tables import RULES

__all__ = ["surroundings"]


def surroundings(frame: str, keys: Sequence[str], place: int) -> frozenset[str]:
    """What the wording of one requirement may take for granted.

    Args:
        frame: shape of the answer, one of :data:`builders.ifhard.frames.FRAMES`.
        keys: the stack in the order of the question, keys of :data:`builders.ifhard.type_tables.RULES`.
        place: index of the requirement in it.

    Returns:
        Tags of :data:`builders.ifhard.catalogue.BESIDE`.
    """
    tags = {"listed"} if frame in {"bullets", "numbers", "parts"} else set()
    for other, key in enumerate(keys):
        if other != place:
            tags |= RULES[key].tells
    for key in keys[:place]:
        explained = RULES[key].explains
        # Any marker will do for the items explained, while those of items_total_words are of one kind.
        tags |= explained - {"list"} if keys[place].startswith("structure:items_total_words") else explained
    return frozenset(tags)
