"""Templates filled from records (SOBHard contract, 7.8)."""

from collections.abc import Iterator
from typing import Any

from builders.sobhard.operations.paths import ABSENT, OperationRefused, resolve

__all__ = ["filled", "slots"]

_OPEN, _CLOSE, _ESCAPE = "${", "}", "$"


def _parts(template: str) -> Iterator[tuple[bool, str]]:
    """Whether a part is a slot, and its path or text.

    Raises:
        OperationRefused: a slot without an end.
    """
    position = 0
    while (start := template.find(_OPEN, position)) >= 0:
        if start > position and template[start - 1] == _ESCAPE:
            yield False, template[position : start - 1] + _OPEN
            position = start + len(_OPEN)
            continue
        end = template.find(_CLOSE, start)
        if end < 0:
            raise OperationRefused(f"a slot of the template is not closed: {template[start:]!r}")
        yield False, template[position:start]
        yield True, template[start + len(_OPEN) : end]
        position = end + 1
    yield False, template[position:]


def slots(template: str) -> list[str]:
    """The paths of a template's slots.

    Raises:
        OperationRefused: a slot without an end.
    """
    return [text for is_slot, text in _parts(template) if is_slot]


def filled(template: str, record: Any) -> str:
    """A template with a record's values in its slots.

    Raises:
        OperationRefused: a slot that is not closed, no path, or filled by a container or a number that is written with
            an exponent.
    """
    return "".join(_text(resolve(record, text), text) if is_slot else text for is_slot, text in _parts(template))


def _text(value: Any, path: str) -> str:
    if value is ABSENT:
        return ""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        raise OperationRefused(f"the slot {path!r} is filled by a container")
    if "e" in (text := repr(value)):
        raise OperationRefused(f"the slot {path!r} is filled by {text}, which may be written in other ways")
    return text
