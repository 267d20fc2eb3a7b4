"""Dirt of a document: what a careless rewrite spoils. Counts that the selection looked at and the card shows."""

import itertools
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from builders.sobhard.corpus.model import Document
from builders.sobhard.sources import NOTATIONS
from builders.sobhard.sources.model import Value

__all__ = ["Dirt", "dirt", "total"]

_EMOJI: Final = re.compile(
    "[\u231a\u231b\u23e9-\u23f3\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\U0001f1e6-\U0001f1ff"
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001faff]"
)
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
# Letters beyond Latin, Cyrillic among them: from Greek on, without punctuation, signs and presentation forms of Latin.
_NOT_LATIN: Final = re.compile(
    "[\u0370-\u1aff\u1c80-\u1cbf\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\u2dff\u3040-\ua71f\uac00-\ud7ff\uf900-\ufaff]"
)
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PLAIN_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]*[1-9])?")
_TWIN_LENGTH: Final = 4  # shorter keys are always near to one another


class Dirt(NamedTuple):
    """Counts over the keys and strings of a document, each object's keys once.

    Attributes:
        emoji: emoji characters.
        astral: characters beyond U+FFFF, a surrogate pair each in UTF-16.
        quotes: strings with a double quote, which most notations escape.
        line_breaks: strings with a line feed.
        number_strings: strings that are numbers: all of them in a typed notation, where quotes alone tell them apart;
            in an untyped one those that lose characters when they are read as numbers (leading and trailing zeros).
        near_twins: keys of one object that differ from another by case, separators or one character.
        not_latin: letters beyond the Latin alphabet.
        cyrillic: of them, Cyrillic ones.
    """

    emoji: int = 0
    astral: int = 0
    quotes: int = 0
    line_breaks: int = 0
    number_strings: int = 0
    near_twins: int = 0
    not_latin: int = 0
    cyrillic: int = 0

    def __add__(self, other: "Dirt") -> "Dirt":  # type: ignore[override] # counts are added, not joined
        return Dirt(*(one + two for one, two in zip(self, other, strict=True)))


def dirt(document: Document) -> Dirt:
    """The dirt of one document."""
    typed = NOTATIONS[document.notation].typed
    strings: list[str] = []
    keys: set[tuple[str, ...]] = set()
    todo: list[Value] = [document.value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            strings.append(item)
        elif isinstance(item, dict):
            keys.add(tuple(item))
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    text = "\n".join(itertools.chain(strings, *keys))
    return Dirt(
        emoji=len(_EMOJI.findall(text)),
        astral=len(_ASTRAL.findall(text)),
        quotes=sum('"' in string for string in strings),
        line_breaks=sum("\n" in string for string in strings),
        number_strings=sum(_is_number_string(string, typed) for string in strings),
        near_twins=sum(map(_near_twins, keys)),
        not_latin=len(_NOT_LATIN.findall(text)),
        cyrillic=len(_CYRILLIC.findall(text)),
    )


def total(dirts: Iterable[Dirt]) -> Dirt:
    """The sum of counts."""
    return sum(dirts, Dirt())


def _is_number_string(text: str, typed: bool) -> bool:
    return bool(_NUMBER.fullmatch(text)) and (typed or not _PLAIN_NUMBER.fullmatch(text))


def _near_twins(keys: tuple[str, ...]) -> int:
    """How many keys of one object have a near twin among the others.

    Two keys are twins when they are equal without case and separators, or when one character less makes them so.
    """
    owners: dict[str, set[str]] = {}
    for key in keys:
        bare = "".join(filter(str.isalnum, key.casefold()))
        if len(bare) >= _TWIN_LENGTH:
            for form in {bare, *(bare[:place] + bare[place + 1 :] for place in range(len(bare)))}:
                owners.setdefault(form, set()).add(key)
    return len(set().union(*(group for group in owners.values() if len(group) > 1)))
