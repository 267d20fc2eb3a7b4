"""Prompt templates and their rendering (IFHardBench contract, section 2.1).

A row carries its template as text; this module makes that text for the built-in dataset
(five tones, four wordings each, each with and without the context block: 40 templates)
and fills the template of any row.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from metrics.row_error import RowError
from tasks.rows import template_slots

__all__ = ["STYLES", "WORDINGS", "render", "template_text"]

STYLES: tuple[str, ...] = ("request", "order", "spec", "casual", "strict")
WORDINGS = 4
_SLOTS = ("question", "constraints", "context")


@functools.cache
def _wordings() -> Mapping[str, list[dict[str, str]]]:
    path = Path(__file__).with_name("templates.yaml")
    table: dict[str, list[dict[str, str]]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    if set(table) != set(STYLES) or any(len(entries) != WORDINGS for entries in table.values()):
        raise ValueError(f"{path.name}: expected {WORDINGS} wordings for each of {', '.join(STYLES)}")
    return table


def template_text(style: str, wording: int, with_context: bool) -> str:
    """One of the 40 templates, with ``{question}``, ``{constraints}`` and maybe ``{context}`` to fill.

    Args:
        style: one of STYLES.
        wording: 0 to WORDINGS - 1.
        with_context: whether the question has a background paragraph; without one there is
            no context block at all.

    Raises:
        KeyError, IndexError: no such template.
    """
    entry = _wordings()[style][wording]
    blocks = ["Требования к ответу:\n{constraints}", "Задание:\n{question}"]
    if with_context:
        blocks.insert(0, "Контекст:\n{context}")
    parts = [entry["opening"], *blocks, entry["closing"]]
    return "\n\n".join(part for part in parts if part)


def render(row: Mapping[str, Any]) -> str:
    """The user turn of a row: its template with the row's inputs put in, one pass.

    Args:
        row: dataset row with ``instruction`` and ``inputs``.

    Raises:
        RowError: the template is not text, has a slot other than the three, is malformed,
            or shows a context block to a question that has no context.
    """
    slots = {name for name, _, _ in template_slots(row)}
    unknown = slots - set(_SLOTS)
    if unknown:
        raise RowError(f"has slots that no input fills: {sorted(unknown)}", "instruction")
    inputs = row["inputs"]
    if "context" in slots and not inputs["context"].strip():
        raise RowError("shows a context block but 'inputs.context' is empty", "instruction")
    try:
        text: str = row["instruction"].format(**{name: inputs[name] for name in _SLOTS})
    except ValueError as error:
        raise RowError(f"is no template: {error}", "instruction") from error
    return text
