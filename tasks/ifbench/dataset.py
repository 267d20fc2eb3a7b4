"""Finding, checking and normalising an IFBench dataset (IFBench notes, sections 1 and 6.3).

Whatever the source, the runner ends up with one local folder with a ``test.jsonl`` whose rows were checked: a row whose
arguments a checker would not take stops the run before a single token is generated.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from metrics.ifbench import ResourceError, check_resources
from metrics.ifbench.records import scoring_key
from tasks.benchmark import DatasetError, DatasetHandle, DatasetRequest
from tasks.folders import file_sha256, write_copy
from tasks.hub import download
from tasks.ifbench.card import render_card
from tasks.rows import check_storable, read_jsonl, read_parquet

__all__ = ["BUILTIN", "OFFICIAL", "OFFICIAL_ROWS_SHA256", "load_dataset", "rows_sha256"]

Row = Mapping[str, Any]

BUILTIN: Final = Path(__file__).with_name("data")
OFFICIAL: Final = "allenai/IFBench_test"
_OFFICIAL_SPLIT: Final = "train"
# Over the 300 rows of data/IFBench_test.jsonl in allenai/IFBench at commit db69a6f (2026-08-19), see rows_sha256.
OFFICIAL_ROWS_SHA256: Final = "7a4786d86ecbedfdf01d4c34934bdc237b7cda69408f3676174a8e1c42d2b2d3"
FIELDS: Final = ("key", "prompt", "instruction_id_list", "kwargs")
_ADVICE: Final = "Give a copy of its file: --dataset IFBench_test.jsonl; or use the set shipped here: --dataset builtin"
_BUILTIN_NOTE: Final = "prompts of this project, not the official ones: scores do not compare with published numbers"
_SAME_NOTE: Final = "the official rows (allenai/IFBench at db69a6f, 2026-08-19)"
_OTHER_NOTE: Final = "the rows differ from those of allenai/IFBench at db69a6f (2026-08-19)"


def load_dataset(request: DatasetRequest) -> DatasetHandle:
    """Make a dataset available locally and check every row.

    Args:
        request: its name is ``builtin``, ``official``, a ``.jsonl`` or ``.parquet`` file in the official schema, or a
            folder that holds a single one (or one by the name of ``test`` or ``IFBench_test``); its cache folder is
            made only when a copy is needed; without a revision the Hub's newest is taken and recorded.

    Raises:
        DatasetError: it cannot be had, a row is bad (the row is named), or the dictionaries that the checkers need
            are not installed.
    """
    try:
        check_resources()
    except ResourceError as error:
        raise DatasetError(f"ifbench: {error}") from error
    if request.name == "builtin":
        rows = read_jsonl(BUILTIN / "test.jsonl")
        _check(rows, "builtin")
        return _handle("builtin", BUILTIN, None, _BUILTIN_NOTE)
    if request.name == "official":
        found, splits = download(OFFICIAL, [_OFFICIAL_SPLIT], request.revision, _ADVICE)
        rows = [{field: row[field] for field in FIELDS if field in row} for row in splits[_OFFICIAL_SPLIT]]
        _check(rows, "official")
        same = rows_sha256(rows) == OFFICIAL_ROWS_SHA256
        return _normalise("official", rows, request.cache, found, "" if same else _OTHER_NOTE)
    path = _file_at(request.name)
    rows = read_parquet(path) if path.suffix == ".parquet" else read_jsonl(path)
    _check(rows, request.name)
    note = _SAME_NOTE if rows_sha256(rows) == OFFICIAL_ROWS_SHA256 else ""
    return _normalise(request.name, rows, request.cache, None, note)


def rows_sha256(rows: Sequence[Row]) -> str:
    """Hex digest of what a set asks for, whatever its form: keys, prompts and constraints, in the order of the keys."""
    texts = sorted(json.dumps([row["key"], scoring_key(row)]) for row in rows)
    return hashlib.sha256("\n".join(texts).encode("ascii")).hexdigest()


def _file_at(name: str) -> Path:
    path = Path(name)
    if path.is_file() and path.suffix in (".jsonl", ".json", ".parquet"):
        return path
    if path.is_dir():
        files = sorted(found for ending in ("jsonl", "parquet") for found in path.glob(f"*.{ending}"))
        named = [file for file in files if file.stem in ("test", "IFBench_test")]
        if len(named or files) == 1:
            return (named or files)[0]
    raise DatasetError(
        f"--dataset {name}: no .jsonl or .parquet file, and no folder with one of them alone; names: official, builtin"
    )


def _check(rows: Sequence[dict[str, Any]], where: str) -> None:
    """Every row has what prompt and checkers read; keys are unique. A key that is a number becomes a text."""
    if not rows:
        raise DatasetError(f"--dataset {where}: no rows")
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        try:
            if isinstance(row["key"], int) and not isinstance(row["key"], bool):
                row["key"] = str(row["key"])
            _check_fields(row)
            check_storable(scoring_key(row) + _line(row))
        except KeyError as error:
            raise DatasetError(f"--dataset {where}, row {number}: field {error} is missing") from error
        except (TypeError, ValueError, RecursionError) as error:  # ArgumentsError is a ValueError
            raise DatasetError(f"--dataset {where}, row {number}: {error}") from error
        key = row["key"]
        if key in seen:
            raise DatasetError(f"--dataset {where}: rows {seen[key]} and {number} share the key {key!r}")
        seen[key] = number


def _check_fields(row: Row) -> None:
    """
    Raises:
        KeyError: a field is missing.
        ValueError: a field is of the wrong kind.
    """
    for field in ("key", "prompt"):
        if not isinstance(row[field], str) or not row[field].strip():
            raise ValueError(f"'{field}' must be a text that is not blank")
    ids = row["instruction_id_list"]
    if not isinstance(ids, list) or not ids or not all(isinstance(name, str) for name in ids):
        raise ValueError("'instruction_id_list' must be a list of instruction ids, and not empty")
    kwargs = json.loads(row["kwargs"]) if isinstance(row["kwargs"], str) else row["kwargs"]
    if not isinstance(kwargs, list):
        raise ValueError("'kwargs' must be a list of objects, one for each instruction")


def _normalise(name: str, rows: Sequence[Row], cache: Path, revision: str | None, note: str) -> DatasetHandle:
    """Write the checked rows into a folder named after their content, once."""
    text = "".join(map(_line, rows))
    folder = write_copy(cache, "ifbench", {"test": text}, render_card)
    return _handle(name, folder, revision, note)


def _line(row: Row) -> str:
    """The row as a line of the normalised copy."""
    return json.dumps(_plain(row), ensure_ascii=False, sort_keys=True) + "\n"


def _plain(row: Row) -> dict[str, Any]:
    """The row's four fields, the arguments as one JSON string: the form every reader accepts, whatever their types."""
    kwargs = row["kwargs"] if isinstance(row["kwargs"], str) else json.dumps(row["kwargs"], ensure_ascii=False)
    return {field: row[field] for field in FIELDS} | {"kwargs": kwargs}


def _handle(name: str, folder: Path, revision: str | None, note: str) -> DatasetHandle:
    path = folder / "test.jsonl"
    rows = read_jsonl(path)
    prompts = hashlib.sha256()
    for row in rows:
        prompts.update(json.dumps([row["key"], row["prompt"]]).encode("ascii"))
    return DatasetHandle(
        name=name,
        folder=folder,
        sha256=file_sha256(path),
        prompts_sha256=prompts.hexdigest(),
        revision=revision,
        shots=0,
        shots_sha256=hashlib.sha256(b"").hexdigest(),
        questions={"ifbench:all": len(rows)},
        note=note,
    )
