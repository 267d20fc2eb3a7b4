"""Evidence at every look: by hand, against the formulas, and what failed questions do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.decision.sequences import DifferenceOfSet, MeanOfSet, ShareOfSet

LEVELS = st.sampled_from([0.01, 0.05, 0.5])


def fed(sequence, values):
    """A sequence with these values added."""
    for value in values:
        sequence.add(value)
    return sequence


@pytest.mark.parametrize(
    ("total", "level", "values", "ends"),
    [
        # Chances of no pass in 2 draws of 4 holding 0, 1, 2: 1, 1/2, 1/6; kept above 0.6 / 3
        (4, 0.6, [0, 0], (0, 1 / 4)),
        # One pass in the first draw of 3 holding K: K / 3, kept above 0.8 / 2
        (3, 0.8, [1], (2 / 3, 1)),
        (1_260, 0.05, [1] * 60 + [0] * 140, (263 / 1_260, 510 / 1_260)),
        (1_260, 0.05, [0] * 10, (0, 523 / 1_260)),
        (5, 0.05, [], (0, 1)), (5, 0.05, [1, 0, 1, 1, 0], (0.6, 0.6)),
    ],
)  # fmt: skip
def test_shares_by_hand_and_of_the_specification(total, level, values, ends):
    """Totals that the prior-posterior ratio keeps."""
    assert fed(ShareOfSet(total, level), map(bool, values)).interval == pytest.approx(ends)


@given(st.integers(1, 60), LEVELS, st.data())
def test_shares_are_those_of_the_prior_posterior_ratio(total, level, data):
    """The formula as the paper writes it, over all totals."""
    drawn = data.draw(st.integers(0, total))
    passed = data.draw(st.integers(0, drawn))
    low, high = fed(ShareOfSet(total, level), [True] * passed + [False] * (drawn - passed)).interval
    posterior = stats.betabinom.pmf(np.arange(total - drawn + 1), total - drawn, 1 + passed, 1 + drawn - passed)
    ratio = 1 / (total + 1) / posterior
    clear = np.abs(np.log(ratio * level)) > 1e-9  # away from ties, which rounding decides
    kept = [low * total <= passed + k + 1e-9 and passed + k - 1e-9 <= high * total for k in range(total - drawn + 1)]
    assert (np.array(kept) == (ratio < 1 / level))[clear].all()


@given(st.integers(1, 80), st.data())
def test_failed_questions_count_as_both(total, data):
    """The ends are those with all failed questions lost and with all of them passed."""
    values = data.draw(st.lists(st.sampled_from([True, False, None]), max_size=total))
    sequence = fed(ShareOfSet(total), values)
    lost = fed(ShareOfSet(total), [value or False for value in values])
    passed = fed(ShareOfSet(total), [value is None or value for value in values])
    assert sequence.interval == (lost.interval.low, passed.interval.high)
    assert sequence.failed == values.count(None)


@pytest.mark.parametrize(("first", "ends"), [(1.0, (0.156, 1.0)), (0.0, (0.0, 0.844))])
def test_a_mean_by_hand(first, ends):
    """Mean bet 0.22720: against m one value of 1 makes 1 + 0.2272 (1 - m) / m, which is 2 / 0.9 at m = 0.1567."""
    assert fed(MeanOfSet(10, 0.9), [first]).interval == pytest.approx(ends)


def test_a_second_value_by_hand():
    """Against 0.3 in a set of 10: after 1 the rest has 2/9. The bets f make (1 + 7f/3)(1 + 7f/2): 3.3 on average."""
    bets = np.geomspace(0.01, 0.9, 10)
    rest = (10 * 0.3 - 1) / 9
    made = ((1 + bets * 0.7 / 0.3) * (1 + bets * (1 - rest) / rest)).mean()
    sequence = fed(MeanOfSet(10, 2 / made - 1e-6), [1.0, 1.0])
    assert sequence.interval.low < 0.3 <= fed(MeanOfSet(10, 2 / made + 1e-6), [1.0, 1.0]).interval.low


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.integers(0, 40), LEVELS)
def test_means_stay_within_what_was_drawn_and_end_exact(values, more, level):
    """The interval is within what is possible, and with all answered it is the mean."""
    total = len(values) + more
    low, high = fed(MeanOfSet(total, level), values).interval
    assert math.fsum(values) / total - 1e-9 <= low <= high <= (math.fsum(values) + more) / total + 1e-9
    if not more:
        assert (low, high) == pytest.approx((math.fsum(values) / total,) * 2)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=40))
def test_means_hold_failed_questions_as_both(values):
    """The low end takes them for 0, the high end for 1."""
    sequence = fed(MeanOfSet(50), values)
    lost = fed(MeanOfSet(50), [value or 0.0 for value in values])
    passed = fed(MeanOfSet(50), [1.0 if value is None else value for value in values])
    assert sequence.interval == (lost.interval.low, passed.interval.high)


def test_means_of_verdicts_are_about_those_of_shares():
    """Halfway through, both know the share to within a few points of each other."""
    values = [index % 10 < 3 for index in range(600)]
    share, mean = fed(ShareOfSet(1_260), values).interval, fed(MeanOfSet(1_260), map(float, values)).interval
    assert mean == pytest.approx(share, abs=0.02)


def test_a_mean_that_lies_between_two_of_the_grid():
    """Every mean of the grid is refused at last, and the interval stays where the truth is."""
    values = [0.5004, 0.5006] * 2_000
    sequence = MeanOfSet(4_000)
    for value in values:
        sequence.add(value)
        assert sequence.interval.low - 1e-9 <= 0.5005 <= sequence.interval.high + 1e-9


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 1.0, None])] * 2), max_size=12), LEVELS)
def test_differences_are_means_of_a_set(pairs, level):
    """Half of one more than the difference; failed questions at both of its ends."""
    sequence = DifferenceOfSet(12, level)
    for a, b in pairs:
        sequence.add(a, b)
    lost, won = (
        [((b if b is not None else x) - (a if a is not None else 1 - x) + 1) / 2 for a, b in pairs] for x in (0.0, 1.0)
    )
    ends = fed(MeanOfSet(12, level), lost).interval.low, fed(MeanOfSet(12, level), won).interval.high
    assert sequence.interval == pytest.approx([2 * end - 1 for end in ends])
    assert sequence.failed == sum(None in pair for pair in pairs)


def test_a_difference_over_the_whole_set_is_exact():
    """Two questions of four won, one lost."""
    sequence = DifferenceOfSet(4)
    for a, b in [(0, 1), (0, 1), (1, 0), (0.5, 0.5)]:
        sequence.add(a, b)
    assert sequence.interval == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize(
    "call",
    [
        lambda: ShareOfSet(0),
        lambda: MeanOfSet(5, 0.0),
        lambda: fed(ShareOfSet(1), [True, True]),
        lambda: fed(MeanOfSet(1), [1.0, 1.0]),
        lambda: fed(MeanOfSet(2), [1.1]),
        lambda: fed(MeanOfSet(2), [math.nan]),
        lambda: DifferenceOfSet(0),
        lambda: [sequence.add(0, 1) for sequence in [DifferenceOfSet(1)] * 2],
    ],
)
def test_what_cannot_be_is_refused(call):
    """Sizes, levels, values, and a question too many."""
    with pytest.raises(ValueError, match=r"needed|added already"):
        call()
