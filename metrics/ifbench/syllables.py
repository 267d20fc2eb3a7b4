"""How many syllables a word has: what the pronouncing dictionary says, else what its spelling suggests."""

import re
from functools import lru_cache
from typing import Final

from metrics.ifbench.lexicon import syllable_counts
from metrics.ifbench.words import base_letters, fold, split_words

__all__ = ["syllables_of"]

_vowel_runs = re.compile(r"[aeiouy]+").findall
_split_runs = re.compile(r"(?<![cst])i[ao]|eo(?!u)|[iu]um|uou|yi|[aeiou]ing\Z").findall
_silent_e = re.compile(r"[aeiouy][^aeiouy]+e\Z").search
_silent_ed = re.compile(r"(?:[^aeiouytdl]|[aeiouyl]l)ed\Z").search
_silent_es = re.compile(r"(?:[^aeiouysxzcgl]|[aeiouyl]l)es\Z").search
_sibilant = re.compile(r"(?:[sxz]|[cs]h|[cg]e|se|ze)\Z").search
_LONGEST: Final = 60  # no English word is longer; the dictionary is not asked about longer strings

# Endings that add a fixed number of syllables to a word that the dictionary knows.
_SUFFIXES: Final = (("'s", 0), ("s'", 0), ("ness", 1), ("less", 1), ("ful", 1), ("ly", 1), ("ing", 1), ("s", 0))
_PREFIXES: Final = (("un", 1), ("re", 1), ("non", 1), ("pre", 1), ("over", 2), ("under", 2))
# Letters are read out with one syllable each, but for one.
_LONG_LETTER: Final = "w"


def _guess(word: str) -> int:
    """Syllables by the runs of vowels in a spelling; at least one."""
    count = len(_vowel_runs(word)) + len(_split_runs(word))
    if (_silent_e(word) and not re.search(r"[^aeiouylr]le\Z", word)) or _silent_ed(word) or _silent_es(word):
        count -= 1
    return max(count, 1)


def _from_parts(word: str) -> frozenset[int]:
    """Counts of a word that the dictionary lacks and whose stem it knows."""
    for suffix, added in _SUFFIXES:
        stem = word[: -len(suffix)]
        if word.endswith(suffix) and len(stem) > 2:
            counts = syllable_counts(stem) or (syllable_counts(stem + "e") if suffix == "ing" else frozenset())
            if counts:
                extra = added + (1 if suffix in ("'s", "s") and _sibilant(stem) else 0)
                return frozenset(count + extra for count in counts)
    for prefix, added in _PREFIXES:
        counts = syllable_counts(word[len(prefix) :]) if word.startswith(prefix) else frozenset()
        if counts:
            return frozenset(count + added for count in counts)
    return frozenset()


def _one(word: str) -> frozenset[int]:
    """Counts of a word without hyphen."""
    # Folding may lengthen a word, never shorten it: a long one is not kept.
    return _short(word) if len(word) <= _LONGEST else _spelt(fold(word))


def _spelt(folded: str) -> frozenset[int]:
    return frozenset({_guess(base_letters(folded))})


@lru_cache(maxsize=65536)
def _short(word: str) -> frozenset[int]:
    folded = fold(word)
    if len(folded) > _LONGEST:
        return _spelt(folded)
    known = syllable_counts(folded) or syllable_counts(base_letters(folded))
    if known:
        return known
    letters = folded.replace(".", "")
    if not letters.isalpha() and any(map(str.isdigit, letters)):
        return frozenset({1, 2})  # 3rd, B12: how it is read out is anyone's guess, so either parity fits
    if (word.isupper() and len(letters) < 6) or "." in folded:
        return frozenset({len(letters) + 2 * letters.count(_LONG_LETTER)})
    return _from_parts(folded) or _spelt(folded)


def syllables_of(word: str) -> frozenset[int]:
    """The numbers of syllables a word may have; the parts of a compound add up."""
    totals = frozenset({0})
    for part in split_words(word)[:_LONGEST]:
        totals = frozenset(total + count for total in totals for count in _one(part))
    return totals
