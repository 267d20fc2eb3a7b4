"""The ``ratio`` family: shares and proportions (IFBench notes, section 3)."""

from collections import Counter
from functools import lru_cache
from typing import Final

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.sentences import words_in
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import NO_WORDS, exactly
from metrics.ifbench.word_lists import STOP_WORDS
from metrics.ifbench.words import fold, tokens_of
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict

__all__ = ["overlap", "sentence_balance", "sentence_type", "sentence_words", "stop_words"]

_TOLERANCE: Final = 2  # percentage points, on either side


def _character_trigrams(text: str) -> set[str]:
    return {text[place : place + 3] for place in range(len(text) - 2)}


def _token_trigrams(text: str) -> set[tuple[str, str, str]]:
    tokens = tokens_of(fold(text))
    return set(zip(tokens, tokens[1:], tokens[2:], strict=False))


@lru_cache(maxsize=32)
def _reference_trigrams(reference: str) -> frozenset[tuple[str, str, str]]:
    """Those of a question's own text; the last ones are kept."""
    return frozenset(_token_trigrams(reference))


def overlap(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """The share of the answer's different trigrams that occur in the reference is right within two points.

    Codes: ``ok``, ``no-trigrams``, ``too-little``, ``too-much``.
    """
    given: set[str] | set[tuple[str, str, str]]
    if readings.overlap_of_words:
        given, shared = _token_trigrams(text.prose), _reference_trigrams(arguments["reference_text"])
        common = len(given & shared)
    else:
        given = _character_trigrams(text.raw)
        common = len(given & _character_trigrams(arguments["reference_text"]))
    if not given:
        return failed("no-trigrams", "the answer is too short for a trigram", 0)
    wanted = arguments["percentage"]
    # In whole numbers, so that no rounding decides at the edge.
    off = 100 * common - wanted * len(given)
    share = round(100 * common / len(given), 1)
    reason = ("{}% (within {}) of the trigrams must be shared, {}% are", wanted, _TOLERANCE, share)
    if abs(off) <= _TOLERANCE * len(given):
        return passed(reason, share, wanted)
    return failed("too-little" if off < 0 else "too-much", reason, share, wanted)


def _marks(text: Text, readings: Readings) -> Counter[str]:
    """How many sentences end in each mark."""
    return Counter(sentence.mark for sentence in text.sentences(readings.line_breaks_end_sentences))


def sentence_balance(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """As many sentences end in a full stop as in a question mark and in an exclamation mark, and some do.

    Codes: ``ok``, ``none``, ``unequal``.
    """
    marks = _marks(text, readings)
    counts = (marks["."], marks["?"], marks["!"])
    reason = ("{} declarative, {} interrogative and {} exclamatory sentences", *counts)
    if not any(counts):
        return failed("none", reason, counts)
    return passed(reason, counts) if len(set(counts)) == 1 else failed("unequal", reason, counts)


def sentence_type(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Twice as many sentences end in a full stop as in a question mark, and some do.

    Codes: ``ok``, ``no-question``, ``wrong-ratio``.
    """
    marks = _marks(text, readings)
    counts = (marks["."], marks["?"])
    reason = ("two declarative sentences for each interrogative one required, {} and {} found", *counts)
    if not marks["?"]:
        return failed("no-question", reason, counts, "2:1")
    return passed(reason, counts, "2:1") if counts[0] == 2 * counts[1] else failed("wrong-ratio", reason, counts, "2:1")


_SENTENCES: Final = 3


def sentence_words(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Three sentences of equal length in characters, no word in them twice.

    Codes: ``ok``, ``too-few``, ``too-many``, ``unequal``, ``repeated-word``.
    """
    sentences = text.sentences(readings.line_breaks_end_sentences)
    verdict = exactly(len(sentences), _SENTENCES, "sentence")
    if not verdict.passed:
        return verdict
    lengths = [len(sentence.text) for sentence in sentences]
    if len(set(lengths)) > 1:
        return failed("unequal", ("the sentences have {} characters", ", ".join(map(str, lengths))), tuple(lengths))
    words = Counter(fold(word) for sentence in sentences for word in words_in(sentence.text))
    repeated = next((word for word, times in words.items() if times > 1), None)
    if repeated is not None:
        return failed("repeated-word", ("the word {:quoted} occurs more than once", repeated[:KEPT]), clip(repeated))
    return passed(("{} sentences of {} characters, no word twice", _SENTENCES, lengths[0]), lengths[0])


def stop_words(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """Stop words are at most ``percentage`` percent of the words.

    Codes: ``ok``, ``no-words``, ``too-many``.
    """
    total = len(text.folded)
    if not total:
        return NO_WORDS
    stops = sum(map(STOP_WORDS.__contains__, text.folded))
    limit = arguments["percentage"]
    reason = ("at most {}% stop words allowed, {} of {} words are", limit, stops, total)
    share = round(100 * stops / total, 1)
    if 100 * stops <= limit * total:
        return passed(reason, share, f"<= {limit}")
    return failed("too-many", reason, share, f"<= {limit}")
