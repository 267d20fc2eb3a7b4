"""The ``custom`` checkers that ask for questions, a story, or a sentence in reverse (IFBench notes, section 3)."""

import re
from itertools import pairwise
from typing import Final, NamedTuple

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.lexicon import syllable_counts
from metrics.ifbench.sentences import words_in
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import exactly
from metrics.ifbench.word_lists import listed, word_set
from metrics.ifbench.words import first_letter, has_word, joined_words
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict

__all__ = ["character_reverse", "mcq_count_length", "sentence_alphabet", "word_reverse"]

# Words that tell which way a text reads, since they stand in every sentence.
_FUNCTION_WORDS: Final = listed("telling_words")


def _reads_forward(word: str) -> bool:
    """Whether a word is English as it stands and not when its letters are reversed."""
    mirrored = word[::-1]
    if (word in _FUNCTION_WORDS) != (mirrored in _FUNCTION_WORDS):
        return word in _FUNCTION_WORDS
    return bool(syllable_counts(word)) and not syllable_counts(mirrored)


def character_reverse(text: Text, _: Arguments, __: Readings) -> Verdict:
    """Read from its end, the answer names the bald eagle; no word of it is English as it stands.

    Codes: ``ok``, ``no-eagle``, ``reads-forward``.
    """
    folded = " ".join(text.folded_prose.split())
    if "elgae dlab" not in folded:
        return failed("no-eagle", "the answer, reversed by letters, does not name the bald eagle")
    forward = next(filter(_reads_forward, joined_words(folded.replace("elgae dlab", " "))), None)
    if forward is not None:
        return failed("reads-forward", ("{:quoted} is not reversed", forward[:KEPT]), clip(forward))
    return passed("the answer, reversed by letters, names the bald eagle")


_DETERMINERS: Final = word_set("the a an its our their his her")
_PREPOSITIONS: Final = word_set("of in for to by on from with as")
_VERBS: Final = word_set("is are was were has have be and or")
_SUBJECTS: Final = word_set("it it's that that's this which")
# Pairs of words that are in the wrong order.
_SWAPPED: Final = frozenset(
    {("states", "united"), ("is", "it"), ("is", "that"), ("is", "which"), ("is", "answer"), ("is", "symbol")}
    | {(noun, "national") for noun in ("symbol", "animal", "bird", "emblem")}
)


def _is_broken(word: str, after: str) -> bool:
    """Whether no English sentence has these two words in this order; "" is the end."""
    if word in _DETERMINERS:
        return not after or after in _VERBS or after in _PREPOSITIONS or after in _DETERMINERS or after in _SUBJECTS
    if word in _PREPOSITIONS:
        return not after or after in _VERBS
    return (word, after) in _SWAPPED or (word in _VERBS and not after)


def _broken_places(words: list[str]) -> int:
    return sum(_is_broken(word, after) for word, after in pairwise([*words, ""]))


def word_reverse(text: Text, _: Arguments, __: Readings) -> Verdict:
    """Read from its last word, the answer names the bald eagle, and reads better that way than as it stands.

    Codes: ``ok``, ``no-eagle``, ``reads-forward``.
    """
    words = text.folded
    if ("eagle", "bald") not in pairwise(words):
        return failed("no-eagle", "the answer, reversed by words, does not name the bald eagle")
    as_written, reversed_ = _broken_places(words), _broken_places(words[::-1])
    bare = not set(words) - {"eagle", "bald", "american"}
    if reversed_ < as_written or (bare and reversed_ == as_written):
        return passed("the answer, reversed by words, names the bald eagle")
    return failed("reads-forward", "the words stand in the order of an English sentence")


class _Question(NamedTuple):
    """A question of the list: its text without label, and what stands below it."""

    text: list[str]
    options: list[str]
    others: list[str]


_QUESTIONS: Final = 4
_OPTIONS: Final = 5
_label = re.compile(r"(?:Question|QUESTION)\b[^\S\n]*\d*[^\S\n]*[.:)\u2013\u2014-]*").match
_bold_label = re.compile(r"(\*\*|__)((?:Question|QUESTION)\b[^*_]*)\1")
# An option may be a list item, its letter in bold or italics.
_OPTION: Final = r"(?:(?:[-+*\u2022\u2023\u25e6\u25aa\u2013]|\d{1,2}[.)])\s+)?[*_]{0,3}"
_marked_option = re.compile(
    rf"{_OPTION}(?:[(\[][*_]{{0,3}}[A-Ea-e][*_]{{0,3}}[)\]]|[A-Ea-e][*_]{{0,3}}[.):]+)[*_]{{0,3}}+\s*\S"
).match
_bare_option = re.compile(rf"{_OPTION}[A-Ea-e](?:[*_]{{1,3}}+|\s)\s*\S").match


def _question(lines: list[str]) -> _Question:
    """A question from its lines, the label's first."""
    start = _label(lines[0])
    first = lines[0][start.end() :].strip() if start else lines[0]
    rest = lines[1:]
    # A bare letter marks an option only where no line has a marked one: "A painter" may open a question.
    is_option = _marked_option if any(map(_marked_option, rest)) else _bare_option
    opened = next((place for place, line in enumerate(rest) if is_option(line)), len(rest))
    options = [line for line in rest[opened:] if is_option(line)]
    others = [line for line in rest[opened:] if not is_option(line)]
    return _Question([line for line in (first, *rest[:opened]) if line], options, others)


def _judge_question(place: int, question: _Question) -> Verdict | None:
    """The failure of one question, if it has one."""
    if len(question.options) != _OPTIONS:
        verdict = exactly(len(question.options), _OPTIONS, "option")
        return verdict._replace(code="wrong-options", reason=f"question {place}: {verdict.reason}")
    if question.others:
        return failed("explanation", ("{:quoted} is no option and no question", question.others[0][:KEPT]), place)
    return None


def mcq_count_length(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Four labelled questions with five options each, every question longer than the one before, nothing else.

    Codes: ``ok``, ``no-label``, ``too-few``, ``too-many``, ``wrong-options``, ``explanation``, ``not-longer``.
    """
    lines = [line.strip() for line in text.lines if has_word(line)]
    if readings.bold_question_labels:
        lines = [_bold_label.sub(r"\2", line, count=1) if line[:2] in ("**", "__") else line for line in lines]
    starts = [place for place, line in enumerate(lines) if _label(line)]
    if not starts or starts[0] != 0:
        return failed("no-label", 'the answer must begin with the label "Question"')
    verdict = exactly(len(starts), _QUESTIONS, "question")
    if not verdict.passed:
        return verdict
    questions = [_question(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]
    for place, question in enumerate(questions, 1):
        failure = _judge_question(place, question)
        if failure is not None:
            return failure
    lengths = [len(" ".join(question.text)) for question in questions]
    for place, (before, after) in enumerate(pairwise(lengths), 2):
        if after <= before:
            reason = ("question {} has {} characters, the one before {}", place, after, before)
            return failed("not-longer", reason, after, f"> {before}")
    return passed(("{} questions with {} options each, growing in length", _QUESTIONS, _OPTIONS), lengths[-1])


_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"


def sentence_alphabet(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """26 sentences whose first words begin with A to Z.

    Codes: ``ok``, ``too-few``, ``too-many``, ``wrong-letter``.
    """
    sentences = text.sentences(readings.line_breaks_end_sentences)
    verdict = exactly(len(sentences), len(_ALPHABET), "sentence")
    if not verdict.passed:
        return verdict
    for place, (sentence, wanted) in enumerate(zip(sentences, _ALPHABET, strict=True), 1):
        letter = first_letter("".join(words_in(sentence.text)[:1]))
        if letter != wanted:
            reason = ("sentence {} must begin with {}, {:quoted} found", place, wanted.upper(), letter.upper())
            return failed("wrong-letter", reason, letter, wanted)
    return verdict
