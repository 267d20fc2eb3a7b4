"""The front matter of a dataset folder: which file is the test split, under a name made from the content.

``datasets`` caches a folder with such a card by the folder's own name, the config's name and the card, not by the
files: another set in a folder of that name would be answered from the cache. A config name that holds the content's
digest cannot be mistaken for another.
"""

import hashlib
from pathlib import Path

import yaml

__all__ = ["config_name", "render_card"]

_TEXT = """\
# IFBench data

Prompts in the schema of `allenai/IFBench_test`: `key`, `prompt`, `instruction_id_list`, `kwargs` (one object for each
instruction, with every argument name there is; those not used are null). The set that this project ships is written
for it by hand; `witnesses.jsonl` holds an answer that follows every instruction of each prompt, in the form
`--responses` takes.
"""


def render_card(test: str) -> str:
    """README.md of a dataset folder.

    Args:
        test: text of ``test.jsonl``.
    """
    name = f"ifbench-{hashlib.sha256(test.encode()).hexdigest()[:16]}"
    matter = {
        "language": ["en"],
        "configs": [{"config_name": name, "data_files": [{"split": "test", "path": "test.jsonl"}]}],
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
