"""Finding, checking and normalising an IFHardBench dataset (contract, section 1).

Whatever the source, the runner ends up with one local folder of ``test.jsonl`` and
``shots.jsonl`` whose rows were checked, so that a bad row stops the run before a single
token is generated.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics.ifhard import check_row
from tasks.benchmark import DatasetError, DatasetHandle, DatasetRequest
from tasks.folders import file_sha256, write_copy
from tasks.hub import download
from tasks.ifhard.card import render_card
from tasks.ifhard.prompts import render
from tasks.rows import check_storable, read_jsonl

__all__ = ["BUILTIN", "OFFICIAL", "TIERS", "load_dataset"]

BUILTIN = Path(__file__).with_name("data")
OFFICIAL = "MERA-evaluation/IFHardBench"
SPLITS = ("test", "shots")
TIERS = ("easy", "medium", "hard", "expert")
_ADVICE = "It may be private: request access and set HF_TOKEN; or use the set shipped here: --dataset builtin"


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
        _check(read_jsonl(BUILTIN / "test.jsonl"), "builtin test")
        _check(read_jsonl(BUILTIN / "shots.jsonl"), "builtin shots")
        return _handle("builtin", BUILTIN, None)
    if source == "official":
        found, rows = download(OFFICIAL, SPLITS, request.revision, _ADVICE)
        return _normalise("official", rows, cache, found)
    path = Path(source)
    test = path / "test.jsonl" if path.is_dir() else path
    if not test.is_file():
        raise DatasetError(f"--dataset {source}: no such file or folder with a test.jsonl; names: builtin, official")
    shots = test.with_name("shots.jsonl")
    splits = {"test": read_jsonl(test), "shots": read_jsonl(shots) if shots.is_file() and shots != test else []}
    return _normalise(source, splits, cache, None)


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
            check_storable(json.dumps(_plain(row), ensure_ascii=False))
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
    return _handle(name, write_copy(cache, "ifhard", texts, render_card), revision)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its scoring key as one JSON string, the form every reader accepts."""
    meta = dict(row["meta"])
    if not isinstance(meta["constraints"], str):
        meta["constraints"] = json.dumps(meta["constraints"], ensure_ascii=False)
    return {**row, "meta": meta}


def _handle(name: str, folder: Path, revision: str | None) -> DatasetHandle:
    path, shots = folder / "test.jsonl", folder / "shots.jsonl"
    rows = read_jsonl(path)
    prompts = hashlib.sha256()
    for row in rows:
        prompts.update(json.dumps([row["meta"]["base_id"], render(row)]).encode("ascii"))
    tiers = Counter(row["meta"]["categories"]["tier"] for row in rows)
    return DatasetHandle(
        name=name,
        folder=folder,
        sha256=file_sha256(path),
        prompts_sha256=prompts.hexdigest(),
        revision=revision,
        shots=len(read_jsonl(shots)) if shots.is_file() else 0,
        shots_sha256=file_sha256(shots),
        questions={"ifhard:all": len(rows)} | {f"ifhard:{tier}": tiers[tier] for tier in TIERS},
    )
