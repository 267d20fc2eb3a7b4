"""Parting an answer from its reasoning: the product's rule and IFBench's own (IFBench notes, 6.1.1).

The product's rule cuts everything through the first ``</think>`` before any scorer and leaves a text with unclosed
reasoning as it stands. IFBench's contract goes on from there, and what it leaves is graded:

- If another ``</think>`` follows, the answer begins after the last one.
- If an opening tag occurs and no closing one at all, nothing of the text is an answer: it is counted as unclosed
  reasoning, and every constraint fails. Checked like an answer, a trace could pass, since any long text has enough
  different words.

Nearly every generation has one closing tag or none, and then the two rules agree. Where the product's rule alone
gives another text (``first_tag``), what that text would score is reported beside the headline.
"""

import re
from typing import Final, Literal, NamedTuple

__all__ = ["Reasoning", "split_reasoning", "strip_reasoning"]

_TAGS: Final = re.compile(r"<(/?)think>", re.IGNORECASE | re.ASCII)


class Reasoning(NamedTuple):
    """The answer and the reasoning in a generation.

    Attributes:
        answer: the text that is graded, its white space kept (the official reading of protocol decision APD1).
        trimmed: the answer without leading line breaks (the proposed reading).
        trace: the reasoning that was removed, without its tags, trimmed; "" if there is none.
        extraction: ``ok``, or ``reasoning_unclosed`` where an opening tag has no closing tag anywhere and the answer
            therefore is "".
        unclosed: whether an opening tag has no closing tag after it.
        first_tag: the text by the letter of the product's rule: after the first closing tag, or all of it.
    """

    answer: str
    trimmed: str
    trace: str
    extraction: Literal["ok", "reasoning_unclosed"]
    unclosed: bool
    first_tag: str


def split_reasoning(raw: str | None) -> Reasoning:
    """Part a generation; linear in its length. None is the empty generation.

    Leading line breaks are cut for the proposed reading whether or not a tag stood before them: a server that parses
    the reasoning itself leaves the same line breaks, and nothing tells the two apart.
    """
    text = raw or ""
    tags = list(_TAGS.finditer(text))
    closings = [tag for tag in tags if tag.group(1)]
    unclosed = bool(tags) and not tags[-1].group(1)
    if not closings:
        if unclosed:
            return Reasoning("", "", _TAGS.sub("", text).strip(), "reasoning_unclosed", True, text)
        return Reasoning(text, text.lstrip("\r\n"), "", "ok", False, text)
    answer = text[closings[-1].end() :]
    trace = _TAGS.sub("", text[: closings[-1].start()]).strip()
    return Reasoning(answer, answer.lstrip("\r\n"), trace, "ok", unclosed, text[closings[0].end() :])


def strip_reasoning(raw: str | None) -> str:
    """The answer that is graded; "" where the reasoning is unclosed."""
    return split_reasoning(raw).answer
