"""The lexical family, first half: words demanded, forbidden and counted, the task quoted."""

from collections.abc import Callable, Iterable
from typing import Final

from builders.ifhard.bank import Unit, measure
from builders.ifhard.draft import Ask, Draft, InfeasibleError, Sum
from builders.ifhard.edits import insert, replace, starts
from builders.ifhard.frames import framing
from builders.ifhard.requirements.row import ALL, GLUED, PROSE, TEXT, Demand, Params, Type, rule
from metrics.ifhard.text import CORE_STRIP, cores_of, fold

__all__ = ["TYPES", "hits"]

_SMALL: Final = ("и", "в", "на", "с", "не", "а", "я", "мне", "это", "у", "по", "но", "как", "из", "за")
_BEGINNINGS: Final = ("по", "при", "пр", "вс", "мо", "до", "за", "не", "на", "от", "об", "со", "ка", "вы", "ст", "ко")
_PAIRS: Final = (
    "ст",
    "но",
    "ла",
    "ть",
    "пр",
    "ко",
    "то",
    "на",
    "по",
    "ра",
    "ни",
    "во",
    "ен",
    "ро",
    "го",
    "ет",
    "ли",
    "ва",
)
# Beginnings that free answers use often, with the caps that hardly one of them keeps.
_CAPPED: Final = {
    "п": (1, 2, 3), "с": (1, 2, 3), "в": (1, 2, 3), "н": (1, 2, 3), "к": (1, 2), "о": (1, 2), "м": (1,), "по": (1, 2),
    "на": (1,),
}  # fmt: skip


def hits(stem: str) -> Callable[[Unit], int]:
    """Weight: how many words of a unit start with the stem."""
    return lambda unit: unit.hits(stem)


def _holds(word: str) -> Callable[[Unit], int]:
    folded = fold(word)
    return lambda unit: unit.cores.count(folded)


def _forms(draft: Draft, count: int) -> list[str]:
    """Words in the very form some unit of the pool has, of six letters and more, neither common nor in the task."""
    pool = draft.pool(draft.kind)
    task = set(measure(draft.task).cores)
    found: dict[str, int] = {}
    for unit in pool:
        for token in set(unit.text.lower().split()):
            word = token.strip(CORE_STRIP)
            if len(word) >= 6 and word.isalpha() and fold(word) not in task | draft.topic.common:
                found[word] = found.get(word, 0) + 1
    options = [word for word in sorted(found) if found[word] >= (2 if draft.kind == "sentence" else 1)]
    if len(options) < count:
        raise InfeasibleError("too few word forms to demand")
    return draft.rng.sample(options, count)


def _include_shape(draft: Draft, ask: Ask) -> None:
    name, values = ask.variant.name, ask.values
    if name == "stem":
        (keyword,) = draft.keywords(1, draft.kind)
        values.update(word=keyword.word, stem=keyword.stem)
    elif name == "any":
        values["stems"] = [keyword.stem for keyword in draft.keywords(draft.rng.choice((3, 4)), draft.kind, 1)]
    else:
        (values["word"],) = _forms(draft, 1)


def _include_place(draft: Draft, ask: Ask) -> None:
    name, values = ask.variant.name, ask.values
    if name == "exact":
        draft.sums.append(Sum(_holds(values["word"]), 1, 9))
    else:
        stems = values.get("stems") or [values["stem"]]
        draft.sums.append(Sum(lambda unit: sum(map(unit.hits, stems)), 1, 9))


def _all_shape(draft: Draft, ask: Ask) -> None:
    count = draft.rng.choice((2, 2, 3))
    if ask.variant.name == "stems":
        ask.values["stems"] = [keyword.stem for keyword in draft.keywords(count, draft.kind)]
    else:
        ask.values["words"] = _forms(draft, count)


def _all_place(draft: Draft, ask: Ask) -> None:
    for stem in ask.values.get("stems", []):
        draft.sums.append(Sum(hits(stem), 1, 9))
    for word in ask.values.get("words", []):
        draft.sums.append(Sum(_holds(word), 1, 9))


def _draws(draft: Draft, options: Iterable[str], count: int, tries: int = 30) -> list[tuple[str, ...]]:
    """Random combinations of options none of which is the beginning of another, in their table order."""
    table = list(options)
    drawn = []
    for _ in range(tries):
        combination = tuple(sorted(draft.rng.sample(table, count), key=table.index))
        if not any(a != b and a.startswith(b) for a in combination for b in combination):
            drawn.append(combination)
    return drawn


def _exclude(draft: Draft, ask: Ask) -> None:
    # What no unit of the pool has any more (its letter is forbidden) would be an empty ban.
    pool = draft.pool(draft.kind)
    if ask.variant.name == "words":
        alive = [word for word in _SMALL if sum(map(_holds(word), pool)) >= len(pool) / 40]
        combinations = _draws(draft, alive, 3) if len(alive) >= 3 else []
        ask.values["words"] = list(
            draft.choose_kept(
                [c for c in combinations if len({"и", "в", "на"} & set(c)) >= 2],
                lambda words: lambda unit: not set(words) & set(unit.cores),
                0.12,
                "too few units without the words",
            )
        )
    else:
        alive = [stem for stem in _BEGINNINGS if sum(map(hits(stem), pool)) >= len(pool) / 20]
        combinations = _draws(draft, alive, draft.rng.choice((2, 3))) if len(alive) >= 3 else []
        ask.values["stems"] = list(
            draft.choose_kept(
                [c for c in combinations if {"по", "пр", "на", "не", "за"} & set(c)],
                lambda stems: lambda unit: not any(map(unit.hits, stems)),
                0.12,
                "too few units without the beginnings",
            )
        )


def _exclude_phrases(draft: Draft, ask: Ask) -> None:
    pool = draft.pool(draft.kind)
    alive = [pair for pair in _PAIRS if sum(pair in fold(unit.text) for unit in pool) >= len(pool) / 8]
    one = ask.variant.name == "anywhere_one"
    combinations = _draws(draft, alive, 1 if one else 2) if len(alive) >= 2 else []
    chosen = draft.choose_kept(
        combinations,
        lambda parts: lambda unit: not any(part in fold(unit.text) for part in parts),
        0.12,
        "too few units without the letter pairs",
    )
    if one:
        ask.values["part"] = chosen[0]
    else:
        ask.values["parts"] = list(chosen)


def _exact_count_shape(draft: Draft, ask: Ask) -> None:
    count = draft.rng.choice((2, 2, 3))
    (keyword,) = draft.keywords(1, draft.kind, count)
    ask.values.update(word=keyword.word, stem=keyword.stem, count=count)


def _exact_count_place(draft: Draft, ask: Ask) -> None:
    draft.sums.append(Sum(hits(ask.values["stem"]), ask.values["count"], ask.values["count"]))


def _cap_shape(draft: Draft, ask: Ask) -> None:
    pool = draft.pool(draft.kind)
    options = [letters for letters in _CAPPED if sum(map(hits(letters), pool)) >= len(pool) / 12]
    if not options:
        raise InfeasibleError("no beginning is frequent enough to be capped")
    letters = draft.rng.choice(options)
    ask.values.update(letters=letters, cap=draft.rng.choice(_CAPPED[letters]))


def _cap_place(draft: Draft, ask: Ask) -> None:
    weight = hits(ask.values["letters"])
    draft.sums.append(Sum(weight, 0, ask.values["cap"] - weight(framing(draft))))


def _quote_fix(draft: Draft, ask: Ask) -> None:
    draft.head = ask.values["task"] = draft.task


# What spoils a passing answer.


def _without_keyword(text: str, params: Params) -> str:
    stems = params.get("any_stems") or ([params["stem"]] if "stem" in params else None)
    if stems is None:
        return replace(text, lambda core: core == fold(str(params["word"])))
    return replace(text, lambda core: any(starts(stem)(core) for stem in stems))


def _without_one(text: str, params: Params) -> str:
    if "stems" in params:
        return replace(text, starts(params["stems"][0]))
    return replace(text, lambda core: core == fold(str(params["words"][0])))


def _with_banned_word(text: str, params: Params) -> str:
    return insert(text, (params.get("stems") or params["words"])[0])


def _one_hit_less(text: str, params: Params) -> str:
    return replace(text, starts(params["stem"]), limit=1)


def _over_cap(text: str, params: Params) -> str:
    return insert(text, str(params["stem"]), int(params["cap"]) + 1)


def _with_phrase(text: str, params: Params) -> str:
    return insert(text, str(params["phrases"][0]))


def _first_line_lost(text: str, params: Params) -> str:
    return text.split("\n", 1)[1]


def _word_again(text: str, params: Params) -> str:
    low = int(params.get("min_length", 4))
    return f"{text} {next(core for core in cores_of(text) if len(core) >= low)}"


TYPES: Final[dict[str, Type]] = {
    "lexical:include_keyword": Type(
        share=210,
        rules={
            "stem": rule(ALL, 0.97, "keyword", weight=2, brings="rare", sentence_items=True),
            "any": rule(TEXT, 0.97, "keyword", weight=0.5, brings="rare", sentence_items=True),
            "exact": rule(ALL - GLUED, 0.95, "keyword", brings="rare", sentence_items=True),
        },
        demand=Demand(shape=_include_shape, place=_include_place),
        corrupt=_without_keyword,
    ),
    "lexical:include_all": Type(
        share=130,
        rules={
            "stems": rule(TEXT | {"table", "parts", "json"}, 0.92, "keyword", brings="rare", sentence_items=True),
            "words": rule(TEXT | {"table", "parts", "json"}, 0.9, "keyword", brings="rare", sentence_items=True),
        },
        demand=Demand(shape=_all_shape, place=_all_place),
        corrupt=_without_one,
    ),
    "lexical:exclude_word": Type(
        share=120,
        rules={
            "words": rule(ALL - GLUED, 0.6, "small-words", brings="filter"),
            "beginnings": rule(ALL, 0.35, "small-words beginnings", brings="filter"),
        },
        demand=Demand(narrow=_exclude),
        corrupt=_with_banned_word,
    ),
    "lexical:word_exact_count": Type(
        share=120,
        rules={"stem": rule(TEXT, 0.65, "exact-word", brings="rare", sentence_items=True)},
        demand=Demand(shape=_exact_count_shape, place=_exact_count_place),
        corrupt=_one_hit_less,
    ),
    "lexical:word_cap": Type(
        share=90,
        rules={"prefix": rule(TEXT | {"table"}, 0.5, "start-letter beginnings")},
        demand=Demand(shape=_cap_shape, place=_cap_place),
        corrupt=_over_cap,
    ),
    "lexical:exclude_phrases": Type(
        share=80,
        rules={
            "anywhere": rule(ALL - {"array"}, 0.1, "letter-pairs", brings="filter"),
            "anywhere_one": rule(ALL - {"array"}, 0.2, "letter-pairs", brings="filter"),
        },
        not_built={"start": "free answers pass it: no list of openings covers most of them"},
        demand=Demand(narrow=_exclude_phrases),
        corrupt=_with_phrase,
    ),
    "lexical:quote_task": Type(
        share=70,
        rules={"plain": rule(PROSE, 0.9, "opening", brings="task first-line", bars="lines paragraphs")},
        demand=Demand(fix=_quote_fix),
        corrupt=_first_line_lost,
        said_words=frozenset({"Задание"}),
    ),
    "lexical:no_repeated_word": Type(
        left_out="the official scorer has retired it; there are no wordings", corrupt=_word_again
    ),
}
