"""From a raw generation to the answer that is judged."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metrics.reasoning import Reasoning, cut_reasoning, has_unclosed

__all__ = ["Answer", "answer_text", "part_answer", "split_answer"]


class Answer(NamedTuple):
    """The answer in a generation.

    Attributes:
        text: the answer that is judged, trimmed; empty if nothing is left.
        unclosed: whether a reasoning block is opened and never closed; its text is then part of the answer.
    """

    text: str
    unclosed: bool


def split_answer(raw: str | None, cut: Sequence[str] = ()) -> Answer:
    """Cut off the model's reasoning, then its continuation. The time is linear in the text's length.

    Reasoning is what :mod:`metrics.reasoning` cuts. A base model that goes on with a
    question of its own is cut at the first line that begins with one of ``cut`` (white space before it is allowed; the
    text's beginning counts as one, since a server that honours the stop string would end there too).

    Args:
        raw: the generation; None counts as empty.
        cut: beginnings of the lines at which the answer is cut.
    """
    parted = _part(raw, cut)
    return Answer(parted.answer, parted.unclosed)


def part_answer(scoring: str, raw: str | None) -> Reasoning:
    """The answer that is judged, with the reasoning before it and the continuation behind it.

    Args:
        scoring: the question's scoring key, of which only ``cut`` is read.
        raw: the generation.

    Raises:
        ValueError: the key is no JSON.
    """
    return _part(raw, json.loads(scoring).get("cut") or ())


def _part(raw: str | None, cut: Sequence[str]) -> Reasoning:
    parted = cut_reasoning(raw)
    text, rest = parted.answer, ""
    if cut:
        marks = "|".join(re.escape(mark) for mark in cut)
        found = re.search(rf"^[^\S\n]*(?:{marks})", text, re.MULTILINE)
        if found:
            text, rest = text[: found.start()], text[found.start() :]
    return Reasoning(text.strip(), parted.trace, has_unclosed(text), rest)


def answer_text(specific: Mapping[str, Any], raw: str | None) -> str:
    """The answer to a document that is judged.

    Args:
        specific: the document's ``specific``, of which only ``scoring`` is read.
        raw: the generation.
    """
    return part_answer(specific["scoring"], raw).answer
