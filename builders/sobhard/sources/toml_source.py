"""toml: TOML 1.0 as a pinned reader takes it, less what no JSON value holds (dates, ``inf``, ``nan``)."""

import re
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Final

import tomli

from builders.sobhard.sources.json_family import json_text
from builders.sobhard.sources.model import MAX_DEPTH, Layout, SourceRefused, Value, checked, clip, number, refuse

__all__ = ["read_toml", "write_toml"]

# tomli takes up to 2.5 microseconds a character, and for each dotted key a time quadratic in its dots.
_MAX_CHARS: Final = 300_000
_MAX_DOTS_SQUARED: Final = 3_000_000  # over the lines, the square of the dots of each
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


def _check_dates(value: Value) -> None:
    """Refuse dates and times, wherever they stand."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, (date, datetime, time)):
            refuse("date", f"{item.isoformat()} is a date or time, no JSON value")
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)


def read_toml(text: str, layout: Layout) -> Value:
    """The object of a TOML document.

    Raises:
        SourceRefused: syntax (a key or table given twice among it), date, number-range, too-large, too-deep.
    """
    if len(text) > _MAX_CHARS:
        refuse("too-large", f"{len(text)} characters, at most {_MAX_CHARS} of TOML are read")
    if sum(line.count(".") ** 2 for line in text.split("\n")) > _MAX_DOTS_SQUARED:
        refuse("too-large", "lines with too many dots, which may be keys of very many parts")
    try:
        value = tomli.loads(text, parse_float=number)
    except SourceRefused:
        raise
    except tomli.TOMLDecodeError as error:
        return refuse("syntax", str(error))
    except RecursionError:
        return refuse("too-deep", f"more than {MAX_DEPTH} levels")
    except ValueError as error:  # more digits than Python converts
        return refuse("number-range", f"unreadable number: {clip(str(error))}")
    _check_dates(value)
    return checked(value)


def _key(name: str) -> str:
    # A JSON string is a basic string of TOML.
    return name if _BARE_KEY.fullmatch(name) else json_text(name)


def _inline(value: Value) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if value is None:
        refuse("not-representable", "TOML has no null")
    return json_text(value)


def _is_tables(value: Value) -> bool:
    """Whether a value is a list of tables, written as one section an entry."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _sections(name: str, value: dict[str, Value]) -> Iterator[str]:
    """The lines of a table's own pairs, then of the tables under it; ``name`` is its dotted name, empty at the root."""
    nested = {key: item for key, item in value.items() if isinstance(item, dict) or _is_tables(item)}
    for key, item in value.items():
        if key not in nested:
            yield f"{_key(key)} = {_inline(item)}"
    for key, item in nested.items():
        path = f"{name}.{_key(key)}" if name else _key(key)
        for table in [item] if isinstance(item, dict) else item:
            yield ""
            yield f"[{path}]" if isinstance(item, dict) else f"[[{path}]]"
            yield from _sections(path, table)


def write_toml(value: Value, layout: Layout) -> str:
    """A TOML document: pairs first, then a section for each table and each entry of a list of tables.

    Raises:
        SourceRefused: not-representable.
    """
    if not isinstance(value, dict):
        refuse("not-representable", "a TOML document is an object")
    return "\n".join(_sections("", value)).lstrip("\n") + "\n"
