"""Breaks of XML and of tables with delimiters."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from builders.sobhard.breaks.edits import Edit, Kind, Sites

__all__ = ["TABLE_KINDS"]

_LEAF: Final = re.compile(
    r"^[ \t]*<(?P<name>[\w:.-]+)(?: [^<>\n]*)?>[^<>\n]*[^<>\s](?P<close></(?P=name)>)$", re.MULTILINE
)
_CROSSED: Final = re.compile(r"(</([\w:.-]+)>)(\s*)(</(?!\2>)[\w:.-]+>)")
_RAW: Final = re.compile(r"&(?:amp|lt);(?=[\s\d])")
_ATTRIBUTE: Final = re.compile(r"""(?<= )[\w:.-]+=(["'])([\w.-]+)\1(?=[ >])""")
_DELIMITERS: Final = {"csv": ",", "scsv": ";", "tsv": "\t"}


# XML ------------------------------------------------------------------------------------------------------------------


def _unclosed(text: str, notation: str) -> list[Edit]:
    return [Edit(*leaf.span("close"), "") for leaf in _LEAF.finditer(text)]


def _half_closed(text: str, notation: str) -> list[Edit]:
    return [Edit(leaf.end() - 1, leaf.end(), "") for leaf in _LEAF.finditer(text)]


def _closed_twice(text: str, notation: str) -> list[Edit]:
    return [Edit(leaf.end(), leaf.end(), leaf["close"]) for leaf in _LEAF.finditer(text)]


def _crossed(text: str, notation: str) -> list[Edit]:
    return [Edit(*pair.span(), pair[4] + pair[3] + pair[1]) for pair in _CROSSED.finditer(text)]


def _raw_mark(text: str, notation: str) -> list[Edit]:
    return [Edit(*mark.span(), {"&amp;": "&", "&lt;": "<"}[mark[0]]) for mark in _RAW.finditer(text)]


def _bare_attribute(text: str, notation: str) -> list[Edit]:
    edits = []
    for found in _ATTRIBUTE.finditer(text):
        quote = found.start(2) - 1
        edits.append(Edit(quote, found.end(), found[2]))
    return edits


# Tables ---------------------------------------------------------------------------------------------------------------


def _rows(text: str) -> list[tuple[int, str]]:
    """The rows below the first line that are one line, where they start and their text."""
    rows, position, is_open = [], 0, False
    for line in text.split("\n"):
        is_whole = line.count('"') % 2 == 0
        if is_whole and not is_open and position and line:
            rows.append((position, line))
        is_open ^= not is_whole
        position += len(line) + 1
    return rows


def _of_rows(edits: Callable[[str, int, str], list[Edit]]) -> Sites:
    """Edits of each row, from the delimiter, the row's place and its text."""

    def sites(text: str, notation: str) -> list[Edit]:
        return [edit for start, row in _rows(text) for edit in edits(_DELIMITERS[notation], start, row)]

    return sites


def _open_quote(delimiter: str, start: int, row: str) -> list[Edit]:
    found = re.fullmatch(rf'(?:.*{delimiter})?"[^"]+"', row)
    return [Edit(start + len(row) - 1, start + len(row), "")] if found else []


def _raw_quote(delimiter: str, start: int, row: str) -> list[Edit]:
    pattern = rf'(?<=[^"{delimiter}])""(?=[^"{delimiter}])'
    return [Edit(start + found.start(), start + found.end(), '"') for found in re.finditer(pattern, row)]


def _extra_delimiter(delimiter: str, start: int, row: str) -> list[Edit]:
    """Only where no cell is empty, or another empty one might be the extra one."""
    if '"' in row or not all(row.split(delimiter)):
        return []
    return [Edit(start + len(row), start + len(row), delimiter)]


def _doubled_delimiter(delimiter: str, start: int, row: str) -> list[Edit]:
    """Only where no cell is empty, as above."""
    if '"' in row or not all(row.split(delimiter)):
        return []
    return [Edit(start + at.end(), start + at.end(), delimiter) for at in re.finditer(delimiter, row)]


def _other_delimiter(text: str, notation: str) -> list[Edit]:
    """Only where the document has the other delimiter nowhere."""
    delimiter = _DELIMITERS[notation]
    other = next((mark for mark in ";|," if mark != delimiter and mark not in text), "")
    rows = _rows(text) if other else []
    return [
        Edit(start + at.start(), start + at.end(), other)
        for start, row in rows
        if '"' not in row
        for at in re.finditer(delimiter, row)
    ]


def _joined_rows(text: str, notation: str) -> list[Edit]:
    rows = _rows(text)
    return [
        Edit(start + len(row), start + len(row) + 1, _DELIMITERS[notation])
        for (start, row), (after, _) in pairwise(rows)
        if start + len(row) + 1 == after
    ]


_TABLES: Final = tuple(_DELIMITERS)

TABLE_KINDS: Final = (
    Kind("xml.unclosed", ("xml",), _unclosed, "an element with text has no children, so it ends with its line"),
    Kind("xml.half-closed", ("xml",), _half_closed, "the tag has its whole name and ends with its line"),
    Kind("xml.closed-twice", ("xml",), _closed_twice, "the second tag closes nothing"),
    Kind("xml.crossed", ("xml",), _crossed, "the order of the opening tags says that of the closing ones"),
    Kind("xml.raw-mark", ("xml",), _raw_mark, "no name follows the mark, so it is text"),
    Kind(
        "xml.bare-attribute",
        ("xml",),
        _bare_attribute,
        "the value is one word and ends before a space or the tag's end",
    ),
    Kind(
        "table.open-quote", _TABLES, _of_rows(_open_quote), "the cell ends with its line, as all cells of the table do"
    ),
    Kind("table.raw-quote", _TABLES, _of_rows(_raw_quote), "no delimiter is beside the quote, so it ends no cell"),
    Kind(
        "table.extra-delimiter", _TABLES, _of_rows(_extra_delimiter), "the header has one column less, no cell is empty"
    ),
    Kind("table.doubled-delimiter", _TABLES, _of_rows(_doubled_delimiter), "one cell too many, and only one is empty"),
    Kind("table.other-delimiter", _TABLES, _other_delimiter, "one cell too few, and the mark stands nowhere else"),
    Kind("table.joined-rows", _TABLES, _joined_rows, "the line has twice the cells of the header"),
)
