"""Bootstrap intervals: by hand, against theory, and reproducible."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import stats
from metrics.stats import Interval, bootstrap_balance, bootstrap_mean


def test_nothing_has_no_interval():
    """No sample, or none with a value: there is no interval, rather than one of zeros."""
    assert bootstrap_mean([]) is None
    assert bootstrap_mean([None, None]) is None
    assert bootstrap_balance(np.zeros((0, 2)), np.zeros((0, 2))) is None
    assert bootstrap_balance([[1, 0]], [[4, 0]]) is None


def test_equal_values_have_a_point():
    """The bootstrap sees no spread where the sample has none."""
    assert bootstrap_mean([0.25] * 7) == Interval(0.25, 0.25)
    assert bootstrap_mean([1.0]) == Interval(1.0, 1.0)
    assert bootstrap_mean([0.5, None, 0.5]) == Interval(0.5, 0.5)


def test_two_values_by_hand():
    """Of two questions a resample has the means 0, 1/2, 1 with 1/4, 1/2, 1/4: the outer percentiles are the ends."""
    assert bootstrap_mean([0, 1]) == Interval(0.0, 1.0)
    # With half the mass wanted the ends are the quartiles; both ends of 0.4 lie in the middle lump.
    assert bootstrap_mean([0, 1], level=0.4) == Interval(0.5, 0.5)


def test_a_share_against_the_normal_theory():
    """400 questions, half right: 1.96 standard errors of sqrt(0.25 / 400) = 0.025 to either side."""
    low, high = bootstrap_mean([0, 1] * 200)
    assert low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.004)
    assert high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.004)


def test_width_shrinks_with_the_root_of_the_sample():
    """Four times the questions, half the width."""
    widths = [high - low for low, high in (bootstrap_mean([0, 1] * n) for n in (50, 200))]
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.1)


def test_undefined_values_make_a_mean_of_ratios():
    """Questions without a value are drawn too: the interval is wider than if they had not been asked."""
    with_gaps = bootstrap_mean([0.0, 1.0] * 50 + [None] * 300)
    without = bootstrap_mean([0.0, 1.0] * 50)
    assert with_gaps.low < 0.5 < with_gaps.high
    assert with_gaps.high - with_gaps.low == pytest.approx(without.high - without.low, rel=0.15)


def test_coverage_is_near_its_name():
    """Over 300 samples of 100 questions at a true rate of 0.3, about 95% of the intervals hold it."""
    generator = np.random.default_rng(1)
    hits = 0
    for trial in range(300):
        sample = (generator.random(100) < 0.3).astype(float)
        low, high = bootstrap_mean(sample.tolist(), resamples=400, seed=trial)
        hits += low <= 0.3 <= high
    assert 0.90 <= hits / 300 <= 0.98


def test_equal_inputs_give_equal_intervals():
    """The seed alone decides; another one moves the ends a little."""
    values = [0.0, 0.2, 0.5, 1.0] * 10
    assert bootstrap_mean(values) == bootstrap_mean(list(values))
    assert bootstrap_mean(values, seed=1) != bootstrap_mean(values, seed=2)


def test_chunks_do_not_show(monkeypatch):
    """Drawing in small chunks changes the memory and not the meaning."""
    values = [0.0, 1.0, 1.0] * 30
    whole = bootstrap_mean(values)
    monkeypatch.setattr(stats, "_CHUNK_CELLS", 1)
    pieces = bootstrap_mean(values)
    assert pieces.low == pytest.approx(whole.low, abs=0.02)
    assert pieces.high == pytest.approx(whole.high, abs=0.02)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0, 1) | st.none(), max_size=12))
def test_an_interval_lies_within_the_values(values):
    """Resampled means never leave the range of the values."""
    interval = bootstrap_mean(values, resamples=50)
    defined = [value for value in values if value is not None]
    if defined:
        assert min(defined) - 1e-12 <= interval.low <= interval.high <= max(defined) + 1e-12
    else:
        assert interval is None


def test_bad_input_raises():
    """A value that is no number, or a setting out of range, is an error and not an interval."""
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite"):
            bootstrap_mean([0.5, bad])
    for settings_ in ({"level": 0}, {"level": 1}, {"resamples": 0}):
        with pytest.raises(ValueError, match="level"):
            bootstrap_mean([0.5], **settings_)
    with pytest.raises(ValueError, match="questions x types"):
        bootstrap_balance([1, 2], [1, 2])
    with pytest.raises(ValueError, match="questions x types"):
        bootstrap_balance([[1]], [[1, 2]])
    with pytest.raises(ValueError, match="floor"):
        bootstrap_balance([[5]], [[5]], floor=0)


def test_balance_of_equal_questions_is_a_point():
    """Every question alike: sqrt(0.8 * 0.2) = 0.4 in every resample."""
    low, high = bootstrap_balance([[4, 1]] * 6, [[5, 5]] * 6)
    assert low == pytest.approx(0.4, abs=1e-12)
    assert high == pytest.approx(0.4, abs=1e-12)


def test_balance_of_one_type_is_its_rate():
    """With one type and one verdict a question, the score is the mean, floor aside."""
    passed = [[1], [0]] * 50
    low, high = bootstrap_balance(passed, [[1]] * 100)
    mean_low, mean_high = bootstrap_mean([row[0] for row in passed])
    assert (low, high) == (pytest.approx(mean_low, abs=1e-12), pytest.approx(mean_high, abs=1e-12))


def test_balance_floor():
    """A type never passed counts as 0.01: sqrt(1 * 0.01) = 0.1."""
    low, high = bootstrap_balance([[1, 0]] * 9, [[1, 1]] * 9)
    assert (low, high) == (pytest.approx(0.1, abs=1e-12), pytest.approx(0.1, abs=1e-12))


def test_rare_types_are_left_out_by_the_whole_sample():
    """Four verdicts of a type never passed do not pull the score down; five do."""
    passed = np.zeros((10, 2))
    seen = np.zeros((10, 2))
    passed[:, 0] = seen[:, 0] = 1
    seen[:4, 1] = 1
    assert bootstrap_balance(passed, seen) == Interval(1.0, 1.0)
    seen[:5, 1] = 1
    low, _ = bootstrap_balance(passed, seen)
    assert low == pytest.approx(0.1, abs=1e-12)
    assert bootstrap_balance(passed, seen, min_seen=6) == Interval(1.0, 1.0)


def test_a_type_absent_from_a_resample_is_left_out_of_it():
    """A type of one question is missing from (1 - 1/n)^n of the resamples: there the other type stands alone."""
    passed = np.zeros((20, 2))
    seen = np.zeros((20, 2))
    passed[:, 0] = seen[:, 0] = 1
    seen[0, 1] = 5
    assert bootstrap_balance(passed, seen) == Interval(pytest.approx(0.1), 1.0)


def test_questions_without_verdicts_are_drawn_too():
    """An empty answer is a row of zeros; a resample of such rows alone has no score and is skipped."""
    passed = [[4]] + [[0]] * 3
    seen = [[5]] + [[0]] * 3
    low, high = bootstrap_balance(passed, seen)
    assert (low, high) == (pytest.approx(0.8), pytest.approx(0.8))


def test_resamples_without_any_verdict_have_no_score():
    """If chance draws no question with verdicts in any resample, there is no interval rather than a zero."""
    passed = seen = [[5]] + [[0]] * 9
    found = {bootstrap_balance(passed, seen, resamples=1, seed=seed) for seed in range(20)}
    assert found == {None, Interval(1.0, 1.0)}


def test_a_full_run_stays_small():
    """1,260 questions by 64 types: the resamples come in chunks, never all weights at once."""
    sizes = [weights.size for weights in stats._weights(1260, 2000, 1)]
    assert max(sizes) <= stats._CHUNK_CELLS
    assert sum(sizes) == 1260 * 2000
    assert all(weights.sum(axis=1).tolist() == [5.0] * len(weights) for weights in stats._weights(5, 30, 1))
