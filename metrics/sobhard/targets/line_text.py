"""Properties and SQL INSERT as targets: our own readers, a line at a time (SOBHard contract, section 4).

Both are linear in the text, and every value is a string or null.
"""

import re
from typing import Final

from metrics.sobhard.targets.parsed import Parsed, TargetError
from metrics.sobhard.wording import clip, nouns, quoted

__all__ = ["parse_properties", "parse_sqlinsert"]

_head = re.compile(r"INSERT\s++INTO\s++records\s*+\(([^)]*+)\)\s*+VALUES\s*+\(", re.IGNORECASE).match
_blank = re.compile(r"\s*+").match
_string = re.compile(r"'((?:[^']++|'')*+)'").match
_null = re.compile(r"NULL", re.IGNORECASE).match
_FORM: Final = "INSERT INTO records (columns) VALUES (values);"


def parse_properties(text: str, usual: int) -> Parsed:
    """``key = value`` lines; ``#`` and ``!`` start comment lines; a repeated key takes its last value.

    Codes: ``no-separator``, ``empty-key``, ``no-entries``.
    """
    entries: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        trimmed = line.strip()
        if not trimmed or trimmed[0] in "#!":
            continue
        key, separator, value = trimmed.partition("=")
        key = key.strip()
        if not separator:
            raise TargetError("no-separator", f"line {number} has no '=': {quoted(trimmed)}")
        if not key:
            raise TargetError("empty-key", f"line {number} has no key before '='")
        entries[key] = value.strip()
    if not entries:
        raise TargetError("no-entries", "no line of the form key = value")
    return Parsed(entries)


def parse_sqlinsert(text: str, usual: int) -> Parsed:
    """``INSERT INTO records`` lines with one list of columns; values are ``'strings'`` or NULL.

    Codes: ``not-an-insert``, ``bad-columns``, ``other-columns``, ``bad-value``, ``wrong-count``, ``no-entries``.
    """
    records: list[dict[str, str | None]] = []
    columns: list[str] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        trimmed = line.strip()
        if not trimmed:
            continue
        found, values = _statement(trimmed, number)
        if columns is None:
            columns = _checked_columns(found, number)
        elif found != columns:
            reason = f"line {number} lists other columns, or in another order: [{clip(', '.join(found))}]"
            raise TargetError("other-columns", reason)
        if len(values) != len(columns):
            reason = f"line {number} has {nouns(len(values), 'value')} for {nouns(len(columns), 'column')}"
            raise TargetError("wrong-count", reason)
        records.append(dict(zip(columns, values, strict=True)))
    if not records:
        raise TargetError("no-entries", f"no line of the form {_FORM}")
    return Parsed(records)


def _statement(line: str, number: int) -> tuple[list[str], list[str | None]]:
    head = _head(line)
    body = line[:-1].rstrip()
    if not head or line[-1] != ";" or not body.endswith(")") or len(body) <= head.end():
        raise TargetError("not-an-insert", f"line {number} is not {_FORM} but {quoted(line)}")
    columns = [column.strip() for column in head.group(1).split(",")]
    return columns, _values(body[head.end() : -1], number)


def _values(text: str, number: int) -> list[str | None]:
    """The values of a list; one comma may follow the last."""
    values: list[str | None] = []
    at = _skip(text, 0)
    while at < len(text):
        string = _string(text, at)
        found = string or _null(text, at)
        if not found:
            raise TargetError("bad-value", f"line {number}: no 'string' and no NULL at {quoted(text[at : at + 40])}")
        values.append(string.group(1).replace("''", "'") if string else None)
        at = _skip(text, found.end())
        if at < len(text):
            if text[at] != ",":
                raise TargetError("bad-value", f"line {number}: no comma before {quoted(text[at : at + 40])}")
            at = _skip(text, at + 1)
    return values


def _skip(text: str, at: int) -> int:
    blank = _blank(text, at)
    assert blank is not None  # the pattern matches everywhere
    return blank.end()


def _checked_columns(columns: list[str], number: int) -> list[str]:
    if not all(columns):
        raise TargetError("bad-columns", f"line {number} has a column without a name")
    if len(set(columns)) != len(columns):
        raise TargetError("bad-columns", f"line {number} names a column twice: [{clip(', '.join(columns))}]")
    return columns
