"""The ``format`` checkers that compare the answer with a sign or options from the prompt (IFBench notes, section 3)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import at_least
from metrics.ifbench.word_lists import word_set
from metrics.ifbench.words import fold, has_word
from metrics.reasons import KEPT, clip, failed, passed, quoted
from metrics.verdict import Verdict

__all__ = ["marked_list", "options"]

_LEAST_ITEMS: Final = 2


class _Marker(NamedTuple):
    """A list marker in the answer: where it stands, and whether it opens its line."""

    start: int
    end: int
    opens_line: bool


@lru_cache(maxsize=64)
def _marker_pattern(sign: str) -> re.Pattern[str]:
    """The sign at the beginning of a line, bold or not, or between white space; never as a part of something longer."""
    ahead = r"(?![^\W_])" if sign[-1].isalnum() else f"(?![{re.escape(sign[0])}{re.escape(sign[-1])}])"
    own = re.escape(sign)
    return re.compile(rf"^\s*(?:\*\*|__)?({own}){ahead}|(?<=\s)({own})(?=\s|\Z)")


# What stands beside the sign where a sentence talks about it: "the marker SEPARATOR is".
_BEFORE_MENTION: Final = word_set("a an as by called is marker of or sign symbol the this use used using with word")
_AFTER_MENTION: Final = word_set("are as instead is means to was")


def _is_mentioned(prose: str, start: int, end: int) -> bool:
    """Whether the sign at ``prose[start:end]`` is talked about rather than used."""
    before, after = prose[max(0, start - 24) : start].split()[-1:], prose[end : end + 24].split()[:1]
    return bool((before and before[0].lower() in _BEFORE_MENTION) or (after and after[0].lower() in _AFTER_MENTION))


def _is_ruler(line: str, sign: str) -> bool:
    """Whether a line repeats the sign and holds nothing else: a rule, no item."""
    inside = line.strip()
    return len(inside) > len(sign) and not inside.strip(f"{sign} ")


def _markers(prose: str, sign: str) -> Iterator[_Marker]:
    """The markers of a text, line by line."""
    pattern = _marker_pattern(sign)
    offset = 0
    for line in prose.split("\n"):
        if sign in line and not _is_ruler(line, sign):
            for match in pattern.finditer(line):
                opens_line = match.group(1) is not None
                start, end = match.span(1 if opens_line else 2)
                if opens_line or not _is_mentioned(line, start, end):
                    yield _Marker(offset + start, offset + end, opens_line)
        offset += len(line) + 1


def marked_list(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """At least two items that the sign ``sep`` introduces, or parts.

    Codes: ``ok``, ``too-few``.
    """
    sign = arguments["sep"].strip()
    prose = text.prose
    markers = [found for found in _markers(prose, sign) if found.opens_line or readings.markers_between_items]
    ends = [*(found.start for found in markers), len(prose)][1:]
    items = sum(has_word(prose[found.end : end]) for found, end in zip(markers, ends, strict=True))
    if markers and not markers[0].opens_line:
        # What stands before the first sign of a line is an item too.
        items += has_word(prose[prose.rfind("\n", 0, markers[0].start) + 1 : markers[0].start])
    return at_least(items, _LEAST_ITEMS, "item")


_word_or = re.compile(r"\s*,?\s+or\s+", re.IGNORECASE)
_comma = re.compile(r"\s*,\s*")
_letter_option = re.compile(r"\W*([A-Za-z])\W*").fullmatch
_OUTER: Final = " \t\n\r.!?,;:\u2026\"'\u201c\u201d\u2018*_`#()[]{}<>~-\u2013\u2014/\\|&%$@^+="
_LETTER_OUTER: Final = " \t\n\r*_`#"
_CLOSING: Final = ".!?,;"


@lru_cache(maxsize=64)
def split_options(listed: str) -> tuple[str, ...]:
    """The options of a list: parted by slashes, else by the word or, else by commas."""
    if "/" in listed:
        parts = listed.split("/")
    else:
        parts = [part for piece in _word_or.split(listed) for part in _comma.split(piece)]
    return tuple(part.strip() for part in parts if part.strip())


def _plain(answer: str) -> str:
    """An answer as worded options are compared: folded, outer marks gone, white space single."""
    return " ".join(fold(answer).strip(_OUTER).split())


def _letter(answer: str) -> str:
    """The single letter that an answer comes down to, in lower case, or ""."""
    found = _letter_option(answer.strip()) if len(answer) < 64 else None
    return found.group(1).lower() if found else ""


def _all_quoted(offered: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, offered))


def options(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """The answer is one of the options and nothing else.

    Lettered options must be met to the sign, closing punctuation and markup aside; others may differ in case and in
    outer marks.

    Codes: ``ok``, ``not-an-option``.
    """
    offered = split_options(arguments["options"])
    answer = text.prose.strip()
    if all(_letter_option(option) for option in offered):
        bare = answer.strip(_LETTER_OUTER)
        right = bare in offered or bare.rstrip(_CLOSING) in offered
        if readings.bare_option_letters:
            right = right or _letter(answer) in map(_letter, offered)
    else:
        right = _plain(answer) in map(_plain, offered)
    if right:
        return passed(("{:quoted} is one of the options", answer[:KEPT]), clip(answer))
    reason = ("{:quoted} is none of {}", answer[:KEPT], (_all_quoted, offered))
    return failed("not-an-option", reason, clip(answer))
