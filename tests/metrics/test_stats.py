"""Intervals of shares and bootstrap intervals: by hand, against published values and theory, and reproducible."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import stats
from metrics.stats import (
    Interval,
    bootstrap_balance,
    bootstrap_ratio,
    effective_size,
    share_interval,
    wilson_interval,
)

SCRIPT = Path(__file__).parents[2] / "speed" / "interval_coverage.py"
BAND = (0.93, 0.97)  # of the mean coverage over rates, see share_interval


@pytest.fixture(scope="module")
def coverage():
    """The script that prints coverages, as a module."""
    spec = importlib.util.spec_from_file_location("interval_coverage", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _answers(passed, seen):
    """Each question answered once."""
    return [1.0] * passed + [0.0] * (seen - passed), [1] * seen


# Intervals of shares


@pytest.mark.parametrize(
    ("passed", "seen", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_published_intervals(passed, seen, low, high):
    """Table I of R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, method 3."""
    assert wilson_interval(passed / seen, seen) == pytest.approx((low, high), abs=5e-5)
    assert share_interval(*_answers(passed, seen)) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("passed", "seen", "low", "high"),
    [(0, 13, 0.0, 0.22810), (13, 13, 0.77190, 1.0), (1, 10, 0.01788, 0.40415), (5, 10, 0.23659, 0.76341)],
)
def test_intervals_by_hand(passed, seen, low, high):
    """(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    assert wilson_interval(passed / seen, seen) == pytest.approx((low, high), abs=2e-5)


def test_none_of_four_has_a_proper_upper_end():
    """z**2 / (n + z**2) with z = 1.96: where nothing passed the true rate may still be a half."""
    low, high = share_interval([0] * 4, [1] * 4)
    assert (low, high) == (0.0, pytest.approx(3.8414588 / 7.8414588))
    assert share_interval([1] * 4, [1] * 4) == (pytest.approx(4 / 7.8414588), 1.0)
    assert share_interval([4, 4], [4, 4]).low == pytest.approx(2 / 5.8414588)  # two questions, not eight answers


def test_infinitely_many_answers_have_a_point():
    """And another level another width."""
    assert wilson_interval(0.25, math.inf) == (0.25, 0.25)
    assert wilson_interval(0.25, 40, level=0.8).high < wilson_interval(0.25, 40).high


def test_effective_sizes_by_hand():
    """Four questions of four answers: p = 1/2; squares 4 + 1 + 1 + 4, times 4/3, over 1/4: 160/3; 16**2 of it is 4.8.

    The disagreements, (0 + 3 + 3 + 0) of 48 pairs, where independent answers have a quarter: correlation 1/2, and
    16**2 / (16 + 48/2) = 6.4. The smaller one counts.
    """
    assert effective_size([4, 3, 1, 0], [4] * 4) == pytest.approx(4.8)
    # All answers to a question agree, so four are as good as one: Kish's 7**2 / 19. The spread alone would say
    # 7**2 / 12: the questions' squares are 54/49, times 4/3, over 6/49.
    assert effective_size([4, 1, 1, 0], [4, 1, 1, 1]) == pytest.approx(49 / 19)
    # Questions more alike than independent answers would make them: still no more than 9 answers.
    assert effective_size([2, 2, 0], [4, 4, 1]) == 9
    # Half of the questions pass all, half none: as many as questions. Each passes half: as many as answers.
    assert effective_size([4, 4, 0, 0], [4] * 4) == pytest.approx(4)
    assert effective_size([2] * 6, [4] * 6) == pytest.approx(24)


def test_where_no_spread_is_seen_answers_of_a_question_count_as_alike():
    """Kish's size: 10**2 / 34; so for a rounded share of 1, and for a question alone."""
    assert effective_size([4, 4, 1, 1], [4, 4, 1, 1]) == pytest.approx(100 / 34)
    assert effective_size([0] * 4, [4, 4, 1, 1]) == pytest.approx(100 / 34)
    assert effective_size([sum([0.1] * 10), 1], [1, 1], [10, 10]) == pytest.approx(2)
    assert effective_size([2], [4]) == 1


def test_a_mean_of_shares_counts_its_verdicts():
    """One answer a question with its requirements: between the number of answers and that of requirements."""
    shares = [0.25, 0.5, 0.75, 0.5] * 5
    assert effective_size(shares, [1] * 20) == 20
    assert effective_size(shares, [1] * 20, [4] * 20) == pytest.approx(80)
    assert effective_size([0, 1] * 10, [1] * 20, [4] * 20) == pytest.approx(20)
    # The same as the verdicts themselves where each question has as many.
    counts = [4 * share for share in shares]
    assert effective_size(shares, [1] * 20, [4] * 20) == pytest.approx(effective_size(counts, [4] * 20))


def test_questions_without_a_count_do_not_matter():
    """An undefined metric says nothing of the share, and the interval is of the share where it is defined."""
    assert share_interval([1, 0, 0, 0], [1, 1, 0, 0]) == share_interval([1, 0], [1, 1])
    assert share_interval([0, 0], [0, 0]) is None
    assert share_interval([], []) is None
    assert effective_size([0, 0], [0, 0]) is None


@st.composite
def _questions(draw):
    """Passed, seen and verdicts of up to 12 questions with uneven repeats, some without an answer."""
    counted = draw(st.lists(st.integers(0, 6), min_size=1, max_size=12).filter(any))
    whole = [draw(st.integers(0, count)) for count in counted]
    if draw(st.booleans()):
        return whole, counted, None
    shares = [hits / count if count else 0.0 for hits, count in zip(whole, counted, strict=True)]
    return shares, [int(count > 0) for count in counted], counted


@settings(deadline=None)
@given(_questions(), st.randoms(use_true_random=False))
def test_properties_of_share_intervals(questions, random):
    """The share lies inside; passes and fails change places; the order of the questions does not matter at all."""
    passed, seen, verdicts = questions
    low, high = share_interval(passed, seen, verdicts=verdicts)
    assert 0 <= low <= sum(passed) / sum(seen) + 1e-12
    assert sum(passed) / sum(seen) - 1e-12 <= high <= 1
    assert low < high
    failed = [count - hits for hits, count in zip(passed, seen, strict=True)]
    assert share_interval(failed, seen, verdicts=verdicts) == pytest.approx((1 - high, 1 - low), abs=1e-9)
    order = random.sample(range(len(seen)), len(seen))
    passed, seen, verdicts = ([a and a[i] for i in order] if a else None for a in (passed, seen, verdicts))
    assert share_interval(passed, seen, verdicts=verdicts) == (low, high)


@settings(deadline=None)
@given(_questions())
def test_the_effective_size_has_its_two_ends(questions):
    """Not below all verdicts of a question alike, not above all verdicts independent."""
    passed, seen, verdicts = questions
    made_of = verdicts or seen
    apart = sum(c * c / k for c, k in zip(seen, made_of, strict=True) if c)
    size = effective_size(passed, seen, verdicts)
    assert sum(seen) ** 2 / sum(c * c for c in seen) - 1e-9 <= size <= sum(seen) ** 2 / apart + 1e-9


@settings(deadline=None)
@given(_questions(), st.integers(2, 5))
def test_more_questions_narrow_the_interval(questions, times):
    """The same questions again and again: the share stays, the interval gets narrower."""
    passed, seen, verdicts = questions
    low, high = share_interval(passed, seen, verdicts=verdicts)
    more = share_interval(list(passed) * times, list(seen) * times, verdicts=verdicts and verdicts * times)
    assert more.high - more.low < high - low


def test_no_count_that_cannot_be():
    """More passed than seen, a negative or undefined number, unequal lengths, a part of a verdict."""
    for passed, seen in (([2], [1]), ([-1], [1]), ([math.nan], [1]), ([0], [math.nan]), ([0], [math.inf])):
        with pytest.raises(ValueError, match="passed must be"):
            share_interval(passed, seen)
    with pytest.raises(ValueError, match="equal lengths"):
        share_interval([1], [1, 1])
    for verdicts in ([0.5], [0], [math.nan], [math.inf]):
        with pytest.raises(ValueError, match="at least 1 verdict"):
            share_interval([1], [1], verdicts=verdicts)
    for share, size, level in ((1.1, 3, 0.95), (math.nan, 3, 0.95), (0.5, 0, 0.95), (0.5, 3, 1.0)):
        with pytest.raises(ValueError, match="are needed"):
            wilson_interval(share, size, level)


def test_mean_coverage_is_promised_for_every_size(coverage):
    """Exact sums over all outcomes: 4 to 50 questions, rates drawn evenly from 0.02 to 0.5."""
    means = [float(coverage.exact_coverage(coverage.own, n)[0].mean()) for n in range(4, 51)]
    assert BAND[0] <= min(means) <= max(means) <= BAND[1]
    # What this replaced is outside everywhere.
    assert max(float(coverage.exact_coverage(coverage.bootstrap, n)[0].mean()) for n in range(4, 51)) < BAND[0]


def test_no_method_covers_every_rate(coverage):
    """Why the promise is one of a mean: of 4 questions at a rate of 0.02 none passes in 92.2% of the cases."""
    exact = coverage.exact_coverage(coverage.own, 4, np.array([0.02]))[0]
    assert exact[0] == pytest.approx(0.98**4)
    assert not BAND[0] <= 0.98**4 <= BAND[1]


@pytest.mark.parametrize("repeats", ["4 each", "10 (or half) with 4, others 1", "1 to 6 in turn"])
@pytest.mark.parametrize("questions", [8, 30])
def test_mean_coverage_with_repeats(coverage, repeats, questions):
    """2,000 trials (standard error 0.5%): in the band at any correlation; all answers as independent are not."""
    for correlation in (0.0, 0.3, 1.0):
        held, _, independent = coverage.simulate(coverage.REPEATS[repeats](questions), correlation, 2_000, 20_240_229)
        assert BAND[0] <= held <= BAND[1]
    assert independent < 0.85


@pytest.mark.parametrize("questions", [8, 30])
@pytest.mark.parametrize("correlation", [0.1, 1.0])
def test_mean_coverage_of_requirements_met(questions, correlation):
    """Means of shares, 3 to 6 requirements a question, 1,500 trials (standard error 0.6%): in the band."""
    generator = np.random.default_rng(20_261_130)
    held = 0
    for _ in range(1_500):
        rate = generator.uniform(0.02, 0.5)
        asked = generator.integers(3, 7, questions)
        spread = (1 - correlation) / correlation
        of_question = (
            generator.beta(rate * spread, (1 - rate) * spread, questions)
            if correlation < 1
            else (generator.random(questions) < rate).astype(float)
        )
        met = generator.binomial(asked, of_question) / asked
        low, high = share_interval(list(met), [1.0] * questions, verdicts=[float(count) for count in asked])
        held += low <= rate <= high
    assert BAND[0] <= held / 1_500 <= BAND[1]


# Bootstrap intervals


def bootstrap_mean(values, **options):
    """Of one value a question, None where it has none."""
    sums = [0.0 if value is None else value for value in values]
    return bootstrap_ratio(sums, [float(value is not None) for value in values], **options)


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
    """Half of 100 passed: the logarithm of the rate has the standard error 0.05 / 0.5 = 0.1, and little bias."""
    low, high = bootstrap_balance([[1], [0]] * 50, [[1]] * 100)
    assert math.log(low / 0.5) == pytest.approx(-0.196, abs=0.01)
    assert math.log(high / 0.5) == pytest.approx(0.196, abs=0.02)


def test_the_balance_of_sparse_types_is_inside_its_interval():
    """40 types with one pass of five verdicts: 0.2. Most resamples lose some of these passes."""
    passed, seen = np.zeros((200, 40)), np.zeros((200, 40))
    for kind in range(40):
        seen[5 * kind : 5 * kind + 5, kind] = 1
        passed[5 * kind, kind] = 1
    low, high = bootstrap_balance(passed, seen)
    assert low < 0.2 < high


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_the_interval_of_the_balance_holds_the_true_score(rate):
    """200 questions with 4 of 61 types each, 60 runs: plain percentiles hold the score in under a tenth at 0.3."""
    generator = np.random.default_rng(20_261_130)
    held = 0
    for _ in range(60):
        seen = np.zeros((200, 61))
        for row in seen:
            row[generator.choice(61, 4, replace=False)] = 1
        passed = (generator.random(seen.shape) < rate) * seen
        low, high = bootstrap_balance(passed, seen, resamples=300)
        rates = np.maximum(passed.sum(axis=0) / seen.sum(axis=0), 0.01)[seen.sum(axis=0) >= 5]
        assert low <= np.exp(np.log(rates).mean()) <= high
        held += low <= rate <= high
    assert held >= 54


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
    assert bootstrap_balance(passed, seen) == pytest.approx((0.1, 0.1), abs=1e-12)
    assert bootstrap_balance(passed, seen, min_seen=6) == Interval(1.0, 1.0)


def test_a_type_absent_from_a_resample_keeps_its_rate():
    """A type of one question is missing from (1 - 1/n)^n of the resamples: that says nothing of its rate."""
    passed = np.zeros((20, 2))
    seen = np.zeros((20, 2))
    passed[:, 0] = seen[:, 0] = 1
    seen[0, 1] = 5
    assert bootstrap_balance(passed, seen) == pytest.approx((0.1, 0.1), abs=1e-12)


def test_questions_without_verdicts_are_drawn_too():
    """An empty answer is a row of zeros."""
    passed = [[4]] + [[0]] * 3
    seen = [[5]] + [[0]] * 3
    low, high = bootstrap_balance(passed, seen)
    assert (low, high) == (pytest.approx(0.8), pytest.approx(0.8))


def test_resamples_without_any_verdict_say_nothing():
    """Chance may draw no question with verdicts."""
    passed = seen = [[5]] + [[0]] * 9
    assert {bootstrap_balance(passed, seen, resamples=1, seed=seed) for seed in range(20)} == {Interval(1.0, 1.0)}


def test_a_full_run_stays_small():
    """1,260 questions by 64 types: the resamples come in chunks, never all weights at once."""
    sizes = [weights.size for weights in stats.resample_weights(1260, 2000, 1)]
    assert max(sizes) <= stats._CHUNK_CELLS
    assert sum(sizes) == 1260 * 2000
    assert all(weights.sum(axis=1).tolist() == [5.0] * len(weights) for weights in stats.resample_weights(5, 30, 1))
