"""The logic family: the branch that the context picks, and the rule that wins."""

from collections.abc import Mapping
from typing import Final

from builders.ifhard.draft import Aim, Ask, Draft, InfeasibleError, Sum
from builders.ifhard.edits import insert, replace, starts
from builders.ifhard.frames import framing
from builders.ifhard.requirements.lexical import hits
from builders.ifhard.requirements.row import (
    ALL,
    BULLETS,
    NUMBERS,
    PROSE,
    TEXT,
    Corruption,
    Demand,
    Params,
    Rule,
    Type,
    rule,
)
from builders.ifhard.requirements.spoil import bullet, number, one_paragraph, one_sentence
from builders.ifhard.requirements.structure import UNUSUAL_PARAGRAPHS, unusual_sentences, words
from metrics.ifhard.text import fold

__all__ = ["TYPES"]

# Variant of conditional_format -> the shapes of its two branches.
_BRANCHES: Final[dict[str, tuple[str, str]]] = {
    "bullets_or_sentences": ("bullets", "sentences"),
    "numbered_or_sentences": ("numbers", "sentences"),
    "sentences_or_bullets": ("sentences", "bullets"),
    "paragraphs_or_bullets": ("paragraphs", "bullets"),
    "bullets_or_paragraphs": ("bullets", "paragraphs"),
    "paragraphs_or_numbered": ("paragraphs", "numbers"),
}
_USUAL: Final = {"bullets": (3, 6), "numbers": (3, 6), "sentences": (3, 7), "paragraphs": (2, 6)}


def _mention(draft: Draft, ask: Ask) -> None:
    assert draft.probe is not None, "a conditional needs a probe"
    ask.values.update(mention=draft.probe.mention, holds=draft.holds)


def _include_narrow(draft: Draft, ask: Ask) -> None:
    assert draft.probe is not None, "a conditional needs a probe"
    for _ in range(8):
        (keyword,) = draft.keywords(1, draft.kind, 1 if draft.holds else 0)
        stem, probe = fold(keyword.stem), fold(draft.probe.stem)
        if not (stem.startswith(probe) or probe.startswith(stem)):
            break
    else:
        raise InfeasibleError("no keyword apart from the probe")
    ask.values.update(word=keyword.word, stem=keyword.stem)
    if not draft.holds:
        draft.keep(lambda unit: not unit.hits(keyword.stem))


def _include_place(draft: Draft, ask: Ask) -> None:
    if draft.holds:
        draft.sums.append(Sum(hits(ask.values["stem"]), 1, 9))


def _active(draft: Draft, ask: Ask) -> tuple[str, str]:
    """Shape of the branch that holds, shape of the other."""
    then, otherwise = _BRANCHES[ask.variant.name]
    return (then, otherwise) if draft.holds else (otherwise, then)


def _format_shape(draft: Draft, ask: Ask) -> None:
    shape, _ = _active(draft, ask)
    if shape == "paragraphs":
        draft.paragraph_options.append(UNUSUAL_PARAGRAPHS)
    elif shape == "sentences":
        unusual_sentences(draft)


def _format_settle(draft: Draft, ask: Ask) -> None:
    shape, other = _active(draft, ask)
    here = len(draft.paragraphs) if shape == "paragraphs" else draft.n
    low, high = _USUAL[other]
    there = draft.rng.choice([n for n in range(low, high + 1) if n != here])
    ask.values.update(zip(("a", "b"), (here, there) if draft.holds else (there, here), strict=True))


def _override_shape(draft: Draft, ask: Ask) -> None:
    name = ask.variant.name
    if name == "paragraph_count":
        draft.paragraph_options.append(UNUSUAL_PARAGRAPHS)
    elif name == "sentence_count":
        unusual_sentences(draft)


def _override_aim(draft: Draft, ask: Ask) -> None:
    frame = framing(draft)
    if ask.variant.name == "comma_count":

        def put_commas(value: int) -> tuple[int, int]:
            ask.values["n"] = value
            return value, value

        draft.aims.append(Aim(lambda unit: unit.commas, frame.commas, 2, 14, put_commas))
    elif ask.variant.name == "word_count":

        def put_words(value: int) -> tuple[int, int]:
            step = value // 4 + draft.rng.randint(1, 5)
            ask.values.update(n=value, m=value + draft.rng.choice((-1, 1)) * step)
            return value, value

        draft.aims.append(Aim(words, frame.words, 14, 80, put_words))


def _override_settle(draft: Draft, ask: Ask) -> None:
    name = ask.variant.name
    if name == "paragraph_count":
        ask.values["n"] = len(draft.paragraphs)
    elif name in {"bullet_list", "numbered_list"}:
        ask.values["n"] = draft.n
    elif name == "sentence_count":
        ask.values.update(n=draft.n, m=draft.rng.choice([n for n in range(2, 10) if n != draft.n]))


# What spoils a passing answer.


def _conditional_include(text: str, params: Params) -> str:
    return replace(text, starts(params["stem"])) if params["holds"] else insert(text, str(params["stem"]))


def _conditional_format(text: str, params: Params) -> str:
    branch = params["then"] if params["holds"] else params["otherwise"]
    spoil: Mapping[str, Corruption] = {
        "bullet_list": bullet,
        "numbered_list": number,
        "sentences": one_sentence,
        "paragraphs": one_paragraph,
    }
    return spoil[branch["shape"]](text, params)


# Shape of a branch -> frames, groups, what it brings, what it tells.
_SHAPES: Final = {
    "bullets": (BULLETS, "items", "items markup", "list bullets items"),
    "numbers": (NUMBERS, "items", "items markup digits", "list items"),
    "sentences": (PROSE, "sentences paragraphs-sentences", "", "sentences stops"),
    "paragraphs": (PROSE, "paragraphs", "paragraphs", "paragraphs"),
}


def _branches() -> dict[str, Rule]:
    """Both branches of every conditional format, each with the shape that it makes of the answer."""
    found = {}
    for variant, shapes in _BRANCHES.items():
        for holds, shape in zip(("true", "false"), shapes, strict=True):
            frames, groups, brings, tells = _SHAPES[shape]
            found[f"{variant}@{holds}"] = rule(
                frames,
                0.8 if holds == "true" else 0.7,
                f"logic {groups}",
                brings=brings,
                bars="line task lines" if shape == "paragraphs" else "line task",
                pins=True,
                tells=tells,
            )
    return found


TYPES: Final[dict[str, Type]] = {
    "logic:conditional_include": Type(
        share=170,
        rules={
            "plain@true": rule(ALL, 0.9, "logic", brings="rare", sentence_items=True),
            "plain@false": rule(ALL, 0.93, "logic", sentence_items=True),
        },
        demand=Demand(fix=_mention, narrow=_include_narrow, place=_include_place),
        corrupt=_conditional_include,
    ),
    "logic:conditional_format": Type(
        share=140,
        rules=_branches(),
        demand=Demand(fix=_mention, shape=_format_shape, settle=_format_settle),
        corrupt=_conditional_format,
    ),
    "logic:override": Type(
        share=120,
        rules={
            "sentence_count": rule(
                PROSE,
                0.75,
                "logic sentences paragraphs-sentences",
                pins=True,
                bars="line task",
                tells="sentences stops",
            ),
            "bullet_list": rule(
                BULLETS,
                0.9,
                "logic items",
                pins=True,
                brings="items markup",
                bars="line task",
                tells="list bullets items",
            ),
            "numbered_list": rule(
                NUMBERS,
                0.9,
                "logic items",
                pins=True,
                brings="items markup digits",
                bars="line task",
                tells="list items",
            ),
            "comma_count": rule(TEXT, 0.35, "logic commas", sentence_items=True),
            "paragraph_count": rule(
                PROSE,
                0.8,
                "logic paragraphs",
                pins=True,
                brings="paragraphs",
                bars="line task lines",
                tells="paragraphs",
            ),
            "word_count": rule(TEXT, 0.28, "logic words", pins=True, tells="counted"),
        },
        demand=Demand(shape=_override_shape, aim=_override_aim, settle=_override_settle),
        corrupt=None,
    ),
}
