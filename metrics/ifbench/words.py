"""Words, letters and numerals (IFBench notes, section 2): each rule once, each linear in the text.

A word is a run of letters, digits and combining marks. Apostrophes and hyphens between two such runs belong to it;
so do the separators inside a numeral (``3.5``, ``1,200``, ``10:30``) and the stops inside an abbreviation of single
letters (``U.S.``, ``p.m.``). Quotes, brackets, dashes, bullets, markup and emoji are no words and no part of one.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

import regex

__all__ = [
    "base_letters",
    "each_joined_word",
    "first_letter",
    "fold",
    "has_letter",
    "has_word",
    "is_numeral",
    "joined_words",
    "letters_of",
    "name_runs",
    "numeral_spans",
    "split_words",
    "tokens_of",
    "visible",
]

# Outside ASCII three more signs count as apostrophes, two more as hyphens.
_APOSTROPHES: Final = "'\u2019\u2018\uff07"
_HYPHENS: Final = "\u2010\u2011-"  # the plain one last: it stands for itself in a character class
# Nothing shows these: soft hyphen, zero-width spaces and joiners, word joiner, byte-order mark, marks of direction,
# variation selectors. What makes an emoji of its neighbours stays: a joiner between pictographs, a selector behind one.
_unseen = re.compile(
    r"[\u00ad\u034f\u061c\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0d\ufeff"
    r"\U000e0100-\U000e01ef]"
)
_idle = regex.compile(
    r"(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\U000e007f])\u200d|\u200d(?!\p{Extended_Pictographic})"
    r"|(?<!\p{Extended_Pictographic}|[0-9#*](?=.\u20e3))[\ufe0e\ufe0f]"
)
# Whatever either pattern may take; the first class only lets the search step over plain letters faster.
_may_go = re.compile(
    "[^\x00-\xac](?<=[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0100-\U000e01ef])"
).search


def _ascii_pattern(joiners: str) -> re.Pattern[str]:
    """Words of a text that is all ASCII, where the fast classes of ``re`` do."""
    # The class comes first, so that the search steps over what begins no word; of abbreviations it is the first letter.
    run = "[A-Za-z0-9]++"
    letters = r"(?=h?\.[A-Za-z])(?<=[A-Za-z])(?<![A-Za-z0-9.].)(?:(?<=P)h)?(?:\.[A-Za-z])+(?![A-Za-z0-9])"
    rest = rf"[A-Za-z0-9]*+(?:[{joiners}]{run}|(?<=[0-9])[.,:][0-9][A-Za-z0-9]*+)*+"
    return re.compile(rf"[A-Za-z0-9](?:{letters}|{rest})")


def _full_pattern(joiners: str) -> "regex.Pattern[str]":
    """Words of any text; a digit in a keycap emoji is none."""
    run = r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*"
    letters = r"(?<![\p{L}\p{N}.])(?:Ph|\p{L})(?:\.\p{L})+(?![\p{L}\p{N}\p{M}])"
    keycap = r"(?![0-9]\ufe0f?\u20e3)"
    return regex.compile(rf"{letters}|{keycap}{run}(?:[{joiners}]{run}|(?<=\p{{Nd}})[.,:](?=\p{{Nd}}){run})*")


_Patterns = tuple[re.Pattern[str], "regex.Pattern[str]"]  # for a text that is all ASCII, and for any
_JOINED: Final[_Patterns] = (_ascii_pattern("'-"), _full_pattern(_APOSTROPHES + _HYPHENS))
_SPLIT: Final[_Patterns] = (_ascii_pattern("'"), _full_pattern(_APOSTROPHES))

# Words and, each by itself, the marks between them.
_TOKEN: Final[_Patterns] = (
    re.compile(rf"{_JOINED[0].pattern}|\.+|\S"),
    regex.compile(rf"{_JOINED[1].pattern}|\.+|\S"),
)

_name_run = re.compile(r"[^\W_]+").findall
_ASCII_MARKS: Final = {code: " " for code in range(128) if not chr(code).isalnum()}

_any_letter = re.compile(r"[^\W\d_]").search
_any_word = re.compile(r"[^\W_]").search
_FOLDS: Final = (*((sign, "'") for sign in _APOSTROPHES[1:]), *((sign, "-") for sign in _HYPHENS[:-1]))

# Letters that Unicode does not take apart into a base letter and a mark.
_BASES: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ð": "d"}
)
_marks = regex.compile(r"\p{M}+")

# Thousands commas between groups of three, one decimal part; anything else separates two numerals.
_numeral = re.compile(r"\d(?:\d{0,2}(?:,\d{3})+(?!\d)|\d*)(?:\.\d+)?")


def visible(text: str) -> str:
    """The text in Unicode's composed form (NFC), without the characters that nothing shows; emoji stay whole."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _idle.sub("", _unseen.sub("", text)) if _may_go(text) else text)


def _all_of(patterns: _Patterns, text: str) -> list[str]:
    """What the patterns find in a text.

    No word goes over white space. So a text with other than ASCII signs is searched piece by piece, most of which are
    a word as they are, or all ASCII: the full pattern is slow.
    """
    fast, full = patterns[0].findall, patterns[1].findall
    if text.isascii():
        return fast(text)
    found: list[str] = []
    for piece in text.split():
        if piece.isalnum():
            found.append(piece)
        else:
            found.extend(fast(piece) if piece.isascii() else full(piece))
    return found


def joined_words(text: str) -> list[str]:
    """Words as written; a hyphenated compound is one. The text is in Unicode's composed form."""
    return _all_of(_JOINED, text)


def each_joined_word(text: str) -> Iterator[str]:
    """The words of joined_words, looked for as they are asked for."""
    found = _JOINED[0].finditer(text) if text.isascii() else _JOINED[1].finditer(text)
    return (word.group() for word in found)


def split_words(text: str) -> list[str]:
    """Words as written; each part of a hyphenated compound is one."""
    return _all_of(_SPLIT, text)


def tokens_of(text: str) -> list[str]:
    """Words and punctuation marks in order; dots in a row are one mark."""
    return _all_of(_TOKEN, text)


def name_runs(text: str) -> list[str]:
    """Runs of letters and digits alone: what a name is compared with, so that a possessive counts."""
    return text.translate(_ASCII_MARKS).split() if text.isascii() else _name_run(text)


def fold(text: str) -> str:
    """Case folded, apostrophes and hyphens straight."""
    if text.isascii():
        return text.lower()
    folded = text.casefold()
    for sign, plain in _FOLDS:  # few occur: faster than translating character by character
        if sign in folded:
            folded = folded.replace(sign, plain)
    return folded


def has_word(text: str) -> bool:
    """Whether a letter or a digit occurs."""
    return _any_word(text) is not None


def has_letter(word: str) -> bool:
    """Whether a letter occurs."""
    return _any_letter(word) is not None


def is_numeral(word: str) -> bool:
    """Whether a word has digits and no letter."""
    return not has_letter(word)


def base_letters(text: str) -> str:
    """The text in lower case, accents removed and ligatures spelled out."""
    if text.isascii():
        return text.lower()
    bare: str = _marks.sub("", unicodedata.normalize("NFD", text.casefold()))
    return bare.translate(_BASES)


def first_letter(word: str) -> str:
    """The letter a word begins with, lower case and without accent; "" if it begins with a digit."""
    letter = base_letters(word[:1])[:1]
    return letter if letter.isalpha() else ""


def letters_of(word: str) -> str:
    """The letters and digits of a word alone, folded."""
    folded = fold(word)
    return folded if folded.isalnum() else "".join(filter(str.isalnum, folded))


def numeral_spans(text: str) -> list[tuple[int, int]]:
    """Where the numerals of a text stand, signs left out (IFBench notes, count:numbers)."""
    return [match.span() for match in _numeral.finditer(text)]
