"""From response to body (contract, section 3): fence lines, reasoning, blocks, what is parsed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.reasoning import cut_reasoning
from metrics.sobhard.extraction import normalise, unpack, unwrap

FENCE_LINES = [
    ("```", ""),
    ("```json", "json"),
    ("   \t```json", "json"),
    ("~~~", ""),
    ("~~~~yaml", "yaml"),
    ("``` \tjson  \t", "json"),
    ("`````c++", "c++"),
    ("```a_b-1", "a_b-1"),
]
ORDINARY_LINES = [
    "``",
    "```json title",
    "> ```json",
    "- ```",
    "```json\x0c",
    "```<|im_end|>",
    "``~",
    "```~~~",
    "```жсон",
    "x```",
    "\u00a0```",
]


@pytest.mark.parametrize(("line", "tag"), FENCE_LINES, ids=[repr(line) for line, _ in FENCE_LINES])
def test_fence_lines(line, tag):
    """These open a block, with this tag; any of them closes one."""
    package = unpack(f"до\n{line}\nтело\n{line}\nпосле", "json")
    assert [(block.tag, block.body) for block in package.blocks] == [(tag, "тело")]
    assert package.outside == "до\nпосле"


@pytest.mark.parametrize("line", ORDINARY_LINES, ids=repr)
def test_ordinary_lines(line):
    """These are no fences (contract, 3.1)."""
    assert unpack(f"до\n{line}\nпосле", "json").blocks == ()


NORMALISED = [
    (None, ""),
    ("\ufeff\ufeffx", "\ufeffx"),
    ("a\r\nb\rc", "a\nb\nc"),
    ("\u00a0\u3000x\u2028", "x"),
    ("\u200bx", "\u200bx"),
    ("<think>x</think>ответ", "ответ"),
    ("<THINK>x</Think>ответ", "ответ"),
    ("<think>a\nb</think>ответ", "ответ"),
    ("<think>a</reason>ответ", "aответ"),
    ("<think>a<think>b</think>ответ</think>", "ответ"),
    ("</think>ответ", "ответ"),
    ("<think>ответ", "ответ"),
    ("<think mode='a'>ответ</think>", "<think mode='a'>ответ"),
    ("<analysis>ответ</analysis>", "<analysis>ответ</analysis>"),
    ("< think>ответ", "< think>ответ"),
    ("<thinking>1</thinking><reason>2</reason><reasoning>3</reasoning><thought>4</thought>"
     "<scratchpad>5</scratchpad>ответ", "ответ"),
    # The pair is deleted first; a tag that only then appears is a lone one.
    ("<thi<think></think>nk>a</think>", "a"),
    # Inside a block nothing is touched, and an unclosed fence hides all that follows.
    ("```\n<think>x</think>\n```", "```\n<think>x</think>\n```"),
    ("a\n```\n<think>x</think>", "a\n```\n<think>x</think>"),
    # A pair that reaches over a block is no pair: runs are cleaned apart.
    ("<think>\n```\nx\n```\n</think>", "```\nx\n```"),
    ("<think>1</think>\n```\nx\n```\n<reason>2</reason>", "```\nx\n```"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "wanted"), NORMALISED, ids=[repr(raw) for raw, _ in NORMALISED])
def test_normalise(raw, wanted):
    """The normalised response of 3.2."""
    assert normalise(raw) == wanted


def test_removed_reasoning_leaves_its_line():
    """A cleaned run stays a line, so blocks keep their places."""
    package = unpack("текст\n<think>x</think>\n```json\n{}\n```", "json")
    assert package.text == "текст\n\n```json\n{}\n```"
    assert package.line(package.blocks[0].at) == 3


def test_reasoning_may_uncover_a_fence():
    """Tags before the fence on its own line go, and the fence shows."""
    package = unpack("<think>x</think>```json\n{}\n```", "json")
    assert [block.body for block in package.blocks] == ["{}"]


BODIES = [
    ("{}", "{}", 0, "{}"),
    ("```json\n{}\n```", "{}", 1, ""),
    ("```text\n{}\n```", "{}", 1, ""),
    ("```json\n1\n```\n```json\n2\n```", "2", 2, ""),
    ("```json\n1\n```\n```text\n2\n```", "1", 2, ""),
    ("```a\n1\n```\n```b\n2\n```", "2", 2, ""),
    ("```json\n```", "", 1, ""),
    ("````json\n1\n~~~", "1", 1, ""),
    ("```json\n1\n```json\n2", "1", 1, "2"),
    ("до\n```json\n1\n```\nпосле", "1", 1, "до\nпосле"),
]


@pytest.mark.parametrize(("raw", "body", "blocks", "outside"), BODIES, ids=[repr(case[0]) for case in BODIES])
def test_body(raw, body, blocks, outside):
    """Which text is parsed, and what stands outside (3.3, 3.4)."""
    package = unpack(raw, "json")
    assert (package.body, len(package.blocks), package.outside) == (body, blocks, outside)


def test_a_lone_fence_belongs_to_no_block_and_is_not_outside():
    """Odd count: the last fence line is neither; the lines after it are outside."""
    package = unpack("```json\n{}\n```\n```\nхвост", "json")
    assert len(package.blocks) == 1
    assert package.line(package.unclosed) == 4
    assert package.outside == "хвост"
    assert package.line(package.outside_at) == 5


def test_line_of_outside_text():
    """The first line that is not blank."""
    package = unpack("```json\n{}\n```\n\n\n вот", "json")
    assert package.line(package.outside_at) == 6
    assert package.text[package.outside_at :] == "вот"


UNWRAPPED = [
    ("  {}\n", "{}"),
    ("```json\n{}```", "{}"),
    ("```json\n  {}\n```", "  {}"),
    ("~~~\n{}~~~~~", "{}"),
    ("````\n{}```", "````\n{}```"),
    ("```json\n{}", "```json\n{}"),
    ("```json {}```", "```json {}```"),
    ("x```\n{}```", "x```\n{}```"),
]


@pytest.mark.parametrize(("text", "wanted"), UNWRAPPED, ids=[repr(text) for text, _ in UNWRAPPED])
def test_unwrap(text, wanted):
    """A whole text that is one fenced document is taken out of its fence, and not trimmed again (3.4)."""
    assert unwrap(text) == wanted


CUT = [
    ("trace</think>answer", "answer", "trace", False),
    ("<think>trace</think>answer", "answer", "trace", False),
    ("<think>trace</think>a</think>b", "a</think>b", "trace", False),
    ("answer", "answer", "", False),
    ("<think>cut off", "<think>cut off", "", True),
    ("<think>a</think>b<think>c", "b<think>c", "a", True),
    (None, "", "", False),
]


@pytest.mark.parametrize(("raw", "answer", "trace", "unclosed"), CUT, ids=[repr(case[0]) for case in CUT])
def test_the_products_reasoning_rule(raw, answer, trace, unclosed):
    """Everything through the first closing tag is reasoning; an opening tag alone cuts nothing and is counted."""
    assert tuple(cut_reasoning(raw)) == (answer, trace, unclosed, "")


PIECES = [
    "```",
    "```json",
    "~~~",
    "<think>",
    "</think>",
    "<reason>",
    "</REASON>",
    "\n",
    "\r\n",
    " ",
    "x",
    "\ufeff",
    "<th",
]
FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)[ \t]*")
NAMES = "think|thinking|reason|reasoning|thought|scratchpad"


def plain_normalise(raw):
    """The contract's five steps, line by line and with its two substitutions."""
    text = raw.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    fences = [number for number, line in enumerate(lines) if FENCE.fullmatch(line)]
    inside = set()
    for opening, closing in zip(fences[::2], [*fences[1::2], len(lines) - 1], strict=False):
        inside.update(range(opening, closing + 1))
    out, run = [], []
    for number, line in enumerate([*lines, None]):
        if line is None or number in inside:
            if run:
                cleaned = re.sub(rf"(?is)<({NAMES})>.*?</\1>", "", "\n".join(run))
                out.append(re.sub(rf"(?i)</?(?:{NAMES})>", "", cleaned))
                run = []
            if line is not None:
                out.append(line)
        else:
            run.append(line)
    return "\n".join(out).strip()


def plain_unpack(text):
    """Blocks, outside text and the lone fence, line by line."""
    lines = text.split("\n")
    fences = [number for number, line in enumerate(lines) if FENCE.fullmatch(line)]
    blocks, placed = [], set(fences)
    for opening, closing in zip(fences[::2], fences[1::2], strict=False):
        blocks.append((FENCE.fullmatch(lines[opening]).group(1), "\n".join(lines[opening + 1 : closing]), opening + 1))
        placed.update(range(opening, closing + 1))
    outside = "\n".join(line for number, line in enumerate(lines) if number not in placed).strip()
    return blocks, outside, fences[-1] + 1 if len(fences) % 2 else 0


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_linear_code_equals_the_plain_reading_of_the_contract(raw):
    """One pass over offsets gives what the contract's steps give line by line."""
    package = unpack(raw, "json")
    assert package.text == plain_normalise(raw)
    blocks, outside, unclosed = plain_unpack(package.text)
    assert [(block.tag, block.body, package.line(block.at)) for block in package.blocks] == blocks
    assert package.outside == outside
    assert (0 if package.unclosed is None else package.line(package.unclosed)) == unclosed
    assert (package.outside_at is None) == (not outside)
    if outside:
        first = outside.split("\n")[0]
        assert package.text[package.outside_at :].startswith(first)
