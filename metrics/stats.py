"""Percentile bootstrap intervals over questions, for the headlines of every benchmark.

Choices, and why:

- The resampling unit is the question, drawn with replacement, as many as there are: verdicts of one answer
  are not independent, questions are.
- 2,000 resamples, the 2.5th and 97.5th percentile (linear between order statistics). With all questions equal
  the interval is a point: the bootstrap knows no variation that the sample does not show.
- The generator is NumPy's PCG64 under a fixed seed, so equal inputs give equal intervals on every machine.
- Resamples are drawn in chunks, so that memory stays near 32 MB whatever the number of questions.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEVEL", "RESAMPLES", "SEED", "Interval", "bootstrap_balance", "bootstrap_mean", "bootstrap_ratio"]

RESAMPLES: Final = 2_000
SEED: Final = 20_240_229
LEVEL: Final = 0.95
_CHUNK_CELLS: Final = 1_000_000  # question weights held at once, of 8 bytes each, and a few arrays of that size

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Ends of a confidence interval, in the unit of the metric."""

    low: float
    high: float


def bootstrap_mean(
    values: Sequence[float | None], *, resamples: int = RESAMPLES, seed: int = SEED, level: float = LEVEL
) -> Interval | None:
    """Interval of a mean over questions.

    Args:
        values: one a question; None where the metric is undefined there. Such a question is drawn like any other
            and leaves the mean of its resample, so its share varies too.
        resamples: number of resamples.
        seed: of the generator.
        level: coverage, in (0, 1).

    Returns:
        The interval, or None if no value is defined.

    Raises:
        ValueError: a value that is not finite, or a ``level`` or ``resamples`` out of range.
    """
    sums = [0.0 if value is None else float(value) for value in values]
    counts = [float(value is not None) for value in values]
    return bootstrap_ratio(sums, counts, resamples=resamples, seed=seed, level=level)


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
        seed: of the generator.
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
    for weights in _weights(len(totals), resamples, seed):
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

    Which types count is settled once, on the full sample: resampling the rule as well would mix the spread of the
    score with types flickering in and out. A type that a resample does not hold is left out of that resample.

    Args:
        passed: questions x types, verdicts passed.
        seen: questions x types, verdicts seen; a question without verdicts is a row of zeros.
        min_seen: types with fewer verdicts over all questions are left out.
        floor: the lowest rate that a type is taken to have.
        resamples: number of resamples.
        seed: of the generator.
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
    scores: list[Floats] = []
    for weights in _weights(len(hits), resamples, seed):
        drawn = weights @ counts
        present = drawn > 0
        rates = np.maximum(weights @ hits / np.where(present, drawn, 1.0), floor)
        logs = np.where(present, np.log(rates), 0.0).sum(axis=1)
        types = present.sum(axis=1)
        scores.append(np.exp(logs[types > 0] / types[types > 0]))
    return _percentiles(np.concatenate(scores), level)


def _check(resamples: int, level: float) -> None:
    if resamples < 1 or not 0 < level < 1:
        raise ValueError(f"at least 1 resample and a level between 0 and 1 are needed, got {resamples} and {level}")


def _weights(questions: int, resamples: int, seed: int) -> Iterator[Floats]:
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
