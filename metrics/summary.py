"""What a benchmark says about a set of records, and the one flat form that every file of a run has it in."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from metrics.record import OUTCOMES, Record
from metrics.stats import Interval

__all__ = ["COUNTS", "Counts", "Headline", "Summary", "count_outcomes", "flat", "in_order"]

_LOOKS: Final = ("empty", "truncated", "unclosed_reasoning", "with_reasoning", "marked_reasoning")
COUNTS: Final = ("total", *OUTCOMES, *_LOOKS)


@dataclass(frozen=True, slots=True)
class Headline:
    """One number of the result table.

    Attributes:
        name: metric name as LightEval's results file has it.
        value: over the samples with a valid answer; None when it is undefined.
        interval: 95% interval over questions, or None.
        n: samples behind the value.
        bounds: the value with every missing sample at its lowest / highest; None at full coverage.
        note: why the value is None, or what was left out of it; empty otherwise.
        higher_is_better: direction of the metric.
        coverage: samples that the value is known of, and those it is about; None where these are the task's.
        method: what made the interval, one of the names in :mod:`metrics.headlines`; empty without one.
    """

    name: str
    value: float | None
    interval: Interval | None
    n: int
    bounds: tuple[float, float] | None = None
    note: str = ""
    higher_is_better: bool = True
    coverage: tuple[int, int] | None = None
    method: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How the samples of a task ended; every number counts samples.

    Attributes:
        total: samples asked for.
        answered, blocked, failed, not_asked, unscored, unjudged: see :class:`metrics.record.Record`.
        empty, truncated, unclosed_reasoning, with_reasoning, marked_reasoning: what answers looked like, judged or not.
        unscored_ids: questions whose answers the scorer could not take.
    """

    total: int
    answered: int
    failed: int
    not_asked: int
    unscored: int
    empty: int
    truncated: int
    unclosed_reasoning: int
    unjudged: int = 0
    blocked: int = 0
    with_reasoning: int = 0
    marked_reasoning: int = 0
    unscored_ids: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every sample has a valid answer and verdict."""
        return self.answered == self.total

    @property
    def at_hand(self) -> int:
        """Answers of which it is known whether they are empty or truncated."""
        return self.answered + self.unjudged


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
    """Records by question and repeat: the same records give the same summary, however they came."""
    return sorted(records, key=lambda record: (record["id"], record["repeat"]))


def _looking(records: Sequence[Mapping[str, Any]], look: str) -> int:
    return sum(bool(record.get(look)) for record in records)  # records of older versions have fewer of them


def count_outcomes(records: Sequence[Record]) -> Counts:
    """Count how samples ended and what the answers looked like.

    Raises:
        ValueError: a record has an outcome that there is not.
    """
    outcomes = Counter(record["outcome"] for record in records)
    unknown = set(outcomes) - set(OUTCOMES)
    if unknown:
        raise ValueError(f"unknown outcomes in records: {sorted(unknown)}")
    return Counts(
        total=len(records),
        **{outcome: outcomes[outcome] for outcome in OUTCOMES},
        **{look: _looking(records, look) for look in _LOOKS},
        unscored_ids=tuple(record["id"] for record in records if record["outcome"] == "unscored"),
    )


def flat(summary: Summary) -> dict[str, Any]:
    """The summary as one row, None (with a reason) where undefined: in run.json and in LightEval's results file.

    Names: each headline with ``_ci_low``, ``_ci_high`` and ``_ci_method``, below full coverage also with
    ``_lower_bound`` and ``_upper_bound``; counts as ``n_*``; breakdowns as ``axis/label/value``.
    """
    row: dict[str, Any] = {}
    for headline in summary.headlines:
        row |= _headline_row(headline)
    counts = summary.counts
    row["coverage"] = counts.answered / counts.total if counts.total else None
    for name in COUNTS:
        row[f"n_{name}"] = getattr(counts, name)
    row["truncated_share"] = counts.truncated / counts.at_hand if counts.at_hand else None
    for axis, labels in summary.breakdowns.items():
        for label, values in labels.items():
            for name, value in values.items():
                row[f"{axis}/{label}/{name}"] = value
    if counts.unscored_ids:
        row["unscored_ids"] = list(counts.unscored_ids)
    return row


def _headline_row(headline: Headline) -> dict[str, Any]:
    name = headline.name
    low, high = headline.interval if headline.interval is not None else (None, None)
    row: dict[str, Any] = {name: headline.value, f"{name}_ci_low": low, f"{name}_ci_high": high}
    if headline.method:
        row[f"{name}_ci_method"] = headline.method
    if headline.value is None:
        row[f"{name}_undefined_because"] = headline.note
    if headline.bounds is not None:
        row[f"{name}_lower_bound"], row[f"{name}_upper_bound"] = headline.bounds
    return row
