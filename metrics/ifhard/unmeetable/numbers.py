"""Counts that the requirements of one IFHardBench row want together, and that no text has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifhard.counts import Count, read_count, read_unit_count, wanted
from metrics.ifhard.params import LIMIT, int_or_none, read_int
from metrics.ifhard.text import fold
from metrics.ifhard.unmeetable.values import hit_by_stem

__all__ = ["contradictions"]

_Params = Mapping[str, Any]
_Wish = tuple[str, Count]  # of what, how many

_COUNTED: Final[Mapping[str, str]] = {
    "structure:word_count": "words",
    "structure:sentence_count": "sentences",
    "structure:paragraph_count": "paragraphs",
    "structure:char_count": "characters",
    "style:comma_count": "commas",
    "style:question_count": "questions",
    "style:exclamation_count": "exclamations",
    "format:bullet_list": "bullet items",
    "format:numbered_list": "numbered items",
}
_EACH: Final[Mapping[str, str]] = {
    "structure:sentence_words": "words in each sentence",
    "structure:paragraph_sentences": "sentences in each paragraph",
}
# Requirements that compare parts need two of them.
_PAIRS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("structure:ascending_sentences", "structure:mirror_sentences"), "sentences"),
    **dict.fromkeys(("style:sentence_initials", "lexical:anadiplosis"), "sentences"),
    **dict.fromkeys(("lexical:paragraph_echo", "style:anaphora"), "paragraphs"),
    "lexical:ring_word": "words",
}
_ITEMS: Final[Mapping[str, int]] = {  # how many items a requirement on items needs
    "structure:item_words": 1,
    "structure:item_words_ladder": 2,
    "lexical:alpha_items": 2,
    "lexical:item_chain": 2,
}
_MARKUP: Final = ("bullet items", "numbered items", "bold spans", "hashtags")
# An answer that is not empty has one of each of these.
_PRESENT: Final = ("characters", "sentences", "paragraphs", "sentences in each paragraph")
_STEM: Final = "words that start with "
_ANY: Final = 10 * LIMIT  # no bound


class _Range(NamedTuple):
    """What is left of the numbers of one thing once every requirement is heard."""

    low: int
    high: int
    by_low: str  # the requirement that sets the end, in words
    by_high: str


def contradictions(requirements: Sequence[tuple[str, _Params]]) -> list[str]:
    """Why no text has the numbers that requirements of a row want.

    Args:
        requirements: (category, parameters), each of which alone has a meaning.
    """
    told: dict[str, list[tuple[str, Count]]] = {}
    for category, params in requirements:
        for noun, count in _wishes(category, params):
            told.setdefault(noun, []).append((category, count))
    reasons = []
    ranges = {}
    for noun, wishes in told.items():
        left, problem = _common(noun, wishes)
        reasons += [problem] if problem else []
        ranges[noun] = left
    return reasons or _across(ranges)


def _common(noun: str, wishes: Sequence[tuple[str, Count]]) -> tuple[_Range, str]:
    """The range that all wishes leave, and what is wrong if it is none."""
    least = 1 if noun in _PRESENT else 0
    most = 0 if noun.startswith(_STEM) and not hit_by_stem(noun.removeprefix(_STEM)) else _ANY
    left = _Range(least, most, f"there are at least {least} {noun}", f"no word can be of the {noun}")
    excluded = set()
    for category, count in wishes:
        low, high = _ends(count)
        said = f"{category} wants {wanted(count)} {noun}"
        if low > high:
            return left, said
        if low > left.low:
            left = left._replace(low=low, by_low=said)
        if high < left.high:
            left = left._replace(high=high, by_high=said)
        if count.op == "ne":
            excluded.add(count.low)
    if left.low > left.high:
        return left, f"{left.by_high}, but {left.by_low}"
    if left.high - left.low < len(excluded) and excluded.issuperset(range(left.low, left.high + 1)):
        return left, f"{left.by_high} and {left.by_low}, but others want neither"
    return left, ""


def _ends(count: Count) -> tuple[int, int]:
    if count.op in ("ge", "gt"):
        return count.low + (count.op == "gt"), _ANY
    if count.op in ("le", "lt"):
        return -_ANY, count.high - (count.op == "lt")
    return (-_ANY, _ANY) if count.op == "ne" else (count.low, count.high)


def _across(ranges: Mapping[str, _Range]) -> list[str]:
    """Numbers of different things that no text has together."""
    free = _Range(0, _ANY, "", "")
    names = ("words", "sentences", "words in each sentence", "characters")
    words, sentences, each, characters = (ranges.get(noun, free) for noun in names)
    reasons = []
    if max(1, sentences.low) * each.low > words.high:
        several = f" and {sentences.by_low}" if sentences.low > 1 else ""
        reasons.append(f"{words.by_high}, but {each.by_low}{several}")
    if each.high != _ANY and sentences.high != _ANY and sentences.high * each.high < words.low:
        reasons.append(f"{words.by_low}, but {each.by_high} and {sentences.by_high}")
    if 2 * words.low - 1 > characters.high:
        reasons.append(f"{characters.by_high}, but {words.by_low}")
    items = ranges.get("any items", free)
    parts = (ranges.get(noun, free) for noun in ("bullet items", "numbered items"))
    reasons += [f"{items.by_high}, but {part.by_low}" for part in parts if part.low > items.high]
    stems = {noun.removeprefix(_STEM): left for noun, left in ranges.items() if noun.startswith(_STEM)}
    for stem, left in stems.items():
        if not stem and words.low > left.high:
            reasons.append(f"{left.by_high}, but {words.by_low}")
        if left.low > words.high:
            reasons.append(f"{words.by_high}, but {left.by_low}")
        # Every word that starts with the longer stem starts with the shorter one.
        shorter = [other for name, other in stems.items() if stem != name and stem.startswith(name)]
        reasons += [f"{other.by_high}, but {left.by_low}" for other in shorter if left.low > other.high]
    return reasons


def _wishes(category: str, params: _Params) -> Iterator[_Wish]:
    kind = f"{params.get('kind', 'any')} items"
    if category in _COUNTED:
        yield _COUNTED[category], read_count(params)
    elif category in _EACH:
        yield _EACH[category], read_unit_count(params)
    elif category in _PAIRS:
        yield _PAIRS[category], _at_least(2)
    elif category == "lexical:acrostic":
        yield kind, _exactly(len(fold(params["word"])))
    elif category == "lexical:sentence_acrostic":
        yield "sentences", _exactly(len(fold(params["word"])))
    elif category == "structure:word_char_count":
        yield "words", _exactly(read_int(params, "words"))
        yield "characters", _exactly(read_int(params, "chars"))
    elif category == "format:bold_words":
        yield "bold spans", _exactly(read_int(params, "count"))
        yield "words", _at_least(int_or_none(params, "position") or 0)
    elif category == "format:hashtags":
        yield "hashtags", _exactly(read_int(params, "count"))
    elif category == "format:csv_line":
        yield "commas", _at_least(read_int(params, "fields"))  # one between fields, and one in a field
    elif category == "style:no_commas":
        yield "commas", _exactly(0)
    elif category == "style:no_markdown":
        yield from ((noun, _exactly(0)) for noun in _MARKUP)
    elif category == "style:end_punctuation" and params["char"] in ("?", "!"):
        yield {"?": "questions", "!": "exclamations"}[params["char"]], _at_least(1)
    if category in _ITEMS:
        yield kind, _at_least(_ITEMS[category])
    if category == "structure:item_words":
        yield f"words in each of {kind}", read_unit_count(params)
    if category in ("lexical:nth_word", "lexical:nth_word_from_end"):
        yield "words", _at_least(read_int(params, "n"))
    yield from ((_STEM + fold(stem), count) for stem, count in _stems(category, params))


def _stems(category: str, params: _Params) -> Iterator[_Wish]:
    """Stems, and how many words may start with them; a word in full is a stem of itself."""
    if category == "lexical:include_keyword" and "any_stems" not in params:
        yield params["stem"] if "stem" in params else params["word"], _at_least(1)
    elif category == "lexical:include_all":
        yield from ((stem, _at_least(1)) for stem in params["stems" if "stems" in params else "words"])
    elif category == "lexical:exclude_word" and "stems" in params:
        yield from ((stem, _exactly(0)) for stem in params["stems"])
    elif category == "lexical:word_exact_count":
        yield params["stem"], _exactly(read_int(params, "count"))
    elif category == "lexical:word_cap":
        yield params["stem"], Count("le", read_int(params, "cap"), read_int(params, "cap"))
    elif category == "lexical:order_words":
        yield from ((params[name], _at_least(1)) for name in ("stem_a", "stem_b"))
    elif category in ("lexical:nth_word", "lexical:nth_word_from_end"):
        yield params["word"].strip(), _at_least(1)
    elif category == "style:letter_start_count":
        letter = fold(params["letter"])
        # A longer value matches no word, so its count is 0; so is that of a stem with a space in it.
        yield letter if len(letter) == 1 else f"{letter} ", read_count(params)


def _exactly(number: int) -> Count:
    return Count("eq", number, number)


def _at_least(number: int) -> Count:
    return Count("ge", number, number)
