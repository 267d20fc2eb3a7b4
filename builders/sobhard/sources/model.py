"""What the fifteen readers share: the value they give, the refusal they raise, the bounds and the small checks.

A value is plain JSON data: ``dict`` with string keys in document order, ``list``, ``str``, ``int``, ``float``,
``bool``, ``None``.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

__all__ = [
    "MAX_CHARS",
    "MAX_DEPTH",
    "MAX_LINES",
    "MAX_NODES",
    "PLAIN",
    "REFUSALS",
    "Column",
    "Layout",
    "LayoutError",
    "SourceRefused",
    "Value",
    "as_records",
    "checked",
    "clip",
    "line_of",
    "no_duplicates",
    "number",
    "prepared",
    "refuse",
    "same_value",
    "table",
    "trimmed",
]

Value: TypeAlias = Any  # null, bool, int, float, str, list of values, dict of str to value

MAX_CHARS: Final = 8_000_000  # a document; the largest raw table a builder cuts its parts from has five million
MAX_LINES: Final = 200_000
MAX_NODES: Final = 100_000  # parse events or elements, where one costs microseconds and nothing else bounds them
MAX_DEPTH: Final = 100  # containers inside one another; the same answer whatever the interpreter's recursion limit

REFUSALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "alias": "an anchor or an alias: a value that stands elsewhere",
        "bad-escape": "an escape sequence or a character reference that is not one, or that readers differ on",
        "blank-name": "a column, key or section without a name",
        "blank-record": "a record whose cells are all empty: some readers skip it",
        "continuation": "a line that some readers join to the one before or after it",
        "control-character": "a control character other than tab and line feed",
        "crosses-column": "text that lies across or outside the columns",
        "date": "a date or time, which no JSON value is",
        "directive": "a directive, a document type with declarations of its own, or another instruction to the reader",
        "duplicate-key": "a key given twice in one object",
        "edge-whitespace": "a no-break or other uncommon space at an edge that is trimmed",
        "empty": "nothing but white space",
        "header": "a table head that is not one row",
        "key-not-string": "a key that is not a string",
        "line-mismatch": "a line that is not laid out as the convention says",
        "lone-carriage-return": "a carriage return that no line feed follows",
        "lone-surrogate": "half of a surrogate pair: no character, and no UTF-8",
        "markup": "markup whose reading the convention does not give",
        "mixed-content": "text beside child elements",
        "name-clash": "two things in one element that would get the same key",
        "no-records": "a table or list without a single record",
        "no-section": "a pair before the first section",
        "not-representable": "a value that the notation cannot hold, or not under this convention",
        "null-document": "a document that is null as a whole: the same as no document",
        "number-range": "a number beyond 64 bits, infinite, not a number, or rounded to zero",
        "ragged-row": "a row with more or fewer cells than the head",
        "repeated-name": "a column name given twice",
        "scalar": "a scalar whose type the versions of the notation do not agree on",
        "separator": "a pair that another usual separator would split elsewhere",
        "several-documents": "more than one document",
        "span": "a cell that spans rows or columns",
        "special-section": "a section whose values some readers copy into all others",
        "stray-quote": "a quote inside an unquoted field, or text after a closing quote",
        "syntax": "a breach of the notation's grammar",
        "tag": "an explicit type tag",
        "too-deep": f"more than {MAX_DEPTH} levels",
        "too-large": "more characters, lines or nodes than are read",
        "undeclared-entity": "an entity the notation itself does not define",
    }
)


class SourceRefused(ValueError):  # noqa: N818 - a refusal is an outcome here, not an error
    """The document has no reading, or more than one, under the notation's convention.

    Attributes:
        code: a key of ``REFUSALS``; stable.
        reason: one English sentence that says what was found and where.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


class LayoutError(ValueError):
    """A layout that describes no documents: a mistake of the caller, not of the document."""


class Column(NamedTuple):
    """A column of a fixed-width table: characters ``start`` up to, not including, ``end``, from 0; None: to the end."""

    name: str
    start: int
    end: int | None


class Layout(NamedTuple):
    """What a convention needs beyond the notation's name; the prompt states it, reader and writer follow it.

    Attributes:
        names: csv, tsv, scsv: the columns' names when the document has no header row.
        columns: fwf: the columns when the document has no header row.
        pattern: logline: ``<field>`` and literal separators, ``"<time> [<thread>] <text>"``.
        comment: csv, tsv, scsv, fwf, logline: lines that start with it are skipped.
        attributes: xml, writing only: keys whose string values become attributes.
        notes: jsonc, writing only: comments to put before the entries of the root, in order.
    """

    names: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    pattern: str = ""
    comment: str = ""
    attributes: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


PLAIN: Final = Layout()

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INT_BITS: Final = 63
_CLIP: Final = 40


def refuse(code: str, reason: str) -> NoReturn:
    """Raise the refusal."""
    raise SourceRefused(code, reason)


def clip(text: str) -> str:
    """A quotation of ``text`` for a reason: at most 40 characters of it, escaped, in double quotes."""
    shown = text if len(text) <= _CLIP else text[: _CLIP - 1] + "…"
    return (
        '"' + shown.encode("unicode_escape", "backslashreplace").decode("ascii") + '"'
        if not shown.isprintable()
        else f'"{shown}"'
    )


def prepared(text: str) -> str:
    """The document every reader starts from: one leading U+FEFF dropped, CRLF made LF, refused if it holds no text.

    Raises:
        SourceRefused: empty, too-large, lone-surrogate, lone-carriage-return, control-character.
    """
    if len(text) > MAX_CHARS:
        refuse("too-large", f"{len(text)} characters, at most {MAX_CHARS} are read")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if (lines := text.count("\n")) > MAX_LINES:
        refuse("too-large", f"{lines} lines, at most {MAX_LINES} are read")
    if "\r" in text:
        refuse("lone-carriage-return", f"line {line_of(text, text.index(chr(13)))} holds a carriage return alone")
    for pattern, code, kind in (
        (_SURROGATE, "lone-surrogate", "a lone surrogate"),
        (_CONTROL, "control-character", "the control character"),
    ):
        if found := pattern.search(text):
            refuse(code, f"line {line_of(text, found.start())} holds {kind} U+{ord(found[0]):04X}")
    if not text or text.isspace():
        refuse("empty", "the document is empty")
    return text


def line_of(text: str, position: int) -> int:
    """The line of a position, both as people count: from 1."""
    return text.count("\n", 0, position) + 1


def trimmed(text: str, where: str) -> str:
    """``text`` without spaces and tabs at its edges; other white space there, which some readers trim, is refused."""
    text = text.strip(" \t")
    if text and (text[0].isspace() or text[-1].isspace()):
        refuse("edge-whitespace", f"{where} has an uncommon space at an edge: {clip(text)}")
    return text


def number(text: str) -> float:
    """The float of a decimal literal; refused where it is infinite or a nonzero literal becomes zero."""
    value = float(text)
    if math.isinf(value) or (value == 0 and any(digit in "123456789" for digit in re.split("[eE]", text)[0])):
        refuse("number-range", f"the number {clip(text)} is beyond double precision")
    return value


def checked(value: Value) -> Value:
    """The value a notation gave, once its depth, numbers and strings are known to be ones that JSON data can hold.

    Raises:
        SourceRefused: null-document, too-deep, number-range, lone-surrogate; key-not-string and not-representable for
            what a reader never gives.
    """
    if value is None:
        refuse("null-document", "the document is null")
    todo: list[tuple[Value, int]] = [(value, 0)]
    while todo:
        item, depth = todo.pop()
        kind = type(item)
        if kind is str:
            _check_string(item)
        elif kind is int:
            if item.bit_length() > _INT_BITS and item != -(1 << _INT_BITS):
                refuse("number-range", "an integer needs more than 64 bits")
        elif kind is float:
            if not math.isfinite(item):
                refuse("number-range", f"{item} is no JSON number")
        elif kind is dict or kind is list:
            if depth >= MAX_DEPTH:
                refuse("too-deep", f"more than {MAX_DEPTH} levels")
            if kind is dict:
                for key in item:
                    if type(key) is not str:
                        refuse("key-not-string", f"the key {key!r} is not a string")
                    _check_string(key)
                item = item.values()
            todo.extend([(child, depth + 1) for child in item])
        elif kind is not bool and item is not None:
            refuse("not-representable", f"a {kind.__name__} is no JSON value")
    return value


def _check_string(text: str) -> None:
    if not text.isascii() and _SURROGATE.search(text):
        refuse("lone-surrogate", f"a string holds half of a surrogate pair: {clip(text)}")


def no_duplicates(pairs: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    """The object of key and value pairs in their order; refused where a key comes twice."""
    pairs = list(pairs)
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = first_repeated([key for key, _ in pairs])
        refuse("duplicate-key", f"the key {clip(twice or '')} is given twice in one object")
    return made


def first_repeated(names: Sequence[str]) -> str | None:
    """The first name that stands for the second time, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Value]:
    """The records of a table: one object of strings a row, keyed by the header.

    Raises:
        SourceRefused: blank-name, repeated-name, ragged-row, blank-record, no-records.
    """
    for place, name in enumerate(header, 1):
        if not name or name.isspace():
            refuse("blank-name", f"column {place} has no name")
    if (twice := first_repeated(header)) is not None:
        refuse("repeated-name", f"two columns are called {clip(twice)}")
    width = len(header)
    records: list[Value] = []
    for row in rows:
        if len(row) != width:
            refuse("ragged-row", f"record {len(records) + 1} has {len(row)} cells, the header has {width}")
        if width > 1 and not any(row):
            refuse("blank-record", f"record {len(records) + 1} has empty cells only")
        records.append(dict(zip(header, row, strict=True)))
    if not records:
        refuse("no-records", "the table has no records")
    return records


def as_records(value: Value) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a list of objects of strings that all have the same keys in the same order, for the writers.

    Raises:
        SourceRefused: not-representable.
    """
    if not isinstance(value, list) or not value or not all(isinstance(record, dict) and record for record in value):
        refuse("not-representable", "a table is a list of objects that is not empty")
    header = list(value[0])
    for place, record in enumerate(value, 1):
        if list(record) != header:
            refuse("not-representable", f"record {place} has other keys than the first, or in another order")
        if not all(isinstance(cell, str) for cell in record.values()):
            refuse("not-representable", f"record {place} holds a value that is not a string")
    return header, [list(record.values()) for record in value]


def same_value(one: Value, other: Value) -> bool:
    """Whether two values are the same, type included (``1`` is neither ``1.0`` nor ``true``), key order aside.

    Both are at most ``MAX_DEPTH`` deep.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_value(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    return bool(one == other)
