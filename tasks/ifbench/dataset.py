"""Finding, checking and normalising an IFBench dataset (IFBench notes, sections 1 and 6.3).

Whatever the source, the runner ends up with one local folder with a ``test.jsonl`` whose rows were checked: a row whose
arguments a checker would not take stops the run before a single token is generated.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from metrics.ifbench import ResourceError, check_resources
from metrics.ifbench.samples import scoring_key
from tasks.benchmark import DatasetError, DatasetHandle, DatasetRequest
from tasks.ifbench.card import render_card

__all__ = ["BUILTIN", "OFFICIAL", "OFFICIAL_ROWS_SHA256", "load_dataset", "rows_sha256"]

Row = Mapping[str, Any]

BUILTIN: Final = Path(__file__).with_name("data")
OFFICIAL: Final = "allenai/IFBench_test"
_OFFICIAL_SPLIT: Final = "train"
# Over the 300 rows of data/IFBench_test.jsonl in allenai/IFBench at commit db69a6f (2026-08-19), see rows_sha256.
OFFICIAL_ROWS_SHA256: Final = "7a4786d86ecbedfdf01d4c34934bdc237b7cda69408f3676174a8e1c42d2b2d3"
FIELDS: Final = ("key", "prompt", "instruction_id_list", "kwargs")
_HUB_TIMEOUT_S: Final = 10.0
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
        rows = _read_jsonl(BUILTIN / "test.jsonl")
        _check(rows, "builtin")
        return _handle("builtin", BUILTIN, None, _BUILTIN_NOTE)
    if request.name == "official":
        found, rows = _download(request.revision)
        _check(rows, "official")
        same = rows_sha256(rows) == OFFICIAL_ROWS_SHA256
        return _normalise("official", rows, request.cache, found, "" if same else _OTHER_NOTE)
    rows = _read(_file_at(request.name))
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


def _read(path: Path) -> list[dict[str, Any]]:
    return _read_parquet(path) if path.suffix == ".parquet" else _read_jsonl(path)


def _read_parquet(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    try:
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        raise DatasetError(f"{path}: {error}") from error
    return rows


def _read_jsonl(path: Path) -> list[dict[str, Any]]:
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
            scoring_key(row)
        except KeyError as error:
            raise DatasetError(f"--dataset {where}, row {number}: field {error} is missing") from error
        except (TypeError, ValueError) as error:  # ArgumentsError is a ValueError
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
    text = "".join(json.dumps(_plain(row), ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    folder = cache / "datasets" / f"ifbench-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=folder.parent))
        (staging / "test.jsonl").write_text(text, encoding="utf-8", newline="\n")
        (staging / "README.md").write_text(render_card(text), encoding="utf-8", newline="\n")
        try:
            staging.rename(folder)
        except OSError:
            # Another process was first; its content is the same by name.
            shutil.rmtree(staging)
            if not folder.is_dir():
                raise
    return _handle(name, folder, revision, note)


def _plain(row: Row) -> dict[str, Any]:
    """The row's four fields, the arguments as one JSON string: the form every reader accepts, whatever their types."""
    kwargs = row["kwargs"] if isinstance(row["kwargs"], str) else json.dumps(row["kwargs"], ensure_ascii=False)
    return {field: row[field] for field in FIELDS} | {"kwargs": kwargs}


def _handle(name: str, folder: Path, revision: str | None, note: str) -> DatasetHandle:
    path = folder / "test.jsonl"
    rows = _read_jsonl(path)
    prompts = hashlib.sha256()
    for row in rows:
        prompts.update(json.dumps([row["key"], row["prompt"]]).encode("ascii"))
    return DatasetHandle(
        name=name,
        folder=folder,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        prompts_sha256=prompts.hexdigest(),
        revision=revision,
        shots=0,
        shots_sha256=hashlib.sha256(b"").hexdigest(),
        questions={"ifbench:all": len(rows)},
        note=note,
    )


def _download(revision: str | None) -> tuple[str, list[dict[str, Any]]]:
    """Rows of the Hub dataset at one revision, which is looked up once and then recorded."""
    import datasets
    from huggingface_hub import HfApi

    try:
        found = revision or HfApi().dataset_info(OFFICIAL, timeout=_HUB_TIMEOUT_S).sha
        if found is None:
            raise ValueError("the Hub names no revision")
        loaded = datasets.load_dataset(OFFICIAL, revision=found, split=_OFFICIAL_SPLIT)
        return found, [{field: row[field] for field in FIELDS} for row in loaded]
    except Exception as error:
        # The Hub client raises many unrelated classes (HTTP, offline mode, access, schema); all mean the same here.
        first_line = (str(error).strip() or "no message").splitlines()[0]
        raise DatasetError(
            f"--dataset official: {OFFICIAL} cannot be read from the Hugging Face Hub "
            f"({type(error).__name__}: {first_line}). Give a copy of its file: --dataset IFBench_test.jsonl; "
            "or use the set shipped here: --dataset builtin"
        ) from error
