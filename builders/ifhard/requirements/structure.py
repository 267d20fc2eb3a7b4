"""The structure family: totals, numbers of units, lengths of each unit, written counts."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from builders.ifhard.bank import Unit
from builders.ifhard.draft import Aim, Ask, Draft, Equal, InfeasibleError, Rising, Sum
from builders.ifhard.edits import filler, insert
from builders.ifhard.frames import framing, render
from builders.ifhard.requirements.row import (
    ALL,
    BULLETS,
    LIST,
    NUMBERS,
    PROSE,
    SENTENCES,
    TEXT,
    Demand,
    Params,
    Type,
    rule,
)
from builders.ifhard.requirements.spoil import EXTRA_SENTENCE, first_again, one_paragraph, one_sentence, opened, upper
from metrics.ifhard.text import cores_of, sentences_of, words_of

__all__ = ["COUNTED_LETTERS", "TYPES", "UNUSUAL_PARAGRAPHS", "exact_put", "range_put", "unusual_sentences", "words"]

COUNTED_LETTERS: Final = "псвнк"
"""Letters that open enough words to be counted, without «е», which rules about initials equal to «ё»."""


UNUSUAL_PARAGRAPHS: Final = (2, 5, 6)
"""Three out of four free answers have three or four paragraphs; these numbers are no habit."""
UNUSUAL_SENTENCES: Final = ((3, 3), (4, 4), (5, 5), (6, 6), (7, 7))
"""Two out of three free answers have eight to eleven sentences."""


def words(unit: Unit) -> int:
    """Word count of a unit."""
    return unit.words


def _chars(unit: Unit) -> int:
    return unit.chars


def exact_put(ask: Ask, slot: str) -> Callable[[int], tuple[int, int]]:
    """For an aim: the value itself is demanded, and goes into a slot."""

    def put(value: int) -> tuple[int, int]:
        ask.values[slot] = value
        return value, value

    return put


def range_put(draft: Draft, ask: Ask, width: int, avoid_one: bool = False) -> Callable[[int], tuple[int, int]]:
    """A range of a given width around the value; its upper end may have to agree with a genitive plural."""

    def put(value: int) -> tuple[int, int]:
        low = value - draft.rng.randint(1, width - 1)
        high = low + width
        if avoid_one and high % 10 == 1 and high % 100 != 11:
            high += 1
        ask.values.update(lo=low, hi=high)
        return low, high

    return put


def _word_count(draft: Draft, ask: Ask) -> None:
    constant = framing(draft).words
    if ask.variant.name == "exact":
        draft.aims.append(Aim(words, constant, 10, 80, exact_put(ask, "n")))
    elif ask.variant.name == "between":
        draft.aims.append(Aim(words, constant, 16, 80, range_put(draft, ask, draft.rng.randint(2, 4))))
    else:
        limit = draft.rng.choice((10, 12, 14, 15, 16, 18, 20))
        ask.values["n"] = limit
        draft.sums.append(Sum(words, 0, limit - constant))


def _word_count_shape(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "at_most":
        draft.between(2, 3)


def _char_count(draft: Draft, ask: Ask) -> None:
    put = exact_put(ask, "n") if ask.variant.name == "exact" else range_put(draft, ask, draft.rng.randint(10, 20), True)
    draft.aims.append(Aim(_chars, framing(draft).chars, 60, 520, put))


def _word_char_count(draft: Draft, ask: Ask) -> None:
    frame = framing(draft)
    draft.aims.append(Aim(words, frame.words, 10, 70, exact_put(ask, "words")))
    draft.aims.append(Aim(_chars, frame.chars, 60, 480, exact_put(ask, "chars")))


def unusual_sentences(draft: Draft) -> None:
    """Let the number of sentences be one that free answers seldom have.

    Raises:
        InfeasibleError: the neighbours do not allow any.
    """
    draft.between(UNUSUAL_SENTENCES[0][0], UNUSUAL_SENTENCES[-1][1])
    draft.wishes.insert(0, draft.rng.choice(UNUSUAL_SENTENCES))


def _sentence_count_shape(draft: Draft, ask: Ask) -> None:
    unusual_sentences(draft)
    if ask.variant.name != "exact":
        draft.between(3, 5)


def _sentence_count_settle(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "between":
        low = draft.n - draft.rng.choice((0, 1))
        ask.values.update(lo=low, hi=low + 1)
    else:
        ask.values["n"] = draft.n


def _paragraph_count_shape(draft: Draft, ask: Ask) -> None:
    draft.paragraph_options.append(UNUSUAL_PARAGRAPHS)


def _paragraph_count_settle(draft: Draft, ask: Ask) -> None:
    ask.values["n"] = len(draft.paragraphs)


def _paragraph_sentences_shape(draft: Draft, ask: Ask) -> None:
    draft.per_paragraph = ask.values["n"] = draft.rng.choice((2, 2, 3, 3, 4))


def _unit_words(draft: Draft, ask: Ask) -> None:
    """Every sentence, or every item, has a length of its own choosing."""
    sentences = draft.kind == "sentence"
    if ask.variant.name == "exact":
        options = (4, 5, 6, 7, 8) if sentences else (2, 3, 4)
        ask.values["n"] = draft.choose_kept(
            options, lambda n: lambda unit: unit.words == n, 0.06, "no length of sentences or items fits"
        )
    else:
        ranges = ((3, 4), (5, 6), (6, 7), (6, 8), (7, 9), (8, 10)) if sentences else ((1, 2), (2, 3), (3, 4), (3, 5))
        ask.values["lo"], ask.values["hi"] = draft.choose_kept(
            ranges, lambda r: lambda unit: r[0] <= unit.words <= r[1], 0.1, "no length of sentences or items fits"
        )


def _ascending_shape(draft: Draft, ask: Ask) -> None:
    draft.between(4, 6)


def _ascending(draft: Draft, ask: Ask) -> None:
    draft.relations.append(Rising(words, falling=ask.variant.name == "desc"))


def _items_total(draft: Draft, ask: Ask) -> None:
    constant = framing(draft).words
    means = []
    for slot in range(draft.n):
        found = draft.candidates(slot)
        if not found:
            raise InfeasibleError("a slot without candidates")
        means.append(sum(map(words, found)) / len(found))
    average = (constant + sum(means)) / draft.n
    factor = int(average) + draft.rng.choice((0, 0, 1))
    if factor < 3:
        raise InfeasibleError("items too short for a factor that bites")
    ask.values["factor"] = factor
    draft.sums.append(Sum(words, factor * draft.n - constant, factor * draft.n - constant))


def _ladder_shape(draft: Draft, ask: Ask) -> None:
    draft.between(4, 5)
    ask.values["n"] = 1 if draft.kind == "phrase" else draft.rng.choice((2, 3))


def _ladder(draft: Draft, ask: Ask) -> None:
    start = ask.values["n"]
    for slot in range(draft.n):
        step = slot if ask.variant.name == "asc" else draft.n - 1 - slot
        draft.at(slot, lambda unit, count=start + step: unit.words == count)  # type: ignore[misc]


def _first_line_fix(draft: Draft, ask: Ask) -> None:
    draft.head = "00"


def _first_line(draft: Draft, ask: Ask) -> None:
    rest = framing(draft).words - 1
    draft.sums.append(Sum(words, 10 - rest, 99 - rest))


def _first_line_seal(draft: Draft, ask: Ask) -> None:
    draft.head = str(len(words_of(render(draft, draft.texts))) - 1)


def _checksum_fix(draft: Draft, ask: Ask) -> None:
    draft.mark = "00" if ask.variant.name == "words" else "0"


def _checksum_shape(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "letter_words":
        ask.values["letter"] = draft.rng.choice(COUNTED_LETTERS)


def _checksum(draft: Draft, ask: Ask) -> None:
    frame = framing(draft)
    if ask.variant.name == "commas":
        draft.sums.append(Sum(lambda unit: unit.commas, 2 - frame.commas, 9 - frame.commas))
    elif ask.variant.name == "words":
        draft.sums.append(Sum(words, 10 - frame.words + 1, 99 - frame.words + 1))
    elif ask.variant.name == "letter_words":
        letter = ask.values["letter"]
        there = sum(core.startswith(letter) for core in frame.cores)
        draft.sums.append(Sum(lambda unit: sum(core.startswith(letter) for core in unit.cores), 2 - there, 9 - there))


def _checksum_seal(draft: Draft, ask: Ask) -> None:
    draft.mark = ""
    text = render(draft, draft.texts)
    if ask.variant.name == "commas":
        count = text.count(",")
    elif ask.variant.name == "words":
        count = len(words_of(text))
    elif ask.variant.name == "sentences":
        count = len(sentences_of(text))
    else:
        count = sum(core.startswith(ask.values["letter"]) for core in cores_of(text))
    draft.mark = str(count)


def _mirror(draft: Draft, ask: Ask) -> None:
    draft.relations.append(Equal(words, 0, draft.n - 1))


# What spoils a passing answer.


def _more_words(text: str, params: Params) -> str:
    return insert(text, filler(text), upper(params) - len(words_of(text)) + 1)


def _more_sentences(text: str, params: Params) -> str:
    return text + EXTRA_SENTENCE * (upper(params) - len(sentences_of(text)) + 1)


def _more_chars(text: str, params: Params) -> str:
    return insert(text, filler(text), (upper(params) - len(text.strip())) // 5 + 1)


def _each(params: Params) -> Params:
    spec = params.get("each", params)
    assert isinstance(spec, Mapping)
    return spec


def _longer_unit(text: str, params: Params) -> str:
    return insert(text, filler(text), upper(_each(params)))


def _one_word(text: str, params: Params) -> str:
    return insert(text, filler(text))


def _wrong_first_line(text: str, params: Params) -> str:
    number, rest = text.split("\n", 1)
    return f"{int(number) + 1}\n{rest}"


def _wrong_mark(text: str, params: Params) -> str:
    return re.sub(r"\((\d+)\)$", lambda match: f"({int(match.group(1)) + 1})", text)


TYPES: Final[dict[str, Type]] = {
    "structure:word_count": Type(
        share=160,
        rules={
            "exact": rule(
                ALL - {"array", "jsonlist", "json"},
                0.3,
                "words",
                pins=True,
                weight=2,
                tells="counted",
            ),
            "between": rule(TEXT, 0.55, "words", pins=True, tells="counted"),
            "at_most": rule(PROSE, 0.6, "words sentences", pins=True, weight=0.5, bars="many", tells="counted"),
        },
        demand=Demand(shape=_word_count_shape, aim=_word_count),
        corrupt=_more_words,
    ),
    "structure:sentence_count": Type(
        share=190,
        rules={
            "exact": rule(
                PROSE,
                0.8,
                "sentences paragraphs-sentences",
                pins=True,
                bars=SENTENCES,
                tells="sentences stops",
            ),
            "between": rule(
                PROSE,
                0.9,
                "sentences paragraphs-sentences",
                pins=True,
                bars=SENTENCES,
                weight=0.25,
                tells="sentences stops",
            ),
            "at_most": rule(
                PROSE,
                0.92,
                "sentences paragraphs-sentences",
                pins=True,
                bars=SENTENCES,
                weight=0.25,
                tells="stops",
            ),
        },
        demand=Demand(shape=_sentence_count_shape, settle=_sentence_count_settle),
        corrupt=_more_sentences,
    ),
    "structure:paragraph_count": Type(
        share=120,
        rules={
            "exact": rule(
                PROSE,
                0.85,
                "paragraphs",
                pins=True,
                brings="paragraphs",
                bars="line task lines",
                tells="paragraphs",
            )
        },
        demand=Demand(shape=_paragraph_count_shape, settle=_paragraph_count_settle),
        corrupt=one_paragraph,
    ),
    "structure:char_count": Type(
        share=110,
        rules={
            "exact": rule(TEXT | {"parts"}, 0.04, "chars", pins=True, tells="counted"),
            "between": rule(TEXT | {"parts"}, 0.35, "chars", pins=True, tells="counted"),
        },
        demand=Demand(aim=_char_count),
        corrupt=_more_chars,
    ),
    "structure:sentence_words": Type(
        share=80,
        rules={
            "exact": rule(PROSE, 0.35, "unit-words words", bars=SENTENCES, tells="stops"),
            "between": rule(PROSE, 0.6, "unit-words", bars=SENTENCES, tells="stops"),
        },
        demand=Demand(narrow=_unit_words),
        turn=3,
        corrupt=_longer_unit,
    ),
    "structure:item_words": Type(
        share=90,
        rules={
            "exact": rule(LIST | {"parts"}, 0.6, "unit-words words", brings="items", bars="line"),
            "between": rule(LIST, 0.75, "unit-words", brings="items", bars="line", weight=0.7),
        },
        demand=Demand(narrow=_unit_words),
        turn=4,
        corrupt=_longer_unit,
    ),
    "structure:paragraph_sentences": Type(
        share=100,
        rules={
            "exact": rule(
                PROSE,
                0.75,
                "paragraphs-sentences",
                brings="paragraphs many",
                bars="line task lines",
                tells="sentences stops",
            )
        },
        demand=Demand(shape=_paragraph_sentences_shape),
        corrupt=one_sentence,
    ),
    "structure:ascending_sentences": Type(
        share=70,
        rules={
            "asc": rule(PROSE, 0.4, "unit-words", brings="many", bars=SENTENCES, tells="stops"),
            "desc": rule(PROSE, 0.35, "unit-words", brings="many", bars=SENTENCES, tells="stops"),
        },
        demand=Demand(shape=_ascending_shape, place=_ascending),
        corrupt=first_again,
    ),
    "structure:items_total_words": Type(
        share=50,
        rules={
            "bullet": rule(
                BULLETS,
                0.25,
                "words unit-words",
                brings="items",
                bars="line",
                tells="list bullets",
                sentence_items=True,
            ),
            "numbered": rule(
                NUMBERS, 0.2, "words unit-words", brings="items", bars="line", tells="list", sentence_items=True
            ),
        },
        demand=Demand(aim=_items_total),
        corrupt=_one_word,
    ),
    "structure:item_words_ladder": Type(
        share=50,
        rules={
            "asc": rule(LIST, 0.45, "words unit-words order", brings="items", bars="line", sentence_items=True),
            "desc": rule(LIST, 0.4, "words unit-words order", brings="items", bars="line", sentence_items=True),
        },
        demand=Demand(shape=_ladder_shape, place=_ladder),
        turn=10,
        corrupt=_one_word,
    ),
    "structure:first_line_count": Type(
        share=70,
        rules={"plain": rule(PROSE, 0.25, "words opening", brings="line digits first-line", bars="lines paragraphs")},
        demand=Demand(fix=_first_line_fix, place=_first_line, seal=_first_line_seal),
        corrupt=_wrong_first_line,
    ),
    "structure:checksum": Type(
        share=110,
        rules={
            "commas": rule(
                PROSE,
                0.45,
                "commas closing",
                brings="line digits",
                bars="paragraphs lines",
                weight=2,
            ),
            "letter_words": rule(
                PROSE,
                0.3,
                "closing",
                brings="line digits",
                bars="paragraphs lines",
                weight=2,
            ),
            "sentences": rule(
                PROSE,
                0.75,
                "closing",
                brings="line digits",
                bars="paragraphs lines task",
                weight=0.4,
                tells="stops",
            ),
            "words": rule(
                PROSE,
                0.2,
                "words closing",
                brings="line digits",
                bars="paragraphs lines",
                weight=8,
            ),
        },
        demand=Demand(fix=_checksum_fix, shape=_checksum_shape, place=_checksum, seal=_checksum_seal),
        corrupt=_wrong_mark,
    ),
    "structure:word_char_count": Type(
        share=60,
        rules={"exact": rule(TEXT, 0.02, "words chars", pins=True, tells="counted")},
        demand=Demand(aim=_word_char_count),
        corrupt=_one_word,
    ),
    "structure:mirror_sentences": Type(
        share=70,
        rules={"plain": rule(PROSE, 0.4, "unit-words", brings="many", bars=SENTENCES, tells="stops")},
        demand=Demand(place=_mirror),
        corrupt=opened,
    ),
}
