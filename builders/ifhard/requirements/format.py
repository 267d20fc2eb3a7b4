"""The format family: lists, data shapes, bold, line lengths, hashtags."""

import re
from collections.abc import Callable
from typing import Final

from builders.ifhard.bank import Unit
from builders.ifhard.draft import Ask, Draft, InfeasibleError, Sum
from builders.ifhard.edits import filler
from builders.ifhard.requirements.row import BULLETS, NUMBERS, PROSE, TEXT, Demand, Params, Type, rule
from builders.ifhard.requirements.spoil import bullet, closed, number
from metrics.ifhard.text import CORE_STRIP, fold, words_of

__all__ = ["TYPES", "embolden"]


def _list_settle(draft: Draft, ask: Ask) -> None:
    ask.values["n"] = draft.n


def _task_keys(draft: Draft, ask: Ask) -> list[str]:
    """Two to four keys of the task in a random order; the last one of the bank, which a list suits, is among them."""
    *others, listed = draft.topic.keys[draft.task]
    keys = [*draft.rng.sample(others, draft.rng.randint(1, len(others))), listed]
    draft.rng.shuffle(keys)
    draft.extra["keys"] = ask.values["keys"] = keys
    return keys


def _json_fix(draft: Draft, ask: Ask) -> None:
    draft.want_n = len(_task_keys(draft, ask))


def _json_narrow(draft: Draft, ask: Ask) -> None:
    if "words" in ask.variant.slots:
        ask.values["words"] = draft.choose_kept(
            (2, 3, 3, 4), lambda n: lambda unit: unit.words <= n, 0.15, "too few short phrases"
        )
    if "no_commas" in ask.variant.name:
        draft.keep(lambda unit: unit.commas == 0)


def _jsonlist_fix(draft: Draft, ask: Ask) -> None:
    keys = _task_keys(draft, ask)
    listed = draft.topic.keys[draft.task][-1]
    items = draft.rng.choice((2, 3, 4))
    draft.extra.update(list_key=listed, list_items=items)
    ask.values.update(list_key=listed, items=items)
    draft.want_n = len(keys) - 1 + items


def _array_fix(draft: Draft, ask: Ask) -> None:
    draft.want_n = ask.values["items"] = draft.rng.choice((3, 4, 5, 6))
    # The keys are words of the answer: what is forbidden must not be in them.
    draft.extra["keys"] = ["пункт", "слов"]


def _csv_fix(draft: Draft, ask: Ask) -> None:
    draft.want_n = ask.values["fields"] = draft.rng.choice((3, 4, 5, 6))
    draft.extra_chars += 2


def _csv_place(draft: Draft, ask: Ask) -> None:
    draft.sums.append(Sum(lambda unit: int(unit.commas > 0), 1, 1))


def _parts_fix(draft: Draft, ask: Ask) -> None:
    ask.values["items"] = items = draft.rng.choice((3, 4, 5))
    draft.want_n = items + 1


def _parts_place(draft: Draft, ask: Ask) -> None:
    counts = [unit.words for unit in draft.candidates(draft.n - 1) if 4 <= unit.words <= 9]
    options = sorted({count for count in counts if counts.count(count) >= 3})
    if not options:
        raise InfeasibleError("no length of the closing sentence fits")
    ask.values["words"] = count = draft.rng.choice(options)
    draft.at(-1, lambda unit: unit.words == count)


def _table_fix(draft: Draft, ask: Ask) -> None:
    rows, cols = draft.rng.choice(((2, 2), (3, 2), (4, 2), (2, 3), (3, 3)))
    draft.extra.update(rows=rows, cols=cols)
    ask.values.update(rows=rows, cols=cols)
    draft.want_n = (rows + 1) * cols


def _inner_words(draft: Draft, slot: int) -> list[int]:
    """Tokens of a slot's text that may be set in bold without hiding a sentence's end or a demanded phrase."""
    tokens = draft.texts[slot].split(" ")
    stop = len(tokens) if draft.kinds[slot] == "phrase" else len(tokens) - 1
    if slot == draft.n - 1 and draft.has("lexical:ends_with"):
        stop = len(tokens) - 6
    start = 6 if slot == 0 and draft.has("lexical:starts_with") else 0
    return [place for place in range(start, stop) if len(tokens[place].strip(CORE_STRIP)) > 1]


def embolden(text: str, place: int, count: int = 1) -> str:
    """Put ``count`` neighbouring tokens of a text between double asterisks, marks around them left outside."""
    tokens = text.split(" ")
    chosen = " ".join(tokens[place : place + count])
    inner = chosen.strip(CORE_STRIP)
    before, after = chosen.split(inner, 1)
    return " ".join([*tokens[:place], f"{before}**{inner}**{after}", *tokens[place + count :]])


def _bold_fix(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "position":
        draft.extra_chars += 4
        return
    ask.values["count"] = count = draft.rng.choice((2, 2, 3))
    draft.extra_chars += 4 * count
    if ask.variant.name == "words_each":
        ask.values["words"] = draft.rng.choice((1, 2, 2))


def _bold_shape(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "stems":
        ask.values["stems"] = [word.stem for word in draft.keywords(ask.values["count"], draft.kind)]


def _inner_hits(stem: str, kind: str) -> Callable[[Unit], int]:
    folded = fold(stem)
    return lambda unit: sum(core.startswith(folded) for core in (unit.cores if kind == "phrase" else unit.cores[:-1]))


def _bold_place(draft: Draft, ask: Ask) -> None:
    for stem in ask.values.get("stems", []):
        draft.sums.append(Sum(_inner_hits(stem, draft.kind), 1, 9))


def _bold_stem(draft: Draft, stem: str) -> None:
    for slot in range(draft.n):
        for place in _inner_words(draft, slot):
            if fold(draft.texts[slot].split(" ")[place]).strip(CORE_STRIP).startswith(fold(stem)):
                draft.texts[slot] = embolden(draft.texts[slot], place)
                return
    raise InfeasibleError("no place for the bold word")


def _bold_settle(draft: Draft, ask: Ask) -> None:
    name = ask.variant.name
    if name == "stems":
        for stem in ask.values["stems"]:
            _bold_stem(draft, stem)
        return
    if name == "position":
        _bold_position(draft, ask)
        return
    if "words" in ask.values and sum(bool(_spans(draft, slot, 2)) for slot in range(draft.n)) < ask.values["count"]:
        ask.values["words"] = 1
    width = ask.values.get("words", 1)
    slots = [slot for slot in range(draft.n) if _spans(draft, slot, width)]
    if len(slots) < ask.values["count"]:
        raise InfeasibleError("no place for the bold words")
    for slot in draft.rng.sample(slots, ask.values["count"]):
        place = draft.rng.choice(_spans(draft, slot, width))
        draft.texts[slot] = embolden(draft.texts[slot], place, width)


# Endings of an adjective and of the noun that follows it; pronouns that decline like adjectives are none.
_PAIRS: Final = re.compile(
    r"(?!кажд|котор|как|так|сам|весь|друг|люб)\w{2,}(?:(?:ая|яя) \w{2,}[аяь]|(?:ую|юю) \w{2,}[уюь]|(?:ое|ее) \w{2,}[ое]"
    r"|(?:ый|ий) \w{2,}[бвгджзкмнпрсфхцчшщ]|(?:ые|ие) \w{2,}[иыая]|(?:ого|его) \w{2,}[ая]|(?:ым|им) \w{2,}[ое]м"
    r"|(?:ых|их) \w{2,}[аяе][хй]|(?:ыми|ими) \w{2,}ами)"
)


def _spans(draft: Draft, slot: int, width: int) -> list[int]:
    """Where ``width`` neighbouring words (one, not a tiny one, or an adjective and its noun) without marks start."""
    tokens = draft.texts[slot].split(" ")
    inner = _inner_words(draft, slot)
    return [
        place
        for place in inner
        if all(other in inner for other in range(place, place + width))
        and all(token.isalpha() for token in tokens[place : place + width - 1])
        and (len(tokens[place].strip(CORE_STRIP)) >= 4 if width == 1 else _is_pair(tokens[place], tokens[place + 1]))
    ]


def _is_pair(left: str, right: str) -> bool:
    return _PAIRS.fullmatch(f"{left} {right.strip(CORE_STRIP)}".lower()) is not None


def _bold_position(draft: Draft, ask: Ask) -> None:
    options, before = [], 0
    for slot in range(draft.n):
        tokens = draft.texts[slot].split(" ")
        counted = [len(words_of(" ".join(tokens[: place + 1]))) for place in range(len(tokens))]
        spans = _spans(draft, slot, 1)
        options += [(slot, place, before + counted[place]) for place in spans if 2 <= before + counted[place] <= 15]
        before += len(words_of(draft.texts[slot]))
    if not options:
        raise InfeasibleError("no place for the bold word")
    slot, place, ask.values["position"] = draft.rng.choice(options)
    draft.texts[slot] = embolden(draft.texts[slot], place)


def _line_length(draft: Draft, ask: Ask) -> None:
    marker = {"bullets": 2, "numbers": 3}.get(draft.frame, 0)
    options = (30, 32, 34, 36, 38, 40, 42, 45, 50) if draft.kind == "sentence" else (16, 18, 20, 22, 24, 26, 28)
    ask.values["max"] = draft.choose_kept(
        options, lambda limit: lambda unit: unit.chars + marker <= limit, 0.15, "too few short units"
    )
    draft.lines = True


def _line_length_settle(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "lines":
        ask.values["count"] = draft.n


def _hashtags(draft: Draft, ask: Ask) -> None:
    ask.values["count"] = count = draft.rng.choice((2, 3, 3, 4))
    echo = ask.variant.name == "echo_first"
    taken = {word.word for word in draft.used_words}
    fitting = [
        word.word
        for word in draft.topic.keywords
        if word.word not in taken and word.word.isalpha() and draft.accepts(word.word)
    ]
    if len(fitting) < count:
        raise InfeasibleError("too few words for hashtags")
    tags = draft.rng.sample(fitting, count - echo)
    draft.tags = sorted(tags, key=fold) if ask.variant.name == "alpha" else tags
    if echo:
        options = [unit for unit in draft.candidates(0) if unit.first.isalpha() and len(unit.first) > 2]
        if not options:
            raise InfeasibleError("no first word that can be a hashtag")
        chosen = draft.rng.choice(options)
        draft.at(0, lambda unit: unit.first == chosen.first)
        draft.tags.append(chosen.text.split(" ")[0].strip(CORE_STRIP).lower())


# What spoils a passing answer.


def _other_key(text: str, params: Params) -> str:
    return text.replace(f'"{params["keys"][0]}":', '"иначе":', 1)


def _wrong_count(text: str, params: Params) -> str:
    return re.sub(r'"слов": (\d+)', lambda match: f'"слов": {int(match.group(1)) + 1}', text, count=1)


def _one_field(text: str, params: Params) -> str:
    return f"{text}, {filler(text)}"


def _last_line_lost(text: str, params: Params) -> str:
    return text.rsplit("\n", 1)[0]


def _bold_lost(text: str, params: Params) -> str:
    return text.replace("**", "", 2)


def _long_line(text: str, params: Params) -> str:
    head, *rest = text.split("\n")
    return "\n".join([head + f" {filler(text)}" * (int(params["max"]) // 6 + 1), *rest])


def _one_tag(text: str, params: Params) -> str:
    return f"{text} #ещё"


TYPES: Final[dict[str, Type]] = {
    "format:bullet_list": Type(
        share=110,
        rules={
            "strict": rule(
                BULLETS,
                0.95,
                "items",
                pins=True,
                brings="items markup",
                bars="line task",
                tells="list bullets items",
            )
        },
        not_built={"with_text": "the shape with text around the list is not composed"},
        demand=Demand(settle=_list_settle),
        corrupt=bullet,
    ),
    "format:numbered_list": Type(
        share=90,
        rules={
            "strict": rule(
                NUMBERS,
                0.95,
                "items",
                pins=True,
                brings="items markup digits",
                bars="line task",
                tells="list items",
            )
        },
        not_built={"with_text": "the shape with text around the list is not composed"},
        demand=Demand(settle=_list_settle),
        corrupt=number,
    ),
    "format:json_object": Type(
        share=50,
        rules={
            "plain": rule(frozenset({"json"}), 0.85, "shape", pins=True, weight=0.5),
            "max_words": rule(frozenset({"json"}), 0.75, "shape", pins=True),
            "no_commas": rule(frozenset({"json"}), 0.75, "shape", pins=True, weight=0.5),
            "max_words_no_commas": rule(frozenset({"json"}), 0.7, "shape", pins=True),
        },
        demand=Demand(fix=_json_fix, narrow=_json_narrow),
        corrupt=_other_key,
    ),
    "format:json_list_value": Type(
        share=26,
        rules={"plain": rule(frozenset({"jsonlist"}), 0.55, "shape", pins=True)},
        demand=Demand(fix=_jsonlist_fix, narrow=_json_narrow),
        corrupt=_other_key,
    ),
    "format:json_array": Type(
        share=34,
        rules={"plain": rule(frozenset({"array"}), 0.65, "shape", pins=True, brings="digits")},
        demand=Demand(fix=_array_fix),
        corrupt=_wrong_count,
        said_words=frozenset({"пункт", "слов"}),
    ),
    "format:csv_line": Type(
        share=32,
        rules={"plain": rule(frozenset({"csv"}), 0.5, "shape", pins=True)},
        demand=Demand(fix=_csv_fix, place=_csv_place),
        corrupt=_one_field,
    ),
    "format:two_parts": Type(
        share=32,
        rules={
            "plain": rule(
                frozenset({"parts"}), 0.5, "shape", pins=True, brings="items markup", tells="list bullets items"
            )
        },
        demand=Demand(fix=_parts_fix, place=_parts_place),
        corrupt=closed,
    ),
    "format:markdown_table": Type(
        share=36,
        rules={"plain": rule(frozenset({"table"}), 0.8, "shape", pins=True, brings="markup")},
        demand=Demand(fix=_table_fix),
        corrupt=_last_line_lost,
    ),
    "format:bold_words": Type(
        share=130,
        rules={
            "plain": rule(TEXT, 0.85, "bold", brings="markup", bars="lines"),
            "words_each": rule(TEXT, 0.75, "bold", brings="markup", bars="lines"),
            "position": rule(PROSE, 0.4, "bold nth", brings="markup", bars="lines first-line task"),
            "stems": rule(TEXT, 0.8, "bold keyword", brings="rare markup", bars="lines", sentence_items=True),
        },
        demand=Demand(fix=_bold_fix, shape=_bold_shape, place=_bold_place, settle=_bold_settle),
        corrupt=_bold_lost,
        spelled={"count": r"единственное|одно слово|только оно"},
    ),
    "format:line_length": Type(
        share=80,
        rules={
            "max": rule(TEXT, 0.4, "line-length", brings="lines", bars="task line"),
            "lines": rule(PROSE, 0.35, "line-length sentences items", pins=True, brings="lines", bars="task line"),
        },
        demand=Demand(narrow=_line_length, settle=_line_length_settle),
        corrupt=_long_line,
    ),
    "format:hashtags": Type(
        share=90,
        rules={
            "plain": rule(PROSE, 0.8, "closing", brings="line markup", bars="paragraphs", tells="tagged"),
            "alpha": rule(PROSE, 0.65, "closing", brings="line markup", bars="paragraphs", tells="tagged"),
            "echo_first": rule(
                PROSE,
                0.55,
                "closing opening",
                brings="line markup",
                bars="paragraphs task",
                weight=2,
                tells="tagged",
            ),
        },
        demand=Demand(place=_hashtags),
        corrupt=_one_tag,
        said_words=frozenset({"а", "я"}),
    ),
}
