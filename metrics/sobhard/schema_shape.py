"""Whether an answer is a JSON Schema at all: the 2020-12 metaschema as a table of shapes.

A keyword that the table does not name may hold anything, as in the metaschema itself.
"""

import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from metrics.sobhard.values import is_number
from metrics.sobhard.wording import clip, shown

__all__ = ["TYPES", "compile_pattern", "shape_problem", "subschemas"]

TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
_MAX_PATTERN: Final = 1_000  # characters

_anchor = re.compile(r"^[A-Za-z_][-A-Za-z0-9._]*$").search
_base_uri = re.compile(r"^[^#]*#?$").search


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_string, value)) and len(set(value)) == len(value)


def _is_type(value: Any) -> bool:
    return value in TYPES if isinstance(value, str) else bool(value) and _is_names(value) and set(value) <= set(TYPES)


def _is_pattern(value: Any) -> bool:
    return isinstance(value, str) and compile_pattern(value) is not None


def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    """The compiled pattern; None for one that is not valid, or longer than 1,000 characters."""
    if len(pattern) > _MAX_PATTERN:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


_VALUES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "$id": lambda value: isinstance(value, str) and _base_uri(value) is not None,
    **dict.fromkeys(("$schema", "$ref", "$dynamicRef", "$recursiveRef", "$comment"), _is_string),
    **dict.fromkeys(("title", "description", "format", "contentEncoding", "contentMediaType"), _is_string),
    **dict.fromkeys(
        ("$anchor", "$dynamicAnchor", "$recursiveAnchor"),
        lambda value: isinstance(value, str) and _anchor(value) is not None,
    ),
    "$vocabulary": lambda value: isinstance(value, dict) and all(isinstance(entry, bool) for entry in value.values()),
    "type": _is_type,
    "enum": lambda value: isinstance(value, list),
    "examples": lambda value: isinstance(value, list),
    "multipleOf": lambda value: is_number(value) and value > 0,
    **dict.fromkeys(("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"), is_number),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains"), _is_count),
    **dict.fromkeys(("maxProperties", "minProperties"), _is_count),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), lambda value: isinstance(value, bool)),
    "pattern": _is_pattern,
    "required": _is_names,
    "dependentRequired": lambda value: isinstance(value, dict) and all(map(_is_names, value.values())),
}
_SCHEMA: Final = frozenset(
    {
        "items", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema",
    }
)  # fmt: skip
_SCHEMA_LIST: Final = frozenset({"prefixItems", "allOf", "anyOf", "oneOf"})
_SCHEMA_MAP: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})


def subschemas(schema: dict[Any, Any]) -> Iterator[Any]:
    """The values of a schema object that the metaschema takes as schemas themselves."""
    for key, value in schema.items():
        if key in _SCHEMA:
            yield value
        elif key in _SCHEMA_LIST and isinstance(value, list):
            yield from value
        elif key in _SCHEMA_MAP and isinstance(value, dict):
            yield from value.values()
        elif key == "dependencies" and isinstance(value, dict):
            yield from (entry for entry in value.values() if not isinstance(entry, list))


def shape_problem(schema: Any) -> str:
    """Why a value is no schema of draft 2020-12, in one sentence; "" if it is one. Shared parts are looked at once."""
    seen: set[int] = set()
    stack = [schema]
    while stack:
        current = stack.pop()
        if isinstance(current, bool) or id(current) in seen:
            continue
        if not isinstance(current, dict):
            return f"{shown(current)} stands where a schema must"
        seen.add(id(current))
        for key, value in current.items():
            if not _fits(key, value):
                return f"the keyword {clip(str(key))} cannot hold {shown(value)}"
        stack.extend(subschemas(current))
    return ""


def _fits(key: Any, value: Any) -> bool:
    if key in _VALUES:
        return _VALUES[key](value)
    if key in _SCHEMA_LIST:
        return isinstance(value, list) and bool(value)
    if key == "patternProperties":
        return isinstance(value, dict) and all(map(_is_pattern, value))
    if key == "dependencies":
        return isinstance(value, dict) and all(_is_names(e) for e in value.values() if isinstance(e, list))
    return key not in _SCHEMA_MAP or isinstance(value, dict)


def search_cost(pattern: str, length: int) -> float:
    """An upper bound of the steps that a backtracking search of a string may take; inf where none is known.

    Each open repetition may start and end anywhere, each alternative doubles; a repeated group has no bound here,
    nor has a back reference.
    """
    bare = re.sub(r"\[\^?\]?(?:\\.|[^\]\\])*\]", "c", re.sub(r"\\[0-9]+|\(\?P=", "\\\\1", pattern), flags=re.DOTALL)
    if "\\1" in bare:
        return math.inf
    bare = re.sub(r"\\.", "c", bare, flags=re.DOTALL)
    if re.search(r"\)(?:[*+]|\{)", bare):
        return math.inf
    bare = re.sub(r"\(\?[a-zA-Z:=!<>-]*", "(", bare)
    bare = re.sub(r"\{[0-9]+\}", "", bare)
    opened = len(re.findall(r"[*+]|\{", bare))
    forks = bare.count("?") + bare.count("|")
    exponent = (opened + 1) * math.log(length + 2) + forks * math.log(2)
    return math.exp(exponent) if exponent < 700 else math.inf
