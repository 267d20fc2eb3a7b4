"""The ``sentence`` family: what each sentence holds, and how sentences grow (IFBench notes, section 3)."""

from itertools import groupby, islice

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.count import keyword_occurrences
from metrics.ifbench.decisions import Readings
from metrics.ifbench.sentences import words_in
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import NO_SENTENCES, at_least
from metrics.ifbench.words import first_letter, fold
from metrics.reasons import KEPT, failed, passed
from metrics.verdict import Verdict

__all__ = ["alliteration_increment", "increment", "keyword"]


def _longest_run(words: list[str]) -> int:
    """The most neighbouring words with the same first letter; one word alone is no run and counts 0."""
    runs = (len(list(group)) for letter, group in groupby(words, first_letter) if letter)
    return max((run for run in runs if run > 1), default=0)


def alliteration_increment(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Each sentence has a longer run of words with one first letter than the sentence before.

    Codes: ``ok``, ``no-sentences``, ``not-longer``.
    """
    before, place = -1, 0
    for place, sentence in enumerate(text.each_sentence(readings.line_breaks_end_sentences), 1):
        run = _longest_run(words_in(sentence.text))
        if run <= before:
            reason = ("the longest run of sentence {} has {} words, the one before {}", place, run, before)
            return failed("not-longer", reason, run, f"> {before}")
        before = run
    return passed(("the runs of {} sentences grow", place), place) if place else NO_SENTENCES


def increment(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """Each sentence has exactly ``small_n`` words more than the one before.

    Codes: ``ok``, ``no-sentences``, ``wrong-step``.
    """
    step = arguments["small_n"]
    before, place = 0, 0
    for place, sentence in enumerate(text.each_sentence(readings.line_breaks_end_sentences), 1):
        after = len(words_in(sentence.text))
        if place > 1 and after != before + step:
            reason = ("sentence {} must have {} words, {} found", place, before + step, after)
            return failed("wrong-step", reason, after, before + step)
        before = after
    if not place:
        return NO_SENTENCES
    return passed(("each of {} sentences has {} words more than the one before", place, step), place)


def keyword(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """The keyword is a whole word of sentence ``N``.

    Codes: ``ok``, ``too-few``, ``no-keyword``.
    """
    place, word = arguments["N"], arguments["word"]
    sentences = list(islice(text.each_sentence(readings.line_breaks_end_sentences), place))
    if len(sentences) < place:
        return at_least(len(sentences), place, "sentence")
    if keyword_occurrences(fold(sentences[place - 1].text), word):
        return passed(("{:quoted} is in sentence {}", word[:KEPT], place), place)
    said = "{:quoted} is not in sentence {}, {:quoted}"
    return failed("no-keyword", (said, word[:KEPT], place, sentences[place - 1].text[:KEPT]), place)
