"""The ``words`` checkers over words in certain places (IFBench notes, section 3)."""

from collections.abc import Iterable
from itertools import islice, pairwise

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.layout import each_heading_or_title
from metrics.ifbench.sentences import words_in
from metrics.ifbench.text import Text
from metrics.ifbench.verbs import verb_verdict
from metrics.ifbench.verdict_shapes import NO_SENTENCES, NO_WORDS, at_least
from metrics.ifbench.words import fold, joined_words
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict

__all__ = ["keywords_specific_position", "last_first", "paragraph_last_first", "start_verb", "words_position"]


def _wanted_words(keyword: str) -> list[str]:
    """A keyword as it is compared with words; one without a letter or digit is compared with nothing."""
    return joined_words(fold(keyword))


def keywords_specific_position(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """Word ``m`` of sentence ``n`` is the keyword.

    Codes: ``ok``, ``too-few``, ``too-few-words``, ``other-word``.
    """
    place, position = arguments["n"], arguments["m"]
    sentences = list(islice(text.each_sentence(readings.line_breaks_end_sentences), place))
    if len(sentences) < place:
        return at_least(len(sentences), place, "sentence")
    words = joined_words(fold(" ".join(words_in(sentences[place - 1].text))))
    if len(words) < position:
        return at_least(len(words), position, "word")._replace(code="too-few-words")
    wanted = _wanted_words(arguments["keyword"])
    found = words[position - 1 : position - 1 + len(wanted)]
    if found == wanted:
        return passed(("word {} of sentence {} is {:quoted}", position, place, arguments["keyword"][:KEPT]), position)
    said = "word {} of sentence {} must be {:quoted}, {:quoted} found"
    reason = (said, position, place, arguments["keyword"][:KEPT], found[0][:KEPT])
    return failed("other-word", reason, clip(found[0]), clip(arguments["keyword"]))


def last_first(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Each sentence begins with the word that ends the one before.

    Codes: ``ok``, ``no-sentences``, ``other-word``.
    """
    sentences = text.each_sentence(readings.line_breaks_end_sentences)
    words_of_each = filter(None, (words_in(fold(sentence.text)) for sentence in sentences))
    for place, (before, after) in enumerate(pairwise(words_of_each), 2):
        if before[-1] != after[0]:
            said = "sentence {} must begin with {:quoted}, {:quoted} found"
            reason = (said, place, before[-1][:KEPT], after[0][:KEPT])
            return failed("other-word", reason, clip(after[0]), clip(before[-1]))
    count = len(text.sentences(readings.line_breaks_end_sentences))
    return passed(("{} sentences are linked by their words", count), count) if count else NO_SENTENCES


def paragraph_last_first(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Each line with a word ends with the word that it begins with.

    Codes: ``ok``, ``no-words``, ``other-word``.
    """
    lines: Iterable[str] = text.lines
    if not readings.headings_are_paragraphs:
        headings = each_heading_or_title(text.lines)
        lines = (line for line, heading in zip(text.lines, headings, strict=True) if not heading)
    place = 0
    for place, words in enumerate(filter(None, map(joined_words, map(fold, lines))), 1):
        if words[0] != words[-1]:
            said = "paragraph {} begins with {:quoted} and ends with {:quoted}"
            reason = (said, place, words[0][:KEPT], words[-1][:KEPT])
            return failed("other-word", reason, clip(words[-1]), clip(words[0]))
    return passed(("each of {} paragraphs ends as it begins", place), place) if place else NO_WORDS


def words_position(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """The second word and the last but one are the keyword.

    Codes: ``ok``, ``too-few``, ``other-word``.
    """
    words = text.folded
    if len(words) < 2:
        return at_least(len(words), 2, "word")
    wanted = " ".join(_wanted_words(arguments["keyword"]))
    for name, word in (("second word", words[1]), ("last word but one", words[-2])):
        if word != wanted:
            reason = ("the {} must be {:quoted}, {:quoted} found", name, wanted[:KEPT], word[:KEPT])
            return failed("other-word", reason, clip(word), clip(wanted))
    return passed(("the second word and the last but one are {:quoted}", wanted[:KEPT]), clip(wanted))


def start_verb(text: Text, _: Arguments, __: Readings) -> Verdict:
    """The first word, marks and markup skipped, is a verb as it is used there.

    Codes: ``ok``, ``no-words``, ``not-a-verb``.
    """
    return verb_verdict(text.prose)
