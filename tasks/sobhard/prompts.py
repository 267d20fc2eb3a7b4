"""Prompt templates and their rendering (SOBHard contract, section 2.1).

A row carries its template as text; this module makes that text for the sets of this project (five registers, four
editions each: 20 templates) and fills the template of any row.
"""

import functools
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

__all__ = ["BLOCKS", "EDITIONS", "STYLES", "render", "template_text"]

STYLES: Final = ("casual", "request", "spec", "formal", "command")
EDITIONS: Final = 4
# Slot of the template -> label of its block, in the order of the prompt.
BLOCKS: Final[Mapping[str, str]] = {
    "task": "Задача",
    "input_data": "Входные данные",
    "format": "Формат ответа",
    "question": "Инструкция",
}


@functools.cache
def _openings() -> Mapping[str, list[str]]:
    path = Path(__file__).with_name("templates.yaml")
    table: dict[str, list[str]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    if tuple(table) != STYLES or any(len(entries) != EDITIONS for entries in table.values()):
        raise ValueError(f"{path.name}: expected {EDITIONS} openings for each of {', '.join(STYLES)}")
    return table


def template_text(style: str, edition: int) -> str:
    """One of the 20 templates, with the four slots to fill.

    Args:
        style: one of STYLES.
        edition: 0 to EDITIONS - 1.

    Raises:
        KeyError, IndexError: no such template.
    """
    blocks = [f"{label}:\n{{{slot}}}" for slot, label in BLOCKS.items()]
    return "\n\n".join([_openings()[style][edition], *blocks])


def render(row: Mapping[str, Any]) -> str:
    """The user message of a row: its template with the row's inputs put in, one pass.

    Args:
        row: dataset row with ``instruction`` and ``inputs``.

    Raises:
        ValueError: the template is not text, is malformed, or has other slots than the four.
    """
    template, inputs = row["instruction"], row["inputs"]
    if not isinstance(template, str):
        raise ValueError(f"'instruction' must be the template's text, found {type(template).__name__}")
    fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
    names = {name for _, name, _, _ in fields}
    if names != set(BLOCKS):
        raise ValueError(f"'instruction' must have the slots {', '.join(BLOCKS)}, found {sorted(map(str, names))}")
    if any(spec or conversion for _, _, spec, conversion in fields):
        raise ValueError("'instruction' has a slot with a conversion or a format")
    return template.format(**{name: inputs[name] for name in BLOCKS})
