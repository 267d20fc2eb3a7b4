"""What a corpus is made of: documents, the refusals of those that are left out, and the error that stops it all."""

import hashlib
from typing import Final, NamedTuple

from builders.sobhard.sources import Layout
from builders.sobhard.sources.model import Value

__all__ = ["CorpusError", "Document", "Refusal", "is_held_back"]

_HELD_BACK: Final = 0.26
_SEED: Final = "sobhard held back 221"


class CorpusError(RuntimeError):
    """A corpus cannot be had: the message says what is missing, where it comes from and what would work."""


class Document(NamedTuple):
    """One document, or a part of a file that is shown as one.

    Attributes:
        id: stable and unique: the file's id, with the part after a number sign where it is not the whole file.
        origin: folder and file, ``csv/countries.csv``; unique per file (``meta.categories.origin``).
        notation: the file's own, a key of ``sources.NOTATIONS``.
        value: what ``text`` holds: ``read(notation, text, layout) == value``.
        layout: what the convention of the own notation needs.
        text: the document in its own notation, LF at line ends and without a byte-order mark.
        held_back: never in the shipped set, so that private sets have documents of their own.
    """

    id: str
    origin: str
    notation: str
    value: Value
    layout: Layout
    text: str
    held_back: bool


class Refusal(NamedTuple):
    """A document that is left out: ``code`` is a key of ``sources.REFUSALS`` or of ``admission.RULES``."""

    id: str
    code: str
    reason: str


def is_held_back(name: str) -> bool:
    """Whether the document of this id is kept for private sets: drawn by its hash, over a quarter of all."""
    digest = hashlib.sha256(f"{_SEED}\n{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < _HELD_BACK * 2**64
