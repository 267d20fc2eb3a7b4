"""What a break is: an edit of a few characters that a strict reader stops at."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

__all__ = ["Edit", "Kind", "Sites", "far_apart", "with_edits"]

_NEAR: Final = 80  # characters


class Edit(NamedTuple):
    """Characters ``start`` up to, not including, ``end`` of a document, and what stands there instead."""

    start: int
    end: int
    text: str


Sites: TypeAlias = Callable[[str, str], list[Edit]]


class Kind(NamedTuple):
    """A kind of break.

    Attributes:
        id: recorded in the row: ``group.what``.
        notations: source notations whose documents can have it.
        sites: of a text and its notation, every place where the break leaves one way to mend the text.
        clear: why there is one way only, in English.
    """

    id: str
    notations: tuple[str, ...]
    sites: Sites
    clear: str


def with_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, which do not overlap."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def far_apart(text: str, edit: Edit, others: Sequence[Edit]) -> bool:
    """Whether an edit is out of the way of others: two lines on, or a long way on in long lines."""
    for other in others:
        between = text[min(edit.end, other.end) : max(edit.start, other.start)]
        if len(between) < _NEAR and between.count("\n") < 2:
            return False
    return True
