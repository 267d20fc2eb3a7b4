"""Kappa, weighted rates and intervals against numbers computed by hand and a loop that is slow and plain."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.labels import consensus
from audit.statistics import (
    ANY_ERROR,
    FALSE_FAIL,
    FALSE_PASS,
    RIGHT,
    UNDECIDED,
    Interval,
    Stratum,
    bootstrap_interval,
    cohens_kappa,
    error_rate,
    outcome,
    resampled_rates,
    score_interval,
)


def stratum(population, *codes, name="s"):
    return Stratum(name, population, np.array(codes, dtype=np.int8))


# The worked example of the IFBench notes, 6.5.
DISAGREE = stratum(90, FALSE_PASS, RIGHT, RIGHT, FALSE_FAIL, UNDECIDED)
AGREE = stratum(910, RIGHT, RIGHT, FALSE_PASS, RIGHT)
FIXTURES = stratum(0, FALSE_PASS, FALSE_PASS)


def slow_rates(strata, resamples, seed):
    """The bootstrap as the text has it: one resample of one stratum at a time."""
    generator = np.random.default_rng(seed)
    weighed = [one for one in strata if one.population]
    shares = []
    for one in weighed:
        drawn_shares = []
        while len(drawn_shares) < resamples:
            drawn = [one.outcomes[i] for i in generator.integers(0, len(one.outcomes), size=len(one.outcomes))]
            decided = [code for code in drawn if code != UNDECIDED]
            if decided:
                drawn_shares.append(sum(code != RIGHT for code in decided) / len(decided))
        shares.append(drawn_shares)
    total = sum(one.population for one in weighed)
    return [
        sum(one.population * of[i] for one, of in zip(weighed, shares, strict=True)) / total for i in range(resamples)
    ]


@pytest.mark.parametrize(
    ("verdict", "lean", "code"),
    [
        (True, "pass", RIGHT),
        (False, "fail", RIGHT),
        (True, "fail", FALSE_PASS),
        (False, "pass", FALSE_FAIL),
        (True, "", UNDECIDED),
        (False, None, UNDECIDED),
        (None, "pass", UNDECIDED),
    ],
)
def test_outcome(verdict, lean, code):
    """A verdict against a consensus."""
    assert outcome(verdict, lean) == code


@pytest.mark.parametrize(
    ("leans", "shared"),
    [(("pass", "pass"), "pass"), (("pass", "fail"), ""), (("fail", None), ""), ((None, None), ""), (("fail",), "fail")],
)
def test_consensus_is_the_shared_lean(leans, shared):
    """Else empty."""
    assert consensus(leans) == shared


def test_error_rate_of_the_worked_example():
    """(90 * 2/4 + 910 * 1/4) / 1000 = 0.2725; fixtures and cases without a consensus do not enter."""
    assert error_rate([DISAGREE, AGREE, FIXTURES]) == pytest.approx(0.2725, abs=1e-15)


def test_the_two_kinds_of_error_add_up():
    """False passes: (90 * 1/4 + 910 * 1/4) / 1000 = 0.25; false fails: 90 * 1/4 / 1000 = 0.0225."""
    assert error_rate([DISAGREE, AGREE], (FALSE_PASS,)) == pytest.approx(0.25)
    assert error_rate([DISAGREE, AGREE], (FALSE_FAIL,)) == pytest.approx(0.0225)


@pytest.mark.parametrize(
    "strata",
    [
        pytest.param([DISAGREE, stratum(910, UNDECIDED, UNDECIDED)], id="no decided case in a stratum"),
        pytest.param([DISAGREE, stratum(910)], id="no case in a stratum"),
        pytest.param([FIXTURES], id="no population"),
        pytest.param([], id="no strata"),
    ],
)
def test_undefined_rates_are_none(strata):
    """Neither a rate nor an interval, never a number."""
    assert error_rate(strata) is None
    assert resampled_rates(strata) is None
    assert bootstrap_interval(strata) is None
    assert score_interval(strata) is None


def test_kappa_of_the_worked_example():
    """A = PPFFPFPPFF, B = PFFFPFPPFP: observed 0.8, by chance 0.5, kappa 0.6."""
    kappa = cohens_kappa("PPFFPFPPFF", "PFFFPFPPFP")
    assert kappa == (pytest.approx(0.6), 10, pytest.approx(0.8), pytest.approx(0.5))


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ("PPPP", "PPPP", None),  # expected agreement is 1
        ("", "", None),
        ("PFPF", "FPFP", -1.0),
        ("PFPF", "PFPF", 1.0),
        ("PPFF", "PFPF", 0.0),
        ("PPPP", "PFPP", 0.0),  # po = pe = 3/4
    ],
)
def test_kappa_at_its_ends(first, second, value):
    """Undefined where the expected agreement is 1, or without labels."""
    assert cohens_kappa(first, second).value == value


def test_kappa_wants_pairs():
    """Labels of other cases cannot be compared."""
    with pytest.raises(ValueError, match="as many labels"):
        cohens_kappa("PP", "P")


def test_a_resample_is_what_its_draws_say():
    """Three cases under seed 1: the draws of numpy's PCG64, looked up by hand, give these three resamples."""
    draws = np.random.default_rng(1).integers(0, 3, size=(3, 3)).tolist()
    assert draws == [[1, 1, 2], [2, 0, 0], [2, 2, 0]]
    # Cases: wrong, right, no consensus. Resample 1: right, right; 2: wrong, wrong; 3: wrong alone.
    rates = resampled_rates([stratum(10, FALSE_PASS, RIGHT, UNDECIDED)], resamples=3, seed=1)
    assert rates.tolist() == [0.0, 1.0, 1.0]


def test_resamples_without_a_decided_case_are_drawn_again():
    """Four of five cases have no consensus: many draws hold none that has, yet every resample has a rate."""
    strata = [stratum(100, FALSE_PASS, *[UNDECIDED] * 4), AGREE]
    rates = resampled_rates(strata, resamples=300, seed=11)
    assert len(rates) == 300
    assert np.isfinite(rates).all()
    assert rates.tolist() == pytest.approx(slow_rates(strata, 300, 11), abs=1e-15)


CODES = st.lists(st.sampled_from([RIGHT, RIGHT, FALSE_PASS, FALSE_FAIL, UNDECIDED]), min_size=1, max_size=12).filter(
    lambda codes: any(code != UNDECIDED for code in codes)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5000), CODES), min_size=1, max_size=3), st.integers(0, 2**32))
def test_the_fast_bootstrap_is_the_slow_one(parts, seed):
    """The same draws in the same order, resample for resample."""
    strata = [stratum(population, *codes) for population, codes in parts]
    assert resampled_rates(strata, resamples=20, seed=seed).tolist() == pytest.approx(
        slow_rates(strata, 20, seed), abs=1e-12
    )


def test_chunks_do_not_change_the_draws(monkeypatch):
    """Memory is bounded by drawing in parts; the parts join seamlessly."""
    whole = resampled_rates([DISAGREE, AGREE], resamples=101, seed=4)
    monkeypatch.setattr("audit.statistics._CHUNK_CELLS", 17)
    assert (resampled_rates([DISAGREE, AGREE], resamples=101, seed=4) == whole).all()


def test_the_bootstrap_interval_is_the_percentiles():
    """2,000 resamples, 2.5th and 97.5th percentile, linear between order statistics."""
    rates = sorted(slow_rates([DISAGREE, AGREE], 2000, 20_240_229))
    ends = []
    for share in (0.025, 0.975):
        place = share * 1999
        low = math.floor(place)
        ends.append(rates[low] + (place - low) * (rates[low + 1] - rates[low]))
    assert bootstrap_interval([DISAGREE, AGREE]) == pytest.approx(Interval(*ends), abs=1e-12)


def test_an_interval_is_the_same_twice():
    """And another under another seed."""
    first = bootstrap_interval([DISAGREE, AGREE], seed=1)
    assert first == bootstrap_interval([DISAGREE, AGREE], seed=1)
    assert list(resampled_rates([DISAGREE, AGREE], seed=1)) != list(resampled_rates([DISAGREE, AGREE], seed=2))


def test_score_interval_of_one_stratum_is_wilsons():
    """5 of 50 of a population without end: Wilson's textbook limits 0.0435 and 0.2136."""
    interval = score_interval([stratum(10**9, *[FALSE_PASS] * 5, *[RIGHT] * 45)])
    assert interval == pytest.approx((0.043480, 0.213602), abs=1e-5)


def test_score_interval_puts_strata_together():
    """Square and add, by hand: weights 0.25 and 0.75, shares 0.2 (2 of 10) and 0 (0 of 20), populations without end."""
    low_1, high_1 = 0.05668215, 0.50983753  # Wilson's limits of 2 of 10
    high_2 = 0.16112516  # of 0 of 20
    strata = [
        stratum(10**9, *[FALSE_FAIL] * 2, *[RIGHT] * 8),
        stratum(3 * 10**9, *[RIGHT] * 20),
    ]
    low = 0.05 - math.sqrt((0.25 * (0.2 - low_1)) ** 2)
    high = 0.05 + math.sqrt((0.25 * (high_1 - 0.2)) ** 2 + (0.75 * high_2) ** 2)
    assert score_interval(strata) == pytest.approx((low, high), abs=1e-6)


def test_a_stratum_reviewed_to_the_end_adds_no_width():
    """Every verdict of it is known; the bootstrap still moves it."""
    strata = [stratum(4, FALSE_PASS, RIGHT, RIGHT, RIGHT)]
    assert score_interval(strata) == (0.25, 0.25)
    assert bootstrap_interval(strata).high > 0.25


def test_no_error_seen_is_no_proof_of_none():
    """The bootstrap's interval is a point there, the score interval is not."""
    strata = [stratum(5500, *[RIGHT] * 100)]
    assert bootstrap_interval(strata) == (0.0, 0.0)
    low, high = score_interval(strata)
    assert low == 0.0
    assert high == pytest.approx(0.0364, abs=5e-4)  # Wilson's 0.0370 for a hundred, a little less of 5,500


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5000), CODES), min_size=1, max_size=3))
def test_the_rate_lies_in_its_intervals(parts):
    """The score interval holds the rate and stays within 0 and 1; both kinds of error add up to the rate."""
    strata = [stratum(max(population, len(codes)), *codes) for population, codes in parts]
    rate = error_rate(strata)
    low, high = score_interval(strata)
    assert 0 <= low <= rate + 1e-12
    assert rate - 1e-12 <= high <= 1
    parts_of = [error_rate(strata, (kind,)) for kind in ANY_ERROR]
    assert sum(parts_of) == pytest.approx(rate)
