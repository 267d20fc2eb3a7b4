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
# IFHardBench data

Questions in the schema of `MERA-evaluation/IFHardBench`. The set that this project ships is written and assembled by
`python -m tasks.ifhard.build`: `witnesses.jsonl` holds an answer that meets every requirement of each test question,
in the form `--responses` takes, `build.json` the counts of the build, `SHA256SUMS` its digests.
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
                "config_name": f"ifhard-{digest[:16]}",
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
