"""Differences of two runs over the same questions: by hand, and what holds for any values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.decision.paired import holm, mcnemar, paired_difference, variance_split

VALUE = st.sampled_from([0.0, 0.25, 0.5, 1.0])
PAIRS = st.lists(st.tuples(VALUE, VALUE), min_size=1, max_size=30)
LEVELS = st.sampled_from([0.5, 0.8, 0.95])


def verdicts(won, lost, tied):
    """A and B, all or nothing."""
    return [0.0] * won + [1.0] * (lost + tied), [1.0] * won + [0.0] * lost + [1.0] * tied


def test_four_questions_by_hand():
    """d = 0, 1, 1, -1: mean 1/4, squares 2.75; with 2 added questions the variance is (5/6 - (1/6)^2)/6."""
    found = paired_difference([1, 0, 0, 1], [1, 1, 1, 0])
    assert found.value == 0.25
    assert found.se == pytest.approx(math.sqrt(2.75 / 3 / 4))
    assert found.interval == pytest.approx((1 / 6 - 3.182446 * math.sqrt((5 / 6 - 1 / 36) / 6), 1.0))
    assert (found.interval_clustered, found.se_clustered) == (None, None)


def test_a_hundred_questions_by_hand():
    """20 won, 10 lost: centre 10/102, variance (32/102 - (10/102)^2)/102, Student's quantile 1.984217."""
    found = paired_difference(*verdicts(20, 10, 70))
    half = 1.984217 * math.sqrt((32 / 102 - (10 / 102) ** 2) / 102)
    assert found.value == pytest.approx(0.1)
    assert found.interval == pytest.approx((10 / 102 - half, 10 / 102 + half), abs=1e-6)


def test_partial_scores_by_hand():
    """d = 1/2, 1/2, 0, 0: an added question differs by 1/2; centre 1/6, variance (4/8 + 2/4)/6 - 1/36, over 6."""
    found = paired_difference([0, 0, 0, 0], [0.5, 0.5, 0, 0])
    half = 3.182446 * math.sqrt((1 / 6 - 1 / 36) / 6)
    assert found.interval == pytest.approx((1 / 6 - half, 1 / 6 + half), abs=1e-6)


@pytest.mark.parametrize(
    ("d", "clusters", "error"),
    [
        # Sums of deviations 1, -1/2, -1/2; shares 1/3, 1/2, 1/6: (1/(2/3) + 1/4/(1/2) + 1/4/(5/6)) = 2.3
        ([1, 1, 0, 0, 1, 0], "aabbbc", math.sqrt(2.3) / 6),
        # 4/3, -2/3, -2/3; each a third: (16 + 4 + 4)/9 / (2/3) = 4
        ([1, 1, 0, 0, 0, 0], "xxyyzz", 1 / 3),
    ],
)
def test_clustered_errors_by_hand(d, clusters, error):
    """Each cluster's sum of deviations, squared, over one less its share."""
    assert paired_difference([0] * len(d), d, clusters=clusters).se_clustered == pytest.approx(error)


def test_equal_clusters_have_one_degree_less_than_their_number():
    """Five clusters of four: Student's quantile is that of 4 degrees, and the size is divided by the design effect."""
    d = [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]
    found = paired_difference([0] * 20, d, clusters=[i // 4 for i in range(20)])
    size = 20 / (found.se_clustered / found.se) ** 2
    centre, whole = size * 0.5 / (size + 2), size + 2
    half = 2.776445 * math.sqrt(((size * 0.5 + 2) / whole - centre**2) / whole)
    assert found.interval_clustered == pytest.approx((centre - half, min(1.0, centre + half)), abs=1e-6)


def degrees(sizes, correlation):
    """Satterthwaite's degrees of freedom by whole matrices: 2 E**2 / Var of the quadratic form, questions normal."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    n, same = len(groups), np.equal.outer(groups, groups)
    covariance = np.where(same, correlation, 0.0) + (1 - correlation) * np.eye(n)
    sums = (np.arange(len(sizes))[:, None] == groups) @ (np.eye(n) - 1 / n)
    form = sums.T @ np.diag(1 / (1 - np.array(sizes) / n)) @ sums @ covariance
    return np.trace(form) ** 2 / np.trace(form @ form)


@pytest.mark.parametrize(
    ("d", "sizes", "correlation"),
    [
        ([1, 1, 1, 1, 0, 0, 0, 0, 1], (2, 3, 4), None),
        ([1, 0, 1, 0, 0, 1, 1, 0, 1, 0], (2, 3, 5), 0.0),  # clusters that are more alike than chance
        ([1, 1, 0, 0, 0, 1, 1, 1, 1], (2, 3, 4), 1.0),
    ],
)
def test_degrees_of_freedom_by_whole_matrices(d, sizes, correlation):
    """Clusters of unequal sizes, and the correlation that the analysis of variance sees in them."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    found = paired_difference([0] * len(d), d, clusters=groups.tolist())
    n, mean = len(d), sum(d) / len(d)
    rows = [[d[i] for i in range(n) if groups[i] == group] for group in range(len(sizes))]
    if correlation is None:
        between = sum(len(row) * (np.mean(row) - mean) ** 2 for row in rows) / (len(rows) - 1)
        within = sum(sum((one - np.mean(row)) ** 2 for one in row) for row in rows) / (n - len(rows))
        typical = (n - sum(size**2 for size in sizes) / n) / (len(sizes) - 1)
        correlation = (between - within) / (between + (typical - 1) * within)
        assert 0.1 < correlation < 0.9
    size = n / (found.se_clustered / found.se) ** 2
    whole, centre = size + 2, size * mean / (size + 2)
    square = sum(one**2 for one in d) / n
    half = stats.t.ppf(0.975, max(1, degrees(sizes, correlation)))
    half *= math.sqrt(((size * square + 2) / whole - centre**2) / whole)
    assert found.interval_clustered == pytest.approx((max(-1, centre - half), min(1, centre + half)))


@given(PAIRS.filter(lambda pairs: len(pairs) > 1), LEVELS)
def test_questions_as_clusters_change_nothing(pairs, level):
    """A cluster a question gives the unclustered error and interval."""
    a, b = zip(*pairs, strict=True)
    found = paired_difference(a, b, clusters=range(len(a)), level=level)
    assert found.se_clustered == pytest.approx(found.se)
    assert found.interval_clustered == pytest.approx(found.interval)


@given(PAIRS, LEVELS, st.data())
def test_intervals_hold_the_value_and_turn_with_the_runs(pairs, level, data):
    """They lie in [-1, 1], hold the value, and B against A is A against B turned round."""
    a, b = zip(*pairs, strict=True)
    clusters = data.draw(st.lists(st.sampled_from("abc"), min_size=len(a), max_size=len(a)))
    found = paired_difference(a, b, clusters=clusters, level=level)
    back = paired_difference(b, a, clusters=clusters, level=level)
    assert back.value == pytest.approx(-found.value)
    for interval, other in ((found.interval, back.interval), (found.interval_clustered, back.interval_clustered)):
        if interval is not None:
            assert -1 <= interval.low <= found.value <= interval.high <= 1
            assert other == pytest.approx((-interval.high, -interval.low))


@given(PAIRS.filter(lambda pairs: len(pairs) > 1), st.randoms())
def test_the_order_of_questions_does_not_count(pairs, random):
    """Clusters move with their questions."""
    rows = [(*pair, index % 3) for index, pair in enumerate(pairs)]
    first = paired_difference(*list(zip(*rows, strict=True))[:2], clusters=[row[2] for row in rows])
    random.shuffle(rows)
    second = paired_difference(*list(zip(*rows, strict=True))[:2], clusters=[row[2] for row in rows])
    assert first.interval == pytest.approx(second.interval)
    assert first.interval_clustered == pytest.approx(second.interval_clustered)


@pytest.mark.parametrize("n", [1, 4, 100])
def test_no_disagreement_still_leaves_doubt(n):
    """Equal runs have an interval around 0, never the point 0; clusters widen it."""
    found = paired_difference([1.0] * n, [1.0] * n, clusters=[i // 2 for i in range(n)])
    assert found.value == 0
    assert found.interval.low < -1 / n < 1 / n < found.interval.high or n == 1
    if n > 2:
        assert found.interval_clustered.high >= found.interval.high


def test_one_question_or_one_cluster():
    """One question says nothing; one cluster gives no clustered interval."""
    assert paired_difference([0], [1]) == (1.0, (-1.0, 1.0), None, None, None)
    found = paired_difference([0, 0, 1], [1, 1, 1], clusters="aaa")
    assert found.se is not None
    assert (found.interval_clustered, found.se_clustered) == (None, None)


def test_clusters_whose_sums_are_all_equal():
    """A clustered error of 0 is chance, not certainty: the interval keeps a width."""
    found = paired_difference([0, 0] * 4, [1, 0] * 4, clusters=[i // 2 for i in range(8)])
    assert found.se_clustered == 0
    assert found.interval_clustered.high - found.interval_clustered.low > 0.3


@pytest.mark.parametrize(
    ("a", "b", "more"),
    [
        ([], [], {}), ([1], [1, 0], {}), ([1, 0], [1, 1.1], {}), ([1, 0], [1, math.nan], {}),
        ([1, 0], [1, 0], {"clusters": "a"}), ([1, 0], [1, 0], {"level": 1.0}),
    ],
)  # fmt: skip
def test_what_is_no_pair_of_runs_is_refused(a, b, more):
    """Lengths, values and the level."""
    with pytest.raises(ValueError, match=r"needed|number in"):
        paired_difference(a, b, **more)


@pytest.mark.parametrize(
    ("won", "lost", "mid", "exact"),
    [
        (10, 2, 2 * 79 / 4096 - 66 / 4096, 2 * 79 / 4096),  # 1 + 12 + 66 of 4,096
        (1, 5, 2 * 7 / 64 - 6 / 64, 2 * 7 / 64),
        (5, 5, 1.0, 1.0), (0, 0, 1.0, 1.0), (0, 1, 0.5, 1.0),
    ],
)  # fmt: skip
def test_mcnemar_by_hand(won, lost, mid, exact):
    """Tails of a fair coin."""
    assert mcnemar(won, lost) == pytest.approx((mid, exact))
    assert mcnemar(lost, won) == pytest.approx((mid, exact))


@given(st.integers(0, 2_000), st.integers(0, 2_000))
def test_mcnemar_agrees_with_scipy(won, lost):
    """The exact value is the binomial test's; the mid-p value is never above it."""
    found = mcnemar(won, lost)
    assert 0 <= found.p_mid <= found.p_exact <= 1
    if won + lost:
        assert found.p_exact == pytest.approx(stats.binomtest(won, won + lost).pvalue, abs=1e-12)


def test_mcnemar_refuses_what_is_no_count():
    """Negative numbers."""
    with pytest.raises(ValueError, match="counts are needed"):
        mcnemar(-1, 2)


@pytest.mark.parametrize(
    ("ps", "corrected"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.01, 0.01, 0.5, 0.2], [0.04, 0.04, 0.5, 0.4]),
        ([0.4, 0.9], [0.8, 0.9]), ([0.7, 0.6], [1.0, 1.0]), ([], []), ([0.2], [0.2]),
    ],
)  # fmt: skip
def test_holm_by_hand(ps, corrected):
    """The smallest times their number, and never below one before."""
    assert holm(ps) == pytest.approx(corrected)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_holm_refuses_what_is_no_p_value(p):
    """Outside [0, 1]."""
    with pytest.raises(ValueError, match="p values"):
        holm([0.5, p])


@pytest.mark.parametrize(
    ("values", "between", "within", "repeats", "enough"),
    [
        # Own variances 1/2, 0, 0, 1/2; means 1/2, 1, 0, 1/2 of variance 1/6, less 1/4 / 2
        ([[1, 0], [1, 1], [0, 0], [0, 1]], 1 / 24, 1 / 4, 2, 5),
        ([[1, 1], [0, 0]], 1 / 2, 0, 2, 1),
        # No spread of means: K / (K + 1) is above 0.95^2 from 10 on
        ([[1, 0], [0, 1]], 0, 1 / 2, 2, 10),
        # Harmonic mean of 2 and 1: 4/3; 1/8 of means less 1/2 / (4/3), cut at 0
        ([[1, 0], [1]], 0, 1 / 2, 4 / 3, 10),
    ],
)  # fmt: skip
def test_variance_split_by_hand(values, between, within, repeats, enough):
    """Between and within, and where a repeat stops to pay."""
    found = variance_split(values)
    assert found[:3] == pytest.approx((between, within, repeats))
    assert found.repeats_enough == enough
    variance = between + within / repeats
    assert found.se == pytest.approx(math.sqrt(variance / len(values)))
    assert found.share_within == pytest.approx(within / repeats / variance)


def test_variance_of_the_mean_is_found():
    """100 questions x 5 with known parts: both estimates are within a fifth over 200 draws."""
    generator = np.random.default_rng(7)
    rates = generator.beta(2, 2, (200, 100, 1))
    found = [variance_split(draw) for draw in (generator.random((200, 100, 5)) < rates).astype(float).tolist()]
    assert np.mean([f.between for f in found]) == pytest.approx(0.05, rel=0.1)
    assert np.mean([f.within for f in found]) == pytest.approx(0.2, rel=0.1)


@pytest.mark.parametrize("values", [[], [[1, 0]], [[1], [0]], [[1, 0], []], [[1, math.nan], [0, 1]]])
def test_variance_split_needs_repeats(values):
    """Two questions with answers, one of them with two."""
    with pytest.raises(ValueError, match=r"needed|finite"):
        variance_split(values)


def test_no_variance_at_all():
    """All answers equal: nothing is within, and one answer is enough."""
    found = variance_split([[1, 1], [1, 1]])
    assert (found.share_within, found.repeats_enough, found.se) == (None, 1, 0)
