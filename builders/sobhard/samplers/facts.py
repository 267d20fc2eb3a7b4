"""What a sampler asks of a value: its records, their fields, the paths to its parts."""

import functools
import re
from collections.abc import Hashable, Iterator
from typing import Any, Final, NamedTuple

__all__ = ["Place", "addressable", "common_fields", "distinct", "of_kind", "places", "records_of", "size"]

_PATH_SIGNS: Final = re.compile(r"[.\[\]]")


class Place(NamedTuple):
    """A part of a value.

    Attributes:
        path: to it, keys joined by points, indices in brackets.
        value: what stands there.
        holder: what holds it.
        last: its key or index there.
    """

    path: str
    value: Any
    holder: Any
    last: str | int


def records_of(value: Any) -> list[dict[str, Any]]:
    """The value where it is a list of objects that are not empty, else no records."""
    fits = isinstance(value, list) and value and all(isinstance(entry, dict) and entry for entry in value)
    return value if fits else []


def common_fields(records: list[dict[str, Any]]) -> list[str]:
    """Fields that every record has, in the first one's order."""
    return [name for name in records[0] if all(name in record for record in records)] if records else []


def of_kind(values: list[Any], *kinds: type) -> bool:
    """Whether all values are of exactly one of these types (a boolean is no integer)."""
    return all(type(value) in kinds for value in values)


@functools.lru_cache(maxsize=100_000)
def addressable(key: str) -> bool:
    """Whether a path can name the key, and a reader can tell where it ends."""
    return bool(key) and key == key.strip() and _PATH_SIGNS.search(key) is None and not key.isdigit()


def places(value: Any, path: str = "") -> Iterator[Place]:
    """Every part of a value that a path can name, holders before what they hold."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if addressable(key):
                at = f"{path}.{key}" if path else key
                yield Place(at, entry, value, key)
                yield from places(entry, at)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            at = f"{path}[{index}]"
            yield Place(at, entry, value, index)
            yield from places(entry, at)


def size(value: Any) -> int:
    """Scalars in a value."""
    if isinstance(value, dict):
        return sum(map(size, value.values()))
    return sum(map(size, value)) if isinstance(value, list) else 1


def distinct(values: list[Hashable]) -> list[Hashable]:
    """Values without repetition, in their order."""
    return list(dict.fromkeys(values))
