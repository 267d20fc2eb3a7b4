"""fwf: a table whose columns are places in the line, counted in characters.

Either a header row says where columns begin (each at the first character of its name, names set apart by two spaces or
more), or the layout gives names and places. All values are strings, trimmed.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from builders.sobhard.sources.model import (
    Column,
    Layout,
    LayoutError,
    Value,
    as_records,
    clip,
    refuse,
    table,
    trimmed,
)

__all__ = ["read_fwf", "write_fwf"]

_NAME: Final = re.compile(r"[^ ]++(?: [^ ]++)*+")
_MAX_CELLS: Final = 1_000_000  # short lines under many columns hold far more cells than characters
_GAP: Final = 2  # spaces between two names at least


def _columns_of(header: str) -> list[Column]:
    """The columns under a header row; the first takes in what stands to the left of its name."""
    names = [(found[0], found.start()) for found in _NAME.finditer(header)]
    starts: list[int | None] = [0, *(start for _, start in names[1:])]
    ends = [*starts[1:], None]
    return [Column(name, start or 0, end) for (name, _), start, end in zip(names, starts, ends, strict=True)]


def _checked_columns(columns: Sequence[Column]) -> Sequence[Column]:
    """Columns of a layout, once they are known to lie one after another."""
    for column in columns:
        if column.start < 0 or (column.end is not None and column.end <= column.start):
            raise LayoutError(f"column {column.name!r} has no place: {column.start} to {column.end}")
    for left, right in pairwise(columns):
        if left.end is None or left.end > right.start:
            raise LayoutError(f"columns {left.name!r} and {right.name!r} overlap")
    return columns


def _cells(columns: Sequence[Column], line: str, place: int) -> list[str]:
    """The trimmed cells of one line; refused where text lies between the columns."""
    outside = 0
    cells = []
    for column in columns:
        if line[outside : column.start].strip(" "):
            refuse(
                "crosses-column", f"record {place} has text outside its columns: {clip(line[outside : column.start])}"
            )
        cells.append(trimmed(line[column.start : column.end], f"{clip(column.name)} of record {place}"))
        outside = len(line) if column.end is None else column.end
    if line[outside:].strip(" "):
        refuse("crosses-column", f"record {place} has text after its last column: {clip(line[outside:])}")
    return cells


def _check_boundaries(columns: Sequence[Column], line: str, place: int) -> None:
    """Under a header row a column starts after a space: a value that runs into it has no one reading."""
    for column in columns[1:]:
        before = line[column.start - 1 : column.start]
        if before not in ("", " "):
            refuse("crosses-column", f"record {place} has a value across the start of column {clip(column.name)}")


def _check_cells(columns: Sequence[Column], lines: Sequence[str]) -> None:
    if len(columns) * len(lines) > _MAX_CELLS:
        refuse("too-large", f"{len(lines)} lines of {len(columns)} columns, at most {_MAX_CELLS} cells are read")


def read_fwf(text: str, layout: Layout) -> Value:
    """A list of objects of strings, one a line; blank lines are skipped.

    Raises:
        SourceRefused: crosses-column, edge-whitespace, control-character (a tab), and those of a table.
        LayoutError: columns that overlap or are empty.
    """
    if "\t" in text:
        refuse("control-character", "a table of fixed width holds a tab, whose width is not fixed")
    lines = [line for line in text.split("\n") if line.strip(" ")]
    if layout.comment:
        lines = [line for line in lines if not line.startswith(layout.comment)]
    columns: Sequence[Column]
    if layout.columns:
        columns = _checked_columns(layout.columns)
        _check_cells(columns, lines)
        rows = [_cells(columns, line, place) for place, line in enumerate(lines, 1)]
    else:
        if not lines:
            refuse("no-records", "the document has comments only")
        columns = _columns_of(lines[0])
        _check_cells(columns, lines)
        rows = []
        for place, line in enumerate(lines[1:], 1):
            _check_boundaries(columns, line, place)
            rows.append(_cells(columns, line, place))
    return table([column.name for column in columns], rows)


def write_fwf(value: Value, layout: Layout) -> str:
    """The table of a list of objects of strings, values to the left; columns as wide as needed unless the layout says.

    Raises:
        SourceRefused: not-representable.
        LayoutError: columns that overlap or are empty.
    """
    header, rows = as_records(value)
    if layout.columns:
        columns = _checked_columns(layout.columns)
        if [column.name for column in columns] != header:
            refuse("not-representable", "the records have other keys than the columns")
        return "".join(_placed(columns, row) + "\n" for row in rows)
    widths = [max(map(len, cells)) + _GAP for cells in zip(header, *rows, strict=True)]
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(" ") + "\n"
        for row in [header, *rows]
    )


def _placed(columns: Sequence[Column], row: Sequence[str]) -> str:
    line = ""
    for column, cell in zip(columns, row, strict=True):
        if column.end is not None and len(cell) > column.end - column.start:
            refuse("not-representable", f"{clip(cell)} is wider than column {clip(column.name)}")
        line = line.ljust(column.start) + cell
    return line.rstrip(" ")
