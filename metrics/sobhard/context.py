"""One answer to one question, parsed once, as all constraints see it."""

from functools import cached_property
from typing import Any

from metrics.sobhard.comparison import Comparison, compare
from metrics.sobhard.extraction import Package, unpack
from metrics.sobhard.question import Question
from metrics.sobhard.targets import Parsed
from metrics.sobhard.values import Size, measure, too_large_to_walk

__all__ = ["Context"]


class Context:
    """What constraints read.

    Attributes:
        question: the row.
        package: the response taken apart.
        parsed: the body's value, or why there is none.
        pred: the value that is compared; of a schema answer without its root ``$schema``.
    """

    def __init__(self, question: Question, response: str | None) -> None:
        self.question = question
        self.package: Package = unpack(response, question.tag)
        self.parsed: Parsed = question.parse(self.package.body)
        # Of nothing only JSONL makes a value, the empty list.
        if not self.package.text and self.parsed.value is None:
            self.parsed = Parsed(None, "empty-response", "nothing to parse")
        self.pred: Any = self.parsed.value
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
