"""The card of a HardMultiQA dataset folder; see :mod:`tasks.folders` for what it must do."""

from collections.abc import Mapping

from tasks import folders
from tasks.folders import config_name

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
    return folders.render_card("hardmultiqa", splits, ["ru"], _TEXT)
