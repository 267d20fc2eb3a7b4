"""Lines and what they are: headings, bullets, sections, fences (IFBench notes, sections 2 and 3).

A heading is a Markdown heading (``#`` or underlined), an HTML heading, or a line that is all bold. A plain title
(capitalized words, no closing mark, a blank line below) is a heading only where a caller asks for titles too.
"""

import re
from collections.abc import Iterator
from typing import Final

from metrics.ifbench.word_lists import MINOR_PREPOSITIONS, MINOR_WORDS
from metrics.ifbench.words import fold, has_word, joined_words

__all__ = [
    "blocks_of",
    "dash_line",
    "each_heading",
    "each_heading_or_title",
    "is_rule",
    "sections_of",
    "segments_of",
    "star_bullet",
    "strip_fence",
    "strip_tags",
]

_blank_stretch = re.compile(r"\n[^\S\n]*\n\s*")
_atx = re.compile(r"\s{0,3}#{1,6}\s*[^\s#]").match
_bold_line = re.compile(r"\s*(?:\*\*|__)(?![*_\s])[^*_]+(?:\*\*|__):?\s*\Z").match
_underline = re.compile(r"\s{0,3}(?:=+|-{2,})\s*\Z").match
_html_heading = re.compile(r"\s*<h([1-6])\b[^<>]*>", re.IGNORECASE).match
# What a line's first sign makes of it.
_HEADING_SIGNS: Final = {"#": _atx, "*": _bold_line, "_": _bold_line, "<": _html_heading}
_UNDERLINES: Final = frozenset("=-")
_html_heading_end = re.compile(r"</h[1-6]\s*>", re.IGNORECASE).search
_rule = re.compile(r"\s*(?:(?:-\s*){2,}|(?:\*\s*){2,}|(?:_\s*){2,}|=+)\Z").match
_item = re.compile(r"\s*(?:[-+*\u2022\u2023\u25e6\u25aa\u2013]|(?:\d{1,3}|[A-Za-z])[.)])\s+\S").match

# One * and a space, then any text, bold or not; asterisks alone are a rule. Nothing is given back: lines may be long.
star_bullet = re.compile(r"\s*+\*\s++(?![\s*]*+\Z)").match
# One hyphen, then any text, also one that begins with a dash after a space; hyphens alone are a rule.
dash_line = re.compile(r"\s*+-(?:\s++|(?!-))(?![\s-]*+\Z)").match

_inline: Final = "i|em|b|strong|u|s|small|mark|sup|sub|span|code|del|ins|font|a"
_block: Final = "p|br|h[1-6]|ul|ol|li|div|section|article|blockquote|hr|pre|table|tr|td|th|body|html|center"
_inline_tag = re.compile(rf"</?(?:{_inline})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_block_tag = re.compile(rf"</?(?:{_block})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_entity = re.compile(r"&(nbsp|emsp|ensp|amp|lt|gt|quot|#39);")
_entities: Final = {"nbsp": " ", "emsp": " ", "ensp": " ", "amp": "&", "lt": "<", "gt": ">", "quot": '"', "#39": "'"}

_TITLE_WORDS: Final = 12  # a longer line is no title


def strip_tags(text: str) -> str:
    """The text without HTML markup: inline tags go, block tags become line breaks, common entities their signs."""
    if "<" in text and ">" in text:
        text = _block_tag.sub("\n", _inline_tag.sub("", text))
    if "&" in text and ";" in text:
        text = _entity.sub(lambda found: _entities[found.group(1)], text)
    return text


def blocks_of(text: str) -> list[str]:
    """What stands between blank lines, none blank."""
    return [block for block in _blank_stretch.split(text.strip()) if block.strip()]


def is_rule(line: str) -> bool:
    """Whether a line is a horizontal rule or an underline."""
    return _rule(line) is not None


def _is_title(line: str) -> bool:
    """Whether a plain line reads as a title: few words, no closing mark, every major word with a capital."""
    words = joined_words(line)
    if not words or len(words) > _TITLE_WORDS or line.rstrip()[-1:] in ".!?,;\u2026\"'\u201d\u2019" or _item(line):
        return False
    minor = MINOR_WORDS | MINOR_PREPOSITIONS
    return words[0][:1].isupper() and all(not word[0].islower() or fold(word) in minor for word in words)


def _is_underlined(lines: list[str], place: int) -> bool:
    """Whether the line below makes this one a heading; the end of a paragraph above a rule is none."""
    return (
        _underline(lines[place + 1]) is not None
        and has_word(lines[place])
        and not _item(lines[place])
        and (place == 0 or not lines[place - 1].strip())
    )


def each_heading(lines: list[str]) -> Iterator[bool]:
    """For each line, looked at as it is asked for, whether it is a heading or underlines one."""
    above = False
    sign = lines[0].lstrip()[:1]
    for place, line in enumerate(lines):
        below = lines[place + 1].lstrip()[:1] if place + 1 < len(lines) else ""
        here = below in _UNDERLINES and _is_underlined(lines, place)
        yield here or above or (sign in _HEADING_SIGNS and _HEADING_SIGNS[sign](line) is not None)
        above, sign = here, below


def each_heading_or_title(lines: list[str]) -> Iterator[bool]:
    """The same, a plain title above a blank line taken for a heading too, if more text follows it."""
    last = next((place for place in reversed(range(len(lines))) if has_word(lines[place])), 0)
    for place, (line, heading) in enumerate(zip(lines, each_heading(lines), strict=True)):
        yield heading or (
            place < last
            and not lines[place + 1].strip()
            and (place == 0 or not lines[place - 1].strip())
            and _is_title(line)
        )


def _after_html_heading(line: str) -> str:
    """What stands on a heading's line behind its closing tag."""
    end = _html_heading_end(line) if _html_heading(line) else None
    return line[end.end() :] if end else ""


def sections_of(text: str, blocks: bool) -> list[str]:
    """The bodies of the sections, heading lines set aside; none blank.

    A section is what a heading opens; what stands before the first heading is none. Without headings it is the
    whole text, or each block if ``blocks`` is set (AD28).
    """
    lines = text.split("\n")
    headings = list(each_heading(lines))
    if not any(headings):
        parts = blocks_of(text) if blocks else [text]
        return [part for part in parts if has_word(part)]
    bodies: list[list[str]] = []
    for line, heading in zip(lines, headings, strict=True):
        if heading:
            bodies.append([_after_html_heading(line)])
        elif bodies and not is_rule(line):
            bodies[-1].append(line)
    return [body for lines in bodies if has_word(body := "\n".join(lines))]


def segments_of(text: str) -> Iterator[str]:
    """Pieces that no sentence crosses when line breaks end sentences: headings, list items, blocks (AD1)."""
    lines = text.split("\n")
    pending: list[str] = []
    for line, heading in zip(lines, each_heading(lines), strict=True):
        if pending and (heading or not line.strip() or _item(line)):
            yield "\n".join(pending)
            pending = []
        if heading:
            yield line
        elif line.strip():
            pending.append(line)
    if pending:
        yield "\n".join(pending)


def strip_fence(text: str) -> str:
    """The inside of a code fence that holds the whole text; any other text as it is (AD12)."""
    first, _, rest = text.strip().partition("\n")
    inside, _, last = rest.rpartition("\n")
    fence = first[:3]
    return inside if fence in ("```", "~~~") and last.strip() == fence and fence not in inside else text
