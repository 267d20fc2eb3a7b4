"""Data inside a page: compressed, in letters that no reader of HTML takes for markup."""

import base64
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

__all__ = ["CHUNK_BYTES", "chunks", "packed"]

CHUNK_BYTES: Final = 1_000_000  # of JSON: what is unpacked to show one answer
_LONE: Final = re.compile("[\ud800-\udfff]")


def packed(value: Any) -> str:
    """A JSON value, deflated, in base64; ``page.js`` reads it. Half a surrogate pair comes through as it is."""
    return _deflated(_json(value))


def chunks(values: Iterable[Any]) -> tuple[list[str], list[int]]:
    """Many values as packed lists of about CHUNK_BYTES, and the place of each list's first value among all."""
    found: list[str] = []
    starts: list[int] = []
    held: list[str] = []
    size = 0
    for place, value in enumerate(values):
        text = _json(value)
        if held and size + len(text) > CHUNK_BYTES:
            found.append(_joined(held))
            held, size = [], 0
        if not held:
            starts.append(place)
        held.append(text)
        size += len(text)
    if held:
        found.append(_joined(held))
    return found, starts


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _joined(texts: Sequence[str]) -> str:
    return _deflated(f"[{','.join(texts)}]")


def _deflated(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")
