"""A dataset's local folder: its card, and copies of checked rows that are made once.

``datasets`` caches a folder that has a card by the folder's own name, the config's name and the card, not by the files:
a rebuilt set, or another checkout's, would be answered from the cache. A config name that holds the content's digest
cannot be mistaken for another.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tasks.facts import Card

__all__ = ["config_name", "file_sha256", "render_card", "write_copy"]


def render_card(name: str, splits: Mapping[str, str], card: Card, features: Any | None = None) -> str:
    """The README.md of a dataset folder: the file of each split, and a text.

    Args:
        name: the benchmark's name.
        splits: text of ``<split>.jsonl`` by split name; empty texts have no file.
        card: the words, and the languages of the questions.
        features: the fields' types where they cannot be guessed from the rows (a column without a value).
    """
    present = {split: lines for split, lines in splits.items() if lines}
    digest = hashlib.sha256("\0".join(f"{split}\0{lines}" for split, lines in present.items()).encode()).hexdigest()
    config = f"{name}-{digest[:16]}"
    matter: dict[str, Any] = {"language": list(card.languages)}
    if features is not None:
        matter["dataset_info"] = {"config_name": config, "features": features}
    files = [{"split": split, "path": f"{split}.jsonl"} for split in present]
    matter["configs"] = [{"config_name": config, "data_files": files}]
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
    folder = cache / "datasets" / f"{name}-{hashlib.sha256(card.encode('utf-8')).hexdigest()[:16]}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=folder.parent))
    for split, text in splits.items():
        if text:
            (staging / f"{split}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    (staging / "README.md").write_text(card, encoding="utf-8", newline="\n")
    try:
        staging.rename(folder)
    except OSError:
        # Another process was first; its content is the same by name.
        shutil.rmtree(staging)
        if not folder.is_dir():
            raise
    return folder


def file_sha256(path: Path) -> str:
    """Hex digest of a file's bytes; of nothing, where there is no such file."""
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()
