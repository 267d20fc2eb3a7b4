"""What a benchmark says about a set of records: headlines, intervals, counts, breakdowns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics.record import OUTCOMES, Record
from metrics.stats import Interval

__all__ = ["Counts", "Headline", "Summary", "count_outcomes", "flat_metrics", "in_order"]


@dataclass(frozen=True, slots=True)
class Headline:
    """One number of the result table.

    Attributes:
        name: metric name as LightEval's results file has it.
        value: over the samples with a valid answer; None when it is undefined.
        interval: 95% percentile bootstrap over questions, or None.
        n: samples behind the value.
        bounds: the value with every missing sample at its lowest / highest; None at full coverage.
        note: why the value is None, or what was left out of it; empty otherwise.
        higher_is_better: direction of the metric.
        coverage: samples that the value is known of, and those it is about; None where these are the task's.
    """

    name: str
    value: float | None
    interval: Interval | None
    n: int
    bounds: tuple[float, float] | None = None
    note: str = ""
    higher_is_better: bool = True
    coverage: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How the samples of a task ended; every field counts samples."""

    total: int
    answered: int
    failed: int
    not_asked: int
    unscored: int
    empty: int
    truncated: int
    unclosed_reasoning: int
    unjudged: int = 0

    @property
    def complete(self) -> bool:
        """Whether every sample has a valid answer and verdict."""
        return self.answered == self.total


@dataclass(frozen=True, slots=True)
class Summary:
    """A task's results.

    Attributes:
        headlines: in the order of the table, the main one first.
        counts: how the samples ended.
        breakdowns: per axis (``type``, ``family``, ``tier``...) a mapping from label to
            named values, e.g. ``{"tier": {"easy": {"n": 315, "sample_pass_rate": 0.5}}}``.
        notes: sentences that belong beside the numbers.
    """

    headlines: tuple[Headline, ...]
    counts: Counts
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def headline(self, name: str) -> Headline:
        """The headline of that name.

        Raises:
            KeyError: there is none.
        """
        for headline in self.headlines:
            if headline.name == name:
                return headline
        raise KeyError(name)


def in_order(records: Sequence[Record]) -> list[Record]:
    """Records by question and repeat: a bootstrap over the same records gives the same interval, however they came."""
    return sorted(records, key=lambda record: (record["id"], record["repeat"]))


def count_outcomes(records: Sequence[Record]) -> Counts:
    """Count how samples ended and what the answers looked like."""
    outcomes = Counter(record["outcome"] for record in records)
    unknown = set(outcomes) - set(OUTCOMES)
    if unknown:
        raise ValueError(f"unknown outcomes in records: {sorted(unknown)}")
    return Counts(
        total=len(records),
        answered=outcomes["answered"],
        failed=outcomes["failed"],
        not_asked=outcomes["not_asked"],
        unscored=outcomes["unscored"],
        empty=sum(bool(record["empty"]) for record in records),
        truncated=sum(bool(record["truncated"]) for record in records),
        unclosed_reasoning=sum(bool(record["unclosed_reasoning"]) for record in records),
        unjudged=outcomes["unjudged"],
    )


def flat_metrics(summary: Summary) -> dict[str, float]:
    """The summary as LightEval's results row: plain floats only.

    LightEval adds and averages whatever stands here, so an undefined value is NaN (a
    missing key would come back as 0.0 in its averages, None would crash them).
    """
    row: dict[str, float] = {}
    for headline in summary.headlines:
        row[headline.name] = float("nan") if headline.value is None else float(headline.value)
        low, high = headline.interval or (float("nan"), float("nan"))
        row[f"{headline.name}_ci_low"] = float(low)
        row[f"{headline.name}_ci_high"] = float(high)
    total = summary.counts.total
    row["coverage"] = summary.counts.answered / total if total else float("nan")
    row["truncated_share"] = (
        summary.counts.truncated / summary.counts.answered if summary.counts.answered else float("nan")
    )
    return row
