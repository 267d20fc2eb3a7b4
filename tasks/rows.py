"""Rows of local files, as they stand: what a row must hold is each benchmark's to say."""

import json
from pathlib import Path
from typing import Any

from tasks.benchmark import DatasetError

__all__ = ["check_storable", "read_jsonl", "read_parquet"]


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line; blank lines are passed over.

    Raises:
        DatasetError: it cannot be read, or a line is no JSON object (the line is named).
    """
    rows = []
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path}, line {number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise DatasetError(f"{path}, line {number}: a row must be a JSON object, found {type(row).__name__}")
        rows.append(row)
    return rows


def read_parquet(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file.

    Raises:
        DatasetError: it cannot be read.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException, ValueError) as error:
        raise DatasetError(f"{path}: not Parquet ({error})") from error
    return rows


def check_storable(text: str) -> None:
    """A row's text has a UTF-8 form.

    Raises:
        ValueError: it has none.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it holds half a surrogate pair, which can be neither sent nor stored") from None
