"""Evidence on which of two is better: by hand, against the formulas, and what failed questions do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from metrics.decision.evidence import PairedEvidence

LEVELS = st.sampled_from([0.01, 0.05, 0.5])
PAIR = st.sampled_from([(0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.25, 0.5), (1.0, 0.75)])


def compared(pairs, level=0.05):
    """Evidence with these pairs added."""
    evidence = PairedEvidence(level)
    for a, b in pairs:
        evidence.add(a, b)
    return evidence


def duel(won, lost, tied=0):
    """Pairs of verdicts."""
    return [(0, 1)] * won + [(1, 0)] * lost + [(1, 1)] * tied


@pytest.mark.parametrize(
    ("pairs", "two_sided", "better"),
    [
        (duel(3, 0), 2.0, 3.75),  # 8 B(4, 1) = 8/4; 4 (1 - 1/16)
        (duel(2, 1), 2 / 3, 11 / 12),  # 8 B(3, 2) = 8/12; 4/3 (1 - 5/16)
        ([(0.5, 1.0)] * 2, 13 / 12, 19 / 12),  # the mean of (1 + x/2)^2 over [-1, 1], over [0, 1]
        (duel(0, 0, 5), 1.0, 1.0), ([], 1.0, 1.0),
    ],
)  # fmt: skip
def test_evidence_by_hand(pairs, two_sided, better):
    """E-values of a few questions."""
    found = compared(pairs)
    assert (found.two_sided, found.better) == pytest.approx((two_sided, better))
    assert found.decision is None
    assert not found.beats


@given(st.integers(0, 400), st.integers(0, 400))
def test_evidence_is_that_of_the_specification(won, lost):
    """2^(w+l) B(w+1, l+1), and twice that with the half of bets on B."""
    found = compared(duel(won, lost))
    log = (won + lost) * math.log(2) + special.betaln(won + 1, lost + 1)
    assert math.log(found.two_sided) == pytest.approx(log, abs=1e-9)
    share = special.betainc(lost + 1, won + 1, 0.5)  # 1 - I(w + 1, l + 1), without loss
    if share > 1e-250:
        assert math.log(found.better) == pytest.approx(log + math.log(2 * share), abs=1e-9)


def test_ten_thousand_questions():
    """The evidence of many agrees with the formula, and more than a float can hold is infinite."""
    found = compared(duel(5_100, 4_900))
    assert math.log(found.two_sided) == pytest.approx(1e4 * math.log(2) + special.betaln(5_101, 4_901), abs=1e-9)
    assert compared(duel(2_000, 0)).two_sided == math.inf
    assert compared(duel(2_000, 0)).decision == "better"


@pytest.mark.parametrize(("won", "lost", "decision"), [(7, 0, None), (8, 0, "better"), (0, 8, "worse"), (8, 1, None)])
def test_the_decision_falls_at_twenty(won, lost, decision):
    """2^7 / 8 is 16, 2^8 / 9 is 28."""
    assert compared(duel(won, lost)).decision == decision
    assert not compared(duel(lost, won)).beats or lost >= 6


@given(st.lists(PAIR, max_size=40), LEVELS)
def test_the_interval_leaves_out_zero_just_when_it_is_decided(pairs, level):
    """One calculation behind both; the other way round it is turned."""
    found, back = compared(pairs, level), compared([(b, a) for a, b in pairs], level)
    low, high = found.interval
    assert -1 <= low <= high <= 1
    assert (low >= 0, high <= 0) == (found.decision == "better", found.decision == "worse")
    assert back.interval == pytest.approx((-high, -low), abs=1e-5)
    assert back.decision == {"better": "worse", "worse": "better", None: None}[found.decision]


@given(st.lists(PAIR, min_size=1, max_size=25), LEVELS)
def test_the_interval_is_all_that_the_bets_keep(pairs, level):
    """Held against every mean of a grid."""
    low, high = compared(pairs, level).interval
    bets = np.linspace(-1, 1, 4_001)
    for mean in np.linspace(-1, 1, 41):
        made = np.prod([1 + bets * (b - a - mean) / (1 + abs(mean)) for a, b in pairs], axis=0)
        evidence = np.trapezoid(made, bets) / 2
        if abs(evidence * level - 1) > 1e-3:
            assert (low - 1e-5 <= mean <= high + 1e-5) == (evidence < 1 / level)


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, None])] * 2), min_size=1, max_size=8), LEVELS, st.data())
def test_a_decision_holds_whatever_the_failed_questions_were(pairs, level, data):
    """Filled in anyhow, the evidence is no less, the decision is the same and the interval lies within."""
    found = compared(pairs, level)
    filled = [
        tuple(data.draw(st.sampled_from([0.0, 0.5, 1.0])) if value is None else value for value in pair)
        for pair in pairs
    ]
    known = compared(filled, level)
    assert known.two_sided >= found.two_sided * (1 - 1e-12)
    assert known.better >= found.better * (1 - 1e-12)
    assert found.decision in {None, known.decision}
    assert found.interval.low <= known.interval.low + 1e-5
    assert known.interval.high <= found.interval.high + 1e-5


def test_half_of_the_questions_failed_decides_nothing():
    """However good the rest is: the failed ones may all be lost."""
    assert compared([*duel(30, 0), *[(1, None)] * 30]).decision is None


@given(st.lists(PAIR, min_size=1, max_size=25), LEVELS)
def test_the_one_sided_interval_is_all_that_bets_on_b_keep(pairs, level):
    """Held against every mean of a grid, and against the decision."""
    found = compared(pairs, level)
    low, high = found.one_sided
    assert high == 1
    assert (low >= 0) == found.beats
    bets = np.linspace(0, 1, 4_001)
    for mean in np.linspace(-1, 1, 41):
        made = np.prod([1 + bets * (b - a - mean) / (1 + abs(mean)) for a, b in pairs], axis=0)
        evidence = np.trapezoid(made, bets)
        if abs(evidence * level - 1) > 1e-3:
            assert (low - 1e-5 <= mean) == (evidence < 1 / level)


def test_failed_questions_count_against_the_one_sided_claim():
    """The low end is the one with each of them lost; nothing added leaves everything open."""
    assert (
        compared([*duel(20, 1), (None, 1), (0, None)]).one_sided == compared([*duel(20, 1), (1, 1), (0, 0)]).one_sided
    )
    assert compared([]).one_sided == (-1, 1)


@pytest.mark.parametrize("call", [lambda: PairedEvidence(1.0), lambda: compared([(0, -0.1)])])
def test_what_cannot_be_is_refused(call):
    """Levels and values."""
    with pytest.raises(ValueError, match="needed"):
        call()
