"""Reads JSON that is handed on in pieces or written again: Python can read texts that it cannot write or walk."""

import json
from typing import Any, Final

__all__ = ["MOST_LEVELS", "read_json"]

# No reply of a server nests deeper than some ten levels; Python's own recursion ends between 300 and 1,000.
MOST_LEVELS: Final = 100


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON, or lists and objects nest more than ``MOST_LEVELS`` deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    openings = (b"[", b"{") if isinstance(text, bytes) else ("[", "{")
    if sum(map(text.count, openings)) > MOST_LEVELS and _levels_exceed(value):  # type: ignore[arg-type]
        raise ValueError("nested too deeply")
    return value


def _levels_exceed(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True
