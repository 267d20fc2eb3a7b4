"""Composing the logic family: the branch that the context picks, and the rule that wins."""

from typing import Final

from builders.ifhard.demands.handler import Handler
from builders.ifhard.demands.lexical import hits
from builders.ifhard.demands.structure import UNUSUAL_PARAGRAPHS, unusual_sentences, words
from builders.ifhard.draft import Aim, Ask, Draft, InfeasibleError, Sum
from builders.ifhard.frames import framing
from metrics.ifhard.text import fold

__all__ = ["BRANCHES", "HANDLERS"]

# Variant of conditional_format -> the shapes of its two branches.
BRANCHES: Final[dict[str, tuple[str, str]]] = {
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
    then, otherwise = BRANCHES[ask.variant.name]
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


HANDLERS: Final[dict[str, Handler]] = {
    "logic:conditional_include": Handler(fix=_mention, narrow=_include_narrow, place=_include_place),
    "logic:conditional_format": Handler(fix=_mention, shape=_format_shape, settle=_format_settle),
    "logic:override": Handler(shape=_override_shape, aim=_override_aim, settle=_override_settle),
}
