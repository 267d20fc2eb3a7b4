"""LightEval's details file, written piece by piece: a large run is never in memory twice."""

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from datasets import Features
from pyarrow import parquet

__all__ = ["write_details"]

_ROWS: Final = 1_000  # of a piece


def write_details(path: Path, details: Sequence[Any]) -> None:
    """Write a task's details as LightEval does: a Parquet file with the columns in the order of their names.

    The columns' types are known only when every row was seen (a field may be null in the first thousand rows), so the
    rows are gone through twice. Casting a piece of other types instead fails on nulls in nested lists.

    Args:
        path: where the file is written; its folder exists.
        details: dataclass instances, one a sample.

    Raises:
        OSError: the file cannot be written.
    """
    schemas = [pa.Table.from_pylist(rows).schema for rows in _pieces(details)]
    # The metadata is what `datasets` writes, and reads the types from.
    schema = Features.from_arrow_schema(pa.unify_schemas(schemas, promote_options="permissive")).arrow_schema
    beside = path.with_suffix(".tmp")
    with parquet.ParquetWriter(beside, schema) as writer:
        for rows in _pieces(details):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    beside.replace(path)


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
