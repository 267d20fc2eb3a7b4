"""LightEval's details file, written piece by piece: a large run is never in memory twice."""

import contextlib
import dataclasses
import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from datasets import Features
from pyarrow import parquet

__all__ = ["write_details"]

_ROWS: Final = 1_000  # of a piece
_INTEGERS: Final = range(-(2**63), 2**63)
_Pieces = Callable[[], Iterator[list[dict[str, Any]]]]
_Fit = Callable[[Any], Any]


def write_details(path: Path, details: Sequence[Any]) -> None:
    """Write a task's details as LightEval does: a Parquet file with the columns in the order of their names.

    The columns' types are known only when every row was seen (a field may be null in the first thousand rows), so the
    rows are gone through twice. Casting a piece of other types instead fails on nulls in nested lists.

    Rows that have no common types are written all the same: see :func:`_fit_to`.

    Args:
        path: where the file is written; its folder exists.
        details: dataclass instances, one a sample.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        _write(path, lambda: _pieces(details))
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        # A ValueError is also a text without a UTF-8 form. Arrow's errors of the disk are OSErrors, which go on.
        rows = [row for piece in _pieces(details) for row in piece]
        fit = _fit_to(rows)
        _write(path, lambda: ([fit(row) for row in rows[at : at + _ROWS]] for at in range(0, len(rows), _ROWS)))


def _write(path: Path, pieces: _Pieces) -> None:
    schemas = [pa.Table.from_pylist(rows).schema for rows in pieces()]
    # The metadata is what `datasets` writes, and reads the types from.
    schema = Features.from_arrow_schema(pa.unify_schemas(schemas, promote_options="permissive")).arrow_schema
    beside = path.with_suffix(".tmp")
    try:
        with parquet.ParquetWriter(beside, schema) as writer:
            for rows in pieces():
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        # Arrow's own words are long, and its names of a full disk's file are none.
        raise OSError(error.errno, os.strerror(error.errno) if error.errno else str(error), str(path)) from error


def _pieces(details: Sequence[Any]) -> Iterator[list[dict[str, Any]]]:
    rows = map(_row, details)
    while piece := list(itertools.islice(rows, _ROWS)):
        yield piece


def _row(detail: Any) -> dict[str, Any]:
    row = _plain(detail)
    return {name: row[name] for name in sorted(row)}


def _plain(value: Any) -> Any:
    """Dataclasses as dictionaries, wherever LightEval nests them; the rest is not copied."""
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list) and any(map(dataclasses.is_dataclass, value)):
        return [_plain(item) for item in value]
    return value


def _fit_to(values: Sequence[Any]) -> _Fit:
    """What turns any of the values into one that a column of them can hold; nulls stay null.

    Where the values are of unlike types (a number beside a text, an object beside a list), or of one that no column
    has (integers over 64 bits, objects without fields), that field alone becomes JSON text. Half surrogate pairs are
    escaped.
    """
    known = [value for value in values if value is not None]
    kinds = {type(value) for value in known}
    if kinds <= {bool} or (kinds <= {int} and all(value in _INTEGERS for value in known)) or kinds <= {float}:
        return lambda value: value
    if kinds <= {str}:
        return lambda value: None if value is None else _storable(value)
    if kinds <= {list, tuple}:
        item = _fit_to([item for value in known for item in value])
        return lambda value: None if value is None else [item(inner) for inner in value]
    if all(isinstance(value, Mapping) and all(type(name) is str for name in value) for value in known):
        names = list(dict.fromkeys(name for value in known for name in value))
        fields = {name: _fit_to([value.get(name) for value in known]) for name in names}
        if fields:
            return lambda value: (
                None if value is None else {_storable(name): fit(value.get(name)) for name, fit in fields.items()}
            )
    return lambda value: None if value is None else _storable(_text(value))


def _text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
