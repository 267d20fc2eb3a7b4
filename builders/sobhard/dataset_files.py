"""The files of a built set: rows, counts, checksums, the card, and all of it in one file to carry away."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from builders.sobhard.build import Built
from builders.sobhard.report import summary
from metrics.sobhard import answer_text
from tasks.sobhard.dataset import SOBHardLoader

__all__ = ["SHIPPED_SEED", "lines", "make_files", "witness_lines", "write_files"]

SHIPPED_SEED: Final = 20261130
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # the date of every member: the bytes must not depend on the day


def make_files(built: Built, seed: int) -> dict[str, bytes]:
    """The contents of all files by name."""
    # Keys in the order of the loader's copies: a set has one digest, wherever it is read from.
    splits = {"test": lines(built.test, sort_keys=True), "shots": lines(built.shots, sort_keys=True)}
    texts = {f"{name}.jsonl": text for name, text in splits.items()}
    texts["README.md"] = SOBHardLoader.card(splits)
    texts["build.json"] = json.dumps(summary(built, seed), ensure_ascii=False, indent=2) + "\n"
    files = {name: text.encode() for name, text in texts.items()}
    files["sobhard.zip"] = _zipped({name: files[name] for name in ("test.jsonl", "shots.jsonl", "README.md")})
    files["witnesses.jsonl"] = witness_lines(built.test).encode()
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return {**files, "SHA256SUMS": sums.encode()}


def lines(entries: Iterable[Mapping[str, Any]], *, sort_keys: bool = False) -> str:
    """JSON Lines."""
    return "".join(json.dumps(entry, ensure_ascii=False, sort_keys=sort_keys) + "\n" for entry in entries)


def witness_lines(test: Iterable[Mapping[str, Any]]) -> str:
    """The right answers, in the form ``--responses`` takes."""
    return lines(
        {"task": "sobhard:all", "id": row["meta"]["base_id"], "response": answer_text(dict(row))} for row in test
    )


def _zipped(files: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EARLIEST), content, zipfile.ZIP_DEFLATED, 9)
    return held.getvalue()


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
