"""Delimited tables: reading records that remember which fields were quoted (RFC 4180, any delimiter)."""

import re
from functools import cache
from typing import Final, NamedTuple

__all__ = ["Field", "records_of"]


class Field(NamedTuple):
    """A field of a record.

    Attributes:
        value: the field's content, in which a doubled quote is one quote; outer white space is kept.
        quoted: whether the whole field is in double quotes.
    """

    value: str
    quoted: bool


@cache
def _pattern(delimiter: str) -> re.Pattern[str]:
    """One field and what ends it; a quote that is never closed is an ordinary character."""
    bare = rf"[^{delimiter}\n]*+"
    return re.compile(rf'(?:"((?:[^"]|"")*+)"({bare})|({bare}))({delimiter}|\n|\Z)')


def _field(quoted: str | None, rest: str | None, bare: str | None) -> Field:
    if quoted is not None:
        content = quoted.replace('""', '"')
        return Field(content, True) if not (rest or "").strip() else Field(content + (rest or ""), False)
    plain = bare or ""
    inner = plain.strip()
    # A space before the quote is no part of a quoted field.
    if len(inner) > 1 and inner[0] == inner[-1] == '"':
        return Field(inner[1:-1].replace('""', '"'), True)
    return Field(plain, False)


# No table asked for has a tenth of it; what follows cannot make a table of wrong shape right.
_MOST_FIELDS: Final = 2000


def records_of(text: str, delimiter: str) -> list[list[Field]]:
    """The records of a table, read up to a limit.

    Blank lines around the table are no records; a blank line inside it is a record of one blank field.
    """
    text = text.replace("\r\n", "\n").strip("\n \r")
    records: list[list[Field]] = [[]]
    place = 0
    for _ in range(_MOST_FIELDS):
        found = _pattern(delimiter).match(text, place)
        if found is None:  # pragma: no cover - the pattern matches everywhere
            break
        records[-1].append(_field(found.group(1), found.group(2), found.group(3)))
        place = found.end()
        if not found.group(4):
            break
        if found.group(4) == "\n":
            records.append([])
    return records
