"""What the answers so far make certain by the rule of ``--stop-when``: words over :mod:`metrics.decision`."""

from collections.abc import Mapping
from typing import Protocol

from metrics.decision.evidence import PairedEvidence
from metrics.decision.sequences import DifferenceOfSet, MeanOfSet, ShareOfSet
from metrics.stats import Interval
from runner.question_order import Question
from runner.stop_rule import StopRule

__all__ = ["Evidence", "OfPairs", "OfSet"]


class Evidence(Protocol):
    """What the completed prefix of the order makes certain."""

    level: float

    def add(self, question: Question, value: float | None) -> None:
        """Add the next question of the order; None for one that may have any value."""

    def verdict(self) -> str:
        """What is certain by the rule; empty while nothing is."""

    @property
    def interval(self) -> Interval:
        """Of what the rule is about, valid at every look."""

    def words(self) -> list[str]:
        """What is known with its interval, one sentence each."""


class OfSet:
    """The score of a whole set of questions.

    Args:
        rule: with a value.
        total: questions of the set.
        one_answer: whether each question is answered once.
    """

    def __init__(self, rule: StopRule, total: int, one_answer: bool) -> None:
        spec = rule.spec
        self._rule, self._total = rule, total
        # Only verdicts on one answer each are draws of all or nothing.
        shares = spec.unit == "share" and spec.made_of is None and one_answer
        self._sequence = ShareOfSet(total) if shares else MeanOfSet(total)
        self.level = self._sequence.level

    def add(self, question: Question, value: float | None) -> None:
        """See :class:`Evidence`."""
        if isinstance(self._sequence, MeanOfSet):
            self._sequence.add(value)
        elif value in (None, 0.0, 1.0):
            self._sequence.add(None if value is None else bool(value))
        else:
            raise ValueError(f"{self._rule.spec.name} of {question[1]} is {value}, neither 0 nor 1")

    @property
    def interval(self) -> Interval:
        """Of the set's score."""
        return self._sequence.interval

    def verdict(self) -> str:
        """See :class:`Evidence`."""
        (low, high), rule = self.interval, self._rule
        name, bound = rule.spec.name, f"{rule.value:g}"
        if rule.kind == "halfwidth":
            return f"{name} is known to within {bound}" if (high - low) / 2 <= rule.value else ""
        if rule.kind == "above":
            no, yes = high <= rule.value, low > rule.value
        else:
            no, yes = low >= rule.value, high < rule.value
        return f"{name} is {'not ' if no else ''}{rule.kind} {bound}" if yes or no else ""

    def words(self) -> list[str]:
        """See :class:`Evidence`."""
        return [f"{self._rule.spec.name} of all {self._total} questions {_shown(self.interval)}"]


class OfPairs:
    """Whether this run's model or that of a finished run is better.

    Args:
        rule: with a baseline.
        total: questions of the set.
        baseline: their values in the finished run.
        shared: what several of the questions may have in common; empty for nothing.
    """

    def __init__(self, rule: StopRule, total: int, baseline: Mapping[Question, float | None], shared: str = "") -> None:
        self._rule, self._total, self._baseline, self._shared = rule, total, baseline, shared
        self._evidence, self._set = PairedEvidence(), DifferenceOfSet(total)
        self.level = self._evidence.level

    def add(self, question: Question, value: float | None) -> None:
        """See :class:`Evidence`."""
        before = self._baseline[question]
        self._evidence.add(before, value)
        self._set.add(before, value)

    @property
    def interval(self) -> Interval:
        """Of the difference over questions like these; one-sided where the claim is."""
        return self._evidence.one_sided if self._rule.kind == "beats" else self._evidence.interval

    def verdict(self) -> str:
        """See :class:`Evidence`."""
        one_sided = "better" if self._evidence.beats else None
        found = one_sided if self._rule.kind == "beats" else self._evidence.decision
        return f"{self._rule.spec.name} is {found} than that of {self._rule.baseline}" if found else ""

    def words(self) -> list[str]:
        """See :class:`Evidence`."""
        name = self._rule.spec.name
        like_these = "over questions like these" + (f", as if no two shared a {self._shared}," if self._shared else "")
        return [
            f"{name} less that of {self._rule.baseline}, {like_these} {_shown(self.interval)}",
            f"the same over these {self._total} questions alone {_shown(self._set.interval)}",
        ]


def _shown(interval: Interval) -> str:
    return f"[{interval.low:.4f}, {interval.high:.4f}]"
