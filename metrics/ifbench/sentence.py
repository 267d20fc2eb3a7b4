"""The ``sentence`` family: what each sentence holds, and how sentences grow (IFBench notes, section 3)."""

from itertools import groupby, islice

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.count import keyword_occurrences
from metrics.ifbench.decisions import Readings
from metrics.ifbench.sentences import words_in
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import NO_SENTENCES, at_least
from metrics.ifbench.words import first_letter, fold
from metrics.reasons import failed, passed, quoted
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
            reason = f"the longest run of sentence {place} has {run} words, the one before {before}"
            return failed("not-longer", reason, run, f"> {before}")
        before = run
    return passed(f"the runs of {place} sentences grow", place) if place else NO_SENTENCES


def increment(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """Each sentence has exactly ``small_n`` words more than the one before.

    Codes: ``ok``, ``no-sentences``, ``wrong-step``.
    """
    step = arguments["small_n"]
    before, place = 0, 0
    for place, sentence in enumerate(text.each_sentence(readings.line_breaks_end_sentences), 1):
        after = len(words_in(sentence.text))
        if place > 1 and after != before + step:
            reason = f"sentence {place} must have {before + step} words, {after} found"
            return failed("wrong-step", reason, after, before + step)
        before = after
    if not place:
        return NO_SENTENCES
    return passed(f"each of {place} sentences has {step} words more than the one before", place)


def keyword(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """The keyword is a whole word of sentence ``N``.

    Codes: ``ok``, ``too-few``, ``no-keyword``.
    """
    place, word = arguments["N"], arguments["word"]
    sentences = list(islice(text.each_sentence(readings.line_breaks_end_sentences), place))
    if len(sentences) < place:
        return at_least(len(sentences), place, "sentence")
    if keyword_occurrences(fold(sentences[place - 1].text), word):
        return passed(f"{quoted(word)} is in sentence {place}", place)
    return failed(
        "no-keyword", f"{quoted(word)} is not in sentence {place}, {quoted(sentences[place - 1].text)}", place
    )
