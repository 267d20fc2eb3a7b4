"""Prompt templates and their rendering (IFHardBench contract, section 2.1).

A row carries its template as text; this module makes that text for the built-in dataset
(five tones, four wordings each, each with and without the context block: 40 templates)
and fills the template of any row.
"""

import functools
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

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
        ValueError: the template is not text, has a slot other than the three, is malformed,
            or shows a context block to a question that has no context.
    """
    template, inputs = row["instruction"], row["inputs"]
    if not isinstance(template, str):
        raise ValueError(f"'instruction' must be the template's text, found {type(template).__name__}")
    slots = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    unknown = slots - set(_SLOTS)
    if unknown:
        raise ValueError(f"'instruction' has slots that no input fills: {sorted(unknown)}")
    if "context" in slots and not inputs["context"].strip():
        raise ValueError("'instruction' shows a context block but 'inputs.context' is empty")
    return template.format(**{name: inputs[name] for name in _SLOTS})
