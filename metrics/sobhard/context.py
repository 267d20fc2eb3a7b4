"""One answer to one question as the constraints see it: its packaging, and its document, parsed once."""

from functools import cached_property
from typing import Any, NamedTuple

from metrics.sobhard.comparison import Comparison, compare
from metrics.sobhard.extraction import Package
from metrics.sobhard.question import Question
from metrics.sobhard.targets import Parsed
from metrics.sobhard.values import Size, measure, too_large_to_walk

__all__ = ["Context", "Packaging", "parsed_body"]


class Packaging(NamedTuple):
    """What the constraints of packaging read: the question, and the response taken apart."""

    question: Question
    package: Package


def parsed_body(question: Question, package: Package) -> Parsed:
    """The value of a response's body, or why there is none."""
    parsed = question.parse(package.body)
    # Of nothing only JSONL makes a value, the empty list.
    if not package.text and parsed.value is None:
        return Parsed(None, "empty-response", "nothing to parse")
    return parsed


class Context:
    """What all other constraints read: the question and the answer's document, whatever stands around it.

    Attributes:
        question: the row.
        parsed: the body's value, or why there is none.
        pred: the value that is compared; of a schema answer without its root ``$schema``.
    """

    def __init__(self, question: Question, parsed: Parsed) -> None:
        self.question = question
        self.parsed = parsed
        self.pred: Any = parsed.value
        if question.family == "schema_gen" and isinstance(self.pred, dict) and "$schema" in self.pred:
            self.pred = {key: value for key, value in self.pred.items() if key != "$schema"}

    @property
    def has_value(self) -> bool:
        """Whether the body parsed."""
        return self.pred is not None

    @cached_property
    def to_reference(self) -> Comparison:
        """The answer against the reference; NotComparable is raised anew at each call."""
        return compare(self.pred, self.question.gold, self.question.typeless)

    @cached_property
    def size(self) -> Size | None:
        """The answer written out in full; None if it contains itself."""
        return measure(self.pred)

    @cached_property
    def is_endless(self) -> bool:
        """Whether the answer contains itself."""
        return self.parsed.shared and self.size is None

    @cached_property
    def is_too_large(self) -> bool:
        """Whether aliases make the answer larger than what a constraint may visit place by place, or endless."""
        return self.parsed.shared and too_large_to_walk(self.pred)
