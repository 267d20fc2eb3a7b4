r"""logline: one record a line, either named pairs or fields in places that a pattern shows. All values are strings.

Pairs: ``key=value`` set apart by spaces; a value with a space, a quote or a backslash in it stands in double quotes
with JSON's escapes. Pattern: ``"<time> [<thread>] <text>"``: a name in angle brackets is a field, what stands between
two is a separator; a field ends before the first separator that follows it, the last one takes the rest of the line.
"""

import re
from typing import Final, NamedTuple

from builders.sobhard.sources.json_family import json_text, read_json
from builders.sobhard.sources.model import (
    PLAIN,
    Layout,
    LayoutError,
    SourceRefused,
    Value,
    as_records,
    clip,
    no_duplicates,
    refuse,
    table,
    trimmed,
)

__all__ = ["read_logline", "write_logline"]

_PAIR: Final = re.compile(r'([^\s="]++)=(?:("(?:[^"\\]++|\\.)*+")|([^\s"]*+))(?: ++|\Z)')
_BARE: Final = re.compile(r'[^\s"\\]*')
_KEY: Final = re.compile(r'[^\s="]+')
_FIELD: Final = re.compile("<([^<>]+)>")


class _Pattern(NamedTuple):
    """A pattern taken apart: ``names[i]`` is followed by ``separators[i]``, the last of which ends the line."""

    start: str
    names: tuple[str, ...]
    separators: tuple[str, ...]


def _pattern(text: str) -> _Pattern:
    """A pattern of a layout.

    Raises:
        LayoutError: no field, a name twice, two fields with nothing or only spaces apart where one may be empty.
    """
    pieces = _FIELD.split(text)
    names, literals = tuple(pieces[1::2]), tuple(pieces[::2])
    if (
        not names
        or len(set(names)) != len(names)
        or any(character in "<>" for piece in literals for character in piece)
    ):
        raise LayoutError(f"no pattern of fields with names of their own: {text!r}")
    if not all(literals[1:-1]):
        raise LayoutError(f"two fields with no separator between them: {text!r}")
    return _Pattern(literals[0], names, literals[1:])


def _fields(pattern: _Pattern, line: str, place: int) -> list[str]:
    """The fields of one line."""
    if not line.startswith(pattern.start):
        refuse("line-mismatch", f"record {place} does not start with {clip(pattern.start)}: {clip(line)}")
    cells = []
    position = len(pattern.start)
    last = len(pattern.names) - 1
    for number, (name, separator) in enumerate(zip(pattern.names, pattern.separators, strict=True)):
        while line.startswith(" ", position):
            position += 1
        if number < last:
            end = line.find(separator, position)
        else:
            end = len(line) - len(separator) if line.endswith(separator) else -1
        if end < position:
            refuse("line-mismatch", f"record {place} has no {clip(separator)} after the field {name}: {clip(line)}")
        cells.append(trimmed(line[position:end], f"the field {name} of record {place}"))
        position = end + len(separator)
    return cells


def _unquoted(quoted: str, place: int) -> Value:
    try:
        return read_json(quoted, PLAIN)
    except SourceRefused as refusal:
        if refusal.code != "syntax":
            raise
        return refuse("bad-escape", f"record {place} has an escape that JSON does not know: {clip(quoted)}")


def _pairs(line: str, place: int) -> dict[str, Value]:
    """The pairs of one line, without white space at its edges."""
    pairs: list[tuple[str, Value]] = []
    position = 0
    while position < len(line):
        found = _PAIR.match(line, position)
        if found is None:
            refuse("line-mismatch", f"record {place} has something other than key=value at {clip(line[position:])}")
        key, quoted, bare = found.groups()
        pairs.append((key, bare if quoted is None else _unquoted(quoted, place)))
        position = found.end()
    return no_duplicates(pairs)


def _lines(text: str, comment: str) -> list[str]:
    lines = [line.rstrip(" ") for line in text.split("\n")]
    return [line for line in lines if line and not (comment and line.startswith(comment))]


def read_logline(text: str, layout: Layout) -> Value:
    """A list of objects of strings, one a line; blank lines are skipped.

    Raises:
        SourceRefused: line-mismatch, duplicate-key, bad-escape, edge-whitespace, no-records.
        LayoutError: a pattern that divides no lines.
    """
    lines = _lines(text, layout.comment)
    if layout.pattern:
        pattern = _pattern(layout.pattern)
        return table(pattern.names, [_fields(pattern, line, place) for place, line in enumerate(lines, 1)])
    if not lines:
        refuse("no-records", "the document has comments only")
    return [_pairs(line.lstrip(" "), place) for place, line in enumerate(lines, 1)]


def _pair(key: str, value: Value) -> str:
    if not isinstance(value, str) or not _KEY.fullmatch(key):
        refuse("not-representable", f"the pair under {clip(key)} is no key=value of a string")
    return f"{key}={value if _BARE.fullmatch(value) else json_text(value)}"


def write_logline(value: Value, layout: Layout) -> str:
    """One line a record.

    Raises:
        SourceRefused: not-representable.
        LayoutError: a pattern that divides no lines.
    """
    if layout.pattern:
        pattern = _pattern(layout.pattern)
        header, rows = as_records(value)
        if list(pattern.names) != header:
            refuse("not-representable", "the records have other keys than the pattern")
        ends = pattern.separators
        return "".join(
            pattern.start + "".join(cell + end for cell, end in zip(row, ends, strict=True)) + "\n" for row in rows
        )
    if not isinstance(value, list) or not all(isinstance(record, dict) and record for record in value):
        refuse("not-representable", "a log is a list of objects of strings")
    return "".join(" ".join(_pair(key, item) for key, item in record.items()) + "\n" for record in value)
