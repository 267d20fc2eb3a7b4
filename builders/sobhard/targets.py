"""References written out: a value in a target notation, read back by the builder's reader and by the scorer's.

Both must give the same value, types included, and the same order of keys where it is graded. What a notation cannot
hold, and what a reader who follows the prompt would naturally write in a way the scorer refuses, is refused.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from builders.sobhard import sources
from builders.sobhard.corpus.admission import FENCE
from builders.sobhard.sources.model import same_value
from metrics.sobhard.targets import TARGETS, parse

__all__ = ["TargetRefused", "read_target", "write_target"]

_HEAD: Final = "INSERT INTO records ("
_COLUMN: Final = re.compile(r"[^\W\d]\w*")
# A writer of SQL would put these in quotes, which the contract takes for part of the name.
_RESERVED: Final = (
    "add all alter analyze and as asc between by case check collate column commit constraint create cross current_date "
    "current_time current_timestamp database default delete desc describe distinct drop else end escape except exists "
    "explain fetch for foreign from full grant group having if in index inner insert intersect interval into is join "
    "key keys kill left like limit lock match natural not null of offset on option or order outer partition precision "
    "primary procedure range rank read references regexp rename replace return revoke right row rows schema select set "
    "show some table then to trigger union unique unlock update usage use user using values view when where window "
    "with write"
)
_SQL_WORDS: Final = frozenset(_RESERVED.split())
# These notations may write a text of several lines as lines.
_RAW_LINES: Final = frozenset({"yaml", "toml"})


class TargetRefused(ValueError):  # noqa: N818 - a refusal is an outcome here, not an error
    """A value that a target notation does not hold, or a text that is no document of it; the message says why."""


def write_target(target: str, value: Any, ordered: bool = False) -> str:
    """A value as a reference document, without a final newline.

    Args:
        target: one of the six notations.
        value: the answer.
        ordered: whether the order of keys is graded.

    Raises:
        TargetRefused, SourceRefused: the notation does not hold the value, or not in this order.
    """
    if value in ({}, []):
        raise TargetRefused("an empty document is no answer")
    if target in _RAW_LINES and any(FENCE.search(text) for text in _texts(value)):
        raise TargetRefused(f"a text has a line that ends a block of code, and {target} may write it as a line")
    text = _insert_statements(value) if target == "sqlinsert" else sources.write(target, value)
    text = text.removesuffix("\n")
    for reader, found in (
        ("the builder", read_target(target, text)),
        ("the scorer", parse(TARGETS[target], text, len(text)).value),
    ):
        if not same_value(found, value):
            raise TargetRefused(f"{reader} reads {target} back as another value")
        if ordered and json.dumps(found) != json.dumps(value):
            raise TargetRefused(f"{target} does not keep the order of keys")
    return text


def read_target(target: str, text: str) -> Any:
    """The value of a reference, read by the builder's own readers.

    Raises:
        TargetRefused, SourceRefused: the text is no document of the notation.
    """
    return _read_inserts(text) if target == "sqlinsert" else sources.read(target, text)


def _texts(value: Any) -> Iterator[str]:
    """The strings of a value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _texts(entry)


# SQL ------------------------------------------------------------------------------------------------------------------


def _insert_statements(records: Any) -> str:
    """One INSERT statement a record, all with the columns of the first."""
    if not isinstance(records, list) or not all(isinstance(record, dict) and record for record in records):
        raise TargetRefused("SQL holds a list of records")
    columns = list(records[0])
    for column in columns:
        if not _COLUMN.fullmatch(column) or column.lower() in _SQL_WORDS:
            raise TargetRefused(f"{column!r} is no column name without quotes")
    lines = []
    for number, record in enumerate(records, 1):
        if record.keys() != records[0].keys():
            raise TargetRefused(f"record {number} has other fields than the first")
        cells = ", ".join(_sql_cell(record[column]) for column in columns)
        lines.append(f"{_HEAD}{', '.join(columns)}) VALUES ({cells});\n")
    return "".join(lines)


def _sql_cell(value: Any) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        raise TargetRefused(f"no string: {value!r}")
    if "\n" in value or "\r" in value:
        raise TargetRefused(f"a string with a line break stands on no one line: {value!r}")
    return "'" + value.replace("'", "''") + "'"


def _read_inserts(text: str) -> list[dict[str, str | None]]:
    """The records of statements as they are written above."""
    records = []
    for line in text.split("\n"):
        names, middle, rest = line.removeprefix(_HEAD).partition(") VALUES (")
        if not line.startswith(_HEAD) or not middle or not rest.endswith(");"):
            raise TargetRefused(f"no INSERT statement: {line!r}")
        cells = list(_read_cells(rest.removesuffix(");")))
        records.append(dict(zip(names.split(", "), cells, strict=True)))
    return records


def _read_cells(text: str) -> Iterator[str | None]:
    position = 0
    while True:
        if text.startswith("NULL", position):
            cell, position = None, position + len("NULL")
        else:
            cell, position = _read_string(text, position)
        yield cell
        if position == len(text):
            return
        if not text.startswith(", ", position):
            raise TargetRefused(f"no comma at {text[position:]!r}")
        position += len(", ")


def _read_string(text: str, start: int) -> tuple[str | None, int]:
    """A string and the place after its closing quote."""
    end = text.find("'", start + 1)
    while text.startswith("''", end) and end > 0:
        end = text.find("'", end + 2)
    if not text.startswith("'", start) or end < 0:
        raise TargetRefused(f"no string at {text[start:]!r}")
    return text[start + 1 : end].replace("''", "'"), end + 1
