"""Computes the numbers of an audit: reviewers' agreement, weighted error rates, intervals (IFBench notes, 6.5).

A stratum has a population of verdicts and some reviewed cases. For one grader each case has an *outcome*: the grader
was right, it passed what fails, it failed what passes, or the case is not decided (the reviewers have no consensus, or
the grader has no verdict).

The error rate is the sum over strata of ``population * wrong / decided``, divided by the sum of the populations.
Strata without a population (fixtures) do not enter. A stratum with a population and no decided case makes the rate
undefined: None, never a number.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.stats import Interval, wilson_interval

__all__ = [
    "ANY_ERROR",
    "FALSE_FAIL",
    "FALSE_PASS",
    "LEVEL",
    "RESAMPLES",
    "RIGHT",
    "SEED",
    "UNDECIDED",
    "Interval",
    "Kappa",
    "Stratum",
    "bootstrap_interval",
    "cohens_kappa",
    "error_rate",
    "outcome",
    "resampled_rates",
    "score_interval",
]

UNDECIDED: Final = -1
RIGHT: Final = 0
FALSE_PASS: Final = 1  # the grader passed it, the reviewers say it fails
FALSE_FAIL: Final = 2
ANY_ERROR: Final = (FALSE_PASS, FALSE_FAIL)

RESAMPLES: Final = 2_000
SEED: Final = 20_240_229
LEVEL: Final = 0.95
_CHUNK_CELLS: Final = 1_000_000  # drawn cases held at once, of 8 bytes each

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]


class Stratum(NamedTuple):
    """The outcomes of one stratum's cases for one grader.

    Attributes:
        name: the stratum's name.
        population: number of verdicts that the stratum stands for; 0 for fixtures.
        outcomes: for each case RIGHT, FALSE_PASS, FALSE_FAIL or UNDECIDED; shape (cases,).
    """

    name: str
    population: int
    outcomes: Codes


class Kappa(NamedTuple):
    """Agreement of two reviewers.

    Attributes:
        value: Cohen's kappa; None where it is undefined (no cases, or ``expected`` is 1).
        cases: number of cases whose two labels were compared.
        observed: share of cases with equal labels, from 0 to 1; None without cases.
        expected: that share for independent reviewers who give each label as often as these do; None without cases.
    """

    value: float | None
    cases: int
    observed: float | None
    expected: float | None


def outcome(verdict: bool | None, consensus: str | None) -> int:
    """The outcome of one case for one grader: RIGHT, FALSE_PASS, FALSE_FAIL or UNDECIDED.

    Args:
        verdict: the grader's verdict; None if it has none.
        consensus: the reviewers' consensus, ``pass`` or ``fail``; empty or None if they have none.
    """
    if verdict is None or not consensus:
        return UNDECIDED
    if verdict == (consensus == "pass"):
        return RIGHT
    return FALSE_PASS if verdict else FALSE_FAIL


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> Kappa:
    """Unweighted kappa, ``(po - pe) / (1 - pe)``, of two reviewers' labels of the same cases.

    Raises:
        ValueError: the two numbers of labels differ.
    """
    cases = len(first)
    if cases != len(second):
        raise ValueError(f"as many labels of one reviewer as of the other are needed, got {cases} and {len(second)}")
    if not cases:
        return Kappa(None, 0, None, None)
    # Counts stay integers to the end, so that an expected agreement of 1 is 1.
    equal = sum(a == b for a, b in zip(first, second, strict=True))
    chance = sum(first.count(label) * second.count(label) for label in sorted({*first, *second}))
    value = None if chance == cases**2 else (cases * equal - chance) / (cases**2 - chance)
    return Kappa(value, cases, equal / cases, chance / cases**2)


def error_rate(strata: Sequence[Stratum], counted: Sequence[int] = ANY_ERROR) -> float | None:
    """The weighted error rate.

    Args:
        strata: the strata of one round, for one grader.
        counted: the outcomes that count as errors: both kinds, or one of them.

    Returns:
        the rate, from 0 to 1. None if no stratum has a population, or if a stratum with a population has no decided
        case.
    """
    weighed = _weighed(strata)
    if weighed is None:
        return None
    total = sum(stratum.population for stratum in weighed)
    parts = (s.population * np.isin(s.outcomes, counted).sum() / (s.outcomes != UNDECIDED).sum() for s in weighed)
    return float(sum(parts)) / total


def resampled_rates(
    strata: Sequence[Stratum],
    counted: Sequence[int] = ANY_ERROR,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Floats | None:
    """Error rates of bootstrap resamples within strata.

    A resample draws from every stratum, with replacement, as many cases as the stratum has. Undecided cases are drawn
    too and then left out. If only undecided cases were drawn from a stratum, that stratum is drawn again; strata are
    drawn independently, so this equals drawing the whole resample again. One PCG64 generator draws all resamples of
    the first stratum, then all of the second, and so on in the order given.

    Args:
        strata: the strata of one round, for one grader.
        counted: see :func:`error_rate`.
        resamples: number of resamples.
        seed: seed of the random generator.

    Returns:
        the rates, shape (resamples,); None where the rate itself is undefined.
    """
    weighed = _weighed(strata)
    if weighed is None:
        return None
    generator = np.random.default_rng(seed)
    total = sum(stratum.population for stratum in weighed)
    rates = np.zeros(resamples)
    for stratum in weighed:
        shares = np.concatenate(list(_drawn_shares(stratum.outcomes, counted, resamples, generator)))
        rates += stratum.population * shares
    return rates / total


def _drawn_shares(
    outcomes: Codes, counted: Sequence[int], resamples: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """Shares of counted outcomes among each resample's decided ones, in arrays of ``resamples`` values altogether."""
    cases = len(outcomes)
    wrong, decided = np.isin(outcomes, counted), outcomes != UNDECIDED
    most = max(1, _CHUNK_CELLS // cases)
    missing = resamples
    while missing:
        drawn = generator.integers(0, cases, size=(min(missing, most), cases))
        kept = decided[drawn].sum(axis=1)
        shares = wrong[drawn].sum(axis=1)[kept > 0] / kept[kept > 0]
        missing -= len(shares)
        yield shares


def bootstrap_interval(
    strata: Sequence[Stratum],
    counted: Sequence[int] = ANY_ERROR,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> Interval | None:
    """Percentile interval over :func:`resampled_rates`, linear between order statistics; None where it is undefined.

    A stratum without any error never varies between resamples, so the interval is then too short; use
    :func:`score_interval` there.
    """
    rates = resampled_rates(strata, counted, resamples=resamples, seed=seed)
    if rates is None:
        return None
    low, high = np.quantile(rates, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def score_interval(
    strata: Sequence[Stratum], counted: Sequence[int] = ANY_ERROR, *, level: float = LEVEL
) -> Interval | None:
    """Stratified score interval: the Wilson limits of each stratum, combined by the square-and-add rule.

    With weights ``w`` (population shares), shares ``p`` and Wilson limits ``l``, ``u`` of the strata, the ends are
    ``sum(w p) - sqrt(sum(w^2 (p - l)^2))`` and ``sum(w p) + sqrt(sum(w^2 (u - p)^2))``. The interval has a width
    even if no error was seen. Rule: G. Y. Zou, W. Huang, X. Zhang, "A note on confidence interval estimation for a
    linear function of binomial proportions", Computational Statistics & Data Analysis 53 (2009) 1080-1085; limits:
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212.

    The population is finite, so a stratum with ``n`` decided cases of ``N`` verdicts counts as a sample of
    ``n (N - 1) / (N - n)`` cases; a stratum whose every verdict was decided adds no width (W. G. Cochran, Sampling
    Techniques, 3rd ed. 1977, section 3.5).

    Returns:
        the interval, or None where the rate is undefined.
    """
    weighed = _weighed(strata)
    if weighed is None:
        return None
    total = sum(stratum.population for stratum in weighed)
    rate = below = above = 0.0
    for population, outcomes in ((s.population, s.outcomes) for s in weighed):
        weight = population / total
        decided = int((outcomes != UNDECIDED).sum())
        share = float(np.isin(outcomes, counted).sum()) / decided
        low, high = wilson_interval(share, _effective(decided, population), level)
        rate += weight * share
        below += (weight * (share - low)) ** 2
        above += (weight * (high - share)) ** 2
    return Interval(max(0.0, rate - math.sqrt(below)), min(1.0, rate + math.sqrt(above)))


def _effective(decided: int, population: int) -> float:
    return math.inf if decided >= population else decided * (population - 1) / (population - decided)


def _weighed(strata: Sequence[Stratum]) -> list[Stratum] | None:
    """The strata with a population, or None where the rate is undefined."""
    weighed = [stratum for stratum in strata if stratum.population > 0]
    decided = all((stratum.outcomes != UNDECIDED).any() for stratum in weighed)
    return weighed if weighed and decided else None
