"""Headline values over records: means, ratios, geometric means, their intervals and bounds, each written once.

The resampling unit is the question: repeats of a question, and verdicts on one answer, move together.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from metrics.record import Record, VerdictRecord
from metrics.stats import bootstrap_balance, bootstrap_ratio, share_interval
from metrics.summary import Headline

__all__ = [
    "BOOTSTRAP",
    "EMPTY",
    "NO_ANSWER",
    "NO_SPREAD",
    "TRUNCATED",
    "UNCLOSED",
    "WILSON",
    "MetricSpec",
    "Part",
    "answered",
    "balance",
    "flag",
    "geometric_mean",
    "grouped",
    "question_value",
    "ratio",
    "tallies",
    "value",
    "values",
    "verdict_count",
    "verdict_rates",
]

NO_ANSWER: Final = "no sample has a valid answer"
WILSON: Final = "Wilson"
BOOTSTRAP: Final = "bootstrap"
# What is said of a bootstrap's interval that is a point.
NO_SPREAD: Final = "all resamples agree, so that its interval shows none of the doubt that remains"

# A record's part of a ratio: how much was met, out of how much; (0, 0) where the metric is undefined.
Part = tuple[float, float]
# A record's part of a geometric mean: groups with what was met in each, None where nothing could be checked.
Tally = Callable[[Record], Iterable[tuple[str, float | None]]]


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric of a benchmark.

    Attributes:
        name: as LightEval's results file has it.
        higher_is_better: direction of the metric.
        unit: what is counted: a ``share`` of things that are met or not, a ``mean`` of values in [0, 1], or the
            ``balance`` of rates over groups.
        part: what one record adds; None takes the record's own score of that name, one sample each.
        made_of: number of verdicts whose mean a record adds to a share; None where each adds what it counts.
        about: which records the metric is about; None for all.
        outcomes: how a sample must have ended for the metric to be known of it.
        why_none: why the value is undefined where no record adds anything.
        missing: how much a sample without a valid answer would add to what is counted.
        question: what tells questions apart.
        by_question: whether each record adds one value in [0, 1], so that the metric of a set is a mean over its
            questions; False where what is counted is in the answers, as constraints are.
        per_sample: whether LightEval's details show the value of each sample under this name.
        tally, floor: of a ``balance``: a record's groups with what was met in each, and the lowest rate that a group is
            taken to have.
        kept: of a ``balance``: (records) -> the groups that count; None for every one that occurs.
    """

    name: str
    higher_is_better: bool = True
    unit: Literal["share", "mean", "balance"] = "share"
    part: Callable[[Record], Part] | None = None
    made_of: Callable[[Record], float] | None = None
    about: Callable[[Record], bool] | None = None
    outcomes: tuple[str, ...] = ("answered",)
    why_none: str = NO_ANSWER
    missing: Callable[[Record], float] = lambda record: 1.0
    question: Callable[[Record], Hashable] = lambda record: record["id"]
    by_question: bool = True
    per_sample: bool = False
    tally: Tally | None = None
    floor: float = 0.0
    kept: Callable[[Sequence[Record]], Collection[str]] | None = None

    @property
    def mean_of_questions(self) -> bool:
        """Whether the formulas of :mod:`metrics.decision` for a mean over questions hold."""
        return self.by_question and self.unit != "balance" and self.about is None

    def of(self, record: Record) -> Part:
        """What a record adds."""
        if self.part is not None:
            return self.part(record)
        score = record["scores"][self.name]
        return (0.0, 0.0) if score is None else (score, 1.0)


def flag(name: Literal["empty", "truncated", "unclosed_reasoning"]) -> Callable[[Record], Part]:
    """The part of a share of answers that look like something."""
    return lambda record: (float(bool(record[name])), 1.0)


EMPTY: Final = MetricSpec("empty_share", False, part=flag("empty"))
TRUNCATED: Final = MetricSpec("truncated_share", False, part=flag("truncated"))
UNCLOSED: Final = MetricSpec("unclosed_reasoning_share", False, part=flag("unclosed_reasoning"))


def verdict_count(record: Record) -> float:
    """Over how many verdicts a rate of requirements met is a mean; a record without any counts as one."""
    return float(max(len(record["verdicts"]), 1))


def answered(records: Iterable[Record]) -> list[Record]:
    """The records with a valid answer and verdict."""
    return [record for record in records if record["outcome"] == "answered"]


def value(spec: MetricSpec, records: Iterable[Record]) -> float | None:
    """The metric over some records that it is known of; None where none adds anything."""
    parts = [spec.of(record) for record in records]
    counted = math.fsum(part[1] for part in parts)
    return math.fsum(part[0] for part in parts) / counted if counted else None


def question_value(spec: MetricSpec, records: Iterable[Record]) -> float | None:
    """The metric of one question over all its answers; None where it is not known of one of them."""
    found = list(records)
    known = all(record["outcome"] in spec.outcomes and spec.of(record)[1] for record in found)
    return value(spec, found) if known else None


def values(specs: Iterable[MetricSpec], records: Sequence[Record]) -> dict[str, float | None]:
    """Several metrics over the same records, by name."""
    return {spec.name: value(spec, records) for spec in specs}


def ratio(
    spec: MetricSpec,
    records: Sequence[Record],
    *,
    missing: Callable[[Record], float] | None = None,
    note: str = "",
    why_none: str = "",
) -> Headline:
    """A mean over answers, or over the things counted in them.

    Args:
        spec: a metric of the unit ``share`` or ``mean``.
        records: of one task, in any order.
        missing: as in the spec, where only the records can tell.
        note: what was left out of the value.
        why_none: as in the spec, where only the records can tell.
    """
    asked = [record for record in records if spec.about is None or spec.about(record)]
    groups: dict[Any, list[Part]] = defaultdict(list)
    verdicts: dict[Any, float] = defaultdict(float)
    absent = 0.0
    known = 0
    for record in asked:
        if record["outcome"] in spec.outcomes:
            part = spec.of(record)
            groups[spec.question(record)].append(part)
            verdicts[spec.question(record)] += spec.made_of(record) if spec.made_of is not None and part[1] else part[1]
            known += 1
        else:
            absent += (missing or spec.missing)(record)
    order = sorted(groups)  # of its own, for the bootstrap
    parts = [groups[question] for question in order]
    met = math.fsum(part[0] for group in parts for part in group)
    counted = math.fsum(part[1] for group in parts for part in group)
    bounds = None
    if known < len(asked) and counted + absent:
        bounds = (met / (counted + absent), (met + absent) / (counted + absent))
    n, coverage = int(counted), (known, len(asked))
    if not n:
        return Headline(spec.name, None, None, 0, bounds, why_none or spec.why_none, spec.higher_is_better, coverage)
    sums = [sum(part[0] for part in group) for group in parts]
    counts = [sum(part[1] for part in group) for group in parts]
    # Values that all are 0 or 1 are a share too: the bootstrap would see no spread where they agree.
    shares = spec.unit == "share" or all(part[0] in (0.0, part[1]) for group in parts for part in group)
    interval = (
        share_interval(sums, counts, verdicts=[verdicts[question] for question in order])
        if shares
        else bootstrap_ratio(sums, counts)
    )
    method = WILSON if shares else BOOTSTRAP
    return Headline(spec.name, met / counted, interval, n, bounds, note, spec.higher_is_better, coverage, method)


def balance(spec: MetricSpec, records: Sequence[Record], *, note: str = "", why_none: str = "") -> Headline:
    """Geometric mean of pass rates over groups; a blind spot pulls it down.

    Args:
        spec: a metric of the unit ``balance``.
        records: of one task, in any order.
        note, why_none: as for :func:`ratio`.
    """
    kept = None if spec.kept is None else spec.kept(records)
    known = answered(records)
    coverage = len(known), len(records)
    n = sum(any(True for _ in _tallied(spec, record, None, 0.0)) for record in known)
    bounds = None
    if len(known) < len(records):
        low, high = (geometric_mean(_rates(spec, records, kept, end), spec.floor) for end in (0.0, 1.0))
        bounds = None if low is None or high is None else (low, high)
    found = geometric_mean(_rates(spec, known, kept, 0.0), spec.floor)
    if found is None:
        return Headline(spec.name, None, None, n, bounds, why_none or spec.why_none, True, coverage)
    questions = sorted({spec.question(record) for record in known})  # type: ignore[type-var]  # of one type each
    interval = bootstrap_balance(*tallies(spec, known, questions, kept), min_seen=1, floor=spec.floor)
    return Headline(spec.name, found, interval, n, bounds, note, True, coverage, BOOTSTRAP)


def geometric_mean(rates: Mapping[str, float], floor: float) -> float | None:
    """Of rates, each taken to be at least ``floor``; None without any."""
    logs = [math.log(max(rate, floor)) for rate in rates.values()]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


def _tallied(
    spec: MetricSpec, record: Record, kept: Collection[str] | None, missing: float
) -> Iterable[tuple[str, float]]:
    if spec.tally is None:
        raise TypeError(f"{spec.name} has no groups to be balanced")
    for group, met in spec.tally(record):
        if kept is None or group in kept:
            yield group, missing if met is None else met


def _rates(
    spec: MetricSpec, records: Iterable[Record], kept: Collection[str] | None, missing: float
) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for record in records:
        for group, met in _tallied(spec, record, kept, missing):
            found[group].append(met)
    return {group: math.fsum(met) / len(met) for group, met in found.items()}


def tallies(
    spec: MetricSpec,
    records: Iterable[Record],
    questions: Sequence[Hashable],
    kept: Collection[str] | None,
    missing: float = 0.0,
) -> tuple[Any, Any]:
    """What was met and what was seen, questions x groups.

    Args:
        spec: a metric of the unit ``balance``.
        records: their questions are among ``questions``.
        questions: the rows.
        kept: the columns, by name; None for the groups that occur.
        missing: what a record without a valid answer has met of each of its groups.
    """
    rows = {question: i for i, question in enumerate(questions)}
    found = [(rows[spec.question(r)], group, met) for r in records for group, met in _tallied(spec, r, kept, missing)]
    columns = {
        group: j for j, group in enumerate(sorted(kept if kept is not None else {group for _, group, _ in found}))
    }
    met_in = np.zeros((len(rows), len(columns)))
    seen = np.zeros_like(met_in)
    for row, group, met in found:
        seen[row, columns[group]] += 1
        met_in[row, columns[group]] += met
    return met_in, seen


def verdict_rates(
    records: Iterable[Record], label: Callable[[VerdictRecord], str], order: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Verdicts seen and passed by a label of theirs; those with an order first, the rest by name."""
    seen: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for record in records:
        for verdict in record["verdicts"]:
            name = label(verdict)
            seen[name] += 1
            passed[name] += bool(verdict["passed"])
    return {
        name: {"n": seen[name], "passed": passed[name], "pass_rate": passed[name] / seen[name]}
        for name in _ordered(seen, order)
    }


def grouped(
    records: Iterable[Record], label: Callable[[Record], str | None], order: Sequence[str] = ()
) -> dict[str, list[Record]]:
    """Records by a label of theirs, in order; those without one are left out."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        name = label(record)
        if name is not None:
            groups[name].append(record)
    return {name: groups[name] for name in _ordered(groups, order)}


def _ordered(names: Collection[str], order: Sequence[str]) -> list[str]:
    return [name for name in order if name in names] + sorted(set(names) - set(order))
