"""Compares runs with a baseline: every headline, the questions won and lost, the groups that moved."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from metrics.decision.paired import VarianceSplit, holm, mcnemar, variance_split
from metrics.decision.power import DISCORDANCE
from metrics.decision.swaps import mcnemar_clustered
from metrics.headlines import MetricSpec, Tally
from metrics.record import Record
from metrics.stats import LEVEL
from report.comparison.changes import P_VALUES, Change, change, known, question_means
from report.comparison.pairing import Pair, pairs_of
from report.loading import Loaded

__all__ = ["Comparison", "Group", "Questions", "compare", "level_of", "metrics_of"]

_MISSING: Final = 1e-12  # means of repeats that differ by less are equal


@dataclass(frozen=True, slots=True)
class Questions:
    """Who won which question, by one metric.

    Attributes:
        metric: the first all-or-nothing one where higher is better; the first of all where there is none.
        won: the second run did better (right where the baseline was wrong).
        lost: it did worse.
        tied: both did the same.
        missing: one of the runs has no value.
    """

    metric: str
    won: list[Hashable]
    lost: list[Hashable]
    tied: list[Hashable]
    missing: list[Hashable]


@dataclass(frozen=True, slots=True)
class Group:
    """A type, family or cell in two runs.

    Attributes:
        name: ``axis/label``, as ``run.json`` has it.
        difference: of what was met, out of all that was seen in it.
        p: exact sign test over questions.
        p_holm: corrected for all groups of the comparison, and for the number of runs.
        p_clustered: the same test with whole clusters swapped; ``p`` where no two questions share one.
        p_clustered_holm: that, corrected likewise: what says whether the group moved.
        questions: of which both runs have a value.
    """

    name: str
    difference: float
    p: float
    p_holm: float
    p_clustered: float
    p_clustered_holm: float
    questions: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """One task of one run against the baseline.

    Attributes:
        pair: what was compared.
        changes: of the headlines, in the table's order.
        p_holm: for each metric those of its ``P_VALUES`` that it has, corrected for the number of runs; empty for one.
        questions: won and lost.
        groups: in the order of their axes.
        smallest: the smallest difference of the main metric that so many questions can show at 80%.
        discordance: that ``smallest`` rests on, and whether it was observed.
        splits: of each run with repeats: where the variance of the main metric comes from, by the run's name.
    """

    pair: Pair
    changes: list[Change]
    p_holm: dict[str, dict[str, float]]
    questions: Questions
    groups: list[Group]
    smallest: float
    discordance: tuple[float, bool]
    splits: dict[str, VarianceSplit]


def level_of(comparisons: int) -> float:
    """Coverage of each interval so that all of several hold at once with the usual one (Bonferroni)."""
    return 1 - (1 - LEVEL) / max(comparisons, 1)


def metrics_of(pair: Pair) -> list[MetricSpec]:
    """The metrics that both runs have."""
    of = pair.bench.metrics_of
    if of is None:
        return list(pair.bench.metrics)
    first, second = (of([record for records in held.values() for record in records]) for held in pair.records)
    names = {spec.name for spec in second}
    return [spec for spec in first if spec.name in names]


def compare(baseline: Loaded, others: Sequence[Loaded], common: bool = False) -> list[list[Comparison]]:
    """Compare runs with a baseline.

    Args:
        baseline: the run that the others are held against.
        others: one or more.
        common: as for :func:`report.comparison.pairing.pairs_of`.

    Returns:
        for each of the others its comparisons, one a task.

    Raises:
        ReportError: runs that do not compare.
    """
    level = level_of(len(others))
    found = [[_compared(pair, level) for pair in pairs_of(baseline, other, common)] for other in others]
    tasks = dict.fromkeys(one.pair.task for of in found for one in of)
    corrected = {task: _corrected([one for of in found for one in of if one.pair.task == task]) for task in tasks}
    return [[corrected[one.pair.task][one.pair.names[1]] for one in of] for of in found]


def _compared(pair: Pair, level: float) -> Comparison:
    specs = metrics_of(pair)
    changes = [one for spec in specs if (one := change(spec, pair, level)) is not None]
    main = _main(specs, pair)
    questions = _won_and_lost(main, pair)
    moved = next((one for one in changes if one.name == main.name), None)
    observed = 0.0 if moved is None else moved.discordance
    return Comparison(
        pair=pair,
        changes=changes,
        p_holm={},
        questions=questions,
        groups=_groups(pair),
        smallest=math.inf if moved is None else moved.smallest,
        discordance=(observed or DISCORDANCE, bool(observed)),
        splits=_splits(main, pair),
    )


def _main(specs: Sequence[MetricSpec], pair: Pair) -> MetricSpec:
    """The first all-or-nothing metric where higher is better; without one the first of all."""
    for spec in specs:
        of_verdicts = spec.unit != "balance" and spec.outcomes == ("answered",)  # not the judge's coverage
        if spec.higher_is_better and of_verdicts and _all_or_nothing(spec, pair):
            return spec
    return specs[0]


def _all_or_nothing(spec: MetricSpec, pair: Pair) -> bool:
    records = [record for of in pair.records for held in of.values() for record in known(spec, held)]
    return all(spec.of(record) in ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)) for record in records)


def _won_and_lost(main: MetricSpec, pair: Pair) -> Questions:
    found = Questions(main.name, [], [], [], [])
    sign = 1 if main.higher_is_better else -1
    means = {question: sign * (b - a) for question, a, b in question_means(main, pair)}
    for question in pair.questions:
        better = means.get(question)
        if better is None:
            found.missing.append(question)
        elif abs(better) < _MISSING:
            found.tied.append(question)
        else:
            (found.won if better > 0 else found.lost).append(question)
    return found


def _groups(pair: Pair) -> list[Group]:
    found = []
    clusters = dict(zip(pair.questions, pair.clusters or pair.questions, strict=True))
    for axis, tally in pair.bench.groups.items():
        first, second = (_tallied(tally, of) for of in pair.records)
        for label in sorted(first.keys() & second.keys()):
            ours, theirs = first[label], second[label]
            both = [question for question in pair.questions if question in ours and question in theirs]
            if not both:
                continue
            rates = [math.fsum(v for q in both for v in of[q]) / sum(len(of[q]) for q in both) for of in (ours, theirs)]
            means = [math.fsum(theirs[q]) / len(theirs[q]) - math.fsum(ours[q]) / len(ours[q]) for q in both]
            signs = [(d > _MISSING) - (d < -_MISSING) for d in means]
            p = mcnemar(signs.count(1), signs.count(-1)).p_exact
            moved = p if pair.clusters is None else mcnemar_clustered(signs, [clusters[q] for q in both]).p_exact
            found.append(Group(f"{axis}/{label}", rates[1] - rates[0], p, p, moved, moved, len(both)))
    return found


def _tallied(tally: Tally, held: dict[Hashable, list[Record]]) -> dict[str, dict[Hashable, list[float]]]:
    found: dict[str, dict[Hashable, list[float]]] = defaultdict(lambda: defaultdict(list))
    for question, records in held.items():
        for record in records:
            if record["outcome"] == "answered":
                for label, met in tally(record):
                    if met is not None:
                        found[label][question].append(met)
    return found


def _splits(main: MetricSpec, pair: Pair) -> dict[str, VarianceSplit]:
    found = {}
    for name, repeats, held in zip(pair.names, pair.repeats, pair.records, strict=True):
        if repeats < 2:
            continue
        parts = [[main.of(record) for record in known(main, held[question])] for question in pair.questions]
        values = [row for of in parts if (row := [met / seen for met, seen in of if seen])]
        if len(values) > 1 and any(len(row) > 1 for row in values):
            found[name] = variance_split(values)
    return found


def _corrected(found: Sequence[Comparison]) -> dict[str, Comparison]:
    """Comparisons of one task by the name of their second run, p values corrected over all of them."""
    places = [(i, j) for i, one in enumerate(found) for j in range(len(one.groups))]
    ps = holm([found[i].groups[j].p for i, j in places])
    clustered = holm([found[i].groups[j].p_clustered for i, j in places])
    groups = [list(one.groups) for one in found]
    for (i, j), p, of_clusters in zip(places, ps, clustered, strict=True):
        groups[i][j] = replace(groups[i][j], p_holm=p, p_clustered_holm=of_clusters)
    tests: list[dict[str, dict[str, float]]] = [defaultdict(dict) for _ in found]
    if len(found) > 1:
        for name in dict.fromkeys(one.name for of in found for one in of.changes):
            for which in P_VALUES:
                tested = [
                    (i, p)
                    for i, of in enumerate(found)
                    for one in of.changes
                    if one.name == name and (p := getattr(one, which)) is not None
                ]
                for (i, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
                    tests[i][name][which] = p
    return {
        one.pair.names[1]: replace(one, groups=of, p_holm=test)
        for one, of, test in zip(found, groups, tests, strict=True)
    }
