"""LightEval's details file, written piece by piece: a large run is never in memory twice."""

import dataclasses
import itertools
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
from datasets import Features
from pyarrow import parquet

__all__ = ["write_details"]

_ROWS: Final = 1_000  # of a piece


def write_details(path: Path, details: Iterable[Any]) -> None:
    """Write a task's details as LightEval does: a Parquet file with the columns in the order of their names.

    The columns' types are known only when every row was seen (a field may be null in the first thousand rows), so the
    pieces wait on disk, each with its own types, until all of them have been made.

    Args:
        path: of the file; its folder is there.
        details: dataclass instances, one a sample.

    Raises:
        OSError: a file cannot be written.
    """
    with tempfile.TemporaryFile(dir=path.parent) as kept:
        schemas = [_keep(kept, rows) for rows in _pieces(details)]
        # The metadata is what `datasets` writes, and reads the types from.
        schema = Features.from_arrow_schema(pa.unify_schemas(schemas, promote_options="permissive")).arrow_schema
        kept.seek(0)
        beside = path.with_suffix(".tmp")
        with parquet.ParquetWriter(beside, schema) as writer:
            for _ in schemas:
                writer.write_table(pa.ipc.open_stream(kept).read_all().cast(schema))
        beside.replace(path)


def _pieces(details: Iterable[Any]) -> Iterator[list[dict[str, Any]]]:
    rows = map(_row, details)
    while piece := list(itertools.islice(rows, _ROWS)):
        yield piece


def _keep(file: IO[bytes], rows: list[dict[str, Any]]) -> pa.Schema:
    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    return table.schema


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
