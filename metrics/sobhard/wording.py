"""Sentences of verdicts: values and places of documents, printable and bounded whatever the answer holds."""

import datetime
import re
from collections.abc import Hashable, Sequence
from typing import Any, Final

from metrics.reasons import MAX_QUOTE, clip, failed, nouns, passed, quoted

__all__ = ["MAX_QUOTE", "bounded", "clip", "failed", "kind_name", "nouns", "passed", "place", "quoted", "shown"]

_MAX_SENTENCE: Final = 240
_MAX_STEPS: Final = 12  # of a path that a reason quotes; what is left out stands at the front
_plain_key = re.compile(r"[^.\[\]\s]+").fullmatch


def bounded(sentence: str) -> str:
    """A sentence that quotes an answer, or a parser's words: one printable line of at most 240 characters."""
    line = " ".join(sentence[: 2 * _MAX_SENTENCE].split())
    shown_line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
    return shown_line if len(shown_line) <= _MAX_SENTENCE else f"{shown_line[: _MAX_SENTENCE - 1]}…"


def kind_name(value: Any) -> str:
    """What a value is in the canonical model, with its article: ``an object``, ``a date``."""
    if value is None:
        return "null"
    names: tuple[tuple[type, str], ...] = (
        (bool, "a boolean"),
        (int, "an integer"),
        (float, "a number"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
        (bytes, "bytes"),
        (set, "a set"),
        (tuple, "a pair"),
        (datetime.datetime, "a timestamp"),
        (datetime.date, "a date"),
        (datetime.time, "a time"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), f"a {type(value).__name__}")


def shown(value: Any) -> str:
    """A value for a reason: scalars in full up to 60 characters, containers by their size."""
    if isinstance(value, str):
        return f"'{clip(value)}'"
    if isinstance(value, dict):
        return f"an object with {nouns(len(value), 'key')}"
    if isinstance(value, list):
        return f"an array of {nouns(len(value), 'element')}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        try:
            return clip(repr(value))
        except ValueError:  # more digits than Python prints
            return "an integer of thousands of digits"
    if isinstance(value, datetime.date | datetime.time):
        return f"{kind_name(value)} ({value.isoformat()})"
    return kind_name(value)


def place(path: Sequence[Hashable]) -> str:
    """A path as people write it: ``rows[17].price``; the empty path is ``the document``.

    Args:
        path: keys and 0-based indices from the root. An index is told from an integer key by its type:
            keys that are not strings come as one-element tuples.
    """
    if not path:
        return "the document"
    text = "…" if len(path) > _MAX_STEPS else ""
    for step in path[-_MAX_STEPS:]:
        if isinstance(step, str) and _plain_key(step):
            text += f".{clip(step)}" if text else clip(step)
        elif isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f"[{shown(step[0] if isinstance(step, tuple) else step)}]"
    return text
