"""Two runs over the same questions, all of them answered: how far they differ, and whether chance explains it.

Every formula here is for a number of questions fixed in advance. Whoever looks while a run goes on, and stops when the
numbers please, needs :mod:`metrics.decision.sequences` or :mod:`metrics.decision.evidence`.
"""

import math
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from metrics.stats import LEVEL, Interval

__all__ = [
    "Difference",
    "McNemar",
    "VarianceSplit",
    "cluster_codes",
    "holm",
    "mcnemar",
    "paired_difference",
    "variance_split",
]

Floats = NDArray[np.float64]

_PSEUDO: Final = 2  # questions that Bonett and Price add: one won, one lost


class Difference(NamedTuple):
    """A paired difference of two means.

    Attributes:
        value: mean of B minus mean of A.
        interval: as if each question were drawn on its own.
        interval_clustered: as if whole clusters were drawn; None without clusters, or with one alone.
        se: standard error over questions; None for a single question.
        se_clustered: standard error over clusters; None where ``interval_clustered`` is.
    """

    value: float
    interval: Interval
    interval_clustered: Interval | None
    se: float | None
    se_clustered: float | None


class McNemar(NamedTuple):
    """P values of "won and lost are equally likely", two-sided.

    Attributes:
        p_mid: the mid-p value: close to its level, at times a little above it.
        p_exact: the exact value: never rejects more often than its level says.
    """

    p_mid: float
    p_exact: float


class VarianceSplit(NamedTuple):
    """Where the variance of answers comes from, when each question was asked several times.

    Attributes:
        between: variance of the questions' true means.
        within: variance of two answers to one question around its mean, averaged over questions.
        repeats: answers a question (the harmonic mean, where questions have unequal numbers).
        se: standard error of the mean over all questions, ``sqrt((between + within / repeats) / questions)``.
        share_within: the share of that variance that repeats can lower; None where there is no variance at all.
        repeats_enough: with this many answers a question, one more shortens the interval by less than 5%.
    """

    between: float
    within: float
    repeats: float
    se: float
    share_within: float | None
    repeats_enough: int


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> Difference:
    """The mean of B minus the mean of A over the same questions, with intervals.

    The interval is Bonett and Price's (D. G. Bonett, R. M. Price, "Adjusted Wald confidence interval for a difference
    of binomial proportions based on paired data", J. Educ. Behav. Stat. 37 (2012) 479-488): one question won and one
    lost are added, so that runs without a difference still leave some doubt. Partial scores enter by their size: the
    two questions added differ by the root mean square of the differences that are not 0 (by 1 if all are). The quantile
    is Student's.

    With clusters the sample counts as fewer questions, by the design effect. The clustered variance is the sum over
    clusters of ``(sum of deviations)**2 / (1 - share of the questions) / n**2``: the formula of E. Miller, "Adding
    error bars to evals" (arXiv 2411.00640), freed of its bias by "CR2" (R. M. Bell, D. F. McCaffrey, Survey Methodology
    28 (2002) 169-181). It is the ordinary one where each question is a cluster. Student's degrees of freedom are
    Satterthwaite's under the correlation seen in clusters (G. W. Imbens, M. Kolesár, Rev. Econ. Stat. 98 (2016)
    701-712), since a few large clusters say little of how clusters vary.

    Assumes that questions (or clusters) are like a random draw from those that one wants to speak of.

    Not to be used: to look repeatedly while answers arrive; for a ratio or a geometric mean, which is no mean over
    questions; after leaving out what has no answer (give the missing values both bounds, and take both intervals); for
    unpaired runs; with fewer than about five clusters, where no formula knows how clusters vary.

    Args:
        a: one value a question, in [0, 1]: a verdict, or the mean over its repeats.
        b: the same questions in the same order.
        clusters: for each question what it moves together with (its document, its task text).
        level: coverage, in (0, 1).

    Returns:
        The difference; both intervals hold it and lie in [-1, 1].

    Raises:
        ValueError: no question, unequal lengths, a value outside [0, 1], a ``level`` out of range.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level between 0 and 1 is needed, got {level}")
    if not a or len(a) != len(b) or (clusters is not None and len(clusters) != len(a)):
        lengths = (len(a), len(b), *(() if clusters is None else (len(clusters),)))
        raise ValueError(f"as many values of one run as of the other are needed, and at least one, got {lengths}")
    d = _unit_values(b) - _unit_values(a)
    n = len(d)
    value = math.fsum(d) / n
    if n == 1:
        return Difference(value, Interval(-1.0, 1.0), None, None, None)
    squares = math.fsum((d - value) ** 2)
    se = math.sqrt(squares / (n - 1) / n)
    interval = _adjusted(d, value, float(n), n - 1, level)
    codes = None if clusters is None else cluster_codes(clusters)
    if codes is None or not codes.any():
        return Difference(value, interval, None, se, None)
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, weights=d - value).astype(np.float64)
    weights = sizes / n
    se_clustered = math.sqrt(math.fsum(sums**2 / (1 - weights))) / n
    # Where no spread can be seen, a cluster may be as good as one question.
    effect = (se_clustered / se) ** 2 or 1.0 if se else math.fsum(sizes**2) / n
    freedom = _freedom(sizes, _correlation(d, codes, sizes, sums))
    return Difference(value, interval, _adjusted(d, value, n / effect, freedom, level), se, se_clustered)


def _unit_values(values: Sequence[float]) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if not ((found >= 0) & (found <= 1)).all():  # NaN compares false
        raise ValueError("a value is not a number in [0, 1]")
    return found


def cluster_codes(clusters: Sequence[Hashable]) -> NDArray[np.int64]:
    """Clusters as numbers from 0, in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(cluster, len(known)) for cluster in clusters], dtype=np.int64)


def _adjusted(d: Floats, value: float, size: float, freedom: float, level: float) -> Interval:
    """Bonett and Price's interval, of ``size`` independent questions with the differences ``d``."""
    square = math.fsum(d**2) / len(d)
    nonzero = int(np.count_nonzero(d))
    added = square * len(d) / nonzero if nonzero else 1.0  # the square of one added difference
    whole = size + _PSEUDO
    centre = size * value / whole
    variance = max(0.0, (size * square + _PSEUDO * added) / whole - centre**2) / whole
    half = float(stats.t.ppf((1 + level) / 2, freedom)) * math.sqrt(variance)
    return Interval(min(value, max(-1.0, centre - half)), max(value, min(1.0, centre + half)))


def _correlation(d: Floats, codes: NDArray[np.int64], sizes: Floats, sums: Floats) -> float:
    """Correlation of two questions of a cluster, by the analysis of variance, within [0, 1]."""
    n, groups = len(d), len(sizes)
    if groups == n:
        return 0.0
    means = sums / sizes
    deviations = d - math.fsum(d) / n
    within = math.fsum((deviations - means[codes]) ** 2) / (n - groups)
    between = math.fsum(sizes * means**2) / (groups - 1)
    typical = (n - math.fsum(sizes**2) / n) / (groups - 1)
    total = between + (typical - 1) * within
    return min(1.0, max(0.0, (between - within) / total)) if total > 0 else 0.0


def _freedom(sizes: Floats, correlation: float) -> float:
    """Satterthwaite's degrees of freedom of the clustered variance: ``trace(M)**2 / trace(M @ M)``.

    M is ``diag(d) @ S``, where S is the covariance of the clusters' sums of deviations and d their factors
    ``1 / (1 - w)``. With v the variances of the clusters' sums, S is ``diag(v)`` plus a matrix of rank two.
    """
    weights = sizes / sizes.sum()
    factors = 1 / (1 - weights)
    variances = sizes * (1 - correlation) + sizes**2 * correlation
    total = float(variances.sum())
    basis = np.stack([weights, variances], axis=1)
    core = np.array([[total, -1.0], [-1.0, 0.0]])
    diagonal = np.einsum("gi,ij,gj->g", basis, core, basis)
    trace = float((factors * (variances + diagonal)).sum())
    low_rank = core @ (basis.T @ (factors[:, np.newaxis] * basis))
    square = float((factors**2 * variances * (variances + 2 * diagonal)).sum() + np.trace(low_rank @ low_rank))
    return max(1.0, trace**2 / square)


def mcnemar(won: int, lost: int) -> McNemar:
    """Whether of the questions on which two runs disagree each won its half, by more than chance.

    Of ``n = won + lost`` such questions the smaller number is ``m``. Exact: ``min(1, 2 P(Bin(n, 1/2) <= m))`` (Q.
    McNemar, Psychometrika 12 (1947) 153-157, with the binomial in place of its limit). Mid-p: that sum less
    ``P(Bin(n, 1/2) = m)`` (M. W. Fagerland, S. Lydersen, P. Laake, BMC Med. Res. Methodol. 13 (2013) 91). Without a
    disagreement both are 1.

    Assumes verdicts that pass or fail, and questions that do not move together.

    Not to be used: for partial scores or means over repeats; where questions share a document
    (:func:`metrics.decision.swaps.mcnemar_clustered`); after each of several looks; mid-p where the level must not be
    exceeded.

    Raises:
        ValueError: a negative number.
    """
    if won < 0 or lost < 0:
        raise ValueError(f"counts are needed, got {won} and {lost}")
    smaller, total = min(won, lost), won + lost
    both = 2 * float(stats.binom.cdf(smaller, total, 0.5))
    return McNemar(min(1.0, max(0.0, both - float(stats.binom.pmf(smaller, total, 0.5)))), min(1.0, both))


def holm(ps: Sequence[float]) -> list[float]:
    """P values corrected for their number, in the order given (S. Holm, Scand. J. Stat. 6 (1979) 65-70).

    The k-th smallest of m is multiplied by m - k + 1, then never less than the one before it, nor above 1. Rejecting
    those at or below 5% makes one false rejection or more in at most 5% of comparisons, however the tests depend on
    each other, if each p value is valid by itself.

    Not to be used: over the tests that looked promising only (all that were looked at count); to rank effects.

    Raises:
        ValueError: a value outside [0, 1].
    """
    if not all(0 <= p <= 1 for p in ps):
        raise ValueError(f"p values in [0, 1] are needed, got {list(ps)}")
    corrected = [0.0] * len(ps)
    least = 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, ps[index] * (len(ps) - rank)))
        corrected[index] = least
    return corrected


def variance_split(values: Sequence[Sequence[float]], *, gain: float = 0.05) -> VarianceSplit:
    """How much of the variance lies between questions, and how much within (arXiv 2411.00640, section 3).

    ``Var(mean) = between / n + within / (n K)`` for n questions with K answers each. ``within`` is the mean of the
    questions' own variances s**2 (with K - 1); ``between`` is the variance of the questions' means less ``within / K``,
    and 0 where chance made that negative.

    Assumes that answers to one question are drawn independently: at temperature 0 they are not, and ``within`` is then
    the server's noise alone.

    Not to be used: to make many repeats of few questions look like many questions (the part between questions
    stays); for clustered questions (``se`` is then too small); without at least two answers to some question.

    Args:
        values: for each question the values of its answers; numbers of answers may differ, questions without any are
            an error.
        gain: what one more repeat must at least take off the interval's width to be worth it.

    Raises:
        ValueError: fewer than two questions, a question without answers, no question with two answers, a value that is
            not finite, a ``gain`` that is not in (0, 1).
    """
    if len(values) < 2 or not all(len(row) for row in values) or all(len(row) < 2 for row in values):
        raise ValueError("two questions are needed, each with an answer and one with two")
    rows = [np.asarray(row, dtype=np.float64) for row in values]
    if not all(np.isfinite(row).all() for row in rows) or not 0 < gain < 1:
        raise ValueError("values must be finite, and the gain in (0, 1)")
    n = len(rows)
    own = [float(row.var(ddof=1)) for row in rows if len(row) > 1]
    within = math.fsum(own) / len(own)
    repeats = n / math.fsum(1 / len(row) for row in rows)
    between = max(0.0, float(np.var([row.mean() for row in rows], ddof=1)) - within / repeats)
    variance = between + within / repeats
    enough = 1
    while within and between + within / (enough + 1) <= (1 - gain) ** 2 * (between + within / enough):
        enough += 1
    share = within / repeats / variance if variance else None
    return VarianceSplit(between, within, repeats, math.sqrt(variance / n), share, enough)
