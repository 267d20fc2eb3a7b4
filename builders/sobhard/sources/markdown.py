r"""mdtable: one Markdown pipe table.

Every line starts and ends with ``|``; the second line is the rule of dashes under the names. Cells are trimmed strings,
``\|`` is a pipe, and nothing else is interpreted: emphasis, links, code and entities stay as they are written.
"""

import re
from typing import Final

from builders.sobhard.sources.model import Layout, Value, as_records, clip, refuse, table, trimmed

__all__ = ["RULE_LINE", "read_mdtable", "write_mdtable"]

_PIPE: Final = re.compile(r"(?<!\\)\|")
_RULE: Final = re.compile(r":?-++:?")
RULE_LINE: Final = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")
_TWO_BACKSLASHES: Final = r"\\|"


def _cells(line: str, place: int) -> list[str]:
    """The cells of a table line, ``place`` counted from 1."""
    row = line.rstrip(" \t")
    body = row.lstrip(" ")
    if len(row) - len(body) > 3:
        refuse("syntax", f"line {place} is indented by more than three spaces: a code block in Markdown")
    if _TWO_BACKSLASHES in body:
        refuse("bad-escape", f"line {place} has two backslashes before a pipe")
    if len(body) < 2 or body[0] != "|" or body[-1] != "|" or body[-2] == "\\":
        refuse("syntax", f"line {place} does not start and end with a pipe: {clip(body)}")
    return [
        trimmed(cell, f"cell {number} of line {place}").replace(r"\|", "|")
        for number, cell in enumerate(_PIPE.split(body[1:-1]), 1)
    ]


def read_mdtable(text: str, layout: Layout) -> Value:
    """A list of objects of strings, one a row under the rule.

    Raises:
        SourceRefused: syntax, bad-escape, edge-whitespace, and those of a table.
    """
    lines = text.strip("\n").split("\n")
    rows = [_cells(line, place) for place, line in enumerate(lines, 1)]
    if len(rows) < 2 or not all(map(_RULE.fullmatch, rows[1])):
        refuse("syntax", "the second line is not a rule of dashes")
    if len(rows[1]) != len(rows[0]):
        refuse("ragged-row", f"the rule has {len(rows[1])} cells, the header has {len(rows[0])}")
    return table(rows[0], rows[2:])


def write_mdtable(value: Value, layout: Layout) -> str:
    """The table of a list of objects of strings, one space on each side of a cell.

    Raises:
        SourceRefused: not-representable.
    """
    header, rows = as_records(value)
    lines = [[cell.replace("|", r"\|") for cell in row] for row in [header, *rows]]
    lines.insert(1, ["---"] * len(header))
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
