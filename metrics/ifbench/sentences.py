"""Sentences (IFBench notes, section 2): where one ends, and with which mark.

A sentence ends at a full stop, an ellipsis, an exclamation mark or a question mark, repeated marks, closing quotes,
brackets and markup included, before white space or the end of the text. It does not end

* where a full stop belongs to an abbreviation, an initial, or the number of a list item;
* where dots trail off and a small letter follows;
* where the mark stands in quotes or brackets and the sentence goes on: a small letter follows, or words such as
  ``Ann asked``.

A piece without a word is no sentence. Emoji behind the mark belong to the sentence before, unless a blank line parts
them. Whether a line break ends a sentence is decision AD1.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from metrics.ifbench.emoji import EMOJI
from metrics.ifbench.layout import segments_of
from metrics.ifbench.word_lists import listed, word_set
from metrics.ifbench.words import has_word, joined_words

__all__ = ["Sentence", "each_sentence_of", "sentences_of", "words_in"]


class Sentence(NamedTuple):
    """One sentence.

    Attributes:
        text: the sentence as written, without outer white space.
        mark: its last closing mark, ``.`` (an ellipsis too), ``!`` or ``?``; "" if it has none.
    """

    text: str
    mark: str


_list_number = re.compile(r"[\s*_#>-]*\d{1,3}[.)]\s+").match


def words_in(sentence: str) -> list[str]:
    """The words of a sentence as written; the number of a list item is none of them."""
    number = _list_number(sentence)
    return joined_words(sentence[number.end() :] if number else sentence)


_QUOTES_AND_BRACKETS: Final = "\"'\u2019\u2018\u201d\u201c\u00bb\u203a)\\]}"
_CLOSERS: Final = rf"[.!?\u2026{_QUOTES_AND_BRACKETS}*_`~]*+"
# A mark and all that closes with it. Runs are taken whole and never given back, so every text is read once.
_ascii_closings = re.compile(r"[.!?][.!?\"')\]}*_`~]*+").finditer
_all_closings = re.compile(rf"[.!?\u2026]{_CLOSERS}(?:[^\S\n]*+(?:\n[^\S\n]*+)?{EMOJI}{_CLOSERS})*+").finditer

_MARKS: Final = {".": ".", "\u2026": ".", "!": "!", "?": "?"}
_in_quotes = re.compile(rf"[{_QUOTES_AND_BRACKETS}]").search
_next_word = re.compile(r"[^\W_]+").search
_word_before = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*\Z").search
_WINDOW: Final = 48  # how far ahead the next word, and behind the word before, is looked for
_line_opener = re.compile(r"[\s\"'\u201c\u2018(*_#>-]*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\Z").match

# These never end a sentence before a capital letter.
_TITLES: Final = listed("titles")
# These end a sentence only before a word that often opens one.
_SUFFIXES: Final = word_set("inc ltd co corp jr sr ave blvd rd st bros est al ph.d")
# These are abbreviations before a number, and ordinary words or sentence ends otherwise.
_BEFORE_NUMBERS: Final = listed("before_numbers")
# These end a sentence wherever a capital follows.
_ENDINGS: Final = frozenset(("etc", "a.m", "p.m"))
_ABBREVIATIONS: Final = _TITLES | _SUFFIXES | _BEFORE_NUMBERS | _ENDINGS
_ROMAN: Final = frozenset("ivx")
_LONGEST: Final = max(map(len, _ABBREVIATIONS)) + 1
# How a word that may be an abbreviation or a Roman number ends; hardly any other word does.
_TAILS: Final = frozenset(word[-2:] for word in _ABBREVIATIONS) | {first + last for first in "ivx" for last in "ivx"}
_OPENERS: Final = listed("sentence_openers")
_SPEECH: Final = listed("speech_verbs")
_speaker = re.compile(r"\s+(?:[A-Z]\w*\.?\s+){1,3}([a-z]+)").match


def _initial_goes_on(before: str, word: str, after: str) -> bool:
    """Whether a single letter with a full stop is an initial (``J. Smith``) rather than the end (``plan B.``)."""
    if after.lower() in _OPENERS:
        return False
    ahead = before[: -len(word)].rstrip()
    previous = ahead.rpartition(" ")[2].lstrip("(\"'\u201c*_")
    return (not previous or previous[:1].isupper()) and ahead[-1:] not in ("!", "?")


def _stop_goes_on(text: str, start: int, end: int) -> bool:
    """Whether the full stop at ``text[start]`` belongs to an abbreviation, an initial or a list number."""
    if not text[start - 1 : start].isalnum():
        return False
    tail = text[max(0, start - _LONGEST) : start]
    if len(tail) == _LONGEST and tail.isalpha():
        return False
    pair = tail[-2:]
    if len(pair) == 2 and pair.isalpha() and pair.lower() not in _TAILS and "." not in tail.rpartition(" ")[2]:
        return False
    found = _word_before(tail)
    word = found.group() if found else ""
    folded = word.lower()
    abbreviated = folded in _ABBREVIATIONS or "." in word
    if len(word) > 1 and not abbreviated and not _ROMAN.issuperset(folded):
        return False
    before = text[max(0, start - _WINDOW) : start]
    if (start < _WINDOW or "\n" in before) and _line_opener(before.rpartition("\n")[2]):
        return True
    if not abbreviated and (len(word) != 1 or word.islower()):
        return False
    next_word = _next_word(text, end, end + _WINDOW)
    after = next_word.group() if next_word else ""
    if not after:
        return False
    if folded in _BEFORE_NUMBERS:
        return after[0].isdigit()
    if folded in _TITLES:
        return True
    if folded in _ENDINGS:
        return after[0].islower()
    if len(word) > 1:
        return not after[0].isupper() or after.lower() not in _OPENERS
    return _initial_goes_on(before, word, after)


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the sentence goes on after the marks at ``text[start:end]``, which white space follows."""
    closing = text[start:end]
    if closing == "." or closing.rstrip("*_`~") == ".":
        return _stop_goes_on(text, start, end)
    if closing in ("!", "?"):
        return False
    found = _next_word(text, end, end + _WINDOW)
    small = found is not None and found.group()[0].islower()
    if _in_quotes(closing):
        if small:
            return True
        speaker = _speaker(text, end, end + _WINDOW) if closing[0] in "!?" else None
        return speaker is not None and speaker.group(1) in _SPEECH
    return small and set(closing) <= {".", "\u2026"}


def _mark_of(closing: str) -> str:
    return next(_MARKS[char] for char in reversed(closing) if char in _MARKS)


def _cut(text: str) -> Iterator[Sentence]:
    """The sentences of one segment."""
    closings = _ascii_closings if text.isascii() else _all_closings
    start = 0
    for closing in closings(text):
        first, end = closing.span()
        if end < len(text) and (not text[end].isspace() or _goes_on(text, first, end)):
            continue
        piece, marks = text[start:end], closing.group()
        if text[first - 1 : first].isalnum() or has_word(piece):
            yield Sentence(piece.strip(), _MARKS.get(marks) or _mark_of(marks))
        start = end
    rest = text[start:].strip()
    if rest and has_word(rest):
        yield Sentence(rest, "")


def each_sentence_of(text: str, line_breaks_end: bool) -> Iterator[Sentence]:
    """The sentences of a text, in order, looked for as they are asked for.

    Args:
        text: a text without HTML markup, in Unicode's composed form.
        line_breaks_end: whether blank lines, headings and list items end a sentence (AD1).
    """
    for segment in segments_of(text) if line_breaks_end else (text,):
        yield from _cut(segment)


def sentences_of(text: str, line_breaks_end: bool) -> list[Sentence]:
    """All sentences of a text: see :func:`each_sentence_of`."""
    return list(each_sentence_of(text, line_breaks_end))
