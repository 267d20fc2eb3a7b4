"""The ``words`` checkers over the letters, length and sound of every word (IFBench notes, section 3)."""

import re
from collections import Counter
from itertools import pairwise
from math import isqrt
from typing import Final

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.layout import blocks_of
from metrics.ifbench.syllables import syllables_of
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import NO_WORDS, at_least, in_range
from metrics.ifbench.words import base_letters, first_letter, has_letter, letters_of
from metrics.reasons import KEPT, failed, passed, prefixed
from metrics.verdict import Verdict

__all__ = [
    "alphabet",
    "consonants",
    "no_consecutive",
    "odd_even_syllables",
    "palindrome",
    "prime_lengths",
    "repeats",
    "vowel",
]

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"


def alphabet(text: Text, _: Arguments, __: Readings) -> Verdict:
    """Each word begins with the letter after that of the word before; z is followed by a.

    Codes: ``ok``, ``no-words``, ``wrong-letter``.
    """
    first = next(text.each_word(), None)
    if first is None:
        return NO_WORDS
    start = _ALPHABET.find(first_letter(first) or "?")
    if start < 0:
        return failed("wrong-letter", ("{:quoted} begins with no letter of the alphabet", first[:KEPT]), 1)
    for place, word in enumerate(text.each_word()):
        wanted = _ALPHABET[(start + place) % len(_ALPHABET)]
        if first_letter(word) != wanted:
            reason = ("word {}, {:quoted}, must begin with {}", place + 1, word[:KEPT], wanted.upper())
            return failed("wrong-letter", reason, place + 1, wanted)
    return passed(("{} words follow the alphabet", len(text.words)), len(text.words))


_any_cluster = re.compile(r"[b-df-hj-np-tv-z]{2}").search
# y sounds as a consonant before a vowel (canyon), as a vowel elsewhere (mystery).
_sounded_cluster = re.compile(r"(?:[b-df-hj-np-tv-xz]|y(?=[aeiou])){2}").search


def consonants(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Two neighbouring consonants in every word.

    Codes: ``ok``, ``no-words``, ``no-cluster``.
    """
    if not text.has_words:
        return NO_WORDS
    cluster = _sounded_cluster if readings.y_only_before_vowels else _any_cluster
    for place, word in enumerate(text.each_word(), 1):
        if not cluster(base_letters(word)) and (readings.numerals_need_clusters or has_letter(word)):
            reason = ("word {}, {:quoted}, has no two consonants together", place, word[:KEPT])
            return failed("no-cluster", reason, place)
    return passed(("each of {} words has a consonant cluster", len(text.words)), len(text.words))


def no_consecutive(text: Text, _: Arguments, __: Readings) -> Verdict:
    """No two neighbouring words begin with the same letter.

    Codes: ``ok``, ``no-words``, ``same-letter``.
    """
    if not text.has_words:
        return NO_WORDS
    for place, (before, after) in enumerate(pairwise(text.each_word()), 2):
        letter = first_letter(before)
        if letter and letter == first_letter(after):
            said = "{:quoted} and {:quoted}, words {} and {}, begin with one letter"
            return failed("same-letter", (said, before[:KEPT], after[:KEPT], place - 1, place), place)
    return passed(("no neighbours among {} words share a first letter", len(text.words)), len(text.words))


def odd_even_syllables(text: Text, _: Arguments, __: Readings) -> Verdict:
    """Words with odd and even numbers of syllables take turns, in some pronunciation; numerals are no words here.

    Codes: ``ok``, ``no-words``, ``same-parity``.
    """
    count = 0
    possible = {0, 1}  # what the first word's parity may still be
    for place, word in enumerate(filter(has_letter, text.each_word())):
        parities = {(syllables + place) % 2 for syllables in syllables_of(word)}
        if not possible & parities:
            said = "word {}, {:quoted}, has as many syllables, odd or even, as the word before"
            return failed("same-parity", (said, place + 1, word[:KEPT]), place + 1)
        possible &= parities
        count += 1
    return passed(("{} words alternate between odd and even", count), count) if count else NO_WORDS


_PALINDROMES: Final = 10
_PALINDROME_LETTERS: Final = 5


def palindrome(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Ten words of five letters or more that read the same from both ends.

    Codes: ``ok``, ``too-few``.
    """
    # By its length or its ends a word is none; beyond ASCII a letter may be folded to two, and an end may be a mark.
    may_be = [
        word
        for word in text.words
        if (len(word) >= _PALINDROME_LETTERS and word[0].lower() == word[-1].lower()) or not word.isascii()
    ]
    found = [word for word in map(letters_of, may_be) if word == word[::-1] and len(word) >= _PALINDROME_LETTERS]
    if not readings.numeral_palindromes:
        found = [word for word in found if has_letter(word)]
    count = len(set(found)) if readings.distinct_palindromes else len(found)
    return at_least(count, _PALINDROMES, "palindrome")


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def prime_lengths(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Every word has a prime number of letters and digits.

    Codes: ``ok``, ``no-words``, ``not-prime``.
    """
    words = text.parts if readings.prime_parts else text.words
    if not words:
        return NO_WORDS
    primes: dict[int, bool] = {}
    for place, word in enumerate(words, 1):
        length = len(letters_of(word))
        if length not in primes:
            primes[length] = _is_prime(length)
        if not primes[length]:
            reason = ("word {}, {:quoted}, has {} letters, no prime number", place, word[:KEPT], length)
            return failed("not-prime", reason, place)
    return passed(("each of {} words has a prime length", len(words)), len(words))


def repeats(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """No word occurs more than ``small_n`` times.

    Codes: ``ok``, ``no-words``, ``too-many``.
    """
    if not text.folded:
        return NO_WORDS
    word, times = Counter(text.folded).most_common(1)[0]
    limit = arguments["small_n"]
    reason = ("at most {:occurrence} of a word allowed, {:quoted} occurs {:time}", limit, word[:KEPT], times)
    if times > limit:
        return failed("too-many", reason, times, f"<= {limit}")
    return passed(reason, times, f"<= {limit}")


_VOWELS: Final = frozenset("aeiou")
_MOST_VOWELS: Final = 3


def vowel(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """One paragraph with no more than three of the vowels a, e, i, o, u; accents do not hide one.

    Codes: ``ok``, ``no-words``, ``two-paragraphs``, ``too-few``, ``too-many``.
    """
    if not text.has_words:
        return NO_WORDS
    blocks = blocks_of(text.prose)
    if len(blocks) > 1:
        return failed("two-paragraphs", ("one paragraph required, {} found", len(blocks)), len(blocks), 1)
    found = _VOWELS.intersection(base_letters(text.prose))
    verdict = in_range(len(found), readings.least_vowel_kinds, _MOST_VOWELS, "vowel kind")
    return prefixed(("vowels {}", ", ".join(sorted(found))), verdict)
