"""Paths, read one character after the other (SOBHard contract, section 7).

A path is refused unless it is written as its steps would be, so that ``a..b`` and keys with dots or brackets never get
into a question: the contract has no way to address them.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

__all__ = ["ABSENT", "OperationRefused", "Step", "addressable", "at", "joined", "resolve", "steps_of"]

Step: TypeAlias = str | int
_MARKS: Final = frozenset(".[]")
_DIGITS: Final = frozenset("0123456789")
ABSENT: Final = object()  # what resolves where nothing stands; null is a value


class OperationRefused(ValueError):  # noqa: N818 - a refusal is an outcome here, not an error
    """An operation that the document does not allow, or whose result could be taken for more than one."""


def addressable(key: str) -> bool:
    """Whether a key can stand in a path."""
    return bool(key) and not _MARKS.intersection(key)


def joined(path: str, step: Step) -> str:
    """A path with one more step.

    Raises:
        OperationRefused: the key cannot stand in a path.
    """
    if isinstance(step, int):
        return f"{path}[{step}]"
    if not addressable(step):
        raise OperationRefused(f"no path leads through the key {step!r}")
    return f"{path}.{step}" if path else step


def steps_of(path: str) -> list[Step]:
    """Keys and indices of a path, at least one.

    Raises:
        OperationRefused: the text is not what its steps are written as.
    """
    steps: list[Step] = []
    name, index = "", ""
    inside = False
    for letter in path:
        if inside:
            if letter == "]":
                if not index:
                    raise OperationRefused(f"an index without digits in the path {path!r}")
                steps.append(int(index))
                inside, index = False, ""
            elif letter in _DIGITS:
                index += letter
            else:
                raise OperationRefused(f"an index that is no number in the path {path!r}")
        elif letter in _MARKS:
            if name:
                steps.append(name)
                name = ""
            inside = letter == "["
        else:
            name += letter
    if name:
        steps.append(name)
    written = ""
    for step in steps:
        written = joined(written, step)
    if not steps or written != path:
        raise OperationRefused(f"no path: {path!r}")
    return steps


def at(holder: Any, step: Step) -> Any:
    """What stands at one step of a container, or ABSENT; a character of a string is nothing that stands there."""
    if isinstance(step, str):
        return holder.get(step, ABSENT) if isinstance(holder, dict) else ABSENT
    return holder[step] if isinstance(holder, list) and step < len(holder) else ABSENT


def resolve(document: Any, path: str | Sequence[Step]) -> Any:
    """What stands at a path, or ABSENT.

    Raises:
        OperationRefused: the path is none.
    """
    for step in steps_of(path) if isinstance(path, str) else path:
        document = at(document, step)
    return document
