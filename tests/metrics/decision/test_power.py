"""How many questions show how small a difference."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metrics.decision.power import questions_needed, repeats_needed, smallest_difference

SHARE = st.floats(0.01, 1.0)


@pytest.mark.parametrize(("questions", "points"), [(1_260, 4.3), (825, 5.3), (300, 8.9), (100, 15.3)])
def test_the_table_of_the_specification(questions, points):
    """30% discordance, 80% power: 2.80 * sqrt(0.3 / n)."""
    assert 100 * smallest_difference(questions) == pytest.approx(points, abs=0.05)


def test_by_hand():
    """Factor 1.959964 + 0.841621 = 2.801585; at 90% power and 1% level 2.575829 + 1.281552."""
    assert smallest_difference(400, 0.25) == pytest.approx(2.801585 * 0.025)
    assert smallest_difference(400, 0.25, 0.9, 0.01) == pytest.approx(3.857381 * 0.025)
    assert questions_needed(0.03) == math.ceil(2.801585**2 * 0.3 / 0.0009) == 2_617
    assert questions_needed(-0.03) == 2_617
    # Half of the discordance is noise of repeats: 4 of them leave 0.3 * (1/2 + 1/8)
    assert smallest_difference(1_260, repeats=4, within=0.5) == pytest.approx(2.801585 * math.sqrt(0.1875 / 1_260))
    assert questions_needed(0.03, repeats=4, within=0.5) == math.ceil(2.801585**2 * 0.1875 / 0.0009)


def test_repeats_by_hand():
    """1,260 questions and 4 points allow a variance of 0.2569: 0.15 / K must be at most 0.1069."""
    assert repeats_needed(0.04, 1_260, within=0.5) == 2
    assert repeats_needed(0.05, 1_260, within=0.5) == 1
    assert repeats_needed(0.02, 1_260, within=0.5) is None
    assert repeats_needed(0.01, 1_260, within=0.0) is None
    # Exactly as much variance as is allowed, and none of it from repeats
    assert repeats_needed(0.1, 100, 100 * (0.1 / smallest_difference(1, 1.0)) ** 2, within=0.0) == 1


@given(st.integers(1, 20_000), SHARE, st.floats(0.5, 0.99), st.integers(1, 9), st.floats(0, 1))
def test_questions_needed_inverts_the_smallest_difference(questions, discordance, power, repeats, within):
    """So many questions are enough for what they can show."""
    assume(discordance >= 1 / questions)
    more = {"repeats": repeats, "within": within}
    difference = smallest_difference(questions, discordance, power, **more)
    assume(difference <= 1)
    assert questions_needed(difference, discordance, power, **more) in (questions, questions + 1)


@given(st.floats(0.01, 0.5), st.integers(10, 5_000), SHARE, st.floats(0, 1))
def test_repeats_needed_are_the_fewest(difference, questions, discordance, within):
    """With them the difference can be shown; with one less it cannot; with None it cannot with very many."""
    assume(discordance >= 1 / questions)
    found = repeats_needed(difference, questions, discordance, within=within)
    shown = [
        smallest_difference(questions, discordance, repeats=k, within=within)
        for k in (found or 10**6, (found or 2) - 1 or 1)
    ]
    if found is None:
        assert shown[0] > difference * (1 - 1e-3)
    else:
        assert shown[0] <= difference * (1 + 1e-6)
        assert found == 1 or shown[1] > difference * (1 - 1e-6)


def test_runs_that_never_disagreed():
    """A difference may still hide in one question; nothing can be asked of a discordance of 0."""
    assert smallest_difference(100, 0.0) == pytest.approx(2.801585 * 0.1 / 10)
    with pytest.raises(ValueError, match="never disagree"):
        questions_needed(0.03, 0.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: smallest_difference(0),
        lambda: smallest_difference(10, 1.1),
        lambda: smallest_difference(10, power=1.0),
        lambda: smallest_difference(10, level=0.0),
        lambda: smallest_difference(10, repeats=0),
        lambda: smallest_difference(10, within=-0.1),
        lambda: questions_needed(0.0),
        lambda: questions_needed(1.5),
        lambda: repeats_needed(0.1, 0, within=0.5),
    ],
)
def test_numbers_out_of_range_are_refused(call):
    """By name."""
    with pytest.raises(ValueError, match="needed"):
        call()
