"""Confidence intervals over questions, for the headlines of every benchmark.

Shares (a pass rate, a share of empty answers) have Wilson's score interval, see :func:`share_interval`. It needs no
random numbers, and it has width where all answers agree: of 4 questions none passed, the rate may well be 0.4.

What is no share (a geometric mean over types, a mean of partial scores) has a percentile bootstrap. Choices, and why:

- The resampling unit is the question, drawn with replacement, as many as there are: verdicts of one answer
  are not independent, questions are.
- 2,000 resamples, the 2.5th and 97.5th percentile (linear between order statistics). With all questions equal
  the interval is a point: the bootstrap knows no variation that the sample does not show. For a share, a small
  sample or one without a single pass or fail that is dishonest.
- The generator is NumPy's PCG64 under a fixed seed, so equal inputs give equal intervals on every machine.
- Resamples are drawn in chunks, so that memory stays near 32 MB whatever the number of questions.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LEVEL",
    "RESAMPLES",
    "SEED",
    "Interval",
    "bootstrap_balance",
    "bootstrap_ratio",
    "effective_size",
    "resample_weights",
    "share_interval",
    "wilson_interval",
]

RESAMPLES: Final = 2_000
SEED: Final = 20_240_229
LEVEL: Final = 0.95
_ROUNDING: Final = 1e-9  # what sums of shares may be off by
_CHUNK_CELLS: Final = 1_000_000  # question weights held at once, of 8 bytes each, and a few arrays of that size

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Ends of a confidence interval, in the unit of the metric."""

    low: float
    high: float


def wilson_interval(share: float, size: float, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a share (E. B. Wilson, "Probable inference", JASA 22 (1927) 209-212).

    Args:
        share: the share seen, in [0, 1].
        size: of how many independent answers; need not be whole, and may be infinite, which gives a point.
        level: coverage, in (0, 1).

    Returns:
        Ends within [0, 1], the share between them or at one of them.

    Raises:
        ValueError: a ``share`` outside [0, 1], a ``size`` that is not positive, a ``level`` out of range.
    """
    if not 0 <= share <= 1 or not size > 0 or not 0 < level < 1:
        raise ValueError(f"a share in [0, 1], a positive size and a level are needed, got {share}, {size}, {level}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    shrink = 1 + z**2 / size
    centre = (share + z**2 / (2 * size)) / shrink
    half = z / shrink * math.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    # At a share of 0 or 1 an end is the share itself, but for rounding.
    return Interval(min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)))


def share_interval(
    passed: Sequence[float],
    seen: Sequence[float],
    *,
    verdicts: Sequence[float] | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """Interval of ``sum(passed) / sum(seen)``, a share whose answers come in questions.

    It is Wilson's interval at the :func:`effective_size`. No interval without random numbers covers the true rate p
    with 95% at each single p: of 4 questions at p = 0.02 none passes with probability 0.922, so an interval for "0 of
    4" that holds 0.02 covers it with at least 92.2%, and one that misses it with at most 7.8%. What can be promised is
    the mean over p, drawn evenly from 0.02 to 0.5. It is between 93% and 97%:

    - for every number of questions from 4 to 50 answered once (0.952 to 0.956; the lowest at a single p is 0.83 for 4
      questions, 0.89 for 10, 0.92 for 50);
    - with repeats, even or uneven, for 8 to 50 questions, the repeats of a question independent, alike, or between;
    - for means of shares of 3 to 6 verdicts, likewise.

    ``speed/interval_coverage.py`` prints these numbers beside those of other methods.

    Args:
        passed: one a question, how much of what was counted there passed, 0 to ``seen``.
        seen: one a question, how much was counted there: answers, or verdicts; 0 where nothing was.
        verdicts: one a question, of how many verdicts that can only pass or fail ``passed`` is made; ``seen`` if not
            given. For a mean of shares: one answer with 2 of 3 requirements met has passed 2/3, seen 1, verdicts 3.
        level: coverage, in (0, 1).

    Returns:
        The interval, which always holds the share itself; None if nothing was counted.

    Raises:
        ValueError: unequal lengths, a number that is not finite or out of its range, a ``level`` out of range.
    """
    size = effective_size(passed, seen, verdicts)
    if size is None:
        return None
    share = math.fsum(passed) / math.fsum(seen)
    return wilson_interval(min(1.0, max(0.0, share)), size, level)


def effective_size(
    passed: Sequence[float], seen: Sequence[float], verdicts: Sequence[float] | None = None
) -> float | None:
    """How many independent answers say as much of the share as these do.

    It lies between two ends: all verdicts independent (without ``verdicts`` their number), and all verdicts of a
    question alike (Kish's ``sum(seen)**2 / sum(seen**2)``, the number of questions where each has the same weight).
    Where each question has one answer the two are the same, the number of questions.

    Between them it is ``p (1 - p) / v``, where v is the larger of two estimates of the share's variance. One is the
    spread of the questions around the share (linearised ratio, with m / (m - 1) for m questions). The other takes the
    correlation of two verdicts of a question from how often they disagree. With few questions of unequal weight the
    first is often too small by chance, the second is not, but knows nothing of a share that depends on the weight.
    Where everything passed or nothing did, no spread can be seen: the lower end holds.

    Args:
        passed, seen, verdicts: as for :func:`share_interval`.

    Returns:
        The size, at least 1; None if nothing was counted.

    Raises:
        ValueError: unequal lengths, or a number that is not finite or out of its range.
    """
    weights, counts = list(seen), list(seen if verdicts is None else verdicts)
    hits = list(passed)
    _check_counts(hits, weights, counts)
    rows = [(s, c, k) for s, c, k in zip(hits, weights, counts, strict=True) if c > 0]
    total = math.fsum(c for _, c, _ in rows)
    if not rows:
        return None
    # Variances, in units of p (1 - p) / total**2: verdicts of a question alike, and all independent.
    alike = math.fsum(c * c for _, c, _ in rows)
    apart = math.fsum(c * c / k for _, c, k in rows)
    share = math.fsum(s for s, _, _ in rows) / total
    spread = share * (1 - share)
    pairs = math.fsum(k * (k - 1) for _, _, k in rows)
    if spread <= _ROUNDING or pairs <= 0 or len(rows) == 1:
        return total**2 / alike
    # fsum: the same to the last bit whatever the order of the questions.
    squares = math.fsum((s - share * c) ** 2 for s, c, _ in rows)
    between = squares * len(rows) / (len(rows) - 1) / spread
    unlike = math.fsum(k * k * (s / c) * (1 - s / c) for s, c, k in rows)
    correlation = min(1.0, max(0.0, 1 - unlike / (pairs * spread)))
    within = apart + (alike - apart) * correlation
    return total**2 / min(alike, max(apart, between, within))


def _check_counts(passed: Sequence[float], seen: Sequence[float], verdicts: Sequence[float]) -> None:
    if not len(passed) == len(seen) == len(verdicts):
        raise ValueError(f"equal lengths are needed, got {len(passed)}, {len(seen)} and {len(verdicts)}")
    for hits, count, made_of in zip(passed, seen, verdicts, strict=True):
        # A comparison with NaN is false, so it ends here too.
        if not (0 <= hits <= count + _ROUNDING and count < math.inf):
            raise ValueError(f"passed must be from 0 to what was seen, got {hits} of {count}")
        if not (made_of < math.inf and (made_of >= 1 or count == 0)):
            raise ValueError(f"what was seen must be made of at least 1 verdict, got {made_of}")


def bootstrap_ratio(
    sums: Sequence[float],
    counts: Sequence[float],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> Interval | None:
    """Interval of a mean over samples whose questions are drawn whole: repeats of a question move together.

    Args:
        sums: one a question, the sum of the metric over its samples.
        counts: one a question, over how many samples; 0 where the metric is undefined in all of them. Such a
            question is drawn like any other and leaves the mean of its resample.
        resamples: number of resamples.
        seed: seed of the random generator.
        level: coverage, in (0, 1).

    Returns:
        The interval of ``sum(sums) / sum(counts)``, or None if nothing is counted.

    Raises:
        ValueError: a number that is not finite, unequal lengths, or a ``level`` or ``resamples`` out of range.
    """
    totals, weights_of = np.array(sums, dtype=np.float64), np.array(counts, dtype=np.float64)
    if totals.shape != weights_of.shape:
        raise ValueError(f"as many sums as counts are needed, got {len(totals)} and {len(weights_of)}")
    if not (np.isfinite(totals).all() and np.isfinite(weights_of).all()):
        raise ValueError("a value is not finite")
    _check(resamples, level)
    if not (weights_of > 0).any():
        return None
    means: list[Floats] = []
    for weights in resample_weights(len(totals), resamples, seed):
        total, count = weights @ totals, weights @ weights_of
        # A resample that drew undefined values alone has no mean.
        means.append(total[count > 0] / count[count > 0])
    return _percentiles(np.concatenate(means), level)


def bootstrap_balance(
    passed: Any,
    seen: Any,
    min_seen: int = 5,
    floor: float = 0.01,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> Interval | None:
    """Interval of the geometric mean of pass rates over types.

    A resample often loses the only pass of a type with few verdicts; that type's rate falls to the floor, and the
    logarithms of all resamples lie too low: plain percentiles can leave out the value itself, and the true score. So
    the ends are normal, on the scale of logarithms: 1.96 standard deviations of the resamples from the value, and from
    the value freed of the bias that the resamples show, whichever is further. With 61 types, rates from 0.3 on and 200
    questions or more the true score is inside in 93% of simulated runs or more; with fewer verdicts a type the value
    itself lies too low, since types without a pass count as the floor.

    Which types count is settled once, on the full sample: resampling the rule as well would mix the spread of the
    score with types flickering in and out. A type that a resample does not hold keeps its rate there.

    Args:
        passed: questions x types, verdicts passed.
        seen: questions x types, verdicts seen; a question without verdicts is a row of zeros.
        min_seen: types with fewer verdicts over all questions are left out.
        floor: the lowest rate that a type is taken to have.
        resamples: number of resamples.
        seed: seed of the random generator.
        level: coverage, in (0, 1).

    Returns:
        The interval, or None if no type is kept.

    Raises:
        ValueError: matrices of other or unequal shapes, or a ``level``, ``floor`` or ``resamples`` out of range.
    """
    hits, counts = np.asarray(passed, dtype=np.float64), np.asarray(seen, dtype=np.float64)
    if hits.ndim != 2 or hits.shape != counts.shape:
        raise ValueError(f"two questions x types matrices are needed, got shapes {hits.shape} and {counts.shape}")
    if not floor > 0:
        raise ValueError("the floor must be positive: a rate of zero has no logarithm")
    _check(resamples, level)
    kept = counts.sum(axis=0) >= max(min_seen, 1)
    if not kept.any():
        return None
    hits, counts = hits[:, kept], counts[:, kept]
    whole = hits.sum(axis=0) / counts.sum(axis=0)
    value = float(np.log(np.maximum(whole, floor)).mean())
    scores: list[Floats] = []  # logarithms
    for weights in resample_weights(len(hits), resamples, seed):
        drawn = weights @ counts
        rates = np.where(drawn > 0, weights @ hits / np.where(drawn > 0, drawn, 1.0), whole)
        scores.append(np.log(np.maximum(rates, floor)).mean(axis=1))
    drawn_scores = np.concatenate(scores)
    half = NormalDist().inv_cdf((1 + level) / 2) * float(drawn_scores.std())
    freed = 2 * value - float(drawn_scores.mean())
    low, high = (math.exp(end) for end in (min(value, freed) - half, max(value, freed) + half))
    return Interval(max(low, floor), min(high, 1.0))


def _check(resamples: int, level: float) -> None:
    if resamples < 1 or not 0 < level < 1:
        raise ValueError(f"at least 1 resample and a level between 0 and 1 are needed, got {resamples} and {level}")


def resample_weights(questions: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each question was drawn, resamples x questions, in chunks of rows; each row sums to ``questions``."""
    generator = np.random.default_rng(seed)
    rows = max(1, _CHUNK_CELLS // questions)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = generator.integers(0, questions, size=(count, questions))
        drawn += np.arange(count)[:, np.newaxis] * questions
        weights = np.bincount(drawn.ravel(), minlength=count * questions)
        yield weights.reshape(count, questions).astype(np.float64)


def _percentiles(values: Floats, level: float) -> Interval | None:
    if not values.size:
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
