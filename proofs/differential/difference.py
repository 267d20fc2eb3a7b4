"""What two readings of one answer may come to."""

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Answer", "Difference"]


class Answer(NamedTuple):
    """A generated answer.

    Attributes:
        text: of the answer.
        asked: what it is judged by, with parameters.
        known: by place in ``asked``, what its maker knows of it.
    """

    text: str
    asked: tuple[tuple[str, Any], ...]
    known: Mapping[int, bool]


class Difference(NamedTuple):
    """Readings that do not agree.

    Attributes:
        target: what was read.
        found: by reading, what it says.
        code: the verifier's.
        given: the input, as JSON.
    """

    target: str
    found: Mapping[str, Any]
    code: str
    given: Mapping[str, Any]
