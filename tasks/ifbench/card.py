"""The card of an IFBench dataset folder; see :mod:`tasks.folders` for what it must do."""

from collections.abc import Mapping

from tasks import folders
from tasks.folders import config_name

__all__ = ["config_name", "render_card"]

_TEXT = """\
# IFBench data

Prompts in the schema of `allenai/IFBench_test`: `key`, `prompt`, `instruction_id_list`, `kwargs` (one object for each
instruction, with every argument name there is; those not used are null). The set that this project ships is written
for it by hand; `witnesses.jsonl` holds an answer that follows every instruction of each prompt, in the form
`--responses` takes.
"""


def render_card(splits: Mapping[str, str]) -> str:
    """README.md of a dataset folder.

    Args:
        splits: text of ``test.jsonl`` under ``test``.
    """
    return folders.render_card("ifbench", splits, ["en"], _TEXT)
