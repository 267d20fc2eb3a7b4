"""Paired bootstrap of a difference, for what is no mean over questions: ratios, and geometric means over groups.

A resample draws questions (or clusters of them) with replacement, the same ones for both runs, so that what is hard for
both cancels out (B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13). Generator,
seed and number of resamples are those of :mod:`metrics.stats`.

Not to be used: for all-or-nothing metrics and means, where :func:`metrics.decision.paired.paired_difference` knows that
runs which agree on every question leave some doubt (a bootstrap gives the point 0); with under twenty questions or
clusters; to look repeatedly while answers arrive.
"""

from collections.abc import Callable, Hashable, Sequence
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.decision.paired import Difference, cluster_codes
from metrics.stats import LEVEL, RESAMPLES, SEED, Interval, resample_weights

__all__ = ["balance_difference", "ratio_difference"]

Floats = NDArray[np.float64]
_ROWS_TO_DRAW: Final = 2  # with fewer, resamples show no spread at all


class _Run(NamedTuple):
    """What was met, and out of how much: rows x groups (one group for a ratio)."""

    met: Floats
    seen: Floats

    def gathered(self, codes: NDArray[np.int64]) -> "_Run":
        """Rows of one code added up."""
        gathered = [np.zeros((int(codes.max()) + 1, part.shape[1])) for part in self]
        for part, whole in zip(self, gathered, strict=True):
            np.add.at(whole, codes, part)
        return _Run(*gathered)


def ratio_difference(
    a: tuple[Sequence[float], Sequence[float]],
    b: tuple[Sequence[float], Sequence[float]],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> Difference | None:
    """The difference of two ratios ``sum(met) / sum(seen)`` over the same questions; ends are percentiles.

    Args:
        a: one a question, what was met and out of how much; 0 of 0 where the metric is undefined.
        b: the same questions in the same order.
        clusters: for each question what it moves together with.
        level: coverage, in (0, 1).

    Returns:
        The difference, or None where one of the ratios is undefined.

    Raises:
        ValueError: unequal lengths, a number that is not finite, a ``level`` out of range.
    """

    def scores(one: _Run, weights: Floats) -> Floats:
        met, seen = (weights @ one.met)[:, 0], (weights @ one.seen)[:, 0]
        return np.where(seen > 0, met / np.where(seen > 0, seen, 1.0), np.nan)

    runs = [_run(*(np.asarray(part, dtype=np.float64)[:, np.newaxis] for part in run)) for run in (a, b)]
    return _difference(runs, scores, _percentiles, clusters, level)


def balance_difference(
    a: tuple[Any, Any],
    b: tuple[Any, Any],
    *,
    floor: float,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> Difference | None:
    """The difference of two geometric means of pass rates over the same groups.

    Its ends are normal and allow for the bias of resamples, as those of :func:`metrics.stats.bootstrap_balance` do and
    for the same reason: a resample often loses the only pass of a group. Where a group has a single question (or
    cluster) resamples cannot show how it varies, and the interval is everything there can be.

    Args:
        a: questions x groups, what was met and what was seen.
        b: the same questions and groups in the same order.
        floor: the lowest rate that a group is taken to have.
        clusters: for each question what it moves together with.
        level: coverage, in (0, 1).

    Returns:
        The difference, or None where no group is seen in both runs.

    Raises:
        ValueError: arrays of unlike shapes, a number that is not finite, a ``level`` out of range.
    """
    runs = [_run(*(np.asarray(part, dtype=np.float64) for part in run)) for run in (a, b)]
    kept = np.logical_and(*((run.seen.sum(axis=0) > 0) for run in runs))
    if not kept.any():
        return None
    runs = [_Run(run.met[:, kept], run.seen[:, kept]) for run in runs]

    def scores(one: _Run, weights: Floats) -> Floats:
        drawn = weights @ one.seen
        whole = one.met.sum(axis=0) / one.seen.sum(axis=0)  # a group that a resample does not hold keeps its rate
        rates = np.where(drawn > 0, weights @ one.met / np.where(drawn > 0, drawn, 1.0), whole)
        found: Floats = np.exp(np.log(np.maximum(rates, floor)).mean(axis=1))
        return found

    return _difference(runs, scores, _normal, clusters, level)


def _run(met: Floats, seen: Floats) -> _Run:
    if met.ndim != 2 or met.shape != seen.shape or not (np.isfinite(met).all() and np.isfinite(seen).all()):
        raise ValueError(f"finite numbers of one shape are needed, got shapes {met.shape} and {seen.shape}")
    return _Run(met, seen)


def _difference(
    runs: Sequence[_Run],
    scores: Callable[[_Run, Floats], Floats],
    ends: Callable[[Floats, float, float], Interval],
    clusters: Sequence[Hashable] | None,
    level: float,
) -> Difference | None:
    rows = len(runs[0].met)
    if len(runs[1].met) != rows or (clusters is not None and len(clusters) != rows) or not 0 < level < 1:
        raise ValueError("as many rows of one run as of the other, and a level between 0 and 1, are needed")
    if not rows:
        return None
    values = [float(scores(run, np.ones((1, rows)))[0]) for run in runs]
    if np.isnan(values).any():
        return None
    value = values[1] - values[0]
    interval, se = _resampled(runs, scores, ends, value, level)
    if clusters is None:
        return Difference(value, interval, None, se, None)
    codes = cluster_codes(clusters)
    if codes.max() + 1 < _ROWS_TO_DRAW:
        return Difference(value, interval, None, se, None)
    clustered, se_clustered = _resampled([run.gathered(codes) for run in runs], scores, ends, value, level)
    return Difference(value, interval, clustered, se, se_clustered)


def _resampled(
    runs: Sequence[_Run],
    scores: Callable[[_Run, Floats], Floats],
    ends: Callable[[Floats, float, float], Interval],
    value: float,
    level: float,
) -> tuple[Interval, float | None]:
    rows = len(runs[0].met)
    if any(((run.seen > 0).sum(axis=0) < _ROWS_TO_DRAW).any() for run in runs):
        return Interval(-1.0, 1.0), None
    drawn = [scores(runs[1], w) - scores(runs[0], w) for w in resample_weights(rows, RESAMPLES, SEED)]
    found = np.concatenate(drawn)
    found = found[~np.isnan(found)]  # a resample of undefined values alone has no ratio
    low, high = ends(found, value, level)
    return Interval(min(value, max(-1.0, low)), max(value, min(1.0, high))), float(found.std(ddof=1))


def _percentiles(found: Floats, value: float, level: float) -> Interval:
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def _normal(found: Floats, value: float, level: float) -> Interval:
    half = NormalDist().inv_cdf((1 + level) / 2) * float(found.std())
    freed = 2 * value - float(found.mean())
    return Interval(min(value, freed) - half, max(value, freed) + half)
