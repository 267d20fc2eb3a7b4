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
from metrics.ifbench.word_lists import NAMES, NOT_AT_FIRST, NOUNS_AT_FIRST, NUMBERED, word_set
from metrics.ifbench.words import fold, has_word
from metrics.reasons import clip, failed, passed, quoted
from metrics.verdict import Verdict

__all__ = ["is_verb_first", "verb_verdict"]

_HEAD: Final = 400  # characters that are looked at; enough for the first words and what parts them
_OBJECTS: Final = word_set(
    "the a an this that these those my your his her its our their each every all any some both another no it them me "
    "us him you yourself yourselves myself ourselves what how why whether which who where when not "
    "everything everyone something someone anything anyone nothing"
)
_FINITE: Final = word_set(
    "is are was were am has had will would can could should may might must does did isn't aren't wasn't weren't "
    "hasn't hadn't won't wouldn't can't couldn't shouldn't doesn't didn't became becomes seems went came"
)
_NEGATED: Final = word_set(
    "don't doesn't didn't can't cannot couldn't won't wouldn't shan't shouldn't mustn't mightn't needn't isn't aren't "
    "wasn't weren't hasn't haven't hadn't ain't let's"
)
_OF_VERBS: Final = word_set("think dream learn approve speak")
_COLON_VERBS: Final = word_set("note picture")
_PREFIXES: Final = word_set("re pre co un over under out mis double cross fine spell deep hand proof self")
# Gerunds by their look alone.
_NO_GERUNDS: Final = word_set("evening ceiling wedding pudding sterling herring darling inning lightning")
_verb_endings = re.compile(r"(?:[aeiouy].*(?:ing|ed)|.{3}(?:ize|ise|ify))\Z").search


class _Opening(NamedTuple):
    """The first words of a text.

    Attributes:
        word: the first word, folded.
        after: the second word, folded; "" if there is none.
        third: the third word, folded; "" if there is none.
        between: the text between the first and the second word.
    """

    word: str
    after: str
    third: str
    between: str


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
    return _Opening(word, after, third, head[first:second])


def _can_be_verb(word: str) -> bool:
    return bool(parts_of_speech(word).keys() & {"verb", "aux"})


def _only_verb(word: str) -> bool:
    parts = parts_of_speech(word).keys()
    return bool(parts) and parts <= {"verb", "aux"}


def _is_compound_verb(word: str) -> bool:
    """``re-read``, ``double-check``; but not ``well-known``."""
    front, _, last = word.rpartition("-")
    return bool(front) and front in _PREFIXES and _can_be_verb(last)


def _context_says_verb(opening: _Opening) -> bool:
    """Whether a base form that can be a noun or an adjective too is a verb here."""
    word, after, third, between = opening
    if ":" in between:
        return word in _COLON_VERBS
    if after in _OBJECTS:
        return True
    if after in _FINITE or word in NOUNS_AT_FIRST or (word in NAMES and _only_verb(after)):
        return False
    if after == "of":
        return word in _OF_VERBS
    if after in ("and", "or"):
        return _can_be_verb(third) and word not in NOUNS_AT_FIRST
    if after[:1].isdigit():
        return word not in NUMBERED
    # "Love conquers all": a form that is a verb and nothing else makes the word before it its subject.
    return not (_only_verb(after) and after not in parts_of_speech(after).get("verb", frozenset()))


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
    parts = parts_of_speech(word)
    if not parts:
        return _is_compound_verb(word) or ("'" not in word and _verb_endings(word) is not None)
    if "aux" in parts:
        # May 5, Will is here: the month and the man.
        return not opening.after[:1].isdigit() and not (word in NAMES and _FINITE & {opening.after, opening.third})
    if "verb" not in parts:
        return False
    others = parts.keys() - {"verb"}
    if not others:
        return True
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
        return passed(f"the first word, {quoted(first)}, is a verb", clip(first))
    return failed("not-a-verb", f"the first word, {quoted(first)}, is no verb here", clip(first))
