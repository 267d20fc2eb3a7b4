"""The ``count`` family: nine checkers over how many of something there are (IFBench notes, section 3).

Every checker takes the answer, the arguments that its table entry names, and the readings of the grader.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

import regex

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import at_least, exactly, in_range
from metrics.ifbench.word_lists import CONJUNCTIONS, PERSON_NAMES, PRONOUN_PHRASES, PRONOUNS
from metrics.ifbench.words import fold, has_letter, is_numeral, name_runs, numeral_spans
from metrics.reasons import KEPT, failed, passed, prefixed
from metrics.verdict import Verdict

__all__ = [
    "KEYWORD_TIMES",
    "conjunctions",
    "keyword_occurrences",
    "keywords_multiple",
    "numbers",
    "person_names",
    "pronouns",
    "punctuation",
    "unique_word_count",
    "word_count_range",
    "words_japanese",
]

# How often keyword1 to keyword5 must occur.
KEYWORD_TIMES: Final = {"keyword1": 1, "keyword2": 2, "keyword3": 3, "keyword4": 5, "keyword5": 7}


def conjunctions(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """At least ``small_n`` of the seven coordinating conjunctions, in any spelling.

    Codes: ``ok``, ``too-few``.
    """
    return at_least(
        len(CONJUNCTIONS.intersection(text.folded)), arguments["small_n"], "different coordinating conjunction"
    )


def keyword_occurrences(folded: str, keyword: str) -> int:
    """How often a keyword occurs as a whole word in a folded text.

    What is no letter or digit bounds a word here, so a possessive counts, and so does a part of a compound.
    """
    # The keyword stands before what must not stand before it: the search steps from one place of it to the next.
    word = fold(keyword.strip())
    escaped = re.escape(word)
    return len(re.findall(rf"{escaped}(?<![^\W_]{escaped})(?![^\W_])", folded)) if word in folded else 0


def keywords_multiple(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """Five keywords, once, twice, three, five and seven times.

    Codes: ``ok``, ``too-few``, ``too-many`` for the first keyword that is off.
    """
    for name, times in KEYWORD_TIMES.items():
        verdict = exactly(keyword_occurrences(text.folded_prose, arguments[name]), times, "occurrence")
        if not verdict.passed:
            return prefixed(("{:quoted}", arguments[name][:KEPT]), verdict)
    return passed("each keyword occurs as often as required", 5, 5)


_name_before = re.compile(r"(?<![^\W_])[A-Z]+[-\u2010\u2011]\Z").search


def _stands_in_name(prose: str, start: int) -> bool:
    """Whether a numeral belongs to a name: a letter touches it from the left, or capitals and a hyphen do."""
    return has_letter(prose[start - 1 : start]) or _name_before(prose[max(0, start - 12) : start]) is not None


def numbers(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """Exactly ``N`` numerals.

    Codes: ``ok``, ``too-few``, ``too-many``.
    """
    spans = numeral_spans(text.prose)
    if not readings.digits_in_names:
        spans = [span for span in spans if not _stands_in_name(text.prose, span[0])]
    return exactly(len(spans), arguments["N"], "number")


_CAPITAL_NAMES: Final = {form: name for name in PERSON_NAMES for form in (name, name.upper())}


def person_names(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """At least ``N`` of the fifty listed names, capitalized or in capitals, as whole words.

    Codes: ``ok``, ``too-few``.
    """
    found = {_CAPITAL_NAMES[run] for run in _CAPITAL_NAMES.keys() & name_runs(text.prose)}
    return at_least(len(found), arguments["N"], "different listed name")


_PHRASE_STARTS: Final = frozenset(phrase[0] for phrase in PRONOUN_PHRASES)


def _pronoun_tokens(words: list[str]) -> int:
    """Pronouns in words that are cut at their apostrophes; a phrase such as ``no one`` is one."""
    count = sum(map(PRONOUNS.__contains__, words))
    end = 0  # of the last phrase
    for place in [place for place, word in enumerate(words) if word in _PHRASE_STARTS]:
        phrase = tuple(words[place : place + 2])
        if place >= end and phrase in PRONOUN_PHRASES:
            end = place + 2
            count += 1 - sum(map(PRONOUNS.__contains__, phrase))
    return count


def pronouns(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """At least ``N`` pronouns of any kind, each occurrence counted.

    Codes: ``ok``, ``too-few``.
    """
    # Contractions are cut: I'm, who's, d'you.
    words = "'".join(text.folded).split("'")
    return at_least(_pronoun_tokens(words), arguments["N"], "pronoun")


# The sign comes first, so that the search steps over all others.
_interrobangs = re.compile(r"[?!\u203d\u2048\u2049](?:(?<=\?)!|(?<=!)\?|(?<=[\u203d\u2048\u2049]))")


def _has(pattern: str) -> Callable[[str], bool]:
    search = re.compile(pattern).search
    return lambda text: search(text) is not None


_MARKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "full stop": _has(r"\."),
    "comma": _has(r","),
    "exclamation mark": _has(r"!"),
    "question mark": _has(r"\?"),
    "semicolon": _has(r";"),
    "colon": _has(r":"),
    # Inside a word, before a shortened one, or after a plural's s.
    "apostrophe": _has(r"['\u2019](?i:(?<=[^\W_].)(?=[^\W_])|(?=\d0s|n['\u2019]|tis\b|twas\b|em\b)|(?<=s.)(?=\s))"),
    "quotation mark": _has(r"[\"\u201c\u201d\u201e\u00ab\u00bb\u2018'](?:(?<!')|(?<![^\W_].)(?=[^\W_]))"),
    "parentheses": lambda text: "(" in text and ")" in text,
    "hyphen or dash": _has(r"[-\u2010\u2011\u2013\u2014]"),
}


def punctuation(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Every standard mark, and an interrobang that lends no mark to the others.

    Codes: ``ok``, ``no-interrobang``, ``missing-mark``.
    """
    rest, interrobangs = _interrobangs.subn("", text.prose)
    if not interrobangs:
        return failed("no-interrobang", "no interrobang (?! or !?) found", 0, ">= 1")
    missing = [mark for mark in readings.punctuation if not _MARKS[mark](rest)]
    if missing:
        return failed("missing-mark", ("missing beside the interrobang: {}", ", ".join(missing)), missing[0])
    return passed("every standard punctuation mark occurs", len(readings.punctuation) + 1)


def unique_word_count(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """At least ``N`` different words.

    Codes: ``ok``, ``too-few``.
    """
    return at_least(len(set(text.folded)), arguments["N"], "different word")


def word_count_range(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """Between ``min_words`` and ``max_words`` words, both allowed.

    Codes: ``ok``, ``too-few``, ``too-many``.
    """
    words = text.words if readings.hyphens_join_in_ranges else text.parts
    return in_range(len(words), arguments["min_words"], arguments["max_words"], "word")


# Hiragana, katakana (phonetic extensions and half width too), ideographs and their iteration marks.
_japanese = regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Han}\u30fc\uff70]").findall
_other_letters = regex.compile(r"[\p{L}--[\p{Hiragana}\p{Katakana}\p{Han}\u30fc\uff70]]", regex.V1).findall
# An abbreviation in capitals (AI, DVD) is one sign of the Japanese word that it stands in.
_abbreviation = regex.compile(r"(?<!\p{Latin})\p{Lu}{2,3}(?!\p{Latin})")


def _is_japanese(word: str) -> bool:
    """Whether at least half of a word's letters are Japanese."""
    others = len(_other_letters(_abbreviation.sub("A", word)))
    return len(_japanese(word)) >= max(others, 1)


def words_japanese(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """Every ``N``-th word is Japanese: of a word that mixes scripts at least half of the letters are.

    Codes: ``ok``, ``not-japanese``, ``too-short``.
    """
    period = arguments["N"]
    place = 0
    for place, word in enumerate(text.each_word(), 1):
        if place % period or (is_numeral(word) and readings.japanese_exempts_numerals):
            continue
        if not _is_japanese(word):
            return failed("not-japanese", ("word {}, {:quoted}, is not Japanese", place, word[:KEPT]), place)
    if place < period and readings.japanese_needs_position:
        return failed("too-short", ("at least {} words required, {} found", period, place), place, period)
    positions = place // period
    return passed(("each of {} positions holds a Japanese word", positions), positions)
