"""Documents with broken syntax for repair questions: nothing is lost, and there is one way to mend them.

    break_document(Random(1), "json", '{"a": true}', PLAIN, 1) -> Broken("{'a': true}", ["json.single-quotes"])

A break moves, unbalances, mistypes or doubles marks; names, keys and values stay. Each one alone makes the strict
reader refuse the document.
"""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from builders.sobhard import sources
from builders.sobhard.breaks.edits import Edit, Kind, far_apart, with_edits
from builders.sobhard.breaks.json_breaks import JSON_KINDS
from builders.sobhard.breaks.line_breaks import LINE_KINDS
from builders.sobhard.breaks.table_breaks import TABLE_KINDS
from builders.sobhard.sources import Layout, SourceRefused

__all__ = ["BREAKABLE", "BREAKS", "BreakRefused", "Broken", "Edit", "Kind", "break_document", "with_edits"]

BREAKS: Final = (*JSON_KINDS, *LINE_KINDS, *TABLE_KINDS)
BREAKABLE: Final = tuple(sorted({notation for kind in BREAKS for notation in kind.notations}))
_TRIES: Final = 8  # places of one kind
_TIMES: Final = 4  # of one kind in a document, once the others do not fit


class BreakRefused(ValueError):  # noqa: N818 - a refusal is an outcome here, not an error
    """A document that has no room for so many breaks."""


class Broken(NamedTuple):
    """A broken document.

    Attributes:
        text: the document.
        kinds: of its breaks, in the order of their places.
    """

    text: str
    kinds: list[str]


def break_document(rng: Random, notation: str, text: str, layout: Layout, count: int) -> Broken:
    """A document with breaks of different kinds, of one kind again only where no other fits.

    Args:
        rng: decides which and where.
        notation: one of ``BREAKABLE``.
        text: reads as the document's value.
        layout: of the text.
        count: of breaks.

    Raises:
        BreakRefused: fewer breaks fit.
    """
    kinds = [kind for kind in BREAKS if notation in kind.notations]
    rng.shuffle(kinds)
    chosen: list[tuple[Edit, str]] = []
    for kind in kinds * _TIMES:
        if len(chosen) == count:
            break
        edit = _place(rng, kind, notation, text, layout, [edit for edit, _ in chosen])
        if edit is not None:
            chosen.append((edit, kind.id))
    broken = with_edits(text, [edit for edit, _ in chosen])
    if len(chosen) < count or _reads(notation, broken, layout):
        raise BreakRefused(f"{notation}: {len(chosen)} of {count} breaks fit the document")
    return Broken(broken, [kind for _, kind in sorted(chosen)])


def _place(rng: Random, kind: Kind, notation: str, text: str, layout: Layout, taken: Sequence[Edit]) -> Edit | None:
    """A place for a break of a kind, away from others; None if a few tries find none."""
    sites = [edit for edit in kind.sites(text, notation) if far_apart(text, edit, taken)]
    for edit in rng.sample(sites, min(_TRIES, len(sites))):
        if not _reads(notation, with_edits(text, [edit]), layout):
            return edit
    return None


def _reads(notation: str, text: str, layout: Layout) -> bool:
    try:
        sources.read(notation, text, layout)
    except SourceRefused:
        return False
    return True
