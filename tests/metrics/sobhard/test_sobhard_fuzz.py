"""5,000 mutated answers: none raises, each has bounded, printable verdicts."""

import pytest
from sobhard_fuzz import cases, check

SEEDS = range(10)


@pytest.mark.parametrize("seed", SEEDS)
def test_mutated_answers(seed):
    """500 a seed; some stay right, most do not."""
    rates = [check(row, response) for row, response in cases(500, seed, long_share=0.02)]
    assert 0 < sum(rates) < len(rates) / 2
