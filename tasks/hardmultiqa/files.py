"""Rows of local files: JSON Lines, CSV, Parquet."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from tasks.benchmark import DatasetError
from tasks.rows import read_jsonl, read_parquet

__all__ = ["SPLITS", "SUFFIXES", "find_splits", "read_rows"]

SPLITS: Final = ("test", "fewshot")
Row = dict[str, Any]
_CSV_FIELD_LIMIT: Final = 1 << 24  # characters; the csv module's own limit is 131,072


def find_splits(source: Path) -> dict[str, list[Path]]:
    """Files of each split, in order; an absent split has none.

    Args:
        source: a folder, itself or its ``data`` holding ``test.EXT`` or the Hub's ``test-00000-of-00001.EXT``, same
            for ``fewshot``; or one file of test rows, beside which a ``fewshot`` file of any form may lie.

    Raises:
        DatasetError: no test rows, or several files that could be a split.
    """
    if source.is_dir():
        found = {split: _of_split([source, source / "data"], split) for split in SPLITS}
        if not found["test"]:
            raise DatasetError(f"--dataset {source}: no test{{{','.join(SUFFIXES)}}} in this folder or its data folder")
        return found
    if not source.is_file():
        raise DatasetError(f"--dataset {source}: no such file or folder; names: builtin, official")
    if source.suffix not in _READERS:
        raise DatasetError(f"--dataset {source}: a file must end in {', '.join(SUFFIXES)}")
    shots = [path for path in _of_split([source.parent], "fewshot") if path.name != source.name]
    return {"test": [source], "fewshot": shots}


def _of_split(folders: list[Path], split: str) -> list[Path]:
    whole = [folder / f"{split}{suffix}" for folder in folders for suffix in SUFFIXES]
    whole = [path for path in whole if path.is_file()]
    parts = [
        sorted(folder.glob(f"{split}-[0-9]*-of-[0-9]*{suffix}")) if folder.is_dir() else []
        for folder in folders
        for suffix in SUFFIXES
    ]
    candidates = [[path] for path in whole] + [paths for paths in parts if paths]
    if len(candidates) > 1:
        names = ", ".join(str(paths[0]) for paths in candidates)
        raise DatasetError(f"several files could be the {split} split: {names}; leave one, or name a file")
    return candidates[0] if candidates else []


def read_rows(path: Path) -> list[Row]:
    """Rows of a file, by its suffix.

    Raises:
        DatasetError: it cannot be read; the file, and where there is one the line, is named.
    """
    try:
        return _READERS[path.suffix](path)
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: {error}") from error


def _read_csv(path: Path) -> list[Row]:
    limit = csv.field_size_limit(_CSV_FIELD_LIMIT)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            rows: list[Row] = []
            names = reader.fieldnames or ()
            if len(set(names)) < len(names):
                raise DatasetError(f"{path}: two columns have one name: {', '.join(map(repr, names))}")
            for row in reader:
                if None in row or None in row.values():
                    raise DatasetError(f"{path}, line {reader.line_num}: not as many values as columns")
                rows.append(dict(row))
            return rows
    except csv.Error as error:
        raise DatasetError(f"{path}: not CSV with commas ({error})") from error
    finally:
        csv.field_size_limit(limit)


_READERS: Final[Mapping[str, Callable[[Path], list[Row]]]] = {
    ".jsonl": read_jsonl,
    ".csv": _read_csv,
    ".parquet": read_parquet,
}
SUFFIXES: Final = tuple(_READERS)
