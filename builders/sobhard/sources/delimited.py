"""csv, tsv and scsv: delimiter-separated tables under one convention, told apart by the delimiter alone.

A header row names the columns, every value is a string, white space counts. A field may stand in double quotes and then
hold delimiters, line feeds and doubled quotes (SOBHard contract, 10). Empty lines are skipped.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final, NoReturn

from builders.sobhard.sources.model import Layout, SourceRefused, Value, as_records, line_of, refuse, table

__all__ = ["read_delimited", "write_delimited"]


def _field(delimiter: str) -> re.Pattern[str]:
    """One field and what ends it: the delimiter, a line feed, or nothing at the end of the document."""
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^"{delimiter}\n]*+))({delimiter}|\n|\Z)')


_QUOTED: Final = re.compile(r'"(?:[^"]++|"")*+"')
_FIELDS: Final = {delimiter: _field(delimiter) for delimiter in (",", ";", "\t")}


def _rows(delimiter: str, text: str, comment: str) -> Iterator[list[str]]:
    """The rows of a table with quotes in it; empty lines and comments left out."""
    match = _FIELDS[delimiter].match
    position, end = 0, len(text)
    while position < end:
        if comment and text.startswith(comment, position):
            position = (text.find("\n", position) + 1) or end
            continue
        row: list[str] = []
        start, ending = position, delimiter
        while ending == delimiter:
            found = match(text, position)
            if found is None:
                _refuse_field(text, position)
            quoted, plain, ending = found.groups()
            row.append(plain if quoted is None else quoted.replace('""', '"'))
            position = found.end()
        if position - start > len(ending):
            yield row


def _refuse_field(text: str, position: int) -> NoReturn:
    line = line_of(text, position)
    if text[position] == '"' and not _QUOTED.match(text, position):
        refuse("syntax", f"the quoted field that starts in line {line} is not closed")
    refuse("stray-quote", f"a field of line {line} has a quote where only a whole quoted field may have one")


def read_delimited(delimiter: str, text: str, layout: Layout) -> Value:
    """A list of objects of strings, one a row; the first row names the columns unless ``layout.names`` does.

    Raises:
        SourceRefused: stray-quote, syntax, and those of a table.
    """
    if '"' in text:
        rows = list(_rows(delimiter, text, layout.comment))
    else:
        lines = [line for line in text.split("\n") if line]
        if layout.comment:
            lines = [line for line in lines if not line.startswith(layout.comment)]
        rows = [line.split(delimiter) for line in lines]
    if layout.names:
        return table(layout.names, rows)
    if not rows:
        refuse("no-records", "the document has comments only")
    return table(rows[0], rows[1:])


def _cell(delimiter: str, alone: bool, text: str) -> str:
    """A field; quoted where it has to be (an empty field alone in its line would be an empty line)."""
    if delimiter in text or '"' in text or "\n" in text or (alone and not text):
        return '"' + text.replace('"', '""') + '"'
    return text


def write_delimited(delimiter: str, value: Value, layout: Layout) -> str:
    """The table of a list of objects of strings, quotes only where they are needed.

    Raises:
        SourceRefused: not-representable.
    """
    header, rows = as_records(value)
    if layout.names and list(layout.names) != header:
        raise SourceRefused("not-representable", "the records have other keys than the columns")
    cell = partial(_cell, delimiter, len(header) == 1)
    lines = rows if layout.names else [header, *rows]
    return "".join(delimiter.join(map(cell, row)) + "\n" for row in lines)
