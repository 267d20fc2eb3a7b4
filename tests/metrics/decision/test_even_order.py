"""The drawn order of questions: every place as likely, every stretch with its share of each cell."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.decision.order import even_order


def in_cells(sizes):
    """Questions by their cells, which have these sizes."""
    return {f"c{cell}q{number:04d}": (f"t{cell}",) for cell, size in enumerate(sizes) for number in range(size)}


def cell_of(question):
    return question.partition("q")[0]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(0, 2**32))
def test_every_stretch_has_its_share_of_each_cell(sizes, seed):
    """The first k questions hold of each cell its share of k, to within a question or two."""
    order = even_order(in_cells(sizes), seed)
    assert sorted(order) == sorted(in_cells(sizes))
    total = sum(sizes)
    for k in range(1, total + 1):
        for cell, size in enumerate(sizes):
            held = sum(cell_of(question) == f"c{cell}" for question in order[:k])
            assert abs(held - k * size / total) <= 1 + len(sizes) * size / total


@given(st.integers(0, 2**32))
def test_the_order_depends_on_seed_questions_and_cells_alone(seed):
    """Not on how they are given; another seed gives another order."""
    found = in_cells([12, 8, 20])
    shuffled = list(found.items())
    random.Random(1).shuffle(shuffled)
    order = even_order(found, seed)
    assert even_order(dict(shuffled), seed) == order
    assert even_order(found, seed + 1) != order
    assert even_order(dict.fromkeys(found, ()), seed) != order


def test_every_question_is_as_likely_at_any_place():
    """Over many seeds each question stands in the first quarter about a quarter of the time."""
    found, runs = in_cells([3, 5, 12]), 2_000
    first = [question for seed in range(runs) for question in even_order(found, seed)[:5]]
    for question in found:
        assert first.count(question) / runs == pytest.approx(0.25, abs=0.05)


def test_orders_of_recorded_seeds():
    """A resumed run draws its order again: it must not change between versions."""
    assert even_order(in_cells([2, 3]), 0) == ["c1q0000", "c0q0000", "c1q0002", "c0q0001", "c1q0001"]
    assert even_order(dict.fromkeys(range(6), ()), 7) == [4, 0, 5, 3, 1, 2]


def test_no_question():
    """Nothing to ask."""
    assert even_order({}, 0) == []
