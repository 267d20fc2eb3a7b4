"""What a group of targets is: targets that are given the same inputs."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

from metrics.verdict import Verdict
from proofs.fuzz.mutation import edited
from proofs.fuzz.prose import answer

__all__ = ["Check", "Group", "Input", "TextGroup", "as_bytes", "wholesome"]

# JSON throughout. "text" is what is edited and shrunk; "params" holds, by target, what only that target reads.
Input = dict[str, Any]
# Runs one target on one input; returns the shape of its outcome, and raises whatever is a fault.
Check = Callable[[], str]

_LONGEST_REASON: Final = 700  # characters
_LONGEST_VALUE: Final = 4_000
_quoted = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9]+|[^\x00-\x7f]+").sub
_kebab = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*").fullmatch


class Group(ABC):
    """Targets that are given the same inputs.

    Attributes:
        name: of the group.
        targets: names of its targets; together with the group's they are unique.
    """

    name: str
    targets: tuple[str, ...]

    @abstractmethod
    def fresh(self, source: Random) -> Input:
        """An input by the group's grammar."""

    @abstractmethod
    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        """The targets that judge this input, each with the call that does."""

    def seeds(self) -> list[Input]:
        """Right answers that the repository has, which no grammar would come upon."""
        return []

    def varied(self, source: Random, given: Input) -> Input:
        """An input with its text edited, and at times what its targets read besides."""
        return {**given, "text": edited(source, given["text"])}

    def narrowed(self, given: Input, target: str) -> Input:
        """What one target needs of an input."""
        params: Mapping[str, Any] | None = given.get("params")
        return given if params is None else {**given, "params": {target: params[target]}}


class TextGroup(Group):
    """Targets that read a text and nothing else."""

    def __init__(
        self, name: str, targets: Mapping[str, Callable[[str], str]], draw: Callable[[Random], str] = answer
    ) -> None:
        self.name = name
        self.targets = tuple(targets)
        self._targets = targets
        self._draw = draw

    def fresh(self, source: Random) -> Input:
        """A text by the grammar."""
        return {"text": self._draw(source)}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        """Every target reads the text."""
        for name, read in self._targets.items():
            yield name, lambda read=read: read(given["text"])  # type: ignore[misc]


def as_bytes(text: str) -> bytes:
    """A text as bytes; lone surrogates U+DC80 to U+DCFF stand for bytes that are no UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def wholesome(verdict: Verdict) -> str:
    """Hold what must hold for every verdict, its reason read; returns the shape: the code and the reason's form.

    Raises:
        AssertionError: something does not hold.
    """
    code, reason = verdict.code, verdict.reason
    if verdict.passed is not (code == "ok"):
        raise AssertionError(f"passed is {verdict.passed!r} with the code {code!r}")
    if not _kebab(code):
        raise AssertionError(f"a code of another form: {code!r}")
    if not reason or len(reason) > _LONGEST_REASON or not reason.isprintable():
        raise AssertionError(f"a reason that cannot be printed: {reason[:1_000]!a}")
    for value in (verdict.observed, verdict.wanted):
        if value is not None and type(value) is not int and len(json.dumps(value, allow_nan=False)) > _LONGEST_VALUE:
            raise AssertionError(f"observed or wanted is long: {type(value).__name__}")
    return f"{code} {_quoted('', reason[:160])[:48]}"
