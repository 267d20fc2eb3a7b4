"""The style family: letters, commas, case, marks, initials."""

import re
from collections.abc import Callable
from typing import Final

from builders.ifhard.bank import Unit
from builders.ifhard.draft import Aim, Ask, Draft, InfeasibleError, Sum
from builders.ifhard.edits import insert
from builders.ifhard.frames import framing
from builders.ifhard.requirements.row import ALL, GLUED, PROSE, SENTENCES, TEXT, Demand, Params, Type, rule
from builders.ifhard.requirements.spoil import closed, first_again, opened, upper
from builders.ifhard.requirements.structure import COUNTED_LETTERS, exact_put, range_put
from metrics.ifhard.text import fold

__all__ = ["NUMERALS", "TERMS", "TYPES"]

# Letters frequent enough that a text of some forty words never avoids them by chance; how often each is taken follows
# from how many bank sentences live without it.
_BANNED: Final = "оаинтсрвлкмдпуяызбгчйжхш"
_BANNED_PAIRED: Final = "аинтсрвлкмдпуязбгч"
NUMERALS: Final[tuple[str, ...]] = (
    "двух", "двумя", "трёх", "тремя", "четыре", "четырёх", "пять", "пяти", "шесть", "шести",
    "семь", "семи", "восемь", "восьми", "девять", "девяти", "десять", "десяти", "двадцать", "тридцать", "сорок", "сто",
    "полтора", "полторы", "оба", "обе",
)  # fmt: skip
TERMS: Final[tuple[str, ...]] = (
    "онлайн", "интернет", "смартфон", "ноутбук", "чат", "сайт", "плейлист", "подкаст", "видео", "фото", "планшет",
)  # fmt: skip


def _commas(unit: Unit) -> int:
    return unit.commas


def _lacks(letters: str) -> Callable[[Unit], bool]:
    banned = frozenset(letters)
    return lambda unit: banned.isdisjoint(unit.letters)


def _forbid_letter(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "letter_e":
        draft.choose_kept(["е"], _lacks, 0.03, "too few units without the letter")
        return
    ask.values["letter"] = draft.choose_kept(_BANNED, _lacks, 0.06, "too few units without the letter")


def _forbid_letters(draft: Draft, ask: Ask) -> None:
    pairs = ["".join(sorted(draft.rng.sample(_BANNED_PAIRED, draft.rng.choice((2, 2, 3))))) for _ in range(30)]
    chosen = draft.choose_kept(pairs, _lacks, 0.06, "too few units without the letters")
    ask.values["letters"] = list(chosen)


def _no_commas(draft: Draft, ask: Ask) -> None:
    if not draft.keep(lambda unit: unit.commas == 0):
        raise InfeasibleError("a fixed text has a comma")


def _comma_count(draft: Draft, ask: Ask) -> None:
    constant = framing(draft).commas
    name = ask.variant.name
    if name == "exact":
        draft.aims.append(Aim(_commas, constant, 1, 14, exact_put(ask, "n")))
    elif name == "between":
        draft.aims.append(Aim(_commas, constant, 2, 6, range_put(draft, ask, 2)))
    else:
        ask.values["n"] = limit = draft.rng.choice((1, 2, 3))
        draft.sums.append(Sum(_commas, 0, limit - constant))


def _no_caps(draft: Draft, ask: Ask) -> None:
    draft.lower = True


def _end_punctuation(draft: Draft, ask: Ask) -> None:
    ends = {unit.end for unit in draft.candidates(draft.n - 1)}
    marks = [mark for mark in "?!" if mark in ends]
    if not marks:
        raise InfeasibleError("no closing sentence with the mark")
    mark = draft.rng.choice(marks)
    ask.values["mark"] = mark
    draft.at(-1, lambda unit: unit.text.endswith(mark))


def _initials_shape(draft: Draft, ask: Ask) -> None:
    draft.between(5, 12)


def _initials(draft: Draft, ask: Ask) -> None:
    draft.distinct_initials = True


def starts_with_letter(letter: str) -> Callable[[Unit], int]:
    """Weight: how many words of a unit begin with the letter."""
    return lambda unit: sum(core.startswith(letter) for core in unit.cores)


def _letter_start_shape(draft: Draft, ask: Ask) -> None:
    pool = draft.pool(draft.kind)
    letters = [letter for letter in COUNTED_LETTERS if sum(map(starts_with_letter(letter), pool)) >= len(pool) / 5]
    if not letters:
        raise InfeasibleError("no letter opens enough words")
    ask.values["letter"] = draft.rng.choice(letters)


def _letter_start(draft: Draft, ask: Ask) -> None:
    letter = ask.values["letter"]
    weight = starts_with_letter(letter)
    constant = weight(framing(draft))
    name = ask.variant.name
    if name == "exact":
        draft.aims.append(Aim(weight, constant, 2, 12, exact_put(ask, "n")))
    elif name == "between":
        draft.aims.append(Aim(weight, constant, 2, 5, range_put(draft, ask, 2)))
    else:
        ask.values["n"] = limit = draft.rng.choice((1, 2, 3))
        draft.sums.append(Sum(weight, 0, limit - constant))


def _anaphora_shape(draft: Draft, ask: Ask) -> None:
    draft.paragraph_options.append((2, 3, 4, 5))


def _anaphora(draft: Draft, ask: Ask) -> None:
    heads = [sum(draft.paragraphs[:number]) for number in range(len(draft.paragraphs))]
    firsts = [unit.first for unit in draft.pool("sentence")]
    options = sorted({first for first in firsts if firsts.count(first) >= len(heads)})
    if not options:
        raise InfeasibleError("no first word is shared by enough sentences")
    word = draft.rng.choice(options)
    for slot in heads:
        draft.at(slot, lambda unit: unit.first == word)


def _max_word_length(draft: Draft, ask: Ask) -> None:
    options = (6, 7, 7, 8, 8, 9) if draft.kind == "sentence" else (6, 7)
    ask.values["n"] = draft.choose_kept(
        options, lambda n: lambda unit: unit.longest <= n, 0.07, "too few units of short words"
    )


def _marked_shape(draft: Draft, ask: Ask) -> None:
    draft.between(3, 12)
    draft.wishes.append((5, 9))


def _marked(mark: str) -> Callable[[Draft, Ask], None]:
    def place(draft: Draft, ask: Ask) -> None:
        ask.values["n"] = count = min(draft.rng.choice((2, 2, 3, 3, 4)), max(2, draft.n // 2))
        draft.sums.append(Sum(lambda unit: int(unit.end == mark), count, count))

    return place


def _listed(draft: Draft, options: tuple[str, ...], exact: bool, low: int, high: int) -> list[str]:
    """A few of the options that the pool holds, those that a unit really has."""
    pool = draft.pool(draft.kind)

    def held(option: str) -> int:
        word = fold(option)
        return sum(any(core == word if exact else core.startswith(word) for core in unit.cores) for unit in pool)

    present = [option for option in options if held(option)]
    if len(present) < low:
        raise InfeasibleError("too few of the words that one of which must occur")
    return sorted(draft.rng.sample(present, min(len(present), draft.rng.randint(low, high))), key=options.index)


def _no_digits(draft: Draft, ask: Ask) -> None:
    chosen = _listed(draft, NUMERALS, exact=True, low=2, high=2)
    ask.values["words"] = chosen
    folded = frozenset(map(fold, chosen))
    draft.sums.append(Sum(lambda unit: len(folded.intersection(unit.cores)), 1, 9))


def _no_latin(draft: Draft, ask: Ask) -> None:
    chosen = _listed(draft, TERMS, exact=False, low=2, high=4)
    ask.values["stems"] = chosen
    draft.sums.append(Sum(lambda unit: sum(map(unit.hits, chosen)), 1, 9))


# What spoils a passing answer.


def _with_letter(text: str, params: Params) -> str:
    return insert(text, str(params.get("letter") or params["letters"][0]))


def _with_comma(text: str, params: Params) -> str:
    return insert(text, ",")


def _more_commas(text: str, params: Params) -> str:
    return insert(text, ",", upper(params) - text.count(",") + 1)


def _with_capital(text: str, params: Params) -> str:
    return re.sub(r"[а-яё]", lambda match: match.group().upper(), text, count=1)


def _more_on_letter(text: str, params: Params) -> str:
    return insert(text, str(params["letter"]), upper(params) + 1)


def _heading(text: str, params: Params) -> str:
    return f"# {text}"


def _long_word(text: str, params: Params) -> str:
    return insert(text, "достопримечательность")


def _question(text: str, params: Params) -> str:
    return f"{text} Правда?"


def _exclamation(text: str, params: Params) -> str:
    return f"{text} Ура!"


def _digit(text: str, params: Params) -> str:
    return insert(text, "5")


def _latin(text: str, params: Params) -> str:
    return insert(text, "ok")


TYPES: Final[dict[str, Type]] = {
    "style:forbid_letter": Type(
        share=170,
        rules={
            "one": rule(ALL, 0.2, "letters", brings="filter"),
            "letter_e": rule(ALL, 0.06, "letters", weight=0.12, brings="filter"),
        },
        demand=Demand(narrow=_forbid_letter),
        turn=0,
        corrupt=_with_letter,
    ),
    "style:forbid_letters": Type(
        share=80,
        rules={"several": rule(ALL, 0.12, "letters", brings="filter", sentence_items=True)},
        demand=Demand(narrow=_forbid_letters),
        turn=1,
        corrupt=_with_letter,
    ),
    "style:no_commas": Type(
        share=100,
        rules={"plain": rule(TEXT | {"table", "parts"}, 0.75, "commas")},
        demand=Demand(narrow=_no_commas),
        corrupt=_with_comma,
    ),
    "style:comma_count": Type(
        share=110,
        rules={
            "exact": rule(TEXT | {"table", "parts"}, 0.4, "commas", sentence_items=True),
            "between": rule(TEXT, 0.55, "commas", weight=0.4, sentence_items=True),
            "at_most": rule(PROSE, 0.7, "commas", brings="many", weight=0.3, sentence_items=True),
        },
        demand=Demand(aim=_comma_count),
        corrupt=_more_commas,
    ),
    "style:no_caps": Type(
        share=130,
        rules={"plain": rule(ALL, 0.85, bars="task", tells="lower")},
        demand=Demand(fix=_no_caps),
        corrupt=_with_capital,
    ),
    "style:end_punctuation": Type(
        share=100,
        rules={"mark": rule(PROSE | {"parts"}, 0.9, "closing-mark", bars="line", brings="filter")},
        not_built={"ellipsis": "the bank has no sentence that ends so"},
        demand=Demand(place=_end_punctuation),
        corrupt=closed,
    ),
    "style:sentence_initials": Type(
        share=60,
        rules={"plain": rule(PROSE, 0.6, "initials", brings="many", bars=SENTENCES, tells="stops")},
        demand=Demand(shape=_initials_shape, place=_initials),
        corrupt=first_again,
    ),
    "style:letter_start_count": Type(
        share=110,
        rules={
            "exact": rule(TEXT | {"table", "parts"}, 0.3, "start-letter"),
            "between": rule(TEXT, 0.5, "start-letter", weight=0.4),
            "at_most": rule(PROSE, 0.55, "start-letter", brings="many", weight=0.3),
        },
        demand=Demand(shape=_letter_start_shape, aim=_letter_start),
        corrupt=_more_on_letter,
    ),
    "style:anaphora": Type(
        share=60,
        rules={
            "plain": rule(PROSE, 0.7, "opening initials paragraph-words", brings="paragraphs", bars="line task lines")
        },
        demand=Demand(shape=_anaphora_shape, place=_anaphora),
        turn=9,
        corrupt=opened,
    ),
    "style:no_markdown": Type(
        share=30,
        rules={"plain": rule(PROSE, 0.95, bars="markup")},
        left_out=("0.80 of the unconstrained answers meet it (the bar is 0.15), and it has no parameter to tighten"),
        demand=Demand(),
        corrupt=_heading,
    ),
    "style:max_word_length": Type(
        share=80,
        rules={
            "plain": rule(
                ALL - GLUED - {"array"}, 0.35, "short-words", bars="task", brings="filter", sentence_items=True
            )
        },
        demand=Demand(narrow=_max_word_length),
        turn=2,
        corrupt=_long_word,
    ),
    "style:question_count": Type(
        share=100,
        rules={"exact": rule(PROSE, 0.8, "questions", brings="filter many", bars="task")},
        demand=Demand(shape=_marked_shape, place=_marked("?")),
        corrupt=_question,
    ),
    "style:exclamation_count": Type(
        share=100,
        rules={"exact": rule(PROSE, 0.85, "exclamations", brings="filter many", bars="task")},
        demand=Demand(shape=_marked_shape, place=_marked("!")),
        corrupt=_exclamation,
    ),
    "style:no_digits": Type(
        share=90,
        rules={
            "numeral_words": rule(
                ALL - GLUED - {"numbers", "array"},
                0.85,
                "numerals",
                bars="digits",
                brings="rare",
                tells="digitless",
                sentence_items=True,
            )
        },
        demand=Demand(place=_no_digits),
        corrupt=_digit,
    ),
    "style:no_latin": Type(
        share=70,
        rules={"cyrillic_terms": rule(ALL - GLUED, 0.88, "terms", brings="rare", sentence_items=True)},
        demand=Demand(place=_no_latin),
        corrupt=_latin,
    ),
}
