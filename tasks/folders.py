"""A dataset's local folder: its card, and copies of checked rows that are made once.

A copy holds its rows twice: ``<split>.jsonl`` for people and for us, ``<split>.parquet`` for ``datasets``, each row as
one JSON text. In JSON Lines, ``datasets`` would guess types: a column of dates becomes timestamps, a field that is a
number here and a text there an error.

``datasets`` caches a folder that has a card by the folder's own name, the config's name and the card, not by the files:
a rebuilt set, or another checkout's, would be answered from the cache. A config name that holds the content's digest
cannot be mistaken for another.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from tasks.facts import Card

__all__ = ["config_name", "file_sha256", "render_card", "unpacked", "write_copy"]

_ROW: Final = "row"  # the only column of a copy's Parquet files


def render_card(name: str, splits: Mapping[str, str], card: Card, suffix: str = ".jsonl") -> str:
    """The README.md of a dataset folder: the file of each split, and a text.

    Args:
        name: the benchmark's name.
        splits: text of ``<split>.jsonl`` by split name; empty texts have no file.
        card: the words, and the languages of the questions.
        suffix: of the files that ``datasets`` reads.
    """
    present = {split: lines for split, lines in splits.items() if lines}
    digest = hashlib.sha256("\0".join(f"{split}\0{lines}" for split, lines in present.items()).encode()).hexdigest()
    config = f"{name}-{digest[:16]}"
    files = [{"split": split, "path": f"{split}{suffix}"} for split in present]
    matter = {"language": list(card.languages), "configs": [{"config_name": config, "data_files": files}]}
    return f"---\n{yaml.safe_dump(matter, sort_keys=False)}---\n\n{card.text}"


def config_name(folder: Path) -> str:
    """Name of the one config that the folder's card declares.

    Raises:
        FileNotFoundError, KeyError, ValueError: the folder has no such card.
    """
    _, matter, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    name: str = yaml.safe_load(matter)["configs"][0]["config_name"]
    return name


def write_copy(cache: Path, name: str, splits: Mapping[str, str], card: str) -> Path:
    """Write checked rows to a folder in the cache, which is named after its content; an existing folder is kept.

    Args:
        cache: the user's cache folder.
        name: the benchmark's name.
        splits: text of ``<split>.jsonl`` by split name; empty texts get no file.
        card: of the splits; it holds their digest.
    """
    from pyarrow import parquet, table

    folder = cache / "datasets" / f"{name}-{hashlib.sha256(card.encode('utf-8')).hexdigest()[:16]}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=folder.parent))
    for split, text in splits.items():
        if text:
            (staging / f"{split}.jsonl").write_text(text, encoding="utf-8", newline="\n")
            parquet.write_table(table({_ROW: text.split("\n")[:-1]}), staging / f"{split}.parquet")
    (staging / "README.md").write_text(card, encoding="utf-8", newline="\n")
    try:
        staging.rename(folder)
    except OSError:
        # Another process was first; its content is the same by name.
        shutil.rmtree(staging)
        if not folder.is_dir():
            raise
    return folder


def unpacked(line: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a line that ``datasets`` read, be it of a copy or of a shipped file; what LightEval added stays."""
    rest = {name: value for name, value in line.items() if name != _ROW}
    return json.loads(line[_ROW]) | rest if _ROW in line else rest


def file_sha256(path: Path) -> str:
    """Hex digest of a file's bytes; of nothing, where there is no such file."""
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()
