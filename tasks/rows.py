"""Rows of local files, and how a bad one is reported: what a row must hold is each benchmark's to say."""

import codecs
import csv
import io
import json
import re
import string
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from metrics.row_error import RowError
from tasks.benchmark import DatasetError

__all__ = [
    "Row",
    "check_rows",
    "check_storable",
    "file_of",
    "find_splits",
    "read_jsonl",
    "read_rows",
    "template_slots",
    "text_at",
    "value_at",
]

Row = Mapping[str, Any]
_Read = TypeVar("_Read")
_SUFFIXES: Final = (".jsonl", ".csv", ".parquet")  # of files that are looked for in folders
_CSV_FIELD_LIMIT: Final = 1 << 24  # characters; the csv module's own limit is 131,072
_NAMED: Final = 5  # bad rows that a message names


# Files ----------------------------------------------------------------------------------------------------------------


def find_splits(source: Path, splits: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, list[Path]]:
    """Files of each split, in order; an absent split has none.

    Args:
        source: a folder, itself or its ``data`` holding ``test.EXT`` or the Hub's ``test-00000-of-00001.EXT``, or no
            more than one file of rows; or one file of the first split's rows, beside which files of the others may lie.
        splits: names of the files, without their endings, by split; the first split is the one that is evaluated.
        names: what else ``--dataset`` takes, for messages.

    Raises:
        DatasetError: no rows of the first split, or several files that could be a split.
    """
    first, *others = splits
    if source.is_dir():
        found = {split: _of_split([source, source / "data"], split, stems) for split, stems in splits.items()}
        found[first] = found[first] or _alone(source, {stem for split in others for stem in splits[split]})
        if not found[first]:
            there = sorted(path.name for path in source.iterdir())
            holds = f"it holds {', '.join(there[:_NAMED])}{', ...' * (len(there) > _NAMED)}" if there else "it is empty"
            raise DatasetError(f"--dataset {source}: no {file_of(splits[first][0])} in it or its data folder; {holds}")
        return found
    if not source.is_file():
        raise DatasetError(f"--dataset {source}: no such file or folder; names: {', '.join(names)}")
    if source.suffix not in _READERS:
        raise DatasetError(f"--dataset {source}: a file must end in {', '.join(_READERS)}, .zip")
    beside = {split: _of_split([source.parent], split, splits[split]) for split in others}
    return {first: [source]} | {split: [path for path in beside[split] if path != source] for split in others}


def file_of(split: str) -> str:
    """The file of a split's rows, for messages."""
    return f"{split}{{{','.join(_SUFFIXES)}}}"


def _of_split(folders: Sequence[Path], split: str, stems: Sequence[str]) -> list[Path]:
    whole, parts = [], []
    for folder in filter(Path.is_dir, folders):
        for stem in stems:
            for suffix in _SUFFIXES:
                whole += [[path] for path in [folder / f"{stem}{suffix}"] if path.is_file()]
                parts.append(sorted(folder.glob(f"{stem}-[0-9]*-of-[0-9]*{suffix}")))
    candidates = whole + [paths for paths in parts if paths]
    if len(candidates) > 1:
        listed = ", ".join(str(paths[0]) for paths in candidates)
        raise DatasetError(f"--dataset: several files could be the {split} split: {listed}; leave one, or name a file")
    return candidates[0] if candidates else []


def _alone(folder: Path, taken: set[str]) -> list[Path]:
    """The only file of rows in a folder, whatever its name, but for those of other splits."""
    files = [path for path in folder.iterdir() if path.suffix in _SUFFIXES and path.stem not in taken]
    return files if len(files) == 1 else []


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a file, by its suffix: JSON Lines, CSV with commas, Parquet.

    Raises:
        DatasetError: it cannot be read; the file, and where there is one the line, is named.
    """
    try:
        return _READERS[path.suffix](path)
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: {error}") from error


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line; blank lines are skipped.

    Raises:
        DatasetError: a line is no JSON object (the line is named).
        OSError: the file cannot be read.
    """
    rows = []
    for number, line in enumerate(re.split("\r\n?|\n", _text(path)), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path}, line {number}: not JSON, an object a line ({error})") from error
        if not isinstance(row, dict):
            raise DatasetError(f"{path}, line {number}: a row must be a JSON object, found {type(row).__name__}")
        rows.append(row)
    return rows


def _text(path: Path) -> str:
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DatasetError(f"{path}, line {line}: not UTF-8 ({error})") from error


def _read_csv(path: Path) -> list[dict[str, Any]]:
    limit, text = csv.field_size_limit(_CSV_FIELD_LIMIT), _text(path)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    rows: list[dict[str, Any]] = []
    try:
        names = reader.fieldnames or ()
        if len(set(names)) < len(names):
            raise DatasetError(f"{path}: two columns have one name: {', '.join(map(repr, names))}")
        for row in reader:
            if None in row or None in row.values():
                raise DatasetError(f"{path}, line {reader.line_num}: not as many values as columns")
            rows.append(dict(row))
        return rows
    except csv.Error as error:
        raise DatasetError(f"{path}, line {reader.reader.line_num}: not CSV with commas ({error})") from error
    finally:
        csv.field_size_limit(limit)


def _read_parquet(path: Path) -> list[dict[str, Any]]:
    import pyarrow
    from pyarrow import parquet

    try:
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException, ValueError) as error:
        raise DatasetError(f"{path}: not Parquet ({error})") from error
    return rows


_READERS: Final[Mapping[str, Callable[[Path], list[dict[str, Any]]]]] = {
    ".jsonl": read_jsonl,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
    ".json": read_jsonl,
}


# Checks ---------------------------------------------------------------------------------------------------------------


def check_rows(rows: Sequence[Row], where: str, read: Callable[[Row], _Read]) -> list[_Read]:
    """What is read of each row of a split.

    Args:
        rows: in file order.
        where: name of the dataset and the split, for messages.
        read: checks one row; raises RowError.

    Raises:
        DatasetError: rows are bad; the first one is reported as ``NAME SPLIT, row N, field: problem``, the others by
            number.
    """
    found: list[_Read] = []
    bad: dict[int, RowError] = {}
    for number, row in enumerate(rows, start=1):
        try:
            found.append(read(row))
        except RowError as error:
            bad[number] = error
        except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
            # No check has a word for it, but it is still the row that is bad.
            bad[number] = RowError(f"cannot be read ({type(error).__name__}: {error})")
    if bad:
        (number, first), numbers = next(iter(bad.items())), list(bad)
        place = f", {first.place}" if first.place else ""
        listed = ", ".join(map(str, numbers[:_NAMED])) + (f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else "")
        more = f" ({len(bad)} of {len(rows)} rows are bad: {listed})" if len(bad) > 1 else ""
        raise DatasetError(f"{where}, row {number}{place}: {first.problem}{more}")
    return found


def value_at(row: Row, path: str, *, optional: bool = False) -> Any:
    """What a row holds under a dotted path.

    Args:
        optional: whether the last field may be absent, which counts as null.

    Raises:
        RowError: nothing is there, or something on the way is no object.
    """
    found: Any = row
    *outer, last = path.split(".")
    for depth, name in enumerate([*outer, last]):
        if not isinstance(found, Mapping):
            raise RowError(f"must be an object, found {type(found).__name__}", ".".join(outer[:depth]))
        if name not in found and not (optional and depth == len(outer)):
            raise RowError("is missing", ".".join([*outer, last][: depth + 1]))
        found = found.get(name)
    return found


def text_at(row: Row, path: str, *, optional: bool = False, blank: bool = True) -> str:
    """The text that a row holds under a dotted path.

    Args:
        optional: whether it may be absent or null, which counts as empty.
        blank: whether it may be blank.

    Raises:
        RowError: it is missing, no text, or blank where it must not be.
    """
    value = value_at(row, path, optional=optional)
    if optional and value is None:
        value = ""
    if not isinstance(value, str):
        raise RowError(f"must be a text{' or null' if optional else ''}, found {type(value).__name__}", path)
    if not blank and not value.strip():
        raise RowError("must be a text that is not blank", path)
    return value


def template_slots(row: Row) -> list[tuple[str, str, str | None]]:
    """(slot, format, conversion) of the template in a row's ``instruction``, in the order of the text.

    Raises:
        RowError: it is no template.
    """
    template = text_at(row, "instruction")
    try:
        parsed = list(string.Formatter().parse(template))
    except ValueError as error:
        raise RowError(f"is no template: {error}", "instruction") from error
    return [(name, spec or "", conversion) for _, name, spec, conversion in parsed if name is not None]


def check_storable(value: Any, place: str = "") -> None:
    """Every text in JSON values has a UTF-8 form.

    Raises:
        RowError: one has none; it is named.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise RowError("holds half a surrogate pair, which can be neither sent nor stored", place) from None
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            check_storable(name, place)
            check_storable(inner, f"{place}.{name}" if place else name)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            check_storable(inner, f"{place}[{number}]")
