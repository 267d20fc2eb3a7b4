"""Schemas inferred from documents (SOBHard contract, 7.9)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

from builders.sobhard.operations.paths import OperationRefused
from builders.sobhard.sources.json_family import json_text

__all__ = ["SCHEMA_KINDS", "schema"]

Schema: TypeAlias = dict[str, Any]
SCHEMA_KINDS: Final = ("minimal", "union", "bounds", "enum", "oneOf", "full")


def schema(value: Any, kind: str) -> Schema:
    """The schema of a JSON value.

    Raises:
        OperationRefused: no such kind.
    """
    if kind not in SCHEMA_KINDS:
        raise OperationRefused(f"no kind of schema: {kind!r}")
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case dict():
            return _object({name: [entry] for name, entry in value.items()}, list(value), kind)
        case list():
            return _array(value, kind)
    raise OperationRefused(f"{value!r} is no JSON value")


def _object(entries: dict[str, list[Any]], required: Sequence[str], kind: str) -> Schema:
    """The schema of objects that have ``entries`` under their names; the first of each is the one described."""
    properties = {name: schema(found[0], kind) for name, found in entries.items()}
    return {"type": "object", "properties": properties, "required": sorted(required)}


def _array(elements: Sequence[Any], kind: str) -> Schema:
    described: Schema = {"type": "array"}
    if elements:
        described["items"] = _items(elements, kind)
    if kind == "bounds" or kind == "full":
        described |= {"minItems": len(elements), "maxItems": len(elements)}
    return described


def _items(elements: Sequence[Any], kind: str) -> Schema:
    if kind == "oneOf":
        return _one_of([schema(element, kind) for element in elements])
    if (kind == "union" or kind == "full") and all(isinstance(element, dict) for element in elements):
        entries: dict[str, list[Any]] = {}
        for element in elements:
            for name, entry in element.items():
                entries.setdefault(name, []).append(entry)
        in_all = [name for name, found in entries.items() if len(found) == len(elements)]
        return _object(entries, in_all, kind)
    described = schema(elements[0], kind)
    if (kind == "enum" or kind == "full") and all(isinstance(element, str) for element in elements):
        described["enum"] = sorted(dict.fromkeys(elements))
    return described


def _one_of(schemas: Sequence[Schema]) -> Schema:
    """The schema all elements have, or the different ones in the order of their compact JSON with sorted keys."""
    by_text = sorted(((_compact(found), found) for found in schemas), key=lambda entry: entry[0])
    distinct = by_text[:1] + [after for before, after in pairwise(by_text) if after[0] != before[0]]
    return distinct[0][1] if len(distinct) == 1 else {"oneOf": [found for _, found in distinct]}


def _compact(value: Any) -> str:
    """JSON without white space, keys in code point order."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json_text(key)}:{_compact(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_compact, value)) + "]"
    return json_text(value)
