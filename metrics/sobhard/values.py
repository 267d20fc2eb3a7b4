"""The canonical model's helpers: canonical JSON, leaves, paths, and how large a value with aliases is when walked."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

__all__ = [
    "CONTAINERS",
    "MAX_CHARACTERS",
    "MAX_NODES",
    "PathError",
    "Size",
    "Step",
    "TooLargeError",
    "canonical",
    "find",
    "holder",
    "is_number",
    "measure",
    "parse_path",
    "too_large_to_walk",
    "walk",
]

# The bound of the contract's 11.4 on what a walk may visit; a value without aliases is no larger than its text.
MAX_NODES: Final = 200_000
MAX_CHARACTERS: Final = 5_000_000

_steps = re.compile(r"\[([0-9]+)\]|([^.\[\]]+)").finditer
Step = str | int


CONTAINERS: Final = (dict, list, tuple)


class TooLargeError(ValueError):
    """Aliases make an answer endless, or larger than what a constraint may walk (contract, 11.4)."""


class PathError(LookupError):
    """A path that does not resolve, or resolves to a place that takes no value."""


class Size(NamedTuple):
    """A value written out in full: its values, their characters (8 for a scalar that is no string), its scalars."""

    nodes: int
    characters: int
    leaves: int


def is_number(value: Any) -> bool:
    """Whether a value is an integer or a float, booleans excluded."""
    return type(value) is int or type(value) is float


_write: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(value: Any) -> str:
    """Compact JSON with sorted keys; equal texts mean equal values of equal types.

    Raises:
        TypeError: keys of several kinds, or a value that JSON does not have.
        ValueError, RecursionError: a huge integer, a value inside itself, deep nesting.
    """
    return _write(value)


def walk(value: Any) -> Iterator[Any]:
    """The value and everything in it, containers before their parts, in no promised order among siblings.

    A container that stands in several places is visited once, so that aliases cannot multiply a walk.
    """
    seen: set[int] = set()
    stack = [value]
    while stack:
        current = stack.pop()
        if type(current) is dict or type(current) is list:
            if id(current) in seen:
                continue
            seen.add(id(current))
            stack.extend(current.values() if type(current) is dict else current)
        yield current


def parse_path(path: str) -> list[Step]:
    """Keys and indices of a path (contract, section 7): ``rows[17].price`` is rows, 17, price."""
    return [int(step.group(1)) if step.group(1) else step.group(2) for step in _steps(path)]


def find(value: Any, path: str) -> Any:
    """The value at a path.

    Raises:
        PathError: there is no value. An index into a string gives a character, as in the official scorer.
    """
    for step in parse_path(path):
        value = _descend(value, step)
    return value


def holder(document: Any, path: str) -> tuple[Any, Step]:
    """The container and the last step of a path.

    Raises:
        PathError: the path is empty, or there is no container at its last step.
    """
    steps = parse_path(path)
    if not steps:
        raise PathError("an empty path")
    for step in steps[:-1]:
        document = _descend(document, step)
    return document, steps[-1]


def _descend(value: Any, step: Step) -> Any:
    try:
        return value[step]
    except (LookupError, TypeError):
        raise PathError(f"no {step!r} here") from None


def measure(value: Any, sizes: dict[int, Size] | None = None) -> Size | None:
    """The size of a value, in which a shared part counts at each of its places; None if the value contains itself.

    Linear in the distinct parts, however often they are shared.

    Args:
        value: a value in the canonical model.
        sizes: sizes of containers by their ids; this call adds those it measures. The containers must stay alive as
            long as ``sizes`` is used.
    """
    sizes = {} if sizes is None else sizes
    opened: set[int] = set()
    stack: list[tuple[Any, bool]] = [(value, False)]
    while stack:
        current, finished = stack.pop()
        if not isinstance(current, CONTAINERS) or id(current) in sizes:
            continue
        if finished:
            nodes, characters, leaves = 1, 0, 0
            for part in _parts(current):
                # Parts are finished before what holds them.
                more = sizes[id(part)] if isinstance(part, CONTAINERS) else Size(1, _length(part), 1)
                nodes, characters, leaves = nodes + more.nodes, characters + more.characters, leaves + more.leaves
            sizes[id(current)] = Size(nodes, characters, leaves)
            opened.discard(id(current))
        elif id(current) in opened:
            return None
        else:
            opened.add(id(current))
            stack.append((current, True))
            stack.extend((part, False) for part in _parts(current) if isinstance(part, CONTAINERS))
    return sizes.get(id(value), Size(1, _length(value), 1))


def too_large_to_walk(value: Any, sizes: dict[int, Size] | None = None) -> bool:
    """Whether a value has more than MAX_NODES values or MAX_CHARACTERS characters, or contains itself."""
    size = measure(value, sizes)
    return size is None or size.nodes > MAX_NODES or size.characters > MAX_CHARACTERS


def _parts(container: Any) -> Iterator[Any]:
    """Values, not keys: keys are no leaves, and no key can be shared enough to matter."""
    return iter(container.values() if isinstance(container, dict) else container)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes) else 8
