"""The front matter of a dataset folder: which file is which split, under a name made from the content.

``datasets`` caches a folder with such a card by the folder's own name, the config's name and the card, not by the
files: a rebuilt set, or another checkout's, would be answered from the cache. A config name that holds the content's
digest cannot be mistaken for another.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import yaml

__all__ = ["config_name", "render_card"]

_TEXT = """\
# HardMultiQA data

Questions with `task` and `question` as in `yandex/HardMultiQA`, the reference as a list in `answer`, and `topic`. The
set that this project ships was written for it and holds no question of the official one; `facts.md` gives the fact
behind each question and where to look it up.
"""


def render_card(splits: Mapping[str, str]) -> str:
    """README.md of a dataset folder.

    Args:
        splits: text of ``<split>.jsonl`` by split name; empty texts have no file.
    """
    present = {name: text for name, text in splits.items() if text}
    digest = hashlib.sha256("\0".join(f"{name}\0{text}" for name, text in present.items()).encode()).hexdigest()
    matter = {
        "language": ["ru"],
        "configs": [
            {
                "config_name": f"hardmultiqa-{digest[:16]}",
                "data_files": [{"split": name, "path": f"{name}.jsonl"} for name in present],
            }
        ],
    }
    return f"---\n{yaml.safe_dump(matter, sort_keys=False)}---\n\n{_TEXT}"


def config_name(folder: Path) -> str:
    """Name of the one config that the folder's card declares.

    Raises:
        FileNotFoundError, KeyError, ValueError: the folder has no such card.
    """
    _, matter, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    name: str = yaml.safe_load(matter)["configs"][0]["config_name"]
    return name
