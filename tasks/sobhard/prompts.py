"""Prompt templates and their rendering (SOBHard contract, section 2.1).

A row carries its template as text; this module makes that text for the sets of this project (five registers, four
editions each: 20 templates) and fills the template of any row.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from metrics.row_error import RowError
from tasks.rows import template_slots

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
        RowError: the template is not text, is malformed, or has other slots than the four.
    """
    slots = template_slots(row)
    names = {name for name, _, _ in slots}
    if names != set(BLOCKS):
        raise RowError(f"must have the slots {', '.join(BLOCKS)}, found {sorted(names)}", "instruction")
    if any(spec or conversion for _, spec, conversion in slots):
        raise RowError("has a slot with a conversion or a format", "instruction")
    text: str = row["instruction"].format(**{name: row["inputs"][name] for name in BLOCKS})
    return text
