"""The ``structure`` family: counts of words, sentences, paragraphs, items, characters (IFHardBench contract, 6.1).

What must exist before a rule may pass: rules over units (sentences, items, paragraphs) need at least one unit,
rules that compare units need two, and the two markers (first line, closing bracket) must be there.
"""

from collections.abc import Sequence

from metrics.ifhard.counts import Count, count_verdict, each_verdict, too_few
from metrics.ifhard.params import MAX_DIGITS, Params, ParamsError, clamp, read_string, value_of
from metrics.ifhard.text import Text, fold, sentences_of, words_of
from metrics.reasons import KEPT, failed, nouns, passed
from metrics.verdict import Verdict
from metrics.wording import Reason, worded

__all__ = [
    "CHECKSUM_KINDS",
    "ascending_sentences",
    "char_count",
    "checksum",
    "first_line_count",
    "item_words",
    "item_words_ladder",
    "items_total_words",
    "letter_words",
    "mirror_sentences",
    "paragraph_count",
    "paragraph_sentences",
    "sentence_count",
    "sentence_words",
    "word_char_count",
    "word_count",
]


def word_count(text: Text, count: Count) -> Verdict:
    """The number of words meets the count."""
    return count_verdict("word", len(text.words), count)


def sentence_count(text: Text, count: Count) -> Verdict:
    """The number of sentences meets the count."""
    return count_verdict("sentence", len(text.sentences), count)


def paragraph_count(text: Text, count: Count) -> Verdict:
    """The number of paragraphs meets the count."""
    return count_verdict("paragraph", len(text.paragraphs), count)


def char_count(text: Text, count: Count) -> Verdict:
    """The number of code points of the trimmed text meets the count; CR LF is two."""
    return count_verdict("character", len(text.trimmed), count)


def sentence_words(text: Text, count: Count) -> Verdict:
    """There is a sentence, and each meets the count in words."""
    return each_verdict("sentence", "word", text.sentence_words, count)


def item_words(text: Text, count: Count, kind: object) -> Verdict:
    """There is a list item of the kind, and each payload meets the count in words."""
    return each_verdict("item", "word", _item_lengths(text, kind), count)


def paragraph_sentences(text: Text, count: Count) -> Verdict:
    """There is a paragraph, and each meets the count in sentences."""
    counts = [len(sentences_of(paragraph)) for paragraph in text.paragraphs]
    return each_verdict("paragraph", "sentence", counts, count)


def ascending_sentences(text: Text, direction: object) -> Verdict:
    """At least two sentences, word counts strictly rising; falling if ``direction`` is exactly ``desc``.

    Codes: ``ok``, ``too-few-sentences``, ``not-ascending``, ``not-descending``.
    """
    falling = direction == "desc"
    counts = text.sentence_words
    if len(counts) < 2:
        return too_few("sentence", len(counts))
    for place in range(1, len(counts)):
        before, after = counts[place - 1], counts[place]
        if not (after < before if falling else after > before):
            need, code = ("fewer", "not-descending") if falling else ("more", "not-ascending")
            reason = ("sentence {} has {:word}, {} than {} required", place + 1, after, need, before)
            return failed(code, reason, after, f"{'<' if falling else '>'} {before}")
    verb = "fall" if falling else "rise"
    return passed(("word counts of {} sentences strictly {}", len(counts), verb), len(counts))


def items_total_words(text: Text, factor: int, kind: object) -> Verdict:
    """There is an item of the kind, and the whole text has ``factor`` words for each item.

    Codes: ``ok``, ``no-items``, ``too-few``, ``too-many``.
    """
    items = len(text.items(kind))
    if not items:
        return failed("no-items", ("no list item found, {:word} for each required", factor), 0)
    total, goal = len(text.words), factor * items
    reason = ("{:word} required ({} for each of {:item}), {} found", goal, factor, items, total)
    if total == goal:
        return passed(reason, total, goal)
    return failed("too-few" if total < goal else "too-many", reason, total, goal)


def item_words_ladder(text: Text, start: int, direction: object, kind: object) -> Verdict:
    """At least two items of the kind with start, start+1, ... words; with ``direction`` ``desc`` from the end.

    Codes: ``ok``, ``too-few-items``, ``wrong-step``.
    """
    counts = _item_lengths(text, kind)
    if len(counts) < 2:
        return too_few("item", len(counts))
    steps = range(start, start + len(counts))
    goals: Sequence[int] = steps[::-1] if direction == "desc" else steps
    for place, (count, goal) in enumerate(zip(counts, goals, strict=True), 1):
        if count != goal:
            reason: Reason = ("item {} has {:word}, exactly {} required", place, count, goal)
            return failed("wrong-step", reason, count, goal)
    reason = ("{} items have {} to {} words, one step each", len(counts), goals[0], goals[-1])
    return passed(reason, len(counts))


def first_line_count(text: Text) -> Verdict:
    """The first line is a number that equals the word count of the rest; nothing is trimmed before the cut.

    Codes: ``ok``, ``no-first-line`` (no LF, or nothing after it), ``no-number``, ``unreadable-number`` (digits that
    are no decimals, such as ², or over 4,300 of them), ``wrong-count``.
    """
    head, line_feed, rest = text.raw.partition("\n")
    if not line_feed or not rest.strip():
        return failed("no-first-line", "a first line with a number and a text below it are required")
    number = head.strip()
    if not number.isdigit():
        return failed("no-number", ("the first line must be a number alone, found {:quoted}", number[:KEPT]))
    stated = _stated(number)
    if stated is None:
        return failed("unreadable-number", ("the first line is no readable number: {:quoted}", number[:KEPT]))
    return _stated_verdict("first line", stated, "word", len(words_of(rest)))


CHECKSUM_KINDS = ("commas", "letter_words", "sentences", "words")


def checksum(text: Text, params: Params) -> Verdict:
    """The trimmed text ends with a bracketed number that equals a count of its own commas, words or sentences.

    Sentences and words are counted with the marker cut off, commas and words of a letter in the whole text. Without
    a marker the parameters are not read; so they are read here.

    Codes: ``ok``, ``no-marker``, ``unreadable-number`` (over 4,300 digits), ``wrong-count``.
    """
    body, bracket, digits = text.trimmed[:-1].rpartition("(")
    if not (bracket and text.trimmed.endswith(")") and digits.isdecimal()):
        return failed("no-marker", "the text must end with a number in round brackets, such as (5)")
    stated = _stated(digits)
    if stated is None:
        return failed("unreadable-number", ("the closing number is too long to read: {:digit}", len(digits)))
    kind = value_of(params, "kind")
    if kind == "commas":
        return _stated_verdict("closing marker", stated, "comma", text.raw.count(","))
    if kind == "letter_words":
        letter = read_string(params, "letter")
        with_letter = (" with {:quoted}", letter)
        return _stated_verdict("closing marker", stated, "word", letter_words(text, letter), with_letter)
    if kind == "sentences":
        return _stated_verdict("closing marker", stated, "sentence", len(sentences_of(body.strip())))
    if kind == "words":
        return _stated_verdict("closing marker", stated, "word", len(words_of(body)))
    raise ParamsError(f"is none of {', '.join(CHECKSUM_KINDS)}", "kind")


def word_char_count(text: Text, words: int, chars: int) -> Verdict:
    """Exactly ``words`` words and ``chars`` characters of trimmed text.

    Codes: ``ok``, ``wrong-words``, ``wrong-chars``, ``wrong-words-and-chars``.
    """
    found_words, found_chars = len(text.words), len(text.trimmed)
    off = [
        name for name, found, goal in (("words", found_words, words), ("chars", found_chars, chars)) if found != goal
    ]
    observed, wanted = [found_words, found_chars], [words, chars]
    reason = ("exactly {:word} and {:character} required, {} and {} found", *wanted, *observed)
    return failed(f"wrong-{'-and-'.join(off)}", reason, observed, wanted) if off else passed(reason, observed, wanted)


def mirror_sentences(text: Text) -> Verdict:
    """At least two sentences, the first and the last with equal word counts.

    Codes: ``ok``, ``too-few-sentences``, ``unequal-ends``.
    """
    counts = text.sentence_words
    if len(counts) < 2:
        return too_few("sentence", len(counts))
    first, last = counts[0], counts[-1]
    reason = ("the first sentence has {:word}, the last has {}, equal counts required", first, last)
    return passed(reason, last, first) if first == last else failed("unequal-ends", reason, last, first)


def letter_words(text: Text, letter: str) -> int:
    """How many words have a core whose first character equals the folded letter; a longer value matches none."""
    folded = fold(letter)
    return text.stem_count(folded) if len(folded) == 1 else 0


def _item_lengths(text: Text, kind: object) -> list[int]:
    return [len(words_of(payload)) for payload in text.items(kind)]


def _stated(digits: str) -> int | None:
    """The integer that decimal digits of any script write, or None where the contract's scorer fails on them."""
    return clamp(int(digits)) if digits.isdecimal() and len(digits) <= MAX_DIGITS else None


def _stated_verdict(place: str, stated: int, noun: str, found: int, detail: Reason = "") -> Verdict:
    reason = ("the {} says {}{}, {} found", place, (nouns, stated, noun), (worded, detail), found)
    return passed(reason, stated, found) if stated == found else failed("wrong-count", reason, stated, found)
