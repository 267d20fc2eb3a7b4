"""The ``lexical`` family, part two: initials, echoes and chains between parts (IFHardBench contract, 6.2).

Rules that compare parts need two of them; a part without a word, or without a letter, fails rather than being
skipped. Initials are first letters (4.11): digits, brackets and markup before them do not count.
"""

from collections.abc import Sequence
from typing import Final

from metrics.ifhard.counts import too_few
from metrics.ifhard.text import Text, cores_of, first_letter, fold, words_of
from metrics.reasons import KEPT, clip, failed, nouns, passed, quoted
from metrics.verdict import Verdict
from metrics.wording import Reason

__all__ = [
    "acrostic",
    "alpha_items",
    "anadiplosis",
    "epiphora",
    "item_chain",
    "paragraph_echo",
    "ring_word",
    "same_words",
    "sentence_acrostic",
]

_ALPHABET: Final = frozenset("абвгдежзийклмнопрстуфхцчшщъыьэюя")  # ё has been folded into е


def acrostic(text: Text, word: str, kind: object) -> Verdict:
    """First letters of the items of the kind spell ``word``. Codes: ``ok``, ``wrong-item-count``, ``wrong-letter``."""
    return _spells("item", text.items(kind), word)


def sentence_acrostic(text: Text, word: str) -> Verdict:
    """First letters of the sentences spell ``word``. Codes: ``ok``, ``wrong-sentence-count``, ``wrong-letter``."""
    return _spells("sentence", text.sentences, word)


def _spells(unit: str, pieces: Sequence[str], word: str) -> Verdict:
    folded = fold(word)
    if len(pieces) != len(folded):
        goal = (nouns, len(folded), unit)
        reason: Reason = ("exactly {} required to spell {:quoted}, {} found", goal, word, len(pieces))
        return failed(f"wrong-{unit}-count", reason, len(pieces), len(folded))
    for place, (piece, letter) in enumerate(zip(pieces, folded, strict=True), 1):
        found = first_letter(piece)
        if found != letter:
            parts = unit, place, letter, word, (_shown, found)
            reason = ("{} {} must start with {:quoted} to spell {:quoted}, found {}", *parts)
            return failed("wrong-letter", reason, None if found is None else clip(found), clip(letter))
    return passed(("{} spell {:quoted}", (nouns, len(pieces), unit), word), len(pieces), len(folded))


def _shown(letter: str | None) -> str:
    return "no letter" if letter is None else quoted(letter)


def ring_word(text: Text) -> Verdict:
    """At least two words, the first and the last equal. Codes: ``ok``, ``too-few-words``, ``unequal-ends``."""
    cores = text.cores
    if len(cores) < 2:
        return too_few("word", len(cores))
    first, last = cores[0], cores[-1]
    if first == last:
        reason: Reason = ("the first and the last word are {:quoted}", first[:KEPT])
        return passed(reason, clip(last), clip(first))
    reason = ("the last word must equal the first, found {:quoted} and {:quoted}", first[:KEPT], last[:KEPT])
    return failed("unequal-ends", reason, clip(last), clip(first))


def paragraph_echo(text: Text) -> Verdict:
    """The last word of the first paragraph occurs in the last paragraph, of at least two.

    Codes: ``ok``, ``too-few-paragraphs``, ``no-words``, ``no-echo``.
    """
    paragraphs = text.paragraphs
    if len(paragraphs) < 2:
        return too_few("paragraph", len(paragraphs))
    opening = cores_of(paragraphs[0])
    if not opening:
        return failed("no-words", "the first paragraph has no word")
    word = opening[-1]
    told = word[:KEPT]
    if word in cores_of(paragraphs[-1]):
        return passed(("the last paragraph repeats {:quoted}", told), wanted=clip(word))
    reason = ("the last paragraph must repeat {:quoted}, the last word of the first paragraph", told)
    return failed("no-echo", reason, wanted=clip(word))


def item_chain(text: Text, kind: object) -> Verdict:
    """Each of at least two items starts with the letter that the last word of the item before starts with.

    Codes: ``ok``, ``too-few-items``, ``no-words``, ``no-letter``, ``broken-chain``.
    """
    items = text.items(kind)
    if len(items) < 2:
        return too_few("item", len(items))
    wanted = ""  # first letter of the last word of the item before
    for place, item in enumerate(items, 1):
        words = words_of(item)
        if not words:
            return failed("no-words", ("item {} has no word", place))
        if place > 1:
            found = first_letter(words[0])
            if found is None:
                return failed("no-letter", ("the first word of item {} has no letter", place))
            if found != wanted:
                reason = ("item {} must start with {:quoted}, found {:quoted}", place, wanted, found)
                return failed("broken-chain", reason, clip(found), clip(wanted))
        if place < len(items):
            last = first_letter(words[-1])
            if last is None:
                return failed("no-letter", ("the last word of item {} has no letter", place))
            wanted = last
    return passed(("{} items form a chain", len(items)), len(items))


def alpha_items(text: Text, kind: object) -> Verdict:
    """First letters of at least two items are Cyrillic and strictly rise in the alphabet (ё counts as е).

    Codes: ``ok``, ``too-few-items``, ``no-cyrillic-letter``, ``not-ascending``.
    """
    items = text.items(kind)
    if len(items) < 2:
        return too_few("item", len(items))
    before = ""
    for place, item in enumerate(items, 1):
        letter = first_letter(item)
        if letter is None or letter not in _ALPHABET:
            reason: Reason = ("item {} must start with a Russian letter, found {}", place, (_shown, letter))
            return failed("no-cyrillic-letter", reason)
        # а to я without ё follow each other in Unicode as they do in the alphabet.
        if letter <= before:
            reason = ("item {} must start with a letter after {:quoted}, found {:quoted}", place, before, letter)
            return failed("not-ascending", reason, letter, f"> {before}")
        before = letter
    return passed(("initials of {} items rise", len(items)), len(items))


def anadiplosis(text: Text) -> Verdict:
    """Each of at least two sentences starts with the last word of the one before.

    Codes: ``ok``, ``too-few-sentences``, ``no-words``, ``broken-chain``.
    """
    sentences = text.sentences
    if len(sentences) < 2:
        return too_few("sentence", len(sentences))
    wanted = ""  # last word of the sentence before
    for place, sentence in enumerate(sentences, 1):
        cores = cores_of(sentence)
        if not cores:
            return failed("no-words", ("sentence {} has no word", place))
        if place > 1 and cores[0] != wanted:
            told = wanted[:KEPT], cores[0][:KEPT]
            reason = ("sentence {} must start with {:quoted}, found {:quoted}", place, *told)
            return failed("broken-chain", reason, clip(cores[0]), clip(wanted))
        wanted = cores[-1]
    return passed(("{} sentences form a chain", len(sentences)), len(sentences))


def epiphora(text: Text, of: object, kind: object) -> Verdict:
    """At least two pieces end with the same word: items of the kind, or paragraphs if ``unit`` is not ``items``.

    Codes: ``ok``, ``too-few-items``, ``too-few-paragraphs``, ``no-words``, ``unequal-ends``.
    """
    by_items = of == "items"
    unit = "item" if by_items else "paragraph"
    pieces = text.items(kind) if by_items else text.paragraphs
    return same_words(unit, pieces, last=True)


def same_words(unit: str, pieces: Sequence[str], *, last: bool) -> Verdict:
    """At least two pieces whose first, or last, words have equal cores.

    Codes: ``ok``, ``too-few-<unit>s``, ``no-words``, ``unequal-ends`` (last) or ``unequal-starts``.
    """
    if len(pieces) < 2:
        return too_few(unit, len(pieces))
    verb, code, index = ("end", "unequal-ends", -1) if last else ("start", "unequal-starts", 0)
    shared = ""
    for place, piece in enumerate(pieces, 1):
        cores = cores_of(piece)
        if not cores:
            return failed("no-words", ("{} {} has no word", unit, place))
        if place == 1:
            shared = cores[index]
        elif cores[index] != shared:
            parts = unit, place, verb, shared[:KEPT], unit, cores[index][:KEPT]
            reason = ("{} {} must {} with {:quoted} as {} 1, found {:quoted}", *parts)
            return failed(code, reason, clip(cores[index]), clip(shared))
    return passed(("{} {}s {} with {:quoted}", len(pieces), unit, verb, shared[:KEPT]), len(pieces))
