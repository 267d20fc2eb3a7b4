"""The front matter of a dataset folder: which file is which split, under a name made from the content.

``datasets`` caches a folder with such a card by the folder's own name, the config's name and the card, not by the
files; a config name that holds the content's digest cannot be mistaken for another. The card also gives every field's
type: guessed from the rows, a column without a value (a set without conversations) would have none.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from tasks.sobhard.prompts import BLOCKS

__all__ = ["CATEGORIES", "NUMBERS", "TEXTS", "config_name", "render_card"]

# Fields of ``meta`` and of ``meta.categories`` (SOBHard contract, 1.2).
TEXTS: Final = ("base_id", "fence_tag", "reference", "reference_sha256", "task_meta", "checks")
NUMBERS: Final = ("id", "dialogue_id", "turn_index", "n_turns")
CATEGORIES: Final = (
    *("family", "difficulty", "language", "source_format", "target_format"),
    *("length_tier", "prompt_style", "origin"),
)

_TEXT = """\
# SOBHard data

Questions in the schema of `MERA-evaluation/SOBHard_gold`: `test` is asked, `shots` holds demonstrations and the earlier
turns of conversations. The small set that this project ships is made by `python -m tasks.sobhard.small`;
`witnesses.jsonl` holds the right answers of its questions in the form `--responses` takes.
"""


def render_card(splits: Mapping[str, str]) -> str:
    """README.md of a dataset folder.

    Args:
        splits: text of ``<split>.jsonl`` by split name; empty texts have no file.
    """
    present = {name: text for name, text in splits.items() if text}
    digest = hashlib.sha256("\0".join(f"{name}\0{text}" for name, text in present.items()).encode()).hexdigest()
    name = f"sobhard-{digest[:16]}"
    matter = {
        "language": ["ru"],
        "dataset_info": {"config_name": name, "features": _features()},
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": split, "path": f"{split}.jsonl"} for split in present],
            }
        ],
    }
    return f"---\n{yaml.safe_dump(matter, sort_keys=False)}---\n\n{_TEXT}"


def _features() -> list[dict[str, Any]]:
    def typed(names: Iterable[str], dtype: str) -> list[dict[str, Any]]:
        return [{"name": name, "dtype": dtype} for name in names]

    categories = {"name": "categories", "struct": typed(CATEGORIES, "string")}
    return [
        *typed(["instruction"], "string"),
        {"name": "inputs", "struct": typed(BLOCKS, "string")},
        *typed(["outputs"], "string"),
        {"name": "meta", "struct": [*typed(TEXTS, "string"), *typed(NUMBERS, "int64"), categories]},
    ]


def config_name(folder: Path) -> str:
    """Name of the one config that the folder's card declares.

    Raises:
        FileNotFoundError, KeyError, ValueError: the folder has no such card.
    """
    _, matter, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    name: str = yaml.safe_load(matter)["configs"][0]["config_name"]
    return name
