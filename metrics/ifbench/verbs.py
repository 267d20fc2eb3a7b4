"""Whether a text starts with a verb, as the word is used there.

A dictionary says what the first word can be. Where it can be a verb and something else, what follows decides: an
article or a pronoun speaks for a verb (``Book a room``), a finite verb or ``of`` against it (``Water is wet``).
Gerunds, participles, auxiliaries and modal verbs are verbs (AD46).
"""

import re
from typing import Final, NamedTuple

from metrics.ifbench.lexicon import parts_of_speech
from metrics.ifbench.sentences import words_in
from metrics.ifbench.verdict_shapes import NO_WORDS
from metrics.ifbench.word_lists import NAMES, NOT_AT_FIRST, NOUNS_AT_FIRST, NUMBERED, listed, word_set
from metrics.ifbench.words import base_letters, fold, has_word
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict

__all__ = ["is_verb_first", "verb_verdict"]

_HEAD: Final = 400  # characters that are looked at; enough for the first words and what parts them
_OBJECTS: Final = listed("objects")
_FINITE: Final = listed("finite_verbs")
_NEGATED: Final = listed("negated_verbs")
_FINITE_IN_S: Final = listed("finite_in_s")
_CLAUSE_OPENERS: Final = listed("clause_openers")
_COINED: Final = listed("coined_verbs")
_NOUNS_AS_VERBS: Final = listed("nouns_as_verbs")
_NO_COINED: Final = listed("no_coined_verbs")
_PERSONS: Final = word_set("me him them us yourself yourselves myself ourselves")
_ARTICLES: Final = word_set("the a an this that these those my your his her its our their")
_PREPOSITIONS: Final = word_set("of in on at for to from with by into about under over between through within")
_ONLOOKERS: Final = word_set("watch see record stream plan book skip meet assess")
_AFTER_PLURALS: Final = word_set(
    "and or of for in on at with from by"
)  # what follows a noun that looks like a verb in -s
_CLAUSE: Final = 7  # words behind the first in which its finite verb is looked for
_OF_VERBS: Final = word_set("think dream learn approve speak")
_COLON_VERBS: Final = word_set("note picture")
_PREFIXES: Final = word_set(
    "re pre co un over under out mis double cross fine spell deep hand proof self air pan stir live"
)
# Gerunds by their look alone.
_NO_GERUNDS: Final = word_set(
    "evening ceiling wedding pudding sterling herring darling inning lightning everything something anything nothing"
)
_verb_endings = re.compile(r"(?:[aeiouy].*(?:ing|ed)|.{3}(?:ize|ise|ify))\Z").search


class _Opening(NamedTuple):
    """The first words of a text.

    Attributes:
        word: the first word, folded.
        after: the second word, folded; "" if there is none.
        third: the third word, folded; "" if there is none.
        rest: the words after the first up to the next mark, at most seven, as written.
        between: the text between the first and the second word.
    """

    word: str
    after: str
    third: str
    between: str
    rest: list[str]


_mark = re.compile(r"[.,;:!?\n\u2026\u2013\u2014()](?=\W|\Z)").search


def _opening(prose: str) -> _Opening | None:
    start = re.search(r"[^\W_]", prose)
    if start is None:
        return None
    head = prose[start.start() : start.start() + _HEAD]
    words = words_in(head)[:3]
    if not words:
        return None
    first = head.find(words[0]) + len(words[0])
    second = head.find(words[1], first) if len(words) > 1 else len(head)
    word, after, third = map(fold, [*words, "", ""][:3])
    clause = _mark(head, first)
    rest = words_in(head[first : clause.start() if clause else None])[:_CLAUSE]
    return _Opening(word, after, third, head[first:second], rest)


def _can_be_verb(word: str) -> bool:
    return bool(parts_of_speech(word).keys() & {"verb", "aux"})


def _only_verb(word: str) -> bool:
    parts = parts_of_speech(word).keys()
    return bool(parts) and parts <= {"verb", "aux"}


def _is_compound_verb(word: str) -> bool:
    """``re-read``, ``double-check``; but not ``well-known``."""
    front, _, last = word.rpartition("-")
    return bool(front) and front in _PREFIXES and _can_be_verb(last)


def _is_subject(opening: _Opening) -> bool:
    """Whether a finite verb follows in the clause of the first word, which is its subject then or a part of it."""
    previous = ""
    if opening.word in NAMES and opening.rest[:1] and opening.rest[0].istitle() and opening.after not in _NO_COINED:
        return True
    for place, written in enumerate(opening.rest):
        word = fold(written)
        following = fold("".join(opening.rest[place + 1 : place + 2]))
        plural = not following or following in _AFTER_PLURALS or opening.word in _ONLOOKERS
        if word in _FINITE or (word in _FINITE_IN_S and not plural):
            return True
        # Mark Twain wrote: a name, and a form that is a verb and nothing else.
        if (
            place == 1 + previous.endswith("ly")
            and opening.rest[0].istitle()
            and _only_verb(word)
            and word not in _bases(word)
        ):
            return not word.endswith("ing")
        if word in _CLAUSE_OPENERS or (word in _ARTICLES and previous not in _PREPOSITIONS):
            return False
        previous = word
    return False


def _bases(word: str) -> frozenset[str]:
    """The base forms of the verb that a form can be."""
    return parts_of_speech(word).get("verb", frozenset())


def _is_coined_verb(opening: _Opening) -> bool:
    """Whether a word that the dictionary lacks, or has as no verb, is one before its object: ``Yeet the ball``."""
    word, after, third, between, rest = opening
    if "'" in word or not between.isspace() or word in _NO_COINED:
        return False
    if parts_of_speech(word):
        return after in _PERSONS
    # Alexander the Great is no verb.
    named = after == "the" and len(rest) > 1 and rest[1].istitle()
    return after in _OBJECTS - _CLAUSE_OPENERS | {"it", "that"} and not named and third not in _FINITE


def _context_says_verb(opening: _Opening) -> bool:
    """Whether a base form that can be a noun or an adjective too is a verb here."""
    word, after, third, between, _ = opening
    if ":" in between:
        return word in _COLON_VERBS
    if after in _OBJECTS:
        return not (after == "that" and third in _FINITE)
    if _is_subject(opening) or word in NOUNS_AT_FIRST or (word in NAMES and _only_verb(after)):
        return False
    if word in _NOUNS_AS_VERBS:
        return opening.rest[:1] != [] and opening.rest[0][0].isupper()  # Text Mom
    if after == "of":
        return word in _OF_VERBS
    if after in ("and", "or"):
        return _can_be_verb(third) and word not in NOUNS_AT_FIRST
    if after[:1].isdigit():
        return word not in NUMBERED
    # "Love conquers all": a form that is a verb and nothing else makes the word before it its subject.
    return not (_only_verb(after) and after not in _bases(after))


def _is_inflected_verb(word: str, opening: _Opening, nouns: bool) -> bool:
    """Whether a form that differs from its base form is a verb here."""
    if word.endswith("ing"):
        return word not in _NO_GERUNDS
    if word.endswith("s") and nouns:
        return opening.after in _OBJECTS | {"like", "to"}
    return not nouns or word.endswith("ed") or _context_says_verb(opening)


def is_verb_first(prose: str) -> bool:
    """Whether the first word of a text is a verb; a text without a word has none."""
    opening = _opening(prose)
    if opening is None:
        return False
    word = opening.word
    if word in _NEGATED:
        return True
    if word in NOT_AT_FIRST:
        return NOT_AT_FIRST[word] and opening.after in _OBJECTS
    if base_letters(word) in _COINED or word in _NOUNS_AS_VERBS:
        return _context_says_verb(opening)
    parts = parts_of_speech(word)
    if _is_coined_verb(opening) and "verb" not in parts and "aux" not in parts:
        return True
    if not parts:
        return _is_compound_verb(word) or (
            "'" not in word and word not in _NO_GERUNDS and _verb_endings(word) is not None
        )
    if "aux" in parts:
        # May 5, Will is here: the month and the man.
        return not opening.after[:1].isdigit() and not (word in NAMES and _FINITE & {opening.after, opening.third})
    if "verb" not in parts:
        return False
    others = parts.keys() - {"verb"}
    if not others:
        return not (_is_subject(opening) if word in NAMES else opening.after in _FINITE and word in parts["verb"])
    if word not in parts["verb"]:
        return _is_inflected_verb(word, opening, "noun" in others)
    return _context_says_verb(opening)


def verb_verdict(prose: str) -> Verdict:
    """The verdict over the first word.

    Codes: ``ok``, ``no-words``, ``not-a-verb``.
    """
    if not has_word(prose):
        return NO_WORDS
    opening = _opening(prose)
    first = opening.word if opening else ""
    if is_verb_first(prose):
        return passed(("the first word, {:quoted}, is a verb", first[:KEPT]), clip(first))
    return failed("not-a-verb", ("the first word, {:quoted}, is no verb here", first[:KEPT]), clip(first))
