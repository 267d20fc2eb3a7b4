"""The ``lexical`` family, part one: words and phrases that must or must not occur (IFHardBench contract, 6.2).

Words are compared by their cores (4.7): folded, without punctuation at the ends. A *stem* hits a word whose
core starts with it; a *word* must equal the core. What stands inside a hyphenated word is never looked at.
"""

from collections.abc import Sequence
from typing import Final

from metrics.ifhard.params import Choice, Folded
from metrics.ifhard.text import Text, closing_trim, fold
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict
from metrics.wording import Reason, worded

__all__ = [
    "ends_with",
    "exclude_phrases",
    "exclude_word",
    "include_all",
    "include_keyword",
    "no_repeated_word",
    "nth_word",
    "nth_word_from_end",
    "order_words",
    "quote_task",
    "starts_with",
    "stem_required",
    "word_cap",
    "word_exact_count",
]

_OPENING: Final = "«\"'“„—– \t\n"  # what exclude_phrases skips before it looks at the start


def include_keyword(text: Text, sought: Choice) -> Verdict:
    """A stem of ``any_stems`` or ``stem`` hits, or a word equals ``word``; the first key that is there decides.

    Codes: ``ok``, ``missing-stem``, ``missing-word``.
    """
    key, entries = sought
    if key == "any_stems":
        return _any_stem(text, entries)
    if key == "stem":
        return stem_required(text, entries)
    word, folded = entries
    if text.has_core(folded):
        return passed(("the word {:quoted} occurs", word))
    reason = ("the word {:quoted} required in this very form, not found", word)
    return failed("missing-word", reason, wanted=clip(word))


def stem_required(text: Text, sought: Folded) -> Verdict:
    """Some word starts with the stem. Codes: ``ok``, ``missing-stem``."""
    stem, folded = sought
    if text.has_stem(folded):
        return passed(("a word starts with {:quoted}", stem))
    reason = ("a word that starts with {:quoted} required, none found", stem)
    return failed("missing-stem", reason, wanted=clip(stem))


def _any_stem(text: Text, stems: Sequence[Folded]) -> Verdict:
    for stem, folded in stems:
        if text.has_stem(folded):
            return passed(("a word starts with {:quoted}", stem))
    listed = clip(", ".join(stem for stem, _ in stems[:10]))
    reason = ("a word that starts with one of [{}] required, none found", listed)
    return failed("missing-stem", reason, wanted=listed)


def include_all(text: Text, sought: Choice) -> Verdict:
    """Every one of ``stems`` hits, or without that key every one of ``words`` occurs; an empty list passes.

    Codes: ``ok``, ``missing-stem``, ``missing-word``.
    """
    key, entries = sought
    if key == "stems":
        for entry in entries:
            if not text.has_stem(entry[1]):
                return stem_required(text, entry)
        return passed(("all of {:stem} found", len(entries)))
    for word, folded in entries:
        if not text.has_core(folded):
            return failed("missing-word", ("the word {:quoted} required, not found", word), wanted=clip(word))
    return passed(("all of {:word} found", len(entries)))


def exclude_word(text: Text, banned: Choice) -> Verdict:
    """None of ``stems`` hits, or without that key none of ``words`` occurs.

    Codes: ``ok``, ``forbidden-stem``, ``forbidden-word``.
    """
    key, entries = banned
    if key == "stems":
        for stem, folded in entries:
            if text.has_stem(folded):
                found = next(core for core in text.cores if core.startswith(folded))
                reason = ("no word may start with {:quoted}, found {:quoted}", stem, found[:KEPT])
                return failed("forbidden-stem", reason, clip(found))
        return passed("no forbidden stem found")
    for word, folded in entries:
        if text.has_core(folded):
            return failed("forbidden-word", ("the word {:quoted} is forbidden and occurs", word), clip(word))
    return passed("no forbidden word found")


def starts_with(text: Text, start: str) -> Verdict:
    """The folded trimmed text starts with the folded trimmed phrase. Codes: ``ok``, ``wrong-start``."""
    phrase = start.strip()
    if text.folded.lstrip().startswith(fold(phrase)):
        return passed(("the text starts with {:quoted}", phrase))
    found = text.trimmed[: len(phrase) + 10]
    reason = ("start {:quoted} required, found {:quoted}", phrase, found[:KEPT])
    return failed("wrong-start", reason, clip(found), clip(phrase))


def ends_with(text: Text, end: str) -> Verdict:
    """The text ends with the phrase, both folded and without closing punctuation. Codes: ``ok``, ``wrong-end``."""
    phrase = closing_trim(end)
    if closing_trim(text.folded).endswith(fold(phrase)):
        return passed(("the text ends with {:quoted}", phrase))
    body = closing_trim(text.raw)
    # Not more than a quotation shows, so that its end is what is seen.
    found = body[-min(len(phrase) + 10, 50) :]
    reason = ("end {:quoted} required, found {:quoted}", phrase, found)
    return failed("wrong-end", reason, clip(found), clip(phrase))


def nth_word(text: Text, n: int, word: str) -> Verdict:
    """Word ``n``, counted from 1, equals ``word``. Codes: ``ok``, ``no-such-word``, ``wrong-word``."""
    return _word_at(text, n, word.strip(), from_end=False)


def nth_word_from_end(text: Text, n: int, word: str) -> Verdict:
    """Word ``n`` from the end, 1 being the last, equals ``word``. Codes: ``ok``, ``no-such-word``, ``wrong-word``."""
    return _word_at(text, n, word.strip(), from_end=True)


def _word_at(text: Text, n: int, word: str, *, from_end: bool) -> Verdict:
    place = ("word {} from the end" if from_end else "word {}", n)
    cores = text.cores
    if not 1 <= n <= len(cores):
        reason: Reason = ("{} must be {:quoted}, the text has {:word}", (worded, place), word, len(cores))
        return failed("no-such-word", reason, None, clip(word))
    core = cores[-n] if from_end else cores[n - 1]
    if core == fold(word):
        return passed(("{} is {:quoted}", (worded, place), word), clip(core), clip(word))
    reason = ("{} must be {:quoted}, found {:quoted}", (worded, place), word, core[:KEPT])
    return failed("wrong-word", reason, clip(core), clip(word))


def word_exact_count(text: Text, sought: Folded, count: int) -> Verdict:
    """Exactly ``count`` words start with ``stem``. Codes: ``ok``, ``too-few``, ``too-many``."""
    stem, folded = sought
    found = text.stem_count(folded)
    reason = ("exactly {:word} starting with {:quoted} required, {} found", count, stem, found)
    if found == count:
        return passed(reason, found, count)
    return failed("too-few" if found < count else "too-many", reason, found, count)


def word_cap(text: Text, sought: Folded, cap: int) -> Verdict:
    """At most ``cap`` words start with ``stem``. Codes: ``ok``, ``too-many``."""
    stem, folded = sought
    found = text.stem_count(folded)
    reason = ("at most {:word} starting with {:quoted} required, {} found", cap, stem, found)
    return passed(reason, found, f"<= {cap}") if found <= cap else failed("too-many", reason, found, f"<= {cap}")


def order_words(text: Text, earlier: Folded, later: Folded) -> Verdict:
    """The first word with ``stem_a`` stands strictly before the first with ``stem_b``; both are there.

    Codes: ``ok``, ``missing-stem``, ``wrong-order``.
    """
    first, second = text.stem_at(earlier[1]), text.stem_at(later[1])
    if first < 0 or second < 0:
        return stem_required(text, earlier if first < 0 else later)
    told = earlier[0], later[0]
    if first < second:
        return passed(("the first word with {:quoted} must stand before the first with {:quoted}, and does", *told))
    return failed("wrong-order", ("the first word with {:quoted} must stand before the first with {:quoted}", *told))


def exclude_phrases(text: Text, phrases: Sequence[Folded], mode: object) -> Verdict:
    """None of ``phrases`` occurs, or opens the text if ``mode`` is exactly ``start``; words have no boundaries here.

    Codes: ``ok``, ``forbidden-phrase``.
    """
    body = text.folded.strip()
    at_start = mode == "start"
    if at_start:
        body = body.lstrip(_OPENING)
    for phrase, folded in phrases:
        if body.startswith(folded) if at_start else folded in body:
            where = "opens the text" if at_start else "occurs"
            reason = ("the phrase {:quoted} is forbidden and {}", phrase, where)
            return failed("forbidden-phrase", reason, clip(phrase))
    return passed("no forbidden phrase found")


def quote_task(text: Text, quotation: str) -> Verdict:
    """The first line of the trimmed text is ``text``, character for character.

    Codes: ``ok``, ``no-text``, ``wrong-line``.
    """
    task = quotation.strip()
    lines = text.trimmed.splitlines()
    if not lines:
        return failed("no-text", ("the first line must be {:quoted}, the text is empty", task), None, clip(task))
    line = lines[0].strip()
    if line == task:
        return passed(("the first line is {:quoted}", task), clip(line), clip(task))
    reason = ("the first line must be {:quoted}, found {:quoted}", task, line[:KEPT])
    return failed("wrong-line", reason, clip(line), clip(task))


def no_repeated_word(text: Text, least: int) -> Verdict:
    """There is a word, and no core of at least ``min_length`` characters occurs twice.

    Codes: ``ok``, ``no-words``, ``repeated-word``.
    """
    if not text.cores:
        return failed("no-words", "at least 1 word required, none found", 0, ">= 1")
    seen: set[str] = set()
    for core in text.cores:
        if len(core) >= least:
            if core in seen:
                reason = ("the word {:quoted} occurs more than once", core[:KEPT])
                return failed("repeated-word", reason, clip(core))
            seen.add(core)
    return passed(("no word of {} or more characters occurs twice", least), len(seen))
