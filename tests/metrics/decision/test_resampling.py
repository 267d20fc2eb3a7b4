"""Paired bootstraps: ratios, and geometric means over groups."""

import numpy as np
import pytest

from metrics.decision.resampling import balance_difference, ratio_difference


def test_a_ratio_by_hand():
    """1 of 2 and 3 of 4 met, then 2 of 2 and 3 of 4: 5/6 - 4/6. Two questions make few resamples: 0, 1/6 and 1/2."""
    found = ratio_difference(([1, 3], [2, 4]), ([2, 3], [2, 4]))
    assert found.value == pytest.approx(1 / 6)
    assert found.interval == pytest.approx((0, 0.5))
    assert found.interval_clustered is None
    assert ratio_difference(([1], [2]), ([2], [2])).interval == (-1, 1)


def test_undefined_ratios():
    """Nothing was seen, or there are no questions."""
    assert ratio_difference(([0], [0]), ([1], [1])) is None
    assert ratio_difference(([], []), ([], [])) is None
    assert balance_difference(([[0]], [[0]]), ([[1]], [[1]]), floor=0.01) is None


def test_a_balance_by_hand():
    """Rates 1/4 and 1: 1/2. Rates 1 and 1: 1. A group that one run never saw is in neither."""
    a = (np.array([[1, 1, 0]] + [[0, 1, 0]] * 3), np.array([[1, 1, 0]] * 4))
    b = (np.array([[1, 1, 1]] * 4), np.array([[1, 1, 1]] * 4))
    found = balance_difference(a, b, floor=0.01)
    assert found.value == pytest.approx(0.5)
    assert found.interval.low < 0.5 <= found.interval.high <= 1
    assert balance_difference(a, a, floor=0.01).interval == (0, 0)


def test_a_balances_ends_by_hand():
    """Rates 1/2 and 1; resamples differ by 0, 1/2 and 3/4 (the floor) at odds 1:2:1: mean 7/16, deviation 0.27243."""
    seen = np.ones((2, 1))
    found = balance_difference((np.array([[1], [0]]), seen), (seen, seen), floor=0.25, level=0.5)
    half = 0.67449 * 0.27243
    assert found.value == pytest.approx(0.5)
    assert found.interval == pytest.approx((0.5 - half, 1 - 7 / 16 + half), abs=0.03)
    assert found.se == pytest.approx(0.27243, abs=0.03)


def test_a_group_of_one_question():
    """It keeps its rate in every resample: a spread of nothing would be no knowledge."""
    a = (np.array([[1, 0], [0, 0], [1, 1]]), np.array([[1, 0], [1, 0], [1, 1]]))
    b = (np.array([[1, 0], [1, 0], [1, 0]]), np.array([[1, 0], [1, 0], [1, 1]]))
    found = balance_difference(a, b, floor=0.01)
    assert found.value == pytest.approx(0.1 - (2 / 3) ** 0.5)
    assert (found.interval, found.se) == ((-1, 1), None)


def test_clusters_are_drawn_whole():
    """Questions that move together are one; clusters of one question each are the questions."""
    generator = np.random.default_rng(5)
    moves = np.repeat(generator.integers(0, 2, 30), 8)
    sums = np.repeat(generator.integers(0, 2, 30), 8)
    seen = [1 + number % 2 for number in range(240)]
    a, b = (sums * seen, seen), (moves * seen, seen)
    found = ratio_difference(a, b, clusters=[number // 8 for number in range(240)])
    assert found.se_clustered > 2 * found.se
    assert found.value == ratio_difference(a, b).value
    apart = ratio_difference(a, b, clusters=range(240))
    assert apart.interval_clustered == apart.interval
    assert ratio_difference(a, b, clusters=[0] * 240).interval_clustered is None


def test_what_is_no_pair():
    """Unequal numbers of questions, a level that is none, numbers that are none."""
    with pytest.raises(ValueError, match="as many rows"):
        ratio_difference(([1], [1]), ([1, 1], [1, 1]))
    with pytest.raises(ValueError, match="level"):
        ratio_difference(([1], [1]), ([1], [1]), level=1.0)
    with pytest.raises(ValueError, match="finite"):
        balance_difference(([[1.0]], [[float("nan")]]), ([[1.0]], [[1.0]]), floor=0.1)


@pytest.mark.parametrize("kind", ["ratio", "balance"])
def test_coverage(kind):
    """Of 120 simulated pairs the intervals hold the true difference in 88% or more: seeds are fixed."""
    generator = np.random.default_rng(20_261_130)
    questions, groups, held = 150, 6, 0
    rates = np.linspace(0.3, 0.8, groups)
    for _ in range(120):
        hard = generator.uniform(-0.2, 0.2, (questions, 1))
        seen = generator.integers(0, 2, (questions, groups)).astype(float)
        a, b = (seen * (generator.uniform(size=seen.shape) < rates + hard + shift) for shift in (0, 0.1))
        if kind == "ratio":
            truth = 0.1
            found = ratio_difference((a.sum(axis=1), seen.sum(axis=1)), (b.sum(axis=1), seen.sum(axis=1)))
        else:
            truth = float(np.exp(np.log(rates + 0.1).mean()) - np.exp(np.log(rates).mean()))
            found = balance_difference((a, seen), (b, seen), floor=0.01)
        held += found.interval.low <= truth <= found.interval.high
    assert held >= 0.88 * 120
