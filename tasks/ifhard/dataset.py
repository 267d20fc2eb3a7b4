"""Finding, checking and normalising an IFHardBench dataset (contract, section 1).

Whatever the source, the runner ends up with one local folder of ``test.jsonl`` and
``shots.jsonl`` whose rows were checked, so that a bad row stops the run before a single
token is generated.
"""

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics.ifhard import check_row
from tasks.benchmark import DatasetError, DatasetHandle, DatasetRequest
from tasks.ifhard.card import render_card
from tasks.ifhard.prompts import render

__all__ = ["BUILTIN", "OFFICIAL", "TIERS", "load_dataset"]

BUILTIN = Path(__file__).with_name("data")
OFFICIAL = "MERA-evaluation/IFHardBench"
SPLITS = ("test", "shots")
TIERS = ("easy", "medium", "hard", "expert")
_HUB_TIMEOUT_S = 10.0


def load_dataset(request: DatasetRequest) -> DatasetHandle:
    """Make a dataset available locally and check every row.

    Args:
        request: its name is ``builtin``, ``official``, a folder with ``test.jsonl`` (``shots.jsonl`` beside it is
            optional), or a ``.jsonl`` file of test rows; its cache folder is made only when a copy is needed; without
            a revision the Hub's newest is taken.

    Raises:
        DatasetError: it cannot be had, or a row is bad (the row is named).
    """
    source, cache = request.name, request.cache
    if source == "builtin":
        if not (BUILTIN / "test.jsonl").is_file():
            raise DatasetError(
                "the built-in dataset is not in this checkout; build it: python -m tasks.ifhard.build --out DIR"
            )
        _check(_read_split(BUILTIN / "test.jsonl"), "builtin test")
        _check(_read_split(BUILTIN / "shots.jsonl"), "builtin shots")
        return _handle("builtin", BUILTIN, None)
    if source == "official":
        found, rows = _download(request.revision)
        return _normalise("official", rows, cache, found)
    path = Path(source)
    test = path / "test.jsonl" if path.is_dir() else path
    if not test.is_file():
        raise DatasetError(f"--dataset {source}: no such file or folder with a test.jsonl; names: builtin, official")
    shots = test.with_name("shots.jsonl")
    splits = {"test": _read_split(test), "shots": _read_split(shots) if shots.is_file() and shots != test else []}
    return _normalise(source, splits, cache, None)


def _read_split(path: Path) -> list[dict[str, Any]]:
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


def _check(rows: Sequence[Mapping[str, Any]], where: str) -> None:
    """Every row has what prompt and scorer read; ids are unique."""
    if not rows and where.endswith("test"):
        raise DatasetError(f"{where}: no rows")
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        try:
            base_id = row["meta"]["base_id"]
            if not isinstance(base_id, str) or not base_id:
                raise ValueError("'meta.base_id' must be a non-empty string")
            if row["meta"]["categories"]["tier"] not in TIERS:
                raise ValueError(f"'meta.categories.tier' must be one of {', '.join(TIERS)}")
            if not all(isinstance(row["inputs"][key], str) for key in ("question", "constraints", "context")):
                raise ValueError("'inputs' must hold the strings question, constraints and context")
            if not isinstance(row.get("outputs") or "", str):
                raise ValueError("'outputs' must be a string")
            if where.endswith("shots") and not row.get("outputs"):
                raise ValueError("'outputs' is blank: a few-shot example needs an answer")
            render(row)
            check_row(row)
        except KeyError as error:
            raise DatasetError(f"{where}, row {number}: field {error} is missing") from error
        except (TypeError, ValueError) as error:
            raise DatasetError(f"{where}, row {number}: {error}") from error
        if base_id in seen:
            raise DatasetError(f"{where}: rows {seen[base_id]} and {number} share the id {base_id!r}")
        seen[base_id] = number


def _normalise(
    name: str, splits: Mapping[str, Sequence[Mapping[str, Any]]], cache: Path, revision: str | None
) -> DatasetHandle:
    """Write the checked splits into a folder named after their content, once."""
    texts = {}
    for split in SPLITS:
        _check(splits[split], f"{name} {split}")
        texts[split] = "".join(
            json.dumps(_plain(row), ensure_ascii=False, sort_keys=True) + "\n" for row in splits[split]
        )
    digest = hashlib.sha256("\0".join(texts[split] for split in SPLITS).encode()).hexdigest()
    folder = cache / "datasets" / f"ifhard-{digest[:16]}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=folder.parent))
        for split, text in texts.items():
            if text:
                (staging / f"{split}.jsonl").write_text(text, encoding="utf-8", newline="\n")
        (staging / "README.md").write_text(render_card(texts), encoding="utf-8", newline="\n")
        try:
            staging.rename(folder)
        except OSError:
            # Another process was first; its content is the same by name.
            shutil.rmtree(staging)
            if not folder.is_dir():
                raise
    return _handle(name, folder, revision)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its scoring key as one JSON string, the form every reader accepts."""
    meta = dict(row["meta"])
    if not isinstance(meta["constraints"], str):
        meta["constraints"] = json.dumps(meta["constraints"], ensure_ascii=False)
    return {**row, "meta": meta}


def _handle(name: str, folder: Path, revision: str | None) -> DatasetHandle:
    path, shots = folder / "test.jsonl", folder / "shots.jsonl"
    rows = _read_split(path)
    prompts = hashlib.sha256()
    for row in rows:
        prompts.update(json.dumps([row["meta"]["base_id"], render(row)]).encode("ascii"))
    tiers = Counter(row["meta"]["categories"]["tier"] for row in rows)
    return DatasetHandle(
        name=name,
        folder=folder,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        prompts_sha256=prompts.hexdigest(),
        revision=revision,
        shots=len(_read_split(shots)) if shots.is_file() else 0,
        shots_sha256=hashlib.sha256(shots.read_bytes() if shots.is_file() else b"").hexdigest(),
        questions={"ifhard:all": len(rows)} | {f"ifhard:{tier}": tiers[tier] for tier in TIERS},
    )


def _download(revision: str | None) -> tuple[str, dict[str, list[dict[str, Any]]]]:
    """Rows of the Hub dataset at one revision, which is looked up once and then recorded."""
    import datasets
    from huggingface_hub import HfApi

    try:
        found = revision or HfApi().dataset_info(OFFICIAL, timeout=_HUB_TIMEOUT_S).sha
        if found is None:
            raise ValueError("the Hub names no revision")
        loaded = datasets.load_dataset(OFFICIAL, revision=found)
        return found, {split: [dict(row) for row in loaded[split]] for split in SPLITS}
    except Exception as error:
        # The Hub client raises many unrelated classes (HTTP, offline mode, access, schema); all mean the same here.
        first_line = (str(error).strip() or "no message").splitlines()[0]
        raise DatasetError(
            f"--dataset official: {OFFICIAL} cannot be read from the Hugging Face Hub "
            f"({type(error).__name__}: {first_line}). It may be private: request access and set HF_TOKEN; "
            "or use the set shipped here: --dataset builtin"
        ) from error
