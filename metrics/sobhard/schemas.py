"""Schemas of schema_gen questions: inference by kind, and the keywords a kind allows (SOBHard contract, 7.9)."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from metrics.sobhard.values import CONTAINERS, TooLargeError, canonical, walk

__all__ = ["ALLOWED", "KINDS", "MINIMAL", "infer", "keywords", "unsorted_required"]

MINIMAL: Final = "minimal"
_BASE: Final = frozenset({"type", "properties", "required", "items", "$schema"})
ALLOWED: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        MINIMAL: _BASE,
        "union": _BASE,
        "bounds": _BASE | {"minItems", "maxItems"},
        "enum": _BASE | {"enum"},
        "oneOf": _BASE | {"oneOf"},
        "full": _BASE | {"minItems", "maxItems", "enum"},
    }
)
KINDS: Final = tuple(ALLOWED)
_TYPES: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def infer(value: Any, kind: str) -> dict[str, Any]:
    """The schema of a JSON value; an unknown kind is ``minimal``."""
    schema: dict[str, Any] = {"type": _TYPES[type(value)]}
    if isinstance(value, dict):
        schema["properties"] = {key: infer(entry, kind) for key, entry in value.items()}
        schema["required"] = sorted(value)
    elif isinstance(value, list):
        if value:
            schema["items"] = _items(value, kind)
        if kind in ("bounds", "full"):
            schema["minItems"] = schema["maxItems"] = len(value)
    return schema


def _items(elements: Sequence[Any], kind: str) -> dict[str, Any]:
    if kind in ("union", "full") and all(isinstance(element, dict) for element in elements):
        return _union(elements, kind)
    if kind == "oneOf":
        distinct = {canonical(schema): schema for schema in (infer(element, kind) for element in elements)}
        return (
            next(iter(distinct.values())) if len(distinct) == 1 else {"oneOf": [distinct[k] for k in sorted(distinct)]}
        )
    schema = infer(elements[0], kind)
    if kind in ("enum", "full") and all(isinstance(element, str) for element in elements):
        schema["enum"] = sorted(set(elements))
    return schema


def _union(records: Sequence[dict[str, Any]], kind: str) -> dict[str, Any]:
    first: dict[str, Any] = {}
    for record in records:
        for key, entry in record.items():
            first.setdefault(key, entry)
    return {
        "type": "object",
        "properties": {key: infer(entry, kind) for key, entry in first.items()},
        "required": sorted(key for key in first if all(key in record for record in records)),
    }


def keywords(schema: Any) -> Iterator[Any]:
    """Every keyword of an answer: keys of all objects, but names under ``properties`` and values under ``required``
    and ``enum`` are no keywords.
    """
    seen: set[int] = set()  # a part that stands in several places is looked at once
    stack = [schema]
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        if isinstance(current, dict | list):
            seen.add(id(current))
        if isinstance(current, list):
            stack.extend(current)
        elif isinstance(current, dict):
            for key, value in current.items():
                yield key
                if key == "properties" and isinstance(value, dict):
                    stack.extend(value.values())
                elif key not in ("required", "enum"):
                    stack.append(value)


def unsorted_required(schema: Any, shared: bool = False) -> list[Any] | None:
    """A ``required`` list anywhere in an answer whose members are not in code point order, or None.

    Args:
        schema: the answer.
        shared: whether aliases make the answer too large to be written out.

    Raises:
        TooLargeError: ``shared`` is true and a list has a container in it.
    """
    for node in walk(schema):
        listed = node.get("required") if isinstance(node, dict) else None
        if isinstance(listed, list):
            if shared and any(isinstance(name, CONTAINERS) for name in listed):
                raise TooLargeError("aliases make a list of required names too large to be written out")
            names = [str(name) for name in listed]
            if names != sorted(names):
                return listed
    return None
