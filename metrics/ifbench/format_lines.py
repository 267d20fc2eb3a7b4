"""The ``format`` checkers over lines, bullets, labels and letters (IFBench notes, section 3)."""

import re
from functools import cache
from itertools import pairwise
from typing import Final

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.emoji import ends_in_emoji
from metrics.ifbench.layout import dash_line, sections_of, star_bullet
from metrics.ifbench.sentences import sentences_of
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import NO_SENTENCES, NO_WORDS, at_least
from metrics.ifbench.word_lists import MINOR_PREPOSITIONS, MINOR_WORDS
from metrics.ifbench.words import fold, has_word, joined_words
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict

__all__ = [
    "emoji",
    "line_indent",
    "newline",
    "no_bullets_bullets",
    "no_whitespace",
    "output_template",
    "sub_bullets",
    "thesis",
    "title_case",
]

# What may follow the emoji that ends a sentence: marks, closing quotes and brackets, markup.
_AFTER_EMOJI: Final = " \t\n.!?\u2026,;:\"'\u2019\u201d\u00bb)]}*_`~"


def emoji(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Every sentence ends in an emoji, before or after its mark.

    Codes: ``ok``, ``no-emoji``, ``no-sentences``.
    """
    place = 0
    for place, sentence in enumerate(text.each_sentence(readings.line_breaks_end_sentences), 1):
        if not ends_in_emoji(sentence.text.rstrip(_AFTER_EMOJI)):
            reason = ("sentence {}, {:quoted}, does not end in an emoji", place, sentence.text[:KEPT])
            return failed("no-emoji", reason, place)
    return passed(("each of {} sentences ends in an emoji", place), place) if place else NO_SENTENCES


_TAB: Final = 4  # columns between tab stops, where tabs and spaces meet
_LEAST_STEPS: Final = 2


def _indent(line: str) -> int:
    """Columns before the first sign of a line."""
    return len((line[: len(line) - len(line.lstrip(" \t\u00a0"))]).expandtabs(_TAB))


def line_indent(text: Text, _: Arguments, __: Readings) -> Verdict:
    """At least two lines, each indented further than the one before; blank lines aside.

    Codes: ``ok``, ``too-few``, ``not-deeper``.
    """
    indents = [_indent(line) for line in text.raw.split("\n") if line.strip()]
    for place, (before, after) in enumerate(pairwise(indents), 2):
        if after <= before:
            reason = ("line {} is indented by {}, the one before by {}", place, after, before)
            return failed("not-deeper", reason, place)
    return at_least(len(indents), _LEAST_STEPS, "line")


def newline(text: Text, _: Arguments, __: Readings) -> Verdict:
    """No line holds two words.

    Codes: ``ok``, ``two-words``, ``no-words``.
    """
    if not text.has_words:
        return NO_WORDS
    for place, line in enumerate(text.lines, 1):
        words = joined_words(line)
        if len(words) > 1:
            return failed("two-words", ("line {} has {} words", place, len(words)), place, 1)
    return passed(("each of {} words has a line of its own", len(text.words)), len(text.words))


def no_bullets_bullets(text: Text, _: Arguments, __: Readings) -> Verdict:
    """Two sentences that end in a full stop, then two bullets with ``*``.

    Codes: ``ok``, ``too-few``, ``too-few-sentences``.
    """
    lines = text.lines
    bullets = [place for place, line in enumerate(lines) if star_bullet(line)]
    if len(bullets) < 2:
        return at_least(len(bullets), 2, "bullet")
    opening = sentences_of("\n".join(lines[: bullets[0]]), line_breaks_end=True)
    stops = sum(sentence.mark == "." for sentence in opening)
    if stops < 2:
        return at_least(stops, 2, "opening sentence")._replace(code="too-few-sentences")
    return at_least(len(bullets), 2, "bullet")


_space = re.compile(r"\s").search


def no_whitespace(text: Text, _: Arguments, __: Readings) -> Verdict:
    """No white space anywhere, the end included.

    Codes: ``ok``, ``white-space``.
    """
    found = _space(text.raw)
    if found:
        return failed("white-space", ("white space after {} characters", found.start()), found.start())
    return passed("no white space", 0, 0)


_LABELS: Final = ("My Answer", "My Conclusion", "Future Outlook")
_plain_labels = re.compile(rf"\b({'|'.join(_LABELS)}):")
_bold_labels = re.compile(rf"\b({'|'.join(_LABELS)})(?:\*\*|__)?:")


def output_template(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """The three labels once each, in order, from the very start, each with text after it.

    Codes: ``ok``, ``wrong-labels``, ``text-before``, ``empty-slot``.
    """
    prose = text.prose
    found = list((_bold_labels if readings.bold_inside_labels else _plain_labels).finditer(prose))
    names = tuple(match.group(1) for match in found)
    if names != _LABELS:
        found_labels = ", ".join(names[:6])
        reason = ("the labels must be {}; found: {}", ", ".join(_LABELS), found_labels or "none")
        return failed("wrong-labels", reason, clip(found_labels))
    if has_word(prose[: found[0].start()]):
        return failed("text-before", "the answer does not begin with the first label")
    ends = [match.start() for match in found[1:]] + [len(prose)]
    for match, end in zip(found, ends, strict=True):
        if not has_word(prose[match.end() : end]):
            return failed("empty-slot", ("nothing follows the label {}", match.group(1)), match.group(1))
    return passed("the three labels stand in order with text after each", len(found))


def sub_bullets(text: Text, _: Arguments, __: Readings) -> Verdict:
    """A bullet with ``*``, and below each such bullet, before the next, a line that begins with ``-``.

    Codes: ``ok``, ``too-few``, ``no-sub-bullet``.
    """
    count = 0
    waiting = ""
    for line in text.lines:
        if star_bullet(line):
            if waiting:
                break
            count, waiting = count + 1, line
        elif waiting and dash_line(line):
            waiting = ""
    if waiting:
        reason = ("the bullet {:quoted} has no sub-bullet with -", waiting.strip()[:KEPT])
        return failed("no-sub-bullet", reason, count)
    return at_least(count, 1, "bullet")


_thesis_opening = re.compile(
    r"\s*(?:(?:<(?:p|div|section|b|strong|span|li)(?:\s[^<>]*)?>|\*\*|>|\d{1,3}[.)]\s|[-*+]\s)\s*)*<(i|em)(?:\s[^<>]*)?>",
    re.IGNORECASE,
)
_closing_tags: Final = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in ("i", "em")}
_any_tag = re.compile(r"<[^<>]*>")


def _thesis_problem(section: str, alone: bool) -> str:
    """What is wrong with the opening of a section, or ""."""
    opening = _thesis_opening.match(section)
    if opening is None:
        return "does not begin with text in italics"
    closing = _closing_tags[opening.group(1).lower()].search(section, opening.end())
    if closing is None:
        return "does not close its italics"
    if not has_word(_any_tag.sub("", section[opening.end() : closing.start()])):
        return "begins with empty italics"
    return "" if alone or has_word(_any_tag.sub("", section[closing.end() :])) else "has nothing after its thesis"


def thesis(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Every section begins with a thesis in HTML italics and goes on after it.

    Codes: ``ok``, ``no-sections``, ``no-thesis``.
    """
    sections = sections_of(text.raw.replace("\r\n", "\n"), readings.blocks_are_sections)
    if not sections:
        return failed("no-sections", "the answer has no section", 0, ">= 1")
    for place, section in enumerate(sections, 1):
        problem = _thesis_problem(section, readings.thesis_alone)
        if problem:
            return failed("no-thesis", ("section {} {}: {:quoted}", place, problem, section.strip()[:KEPT]), place)
    return passed(("each of {} sections begins with a thesis in italics", len(sections)), len(sections))


def _has_own_case(word: str) -> bool:
    """Whether a word that begins with a small letter is right as it is: iPhone and its like."""
    return not word[1:].islower() and not word[1:].isupper() and len(word) > 1


_ACRONYM: Final = 4  # letters that a word in capitals may have where it is the only word


def _all_capitals(text: Text) -> bool:
    """Whether a text is in capitals throughout, and more than an acronym."""
    if not all(word.isupper() or not any(map(str.isalpha, word)) for word in text.each_word()):
        return False
    letters = [word for word in text.words if any(map(str.isalpha, word))]
    long = [word for word in letters if len(word) > 1]
    return len(long) > 1 or any(len(word) > _ACRONYM for word in long)


@cache
def _minor_words(letters: int) -> frozenset[str]:
    """The words that may stand in small letters, prepositions of up to so many letters among them."""
    return MINOR_WORDS | {word for word in MINOR_PREPOSITIONS if len(word) <= letters}


def title_case(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Every major word, and the first word, begins with a capital; the text is not in capitals throughout.

    Codes: ``ok``, ``no-words``, ``lower-case``, ``all-capitals``.
    """
    if not text.has_words:
        return NO_WORDS
    minor = _minor_words(readings.minor_preposition_letters)
    place = 0
    for place, word in enumerate(text.each_word(), 1):
        if word[0].islower() and (place == 1 or fold(word) not in minor) and not _has_own_case(word):
            return failed("lower-case", ("word {}, {:quoted}, must begin with a capital", place, word[:KEPT]), place)
    if _all_capitals(text):
        return failed("all-capitals", "the whole text is in capitals")
    return passed(("{} words in title case", place), place)
