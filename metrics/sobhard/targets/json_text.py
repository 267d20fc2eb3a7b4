"""JSON and JSONL as targets: Python's own reader, with nothing added (SOBHard contract, section 4)."""

import json
from typing import Any

from metrics.sobhard.targets.parsed import Parsed, TargetError, on_fresh_stack

__all__ = ["parse_json", "parse_jsonl"]


def _value(text: str) -> Any:
    return on_fresh_stack(json.loads, text)


def _cause(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    return "an integer of more than 4300 digits"


def parse_json(text: str, usual: int) -> Parsed:
    """One JSON value; a repeated key keeps its first place and takes its last value.

    Codes: ``invalid-json``, ``too-deep``.
    """
    try:
        return Parsed(_value(text))
    except ValueError as error:
        raise TargetError("invalid-json", f"not JSON: {_cause(error)}") from None


def parse_jsonl(text: str, usual: int) -> Parsed:
    """One JSON value on each line that is not blank; no such line is the empty list.

    Codes: ``invalid-jsonl``, ``too-deep``.
    """
    records: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        trimmed = line.strip()
        if not trimmed:
            continue
        try:
            records.append(_value(trimmed))
        except ValueError as error:
            cause = f"column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else _cause(error)
            raise TargetError("invalid-jsonl", f"line {number} is not one JSON value: {cause}") from None
    return Parsed(records)
