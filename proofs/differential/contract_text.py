"""Sections 4 and 5 of the IFHardBench contract read a second time: plain, slow, and by the wording alone.

Nothing of ``metrics`` is used here, and nothing is shared with it: what both readings get wrong in the same way, both
must have misread.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

__all__ = [
    "closing_trimmed",
    "core",
    "cores",
    "digits_value",
    "ends_with_sign",
    "first_letter",
    "fold",
    "hits",
    "is_blank",
    "items",
    "meets",
    "paragraphs",
    "raw_lines",
    "sentences",
    "split_at_blank_lines",
    "stripped",
    "trim",
    "unit_spec",
    "without_strip_signs_but",
    "word_count",
    "words",
]

_WHITE: Final = frozenset(
    (*map(chr, range(0x09, 0x0E)), *map(chr, range(0x1C, 0x20)), *map(chr, range(0x2000, 0x200B)))
).union(" \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000")
_BOUNDARIES: Final = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_STRIPPED_CODES: Final = """
0020 002E 002C 003B 003A 0021 003F 0028 0029 005B 005D 007B 007D 003C 003E 002A 005F 0060 007C 002F 005C 002D 0022 0027
2026 00AB 00BB 201E 201C 2014 2013
"""
_STRIPPED: Final = frozenset(chr(int(code, 16)) for code in _STRIPPED_CODES.split())
_TERMINATORS: Final = ".!?…"


def trim(text: str) -> str:
    """4.1: without white space at both ends."""
    return stripped(text, _WHITE)


def stripped(text: str, signs: frozenset[str], left: bool = True) -> str:
    """A text without a run of these signs at its ends, or at its right end alone."""
    start, end = 0, len(text)
    while left and start < end and text[start] in signs:
        start += 1
    while end > start and text[end - 1] in signs:
        end -= 1
    return text[start:end]


def is_blank(text: str) -> bool:
    """4.2: no character but white space."""
    return all(char in _WHITE for char in text)


def raw_lines(text: str) -> list[str]:
    """4.2."""
    lines, line, place = [], "", 0
    while place < len(text):
        char = text[place]
        if char in _BOUNDARIES:
            lines.append(line)
            line = ""
            place += 2 if text[place : place + 2] == "\r\n" else 1
            continue
        line += char
        place += 1
    return [*lines, line] if line else lines


def fold(text: str) -> str:
    """4.5."""
    return text.lower().replace("\u0451", "\u0435")


def words(text: str) -> list[str]:
    """4.6."""
    found, word = [], ""
    for char in [*text, " "]:
        if char not in _WHITE:
            word += char
        else:
            if any(other.isalnum() for other in word):
                found.append(word)
            word = ""
    return found


def word_count(text: str) -> int:
    """W of section 6."""
    return len(words(text))


def core(word: str) -> str:
    """4.7."""
    return stripped(fold(word), _STRIPPED)


def cores(text: str) -> list[str]:
    """4.7 of every word."""
    return [core(word) for word in words(text)]


def without_strip_signs_but(word: str, kept: str) -> str:
    """A token without the signs of 4.7 at its ends, one of them kept."""
    return stripped(word, _STRIPPED - {kept})


def _is_letter_like(char: str) -> bool:
    """4.4: decimal digits of any script are of the category Nd."""
    return char.isalnum() and unicodedata.category(char) != "Nd"


def sentences(text: str) -> list[str]:
    """4.8."""
    pieces, piece, place = [], "", 0
    while place < len(text):
        if text[place] not in _TERMINATORS:
            piece += text[place]
            place += 1
            continue
        run = ""
        while place < len(text) and text[place] in _TERMINATORS:
            run += text[place]
            place += 1
        before = text[: place - len(run)][-2:]
        ends = place == len(text) or text[place] in _WHITE
        if run == "." and not (len(before) == 2 and all(map(_is_letter_like, before))):
            ends = False
        piece += run
        if ends:
            pieces.append(piece)
            piece = ""
    return [trim(found) for found in (*pieces, piece) if not is_blank(found)]


def split_at_blank_lines(text: str) -> list[str]:
    """4.9: a text cut at every longest stretch from one line feed to another with white space alone between."""
    pieces, start, place = [], 0, 0
    while place < len(text):
        if text[place] == "\n":
            end = place
            last = place
            while end < len(text) and text[end] in _WHITE:
                if text[end] == "\n":
                    last = end
                end += 1
            if last > place:
                pieces.append(text[start:place])
                start = place = last + 1
                continue
        place += 1
    return [*pieces, text[start:]]


def paragraphs(text: str) -> list[str]:
    """4.9."""
    return [trim(piece) for piece in split_at_blank_lines(trim(text)) if not is_blank(piece)]


def items(text: str, kind: Any) -> list[str]:
    """4.10: payloads."""
    return [payload for found, payload in filter(None, map(item, raw_lines(text))) if kind in ("any", found)]


def item(line: str) -> tuple[str, str] | None:
    """4.10: kind and payload of a raw line; None if it is no item."""
    rest = line
    while rest and rest[0] in _WHITE:
        rest = rest[1:]
    if rest[:1] in ("-", "*", "•") and rest:
        kind, rest = "bullet", rest[1:]
    else:
        digits = 0
        while digits < len(rest) and unicodedata.category(rest[digits]) == "Nd":
            digits += 1
        if not digits or rest[digits : digits + 1] not in (".", ")") or len(rest) == digits:
            return None
        kind, rest = "numbered", rest[digits + 1 :]
    if not rest or rest[0] not in _WHITE or is_blank(rest):
        return None
    return kind, trim(rest)


def first_letter(text: str) -> str | None:
    """4.11."""
    return next((fold(char) for char in text if _is_letter_like(char)), None)


def hits(text: str, stem: str) -> list[int]:
    """4.12: places of the words that a stem hits, counted from 0."""
    return [place for place, found in enumerate(cores(text)) if found.startswith(fold(stem))]


def closing_trimmed(text: str) -> str:
    """4.13."""
    return trim(stripped(trim(text), frozenset(".!?…\"'»)]}„“ "), left=False))


def ends_with_sign(sentence: str, sign: str) -> bool:
    """6.3, question_count: whether the run of terminators that ends a sentence holds a sign."""
    rest = stripped(sentence, frozenset("\"'»)]}“„ "), left=False)
    run = ""
    while rest and rest[-1] in _TERMINATORS:
        run += rest[-1]
        rest = rest[:-1]
    return sign in run


def digits_value(text: str) -> int:
    """Decimal digits of any script as a number."""
    return int(text)


def meets(number: int, spec: Mapping[str, Any]) -> bool:
    """Section 5."""
    op = spec.get("op", "eq")
    if op == "between":
        return int(spec["min"]) <= number <= int(spec["max"])
    value = int(spec["value"])
    results = {
        "eq": number == value,
        "ne": number != value,
        "le": number <= value,
        "lt": number < value,
        "ge": number >= value,
        "gt": number > value,
    }
    return results[op]


def unit_spec(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Section 5, nested spec."""
    found: Mapping[str, Any] = params.get("each", params)
    return found
