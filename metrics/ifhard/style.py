"""The ``style`` family: letters, punctuation, markup, initials (IFHardBench contract, 6.3).

Bans pass on a text without the forbidden thing, the empty text included. Letter bans look at the plain
lower-casing, where ``ё`` is not ``е``; rules over words use cores, where it is.
"""

import re
from collections.abc import Callable, Sequence

from metrics.ifhard.counts import Count, count_verdict, too_few
from metrics.ifhard.params import Choice
from metrics.ifhard.sequences import same_words
from metrics.ifhard.structure import letter_words
from metrics.ifhard.text import Text, first_letter
from metrics.reasons import KEPT, clip, failed, passed, prefixed
from metrics.verdict import Verdict
from metrics.wording import Reason

__all__ = [
    "anaphora",
    "comma_count",
    "end_punctuation",
    "exclamation_count",
    "forbid_letter",
    "forbid_letters",
    "letter_start_count",
    "max_word_length",
    "no_caps",
    "no_commas",
    "no_digits",
    "no_latin",
    "no_markdown",
    "question_count",
    "sentence_initials",
]

_CLOSERS = "\"'»)]}“„ "  # what may stand behind a sentence's terminators
_TERMINATORS = ".!?…"
_inline_markup = re.compile(r"[*`]|__").search
_line_markup = re.compile(r"[#>]|[-+•]\s|\d+[.)]\s").match  # on a raw line without its indentation
_latin = re.compile(r"[A-Za-z]").search


def forbid_letter(text: Text, letter: str) -> Verdict:
    """The letter occurs in neither case; the empty value always fails. Codes: ``ok``, ``forbidden-letter``."""
    return _forbid(text, (letter,))


def forbid_letters(text: Text, letters: Sequence[str]) -> Verdict:
    """None of the letters occurs in either case; an empty list passes. Codes: ``ok``, ``forbidden-letter``."""
    return _forbid(text, letters)


def _forbid(text: Text, letters: Sequence[str]) -> Verdict:
    body = text.lowered
    for letter in letters:
        lowered = letter.lower()
        if lowered in body:
            found = body.count(lowered) if lowered else 0
            if not found:
                return failed("forbidden-letter", "an empty letter is forbidden", 0, 0)
            reason = ("{:quoted} is forbidden and occurs {:time}", letter, found)
            return failed("forbidden-letter", reason, found, 0)
    return passed("no forbidden letter found", 0, 0)


def no_commas(text: Text) -> Verdict:
    """No comma (U+002C). Codes: ``ok``, ``forbidden-comma``."""
    found = text.raw.count(",")
    reason = ("no comma allowed, {} found", found)
    return failed("forbidden-comma", reason, found, 0) if found else passed(reason, found, 0)


def comma_count(text: Text, count: Count) -> Verdict:
    """The number of commas (U+002C) meets the count."""
    return count_verdict("comma", text.raw.count(","), count)


def no_caps(text: Text) -> Verdict:
    """The text equals its own lower-casing. Codes: ``ok``, ``capital-letter``."""
    if text.raw == text.lowered:
        return passed("no capital letter found")
    capital = next(char for char in text.raw if char.lower() != char)
    return failed("capital-letter", ("no capital letter allowed, found {:quoted}", capital), clip(capital))


def end_punctuation(text: Text, char: str) -> Verdict:
    """The last code point of the trimmed text is ``char``. Codes: ``ok``, ``no-text``, ``wrong-end``."""
    if not text.trimmed:
        return failed("no-text", ("the text must end with {:quoted}, it is empty", char), None, clip(char))
    last = text.trimmed[-1]
    if last == char:
        return passed(("the text ends with {:quoted}", char), clip(last), clip(char))
    reason = ("the text must end with {:quoted}, found {:quoted}", char, last)
    return failed("wrong-end", reason, clip(last), clip(char))


def sentence_initials(text: Text) -> Verdict:
    """At least two sentences, all with a first letter, no two with the same.

    Codes: ``ok``, ``too-few-sentences``, ``no-letter``, ``repeated-initial``.
    """
    sentences = text.sentences
    if len(sentences) < 2:
        return too_few("sentence", len(sentences))
    first_at: dict[str, int] = {}
    repeated = None
    for place, sentence in enumerate(sentences, 1):
        letter = first_letter(sentence)
        if letter is None:
            return failed("no-letter", ("sentence {} has no letter", place))
        if repeated is None and first_at.setdefault(letter, place) != place:
            repeated = (letter, first_at[letter], place)
    if repeated:
        letter, first, second = repeated
        reason = ("sentences {} and {} both start with {:quoted}, all initials must differ", first, second, letter)
        return failed("repeated-initial", reason, clip(letter))
    return passed(("{} sentences have different initials", len(sentences)), len(sentences))


def letter_start_count(text: Text, letter: str, count: Count) -> Verdict:
    """The number of words that start with ``letter`` (ё counts as е) meets the count in the same object."""
    verdict = count_verdict("word", letter_words(text, letter), count)
    return prefixed(("words starting with {:quoted}", letter), verdict)


def anaphora(text: Text) -> Verdict:
    """At least two paragraphs that start with the same word.

    Codes: ``ok``, ``too-few-paragraphs``, ``no-words``, ``unequal-starts``.
    """
    return same_words("paragraph", text.paragraphs, last=False)


def no_markdown(text: Text) -> Verdict:
    """No asterisk, backtick or double underscore, and no line that opens a heading, a quotation or an item.

    Codes: ``ok``, ``inline-markup``, ``line-markup``.
    """
    inline = _inline_markup(text.raw)
    if inline:
        reason: Reason = ("no markup allowed, found {:quoted}", inline.group())
        return failed("inline-markup", reason, inline.group())
    for place, line in enumerate(text.lines, 1):
        body = line.lstrip()
        if _line_markup(body):
            reason = ("no markup allowed, line {} starts as {:quoted}", place, body[:20])
            return failed("line-markup", reason, place)
    return passed("no markup found")


def max_word_length(text: Text, limit: int) -> Verdict:
    """There is a word, and no core has more than ``max`` alphabetic characters.

    Codes: ``ok``, ``no-words``, ``too-long-word``.
    """
    if not text.cores:
        return failed("no-words", "at least 1 word required, none found", 0, ">= 1")
    for core in text.cores:
        # No word can be over the limit without being over it in length.
        if len(core) > limit and (letters := len(core) if core.isalpha() else sum(map(str.isalpha, core))) > limit:
            reason = ("{:quoted} has {:letter}, at most {} allowed", core[:KEPT], letters, limit)
            return failed("too-long-word", reason, letters, f"<= {limit}")
    return passed(("no word has more than {:letter}", limit), None, f"<= {limit}")


def question_count(text: Text, count: Count) -> Verdict:
    """The number of sentences whose ending holds a question mark meets the count."""
    return count_verdict("question", _endings_with(text, "?"), count)


def exclamation_count(text: Text, count: Count) -> Verdict:
    """The number of sentences whose ending holds an exclamation mark meets the count."""
    return count_verdict("exclamation", _endings_with(text, "!"), count)


def _endings_with(text: Text, mark: str) -> int:
    return sum(mark in ending(sentence) for sentence in text.sentences) if mark in text.raw else 0


def ending(sentence: str) -> str:
    """The run of terminators that a sentence ends with, closing quotes and brackets behind it set aside."""
    bare = sentence.rstrip(_CLOSERS)
    return bare[len(bare.rstrip(_TERMINATORS)) :]


def no_digits(text: Text, instead: Choice | None) -> Verdict:
    """No digit character; then a word of ``any_words``, else a stem of ``any_stems``, must occur if the key is there.

    Codes: ``ok``, ``forbidden-digit``, ``missing-word``.
    """
    return _without(text, instead, _first_digit, "digit")


def no_latin(text: Text, instead: Choice | None) -> Verdict:
    """No letter A-Z or a-z; then a word of ``any_words``, else a stem of ``any_stems``, must occur if the key is there.

    Codes: ``ok``, ``forbidden-latin``, ``missing-word``.
    """
    return _without(text, instead, _first_latin, "latin")


def _first_digit(raw: str) -> str | None:
    return next(filter(str.isdigit, raw), None)


def _first_latin(raw: str) -> str | None:
    found = _latin(raw)
    return found.group() if found else None


def _without(text: Text, instead: Choice | None, find: Callable[[str], str | None], name: str) -> Verdict:
    found = find(text.raw)
    if found is not None:
        reason: Reason = ("no {} character allowed, found {:quoted}", name, found)
        return failed(f"forbidden-{name}", reason, found)
    if instead is not None:
        key, entries = instead
        occurs, what = (
            (text.has_core, "one of the words")
            if key == "any_words"
            else (text.has_stem, "a word that starts with one of")
        )
        if not any(occurs(folded) for _, folded in entries):
            listed = clip(", ".join(given for given, _ in entries[:10]))
            return failed("missing-word", ("{} [{}] required, none found", what, listed), None, listed)
    return passed(("no {} character found", name))
