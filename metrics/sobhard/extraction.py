"""From a response to the body that is parsed (SOBHard contract, section 3), linear in the response.

Nothing here looks at the document itself: the rules of packaging need fence lines and what stands outside them.
"""

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

__all__ = ["Block", "Package", "normalise", "unpack", "unwrap"]

# 3.1. Possessive, so that a line of a million blanks is looked at once.
_fence_line = re.compile(r"[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+([A-Za-z0-9_+-]*+)[ \t]*+$", re.MULTILINE).match
# 3.2, step 4: no attributes, no blanks inside the brackets, ASCII case alone.
_NAMES: Final = "think|thinking|reason|reasoning|thought|scratchpad"
_reasoning_tags = re.compile(rf"<(/?)({_NAMES})>", re.IGNORECASE | re.ASCII)
# 3.4: a whole text that is one fenced document; the closing fence may share its line with content.
_open_fence = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+[A-Za-z0-9_+-]*+[ \t]*+\n").match


class Block(NamedTuple):
    """A fenced block of the normalised text.

    Attributes:
        tag: the opening fence's tag; "" if it has none.
        body: the lines strictly between the fences.
        at: offset of the opening fence's line.
    """

    tag: str
    body: str
    at: int


class Package(NamedTuple):
    """A response taken apart.

    Attributes:
        text: the normalised response.
        blocks: the blocks, in their order.
        unclosed: offset of the fence that is never closed; None if there is none.
        outside: the text outside the blocks, trimmed.
        outside_at: offset at which that text begins; None if it is empty.
        body: the text that is parsed.
    """

    text: str
    blocks: tuple[Block, ...]
    unclosed: int | None
    outside: str
    outside_at: int | None
    body: str

    def line(self, at: int) -> int:
        """The 1-based line of an offset into the normalised text."""
        return self.text.count("\n", 0, at) + 1


def normalise(raw: str | None) -> str:
    """The contract's normalised response (3.2): line ends, reasoning tags outside blocks, outer white space.

    Complete pairs of tags alone are removed. What stands before a lone ``</think>`` is cut earlier, by the package's
    rule (:mod:`metrics.reasoning`); the official scorer keeps it.
    """
    text = raw or ""
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<" not in text:
        return text.strip()
    pieces: list[str] = []
    start = 0  # where the next piece begins
    for begin, end in _inside(text):
        if begin > start:
            pieces.append(_clean(text[start : begin - 1]))
        pieces.append(text[begin:end])
        start = end + 1
    if start <= len(text):
        pieces.append(_clean(text[start:]))
    return "\n".join(pieces).strip()


def _fence_lines(text: str) -> Iterator[re.Match[str]]:
    """The lines that are fences; only lines with a mark of fences are looked at."""
    start, tick, tilde = 0, text.find("`"), text.find("~")
    while tick >= 0 or tilde >= 0:
        mark = min(tick, tilde) if tick >= 0 <= tilde else max(tick, tilde)
        line = _fence_line(text, text.rfind("\n", start, mark) + 1 or start)
        if line:
            yield line
        start = text.find("\n", mark) + 1
        if not start:
            return
        tick = text.find("`", start) if 0 <= tick < start else tick
        tilde = text.find("~", start) if 0 <= tilde < start else tilde


def _inside(text: str) -> list[tuple[int, int]]:
    """Spans of lines from an opening fence to its closing one; a fence without a partner reaches to the end."""
    fences = [fence.span() for fence in _fence_lines(text)]
    spans = [(opening[0], closing[1]) for opening, closing in zip(fences[::2], fences[1::2], strict=False)]
    return [*spans, (fences[-1][0], len(text))] if len(fences) % 2 else spans


def _clean(run: str) -> str:
    """A run of lines outside blocks without its reasoning: pairs of one name with their content, then lone tags."""
    tags = list(_reasoning_tags.finditer(run)) if "<" in run else []
    if not tags:
        return run
    closings: dict[str, list[int]] = defaultdict(list)  # by name, indices into tags
    for index, tag in enumerate(tags):
        if tag.group(1):
            closings[tag.group(2).lower()].append(index)
    kept: list[str] = []
    start = 0
    index = 0
    while index < len(tags):
        tag = tags[index]
        if not tag.group(1):
            mates = closings[tag.group(2).lower()]
            mate = bisect.bisect(mates, index)
            if mate < len(mates):
                kept.append(run[start : tag.start()])
                index = mates[mate]
                start = tags[index].end()
        index += 1
    kept.append(run[start:])
    # Joining may make a tag out of two halves; the contract's second pass sees it, its first does not.
    return _reasoning_tags.sub("", "".join(kept))


def unpack(raw: str | None, tag: str) -> Package:
    """Take a response apart (3.2 to 3.4).

    Args:
        raw: the response; None is the empty one.
        tag: the tag that the block must carry, which picks the body among several blocks.
    """
    text = normalise(raw)
    fences = list(_fence_lines(text))
    lone = fences.pop() if len(fences) % 2 else None
    blocks: list[Block] = []
    outside: list[tuple[int, str]] = []  # offset and text of each run of lines
    start = 0
    for opening, closing in zip(fences[::2], fences[1::2], strict=True):
        if opening.start() > start:
            outside.append((start, text[start : opening.start() - 1]))
        blocks.append(Block(opening[1], text[opening.end() + 1 : closing.start() - 1], opening.start()))
        start = closing.end() + 1
    if lone:
        if lone.start() > start:
            outside.append((start, text[start : lone.start() - 1]))
        start = lone.end() + 1
    if start <= len(text):
        outside.append((start, text[start:]))
    return Package(
        text,
        tuple(blocks),
        lone.start() if lone else None,
        "\n".join(run for _, run in outside).strip(),
        next((at + len(run) - len(run.lstrip()) for at, run in outside if run.strip()), None),
        _body(text, blocks, tag),
    )


def _body(text: str, blocks: Sequence[Block], tag: str) -> str:
    if not blocks:
        return text
    return next((block.body for block in reversed(blocks) if block.tag == tag), blocks[-1].body)


def unwrap(text: str) -> str:
    """What a target parser reads (3.4): the text trimmed, or, if that is one fenced document, its inside untrimmed."""
    text = text.strip()
    opening = _open_fence(text)
    if not opening:
        return text
    fence = opening.group(1)
    # The closing run of fence characters may be longer than the opening one, and may mix both kinds after it.
    tail = len(text.rstrip("`~"))
    close = text.find(fence, max(tail, opening.end()))
    if close < 0:
        return text
    return text[opening.end() : close].removesuffix("\n")
