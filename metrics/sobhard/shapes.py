"""Documents with what a schema cannot tell apart left out, so that the library applies it to less.

Most schema answers look at names and types alone (:data:`BLIND`). Under such a schema two elements of an array that
agree in these are both valid or both not, so one of them is enough.
"""

from collections.abc import Hashable
from typing import Any, Final

from metrics.sobhard.values import walk

__all__ = ["BLIND", "of_each_shape", "sees_shapes_alone"]

# Keywords whose verdict on a value depends on its type, its names, and the shapes of its values and elements.
BLIND: Final = frozenset(
    {"type", "properties", "required", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "if"}
)
# What makes other schemas apply, or another draft.
_ELSEWHERE: Final = frozenset({"$schema", "$id"})
_SCALARS: Final = (str, int, bool, type(None))


def sees_shapes_alone(schema: Any, known: frozenset[str]) -> bool:
    """Whether a schema looks at nothing but shapes.

    Args:
        schema: the schema.
        known: every keyword that the validator knows; it passes over all other names.
    """
    names = (name for node in walk(schema) if isinstance(node, dict) for name in node)
    return ((known - BLIND) | _ELSEWHERE).isdisjoint(names)


def of_each_shape(document: Any) -> Any:
    """A JSON document in which each array keeps the first element of every shape; one too deep for that as it is."""
    try:
        return _reduced(document)[1]
    except RecursionError:
        return document


def _reduced(value: Any) -> tuple[Hashable, Any]:
    """The shape of a value, and the value with its arrays reduced."""
    kind = type(value)
    if kind is dict:
        parts = {name: _reduced(entry) for name, entry in value.items()}
        shape = frozenset((name, shape) for name, (shape, _) in parts.items())
        return (kind, shape), {name: entry for name, (_, entry) in parts.items()}
    if kind is list:
        firsts: dict[Hashable, Any] = {}
        for element in value:
            shape_of_one, entry = _reduced(element)
            firsts.setdefault(shape_of_one, entry)
        return (kind, frozenset(firsts)), list(firsts.values())
    if kind is float:
        return (kind, value.is_integer()), value  # 2.0 is an integer of JSON Schema
    # What JSON does not have is like nothing else.
    return (kind, None if kind in _SCALARS else id(value)), value
