"""Taking the reasoning off a generation (IFHardBench contract, section 3)."""

import re
from typing import NamedTuple

__all__ = ["Reasoning", "split_reasoning", "strip_reasoning"]

# Unicode case folding is wanted: U+212A (KELVIN SIGN) matches k.
_think_tags = re.compile(r"<(/?)think>", re.IGNORECASE).finditer
_first_close = re.compile(r"</think>", re.IGNORECASE).search
_strip_tags = re.compile(r"</?think>", re.IGNORECASE).sub


class Reasoning(NamedTuple):
    """The answer and the reasoning in a generation.

    Attributes:
        answer: the text that is scored.
        trace: the reasoning that was removed, its pieces trimmed and joined by line breaks; "" if there is none.
        unclosed: whether an opening tag has no closing tag after it; its text is then part of the answer.
    """

    answer: str
    trace: str
    unclosed: bool


def split_reasoning(raw: str | None) -> Reasoning:
    """Part the answer from the reasoning (contract, section 3); linear, whatever tags the text holds.

    Everything through the first closing tag goes; then every block from an opening tag through the nearest
    closing tag; then the tags that are left, whose text stays. None is the empty generation.
    """
    text = raw or ""  # the trim at the end covers the leading white space that step 1 drops
    if "<" not in text:
        return Reasoning(text.strip(), "", False)  # no tag: most answers come without their reasoning
    traces: list[str] = []
    close = _first_close(text)
    if close:
        traces.append(_strip_tags("", text[: close.start()]))
        text = text[close.end() :]
    kept: list[str] = []
    start = 0
    opened: int | None = None  # where the text of the block being read begins
    for tag in _think_tags(text):
        if tag.group(1):
            if opened is not None:
                traces.append(_strip_tags("", text[opened : tag.start()]))
                start = tag.end()
                opened = None
        elif opened is None:
            kept.append(text[start : tag.start()])
            # Until its closing tag turns up, the block counts as text.
            start, opened = tag.start(), tag.end()
    kept.append(text[start:])
    answer = _strip_tags("", "".join(kept)).strip()
    return Reasoning(answer, "\n".join(filter(None, (trace.strip() for trace in traces))), opened is not None)


def strip_reasoning(raw: str | None) -> str:
    """The answer that is scored: the generation without its reasoning, trimmed."""
    return split_reasoning(raw).answer
