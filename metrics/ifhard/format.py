"""The ``format`` family, part one: lists, tables, bold words, lines, hashtags (IFHardBench contract, 6.4)."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from metrics.ifhard.counts import Count, count_verdict
from metrics.ifhard.text import CORE_STRIP, Text, cores_of, fold, items_of, sentences_of, split_blank, words_of
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict
from metrics.wording import Reason

__all__ = [
    "bold_words",
    "bullet_list",
    "bullets_alone",
    "hashtags",
    "line_length",
    "markdown_table",
    "numbered_list",
    "two_parts",
]

_BOLD_STRIP: Final = CORE_STRIP.replace("*", "")

_separator_cell = re.compile(r":?-{3,}:?").fullmatch
_bold_spans = re.compile(r"\*\*([^*\n]+)\*\*").finditer
_bold_token = re.compile(r"\*\*[^*]+\*\*").fullmatch
_hashtag = re.compile(r"#[а-яА-ЯёЁ]+").fullmatch


def bullet_list(text: Text, count: Count, strict: object) -> Verdict:
    """The number of bullet items meets the count and, unless ``strict`` is falsy, nothing else stands in the text.

    Codes: those of a count, ``no-lines``, ``other-lines``.
    """
    return _list_verdict(text, "bullet", count, strict)


def numbered_list(text: Text, count: Count, strict: object) -> Verdict:
    """The number of numbered items meets the count and, unless ``strict`` is falsy, nothing else stands in the text.

    Codes: those of a count, ``no-lines``, ``other-lines``.
    """
    return _list_verdict(text, "numbered", count, strict)


def _list_verdict(text: Text, kind: str, count: Count, strict: object) -> Verdict:
    items = len(text.items(kind))
    verdict = count_verdict(f"{kind} item", items, count)
    if verdict.passed and strict:
        return _only_items(text.lines, items, kind) or verdict
    return verdict


def _only_items(lines: Iterable[str], items: int, kind: str) -> Verdict | None:
    """The failure of a strict list, or None: every non-blank line must be one of its items, and there must be one."""
    filled = sum(1 for line in lines if line and not line.isspace())
    if not filled:
        return failed("no-lines", ("at least one {} item required, the text is empty", kind), 0, ">= 1")
    if filled == items:
        return None
    reason = ("only {} items allowed, {:other line} found", kind, filled - items)
    return failed("other-lines", reason, filled - items, 0)


def bullets_alone(value: str, count: int) -> Verdict | None:
    """None if the value is exactly ``count`` bullet items and blank lines, else what is wrong."""
    bullets = sum(bullet for bullet, _ in items_of(value))
    if bullets != count:
        reason = ("exactly {:bullet item} required, {} found", count, bullets)
        return failed("too-few" if bullets < count else "too-many", reason, bullets, count)
    return _only_items(value.splitlines(), bullets, "bullet")


def two_parts(text: Text, items: int, words: int) -> Verdict:
    """A bullet list of ``items`` and, after a blank line, one sentence of ``sentence_words`` words.

    The sentence may hold blank lines of its own, but no list item.

    Codes: ``ok``, ``no-second-part``, those of the list, ``list-in-sentence``, ``wrong-sentence-count``,
    ``too-few-words``, ``too-many-words``.
    """
    parts = split_blank(text.trimmed, 1)
    if len(parts) < 2:
        return failed("no-second-part", "a list and, after a blank line, a sentence are required")
    problem = bullets_alone(parts[0], items)
    if problem:
        return problem
    tail = parts[1]
    if items_of(tail):
        return failed("list-in-sentence", "the part after the list must hold no list item")
    sentences, found = len(sentences_of(tail)), len(words_of(tail))
    if sentences != 1:
        reason: Reason = ("exactly 1 sentence after the list required, {} found", sentences)
        return failed("wrong-sentence-count", reason, sentences, 1)
    if found != words:
        reason = ("exactly {:word} after the list required, {} found", words, found)
        return failed("too-few-words" if found < words else "too-many-words", reason, found, words)
    reason = ("{:item} and a sentence of {:word}", items, words)
    return passed(reason, found, words)


def markdown_table(text: Text, rows: int, cols: int) -> Verdict:
    """A pipe table with ``rows`` rows below its header and ``cols`` columns, and nothing else.

    Codes: ``ok``, ``too-few-lines``, ``too-many-lines``, ``no-pipes``, ``wrong-columns``, ``wrong-separator``,
    ``empty-cell``.
    """
    lines = [body for line in text.lines if (body := line.strip())]
    if len(lines) != rows + 2:
        found, goal = len(lines), rows + 2
        reason: Reason = ("exactly {:line} required (header, separator, {:row}), {} found", goal, rows, found)
        return failed("too-few-lines" if found < goal else "too-many-lines", reason, found, goal)
    for place, line in enumerate(lines, 1):
        if not (line.startswith("|") and line.endswith("|")):
            return failed("no-pipes", ("line {} must start and end with a pipe: {:quoted}", place, line[:KEPT]))
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        if len(cells) != cols:
            reason = ("line {} has {:cell}, exactly {} required", place, len(cells), cols)
            return failed("wrong-columns", reason, len(cells), cols)
        if place == 2:
            if not all(map(_separator_cell, cells)):
                reason = ("each cell of line 2 must be three or more hyphens: {:quoted}", line[:KEPT])
                return failed("wrong-separator", reason)
        elif not all(cells):
            return failed("empty-cell", ("cell {} of line {} is empty", cells.index("") + 1, place))
    reason = ("a table of {:row} and {:column}", rows, cols)
    return passed(reason, len(lines), rows + 2)


def bold_words(text: Text, count: int, each: int | None, position: int | None, stems: Sequence[str] | None) -> Verdict:
    """Exactly ``count`` spans between double asterisks; optionally of a length, at a place, or of given stems.

    Codes: ``ok``, ``too-few``, ``too-many``, ``unpaired-asterisks``, ``wrong-span-length``, ``not-bold-there``,
    ``wrong-stems``.
    """
    spans = [span.group(1) for span in _bold_spans(text.raw)] if "**" in text.raw else []
    reason: Reason = ("exactly {:bold span} required, {} found", count, len(spans))
    if len(spans) != count:
        return failed("too-few" if len(spans) < count else "too-many", reason, len(spans), count)
    marks = text.raw.count("**")
    if marks != 2 * count:
        reason = ("{} double asterisks required, {} found", 2 * count, marks)
        return failed("unpaired-asterisks", reason, marks, 2 * count)
    problem = (
        (None if each is None else _span_length(spans, each))
        or (None if position is None else _bold_at(text, position))
        or (None if stems is None else _span_stems(spans, stems))
    )
    return problem or passed(reason, len(spans), count)


def _span_length(spans: Sequence[str], words: int) -> Verdict | None:
    for span in spans:
        found = len(words_of(span))
        if found != words:
            reason = ("bold {:quoted} has {:word}, exactly {} required", span[:KEPT], found, words)
            return failed("wrong-span-length", reason, found, words)
    return None


def _bold_at(text: Text, position: int) -> Verdict | None:
    words = text.words
    if not 1 <= position <= len(words):
        reason = ("word {} must be bold, the text has {:word}", position, len(words))
        return failed("not-bold-there", reason)
    word = words[position - 1]
    if not _bold_token(word.strip(_BOLD_STRIP)):
        return failed("not-bold-there", ("word {} must be bold, found {:quoted}", position, word[:KEPT]))
    return None


def _span_stems(spans: Sequence[str], stems: Sequence[str]) -> Verdict | None:
    if len(spans) != len(stems):
        reason: Reason = ("exactly {:bold span} required, one a stem, {} found", len(stems), len(spans))
        return failed("wrong-stems", reason, len(spans), len(stems))
    unused = [fold(stem) for stem in stems]
    for span in spans:
        core = fold(span).strip(CORE_STRIP)
        # The first unused stem, with no second thoughts: the contract is greedy.
        match = next((place for place, stem in enumerate(unused) if core.startswith(stem)), None)
        if match is None:
            reason = ("bold {:quoted} starts with none of the stems that are left", span[:KEPT])
            return failed("wrong-stems", reason, clip(span))
        del unused[match]
    return None


def line_length(text: Text, limit: int, count: int | None) -> Verdict:
    """Every raw line of the trimmed text has at most ``max`` characters, and ``count`` of them are not blank.

    Codes: ``ok``, ``no-lines``, ``too-long-line``, ``too-few``, ``too-many``.
    """
    lines = [line.rstrip() for line in text.trimmed.splitlines()]
    if not lines:
        return failed("no-lines", "at least one line required, the text is empty", 0, ">= 1")
    for place, line in enumerate(lines, 1):
        if len(line) > limit:
            reason: Reason = ("line {} has {:character}, at most {} allowed", place, len(line), limit)
            return failed("too-long-line", reason, len(line), f"<= {limit}")
    filled = sum(1 for line in lines if line)
    if count is not None and filled != count:
        reason = ("exactly {:line} required, {} found", count, filled)
        return failed("too-few" if filled < count else "too-many", reason, filled, count)
    reason = ("{:line} of at most {:character}", filled, limit)
    return passed(reason, filled, count)


def hashtags(text: Text, count: int, alpha: object, echo_first: object) -> Verdict:
    """The last line is ``count`` Cyrillic hashtags; optionally in alphabetical order, or echoing the first word.

    Codes: ``ok``, ``no-lines``, ``not-hashtags``, ``too-few``, ``too-many``, ``not-ascending``, ``no-words``,
    ``no-echo``.
    """
    lines = [body for line in text.lines if (body := line.strip())]
    if not lines:
        return failed("no-lines", "a last line of hashtags required, the text is empty")
    tags = lines[-1].split(" ")
    if not all(map(_hashtag, tags)):
        told = lines[-1][:KEPT]
        reason: Reason = ("the last line must be hashtags with one space between, found {:quoted}", told)
        return failed("not-hashtags", reason)
    reason = ("exactly {:hashtag} required, {} found", count, len(tags))
    if len(tags) != count:
        return failed("too-few" if len(tags) < count else "too-many", reason, len(tags), count)
    names = [fold(tag[1:]) for tag in tags]
    if alpha:
        for before, after in pairwise(names):
            if after < before:
                parts = after[:KEPT], before[:KEPT]
                disorder = ("hashtags must stand in alphabetical order, {:quoted} follows {:quoted}", *parts)
                return failed("not-ascending", disorder, clip(after), clip(before))
    if echo_first:
        cores = cores_of("\n".join(lines[:-1]))
        if not cores:
            return failed("no-words", "no word above the hashtags")
        if cores[0] != names[-1]:
            parts = cores[0][:KEPT], names[-1][:KEPT]
            no_echo = ("the last hashtag must be the first word {:quoted}, found {:quoted}", *parts)
            return failed("no-echo", no_echo, clip(names[-1]), clip(cores[0]))
    return passed(reason, len(tags), count)
