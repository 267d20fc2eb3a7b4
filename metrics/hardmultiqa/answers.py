"""From a raw generation to the answer that is judged."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metrics.reasoning import cut_reasoning, has_unclosed

__all__ = ["Answer", "answer_text", "split_answer"]


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
    text = cut_reasoning(raw).answer
    if cut:
        marks = "|".join(re.escape(mark) for mark in cut)
        found = re.search(rf"^[^\S\n]*(?:{marks})", text, re.MULTILINE)
        if found:
            text = text[: found.start()]
    return Answer(text.strip(), has_unclosed(text))


def answer_text(specific: Mapping[str, Any], raw: str | None) -> str:
    """The answer to a document that is judged.

    Args:
        specific: the document's ``specific``, of which only ``scoring`` is read.
        raw: the generation.
    """
    return split_answer(raw, json.loads(specific["scoring"]).get("cut", ())).text
