"""The card of a SOBHard dataset folder; see :mod:`tasks.folders` for what it must do.

It also gives every field's type: guessed from the rows, a column without a value (a set without conversations) would
have none.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tasks import folders
from tasks.folders import config_name
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
    return folders.render_card("sobhard", splits, ["ru"], _TEXT, _features())


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
