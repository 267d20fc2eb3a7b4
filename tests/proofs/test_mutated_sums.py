"""Tests whose holes are known: test_mutation.py asks what they see."""

import pytest
from mutated_sums import clipped, total


@pytest.mark.parametrize(("numbers", "found"), [([], 0), ([1, 2, 3], 6)])
def test_total(numbers, found):
    """Sums."""
    assert total(numbers) == found


@pytest.mark.parametrize(("number", "found"), [(3, 3), (12, 10)])
def test_clipped(number, found):
    """Below and above ten."""
    assert clipped(number) == found
