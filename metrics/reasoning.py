"""Parting an answer from its reasoning: the rule of this package, which comes before any benchmark's own.

IFHardBench and IFBench have rules of their own in their contracts (``metrics/ifhard/reasoning.py``,
``metrics/ifbench/reasoning.py``); the others score what is left here.
"""

import re
from typing import NamedTuple

__all__ = ["Reasoning", "cut_reasoning", "has_unclosed"]

_closing = re.compile(r"</think>", re.IGNORECASE | re.ASCII)
_opening = re.compile(r"<think>", re.IGNORECASE | re.ASCII)


class Reasoning(NamedTuple):
    """A generation taken apart.

    Attributes:
        answer: the text that is scored: all after the first ``</think>``, or the whole text without one.
        trace: the reasoning that was cut off, trimmed, without its tags; "" if there is none.
        unclosed: whether an opening ``<think>`` of the answer has no closing tag after it.
        rest: what follows the answer and is not scored: a base model's next question; "" if there is none.
    """

    answer: str
    trace: str
    unclosed: bool
    rest: str = ""


def cut_reasoning(raw: str | None) -> Reasoning:
    """Cut everything through the first ``</think>``, whatever stands before it; None is the empty generation."""
    text = raw or ""
    close = _closing.search(text)
    answer = text[close.end() :] if close else text
    trace = _opening.sub("", text[: close.start()]).strip() if close else ""
    return Reasoning(answer, trace, has_unclosed(answer))


def has_unclosed(text: str) -> bool:
    """Whether an opening tag has no closing tag after it."""
    last_close = max((tag.end() for tag in _closing.finditer(text)), default=0)
    return _opening.search(text, last_close) is not None
