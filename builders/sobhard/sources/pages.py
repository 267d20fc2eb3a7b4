"""The tables of a page: a builder cuts them out of real files and gives each to the reader of its notation."""

import re
from typing import Final

from builders.sobhard.sources.markdown import RULE_LINE

__all__ = ["html_tables", "markdown_tables"]

_HTML_TABLE: Final = re.compile(r"<(/?)table(?=[\s>])", re.IGNORECASE)
_FENCE: Final = re.compile(r" {0,3}(?:```|~~~)")


def html_tables(page: str) -> list[str]:
    """The outermost ``<table>`` elements of a page, in order, markup and all; one that is not closed is left out."""
    found: list[str] = []
    depth = start = 0
    for tag in _HTML_TABLE.finditer(page):
        if not tag[1]:
            if depth == 0:
                start = tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and (end := page.find(">", tag.end()) + 1):
                found.append(page[start:end])
    return found


def _is_rule(line: str) -> bool:
    return "|" in line and bool(RULE_LINE.fullmatch(line))


def markdown_tables(page: str) -> list[str]:
    """The pipe tables of a page, in order: a line with pipes, a rule under it, and the lines with pipes that follow.

    Lines inside fenced code are left out.
    """
    lines = page.replace("\r\n", "\n").split("\n")
    found: list[str] = []
    fenced = False
    place = 0
    while place < len(lines):
        if _FENCE.match(lines[place]):
            fenced = not fenced
        rule = place + 1
        if not fenced and "|" in lines[place] and rule < len(lines) and _is_rule(lines[rule]):
            end = rule + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            found.append("\n".join(lines[place:end]) + "\n")
            place = end
        else:
            place += 1
    return found
