"""How far one metric moved between two runs, with intervals that know what moves together and what is missing."""

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from metrics.decision.paired import Difference, mcnemar, paired_difference
from metrics.decision.power import DISCORDANCE, smallest_difference
from metrics.decision.resampling import balance_difference, ratio_difference
from metrics.decision.swaps import mcnemar_clustered
from metrics.headlines import MetricSpec, geometric_mean, tallies
from metrics.record import Record
from metrics.stats import Interval
from report.comparison.pairing import Pair

__all__ = ["P_VALUES", "Change", "change", "known", "question_means"]

P_VALUES: Final = ("p_mid", "p_exact", "p_mid_clustered", "p_exact_clustered")
_BOOTSTRAP: Final = "paired bootstrap"
_PAIRED: Final = "paired, Bonett and Price"
# What stands for missing answers of the baseline and of the other run: against the latter, and in its favour.
_ENDS: Final = ((1.0, 0.0), (0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Change:
    """One metric of two runs.

    Attributes:
        name: as the runs' tables have it.
        higher_is_better: its direction.
        values: of the baseline and of the other run, over the questions that both have a value of; None: undefined.
        found: the difference with its intervals; None where a value is undefined.
        method: what made the intervals.
        p_mid, p_exact: McNemar's, of all-or-nothing metrics with one answer a question; else None.
        p_mid_clustered, p_exact_clustered: the same with whole clusters swapped; None where no two questions share one.
        questions: behind the difference.
        discordance: mean square of the questions' differences: of verdicts, the share on which the runs disagree. Of a
            balance, the variance that its standard error stands for. 0 where the runs agree throughout.
        bounds: the difference with every missing answer at its worst, and at its best, for the second run; None where
            nothing is missing.
        outer: an interval that holds the intervals at both bounds; None where nothing is missing.
    """

    name: str
    higher_is_better: bool
    values: tuple[float | None, float | None]
    found: Difference | None
    method: str
    p_mid: float | None
    p_exact: float | None
    p_mid_clustered: float | None
    p_exact_clustered: float | None
    questions: int
    discordance: float
    bounds: tuple[float, float] | None
    outer: Interval | None

    @property
    def interval(self) -> Interval | None:
        """The clustered interval where there is one, else the plain one."""
        return None if self.found is None else self.found.interval_clustered or self.found.interval

    @property
    def smallest(self) -> float:
        """The smallest true difference that such a comparison finds at 80%; at 30% discordance where none was seen.

        Clusters count as the design effect says. Infinite without a question.
        """
        if not self.questions:
            return math.inf
        found = smallest_difference(self.questions, min(1.0, self.discordance) or DISCORDANCE)
        if self.found is not None and self.found.se and self.found.se_clustered:
            found *= max(1.0, self.found.se_clustered / self.found.se)
        return found

    @property
    def widest(self) -> Interval | None:
        """What the difference is known to lie in, whatever the missing answers would have been."""
        return self.outer or self.interval


@dataclass(frozen=True, slots=True)
class _Measured:
    values: tuple[float, float]
    found: Difference
    method: str
    differences: list[float]  # a question each
    clusters: Sequence[Hashable] | None  # of these questions
    verdicts: bool  # whether every question has one answer, right or wrong


def change(spec: MetricSpec, pair: Pair, level: float) -> Change | None:
    """How far a metric moved; None where it is about none of the questions.

    Args:
        spec: the metric.
        pair: the runs.
        level: coverage of the intervals.
    """
    asked = [
        question
        for question in pair.questions
        if spec.about is None or any(spec.about(record) for of in pair.records for record in of[question])
    ]
    if not asked:
        return None
    paired = [question for question in asked if all(known(spec, of[question]) for of in pair.records)]
    measured = _measured(spec, pair, paired, (None, None), level)
    bounds = outer = None
    if any(len(known(spec, of[question])) < len(of[question]) for of in pair.records for question in asked):
        ends = [_measured(spec, pair, asked, fills, level) for fills in _ENDS]
        if all(ends):
            worst, best = (end.found for end in ends if end is not None)
            bounds = worst.value, best.value
            low, high = (end.interval_clustered or end.interval for end in (worst, best))
            outer = Interval(low.low, high.high)
    if measured is None:
        values = (None, None)
        none = None
        return Change(spec.name, spec.higher_is_better, values, none, "", none, none, none, none, 0, 0.0, bounds, outer)
    test = clustered = None
    if measured.verdicts:
        test = mcnemar(sum(d > 0 for d in measured.differences), sum(d < 0 for d in measured.differences))
        if measured.clusters is not None:
            clustered = mcnemar_clustered([round(d) for d in measured.differences], measured.clusters)
    return Change(
        name=spec.name,
        higher_is_better=spec.higher_is_better,
        values=measured.values,
        found=measured.found,
        method=measured.method,
        p_mid=None if test is None else test.p_mid,
        p_exact=None if test is None else test.p_exact,
        p_mid_clustered=None if clustered is None else clustered.p_mid,
        p_exact_clustered=None if clustered is None else clustered.p_exact,
        questions=len(measured.differences),
        discordance=_discordance(spec, measured),
        bounds=bounds,
        outer=outer,
    )


def _discordance(spec: MetricSpec, measured: _Measured) -> float:
    n = len(measured.differences)
    if spec.unit == "balance":
        return n * (measured.found.se or 0.0) ** 2
    return math.fsum(d * d for d in measured.differences) / max(n, 1)


def known(spec: MetricSpec, records: Sequence[Record]) -> list[Record]:
    """Those that the metric is known of."""
    return [record for record in records if record["outcome"] in spec.outcomes]


def question_means(spec: MetricSpec, pair: Pair) -> list[tuple[Hashable, float, float]]:
    """The questions of which both runs have a value, with the mean of each run over its answers to it."""
    found = []
    for question in pair.questions:
        sums = [_sums(spec, of[question], None) for of in pair.records]
        if all(seen for _, seen in sums):
            (met_a, seen_a), (met_b, seen_b) = sums
            found.append((question, met_a / seen_a, met_b / seen_b))
    return found


def _measured(
    spec: MetricSpec,
    pair: Pair,
    questions: Sequence[Hashable],
    fills: tuple[float | None, float | None],
    level: float,
) -> _Measured | None:
    """The metric over some questions; ``fills`` stand for missing answers, None leaves them out."""
    if not questions:
        return None
    clusters = None
    if pair.clusters is not None:
        of = dict(zip(pair.questions, pair.clusters, strict=True))
        clusters = [of[question] for question in questions]
    if spec.unit == "balance":
        return _balance(spec, pair, questions, clusters, fills, level)
    sums = [
        [_sums(spec, of[question], fill) for question in questions]
        for of, fill in zip(pair.records, fills, strict=True)
    ]
    a, b = ((list(met), list(seen)) for met, seen in (zip(*run, strict=True) for run in sums))
    if not all(map(math.fsum, (a[1], b[1]))):
        return None
    values = (math.fsum(a[0]) / math.fsum(a[1]), math.fsum(b[0]) / math.fsum(b[1]))
    seen = [m and n for m, n in zip(a[1], b[1], strict=True)]
    means = [(x / m, y / n) for x, m, y, n in zip(*a, *b, strict=True) if m and n]
    differences = [second - first for first, second in means]
    single = all(len(of[question]) == 1 for of in pair.records for question in questions)
    binary = {*a[1], *b[1]} <= {0.0, 1.0} and {value for mean in means for value in mean} <= {0.0, 1.0}
    if len(set(a[1])) == len(set(b[1])) == 1 or a == b:
        # A mean over questions: each weighs the same. Where the runs agree throughout a bootstrap would leave no doubt.
        firsts, seconds = zip(*means, strict=True)
        if clusters is not None:
            clusters = list(itertools.compress(clusters, seen))
        found = paired_difference(firsts, seconds, clusters=clusters, level=level)
        return _Measured(values, found, _PAIRED, differences, clusters, binary and single)
    drawn = ratio_difference(a, b, clusters=clusters, level=level)
    if clusters is not None:
        clusters = list(itertools.compress(clusters, seen))
    return None if drawn is None else _Measured(values, drawn, _BOOTSTRAP, differences, clusters, binary and single)


def _sums(spec: MetricSpec, asked: Sequence[Record], fill: float | None) -> tuple[float, float]:
    """What a run has met of a question, and out of how much; ``fill`` of each missing answer, None leaves it out."""
    parts = [spec.of(record) for record in known(spec, asked)]
    if fill is not None:
        absent = [spec.missing(record) for record in asked if record["outcome"] not in spec.outcomes]
        parts += [(weight * fill, weight) for weight in absent]
    return math.fsum(part[0] for part in parts), math.fsum(part[1] for part in parts)


def _balance(
    spec: MetricSpec,
    pair: Pair,
    questions: Sequence[Hashable],
    clusters: Sequence[Hashable] | None,
    fills: tuple[float | None, float | None],
    level: float,
) -> _Measured | None:
    held = [[record for question in questions for record in of[question]] for of in pair.records]
    answered = [known(spec, records) for records in held]
    groups = _groups(spec, answered if None in fills else held)
    matrices = [
        tallies(spec, records if fill is not None else valid, questions, groups, fill or 0.0)
        for records, valid, fill in zip(held, answered, fills, strict=True)
    ]
    found = balance_difference(*matrices, floor=spec.floor, clusters=clusters, level=level)
    if found is None:
        return None
    columns = [column for column in range(len(groups)) if all(seen[:, column].any() for _, seen in matrices)]
    first, second = (
        geometric_mean({str(i): met[:, i].sum() / seen[:, i].sum() for i in columns}, spec.floor)
        for met, seen in matrices
    )
    if first is None or second is None:
        return None
    return _Measured((first, second), found, _BOOTSTRAP, [0.0] * len(questions), clusters, False)


def _groups(spec: MetricSpec, runs: Sequence[Sequence[Record]]) -> list[str]:
    """The groups that count in both runs."""
    if spec.tally is None:
        raise TypeError(f"{spec.name} has no groups to be balanced")
    if spec.kept is not None:
        kept = [set(spec.kept(records)) for records in runs]
    else:
        kept = [{group for record in records for group, _ in spec.tally(record)} for records in runs]
    return sorted(set.intersection(*kept))
