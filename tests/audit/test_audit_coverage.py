"""How often a 95% interval holds the true rate, on simulated panels whose errors are known."""

from functools import cache

import numpy as np
import pytest

from audit.statistics import FALSE_PASS, RIGHT, UNDECIDED, Stratum, bootstrap_interval, score_interval

SIMULATIONS = 500
DISAGREE, AGREE, REVIEWED = 300, 5500, 100


@cache
def coverage(disagree_error: float, agree_error: float, no_consensus: float) -> tuple[float, float]:
    """Shares of 500 simulated rounds whose bootstrap and score interval hold the true rate.

    The population is fixed: 300 disagreements, all reviewed, and 5,500 agreements, of which 100 are drawn anew in each
    simulation. Each reviewed case has no consensus with probability ``no_consensus``.
    """
    generator = np.random.default_rng(20_261_129)
    disagree = np.where(np.arange(DISAGREE) < round(DISAGREE * disagree_error), FALSE_PASS, RIGHT).astype(np.int8)
    agree = np.where(np.arange(AGREE) < round(AGREE * agree_error), FALSE_PASS, RIGHT).astype(np.int8)
    truth = ((disagree != RIGHT).sum() + (agree != RIGHT).sum()) / (DISAGREE + AGREE)
    held = np.zeros(2)
    for _ in range(SIMULATIONS):
        reviewed = [disagree.copy(), generator.choice(agree, REVIEWED, replace=False)]
        for codes in reviewed:
            codes[generator.random(len(codes)) < no_consensus] = UNDECIDED
        strata = [Stratum("disagree", DISAGREE, reviewed[0]), Stratum("agree", AGREE, reviewed[1])]
        intervals = (bootstrap_interval(strata, seed=int(generator.integers(2**31))), score_interval(strata))
        held += [interval.low <= truth <= interval.high for interval in intervals]
    bootstrap, score = held / SIMULATIONS
    return float(bootstrap), float(score)


@pytest.mark.parametrize("disagree_error", [0.03, 0.4, 0.6])
@pytest.mark.parametrize("no_consensus", [0.0, 0.03])
def test_at_three_percent_the_bootstrap_covers(disagree_error, no_consensus):
    """3% of the agreements wrong: between 92% and 98%, whatever the errors among the disagreements."""
    bootstrap, score = coverage(disagree_error, 0.03, no_consensus)
    assert 0.92 <= bootstrap <= 0.98
    assert score >= 0.92


def test_near_zero_the_bootstrap_fails_and_the_score_interval_holds():
    """0.5% of the agreements wrong: most rounds show none of them, and the bootstrap then knows of none."""
    bootstrap, score = coverage(0.4, 0.005, 0.0)
    assert bootstrap < 0.6
    assert score >= 0.9
