"""The card of an IFHardBench dataset folder; see :mod:`tasks.folders` for what it must do."""

from collections.abc import Mapping

from tasks import folders
from tasks.folders import config_name

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
    return folders.render_card("ifhard", splits, ["ru"], _TEXT)
