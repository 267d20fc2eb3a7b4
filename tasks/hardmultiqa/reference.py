"""Reading a reference: a list, a JSON list in a string, or one element a line."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from tasks.hardmultiqa.names import OPTIONS
from tasks.hardmultiqa.options import option_numbers

__all__ = ["ReferenceFormatError", "joined_lists", "read_reference"]

_JOINTS: Final = (",", ";")


class ReferenceFormatError(ValueError):
    """A reference in none of the known forms."""


def read_reference(value: Any, kind: str, question: str) -> list[str]:
    """Elements of a reference; those that repeat word for word are kept once.

    Args:
        value: as the dataset has it. Open: a string that is no JSON list is one element, whatever its lines.
        kind: type of the question.
        question: its text, whose options the reference of an options question names.

    Returns:
        At least one non-empty string; of an options question the numbers, ascending.

    Raises:
        ReferenceFormatError: the form is unknown.
        ValueError: the form is known, the content contradicts the question.
    """
    elements = list(dict.fromkeys(_elements(value, kind)))
    if kind == OPTIONS:
        return [str(number) for number in option_numbers(elements, question)]
    return elements


def joined_lists(values: Iterable[Any]) -> bool:
    """Whether references of a list type are all single lines with commas or semicolons.

    Read as one element a line, each such list would count as one element and a right answer as one of many.

    Args:
        values: references of one list type, as the dataset has them.
    """
    found = list(values)
    return bool(found) and all(_is_joined(value) for value in found)


def _is_joined(value: Any) -> bool:
    if not isinstance(value, str) or _looks_like_json(value.strip()):
        return False
    text = value.strip()
    return "\n" not in text and any(joint in text for joint in _JOINTS)


def _elements(value: Any, kind: str) -> list[str]:
    if isinstance(value, bool) or value is None:
        raise ReferenceFormatError("no reference" if value is None else "a truth value")
    if isinstance(value, int):
        return _texts([value])
    if isinstance(value, list | tuple):
        return _texts(value)
    if not isinstance(value, str):
        raise ReferenceFormatError(f"a value of type {type(value).__name__}")
    text = value.strip()
    if _looks_like_json(text):
        return _texts(_json_list(text))
    if kind == "open":
        return _texts([text])
    return _texts([line for line in text.splitlines() if line.strip()])


def _looks_like_json(text: str) -> bool:
    return (text[:1], text[-1:]) in {("[", "]"), ("{", "}")}


def _json_list(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReferenceFormatError("it looks like JSON and is not") from error
    if not isinstance(value, list):
        raise ReferenceFormatError("a JSON object")
    return value


def _texts(values: Sequence[Any]) -> list[str]:
    """Whole numbers count as their digits."""
    if not values:
        raise ReferenceFormatError("an empty list")
    found = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise ReferenceFormatError(f"a list with an element of type {type(value).__name__}")
        text = str(value).strip()
        if not text:
            raise ReferenceFormatError("a blank element")
        found.append(text)
    return found
