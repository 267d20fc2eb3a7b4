"""The drawn order of questions: every place as likely, every stretch with its share of each cell."""

import json
import random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.decision.sequences import ShareOfSet
from runner.question_order import drawn_order, question_of


def docs(sizes, repeats=1):
    """Documents of cells with these sizes, each with a label that names its cell."""
    found = []
    for cell, size in enumerate(sizes):
        for number in range(size):
            specific = {"id": f"c{cell}q{number:04d}", "labels": json.dumps({"tier": f"t{cell}", "topic": number})}
            found += [SimpleNamespace(task_name="b:all|0", specific=specific)] * repeats
    return found


def cell_of(question):
    return question[1].partition("q")[0]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(0, 2**32), st.integers(1, 3))
def test_every_stretch_has_its_share_of_each_cell(sizes, seed, repeats):
    """The first k questions hold of each cell its share of k, to within a question or two."""
    order = drawn_order(docs(sizes, repeats), ["tier"], seed)
    assert sorted(order) == sorted({question_of(doc) for doc in docs(sizes)})
    total = sum(sizes)
    for k in range(1, total + 1):
        for cell, size in enumerate(sizes):
            held = sum(cell_of(question) == f"c{cell}" for question in order[:k])
            assert abs(held - k * size / total) <= 1 + len(sizes) * size / total


@given(st.integers(0, 2**32))
def test_the_order_depends_on_seed_ids_and_cells_alone(seed):
    """Neither on the order of the documents nor on repeats; another seed gives another order."""
    found = docs([12, 8, 20])
    shuffled = docs([12, 8, 20], 2)
    random.Random(1).shuffle(shuffled)
    order = drawn_order(found, ["tier"], seed)
    assert drawn_order(shuffled, ["tier"], seed) == order
    assert drawn_order(found, ["tier"], seed + 1) != order
    assert drawn_order(found, [], seed) != order


def test_every_question_is_as_likely_at_any_place():
    """Over many seeds each question stands in the first quarter about a quarter of the time."""
    found, runs = docs([3, 5, 12]), 2_000
    first = [question for seed in range(runs) for question in drawn_order(found, ["tier"], seed)[:5]]
    for doc in found:
        assert first.count(question_of(doc)) / runs == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("rates", [(0.4, 0.4, 0.4, 0.4), (0.9, 0.5, 0.3, 0.1), (1.0, 1.0, 0.0, 0.0)])
def test_the_formulas_hold_in_this_order(rates):
    """Even shares of the cells only steady the prefix: the truth is missed at some look in at most 5% of runs."""
    found, missed, runs = docs([25] * 4), 0, 400
    for seed in range(runs):
        generator = random.Random(f"answers {seed}")
        passed = {question_of(doc): generator.random() < rates[int(doc.specific["id"][1])] for doc in found}
        truth, sequence, out = sum(passed.values()) / len(passed), ShareOfSet(len(passed)), False
        for question in drawn_order(found, ["tier"], seed):
            sequence.add(passed[question])
            low, high = sequence.interval
            out |= not low <= truth <= high
        missed += out
    assert missed / runs <= 0.05
