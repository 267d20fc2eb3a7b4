"""The drawn order of a run's documents; the draw itself is tested in ``tests/metrics/decision/test_even_order.py``."""

import json
import random
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from metrics.decision.order import even_order
from runner.question_order import drawn_order, question_of


def docs(sizes, repeats=1):
    """Documents of cells with these sizes, each with a label that names its cell."""
    found = []
    for cell, size in enumerate(sizes):
        for number in range(size):
            specific = {"id": f"c{cell}q{number:04d}", "labels": json.dumps({"tier": f"t{cell}", "topic": number})}
            found += [SimpleNamespace(task_name="b:all|0", specific=specific)] * repeats
    return found


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_the_order_of_documents_is_that_of_their_questions(seed, repeats):
    """Evenly over the labels that are named; neither the order of the documents matters nor how often each is there."""
    found = docs([12, 8, 20])
    shuffled = docs([12, 8, 20], repeats)
    random.Random(1).shuffle(shuffled)
    tiers = {question_of(doc): (json.loads(doc.specific["labels"])["tier"],) for doc in found}
    assert drawn_order(shuffled, ["tier"], seed) == drawn_order(found, ["tier"], seed) == even_order(tiers, seed)
    assert drawn_order(found, [], seed) == even_order(dict.fromkeys(tiers, ()), seed)


def test_a_question_without_the_label_is_in_a_cell_of_its_kind():
    """The label's absence is a value like any other."""
    found = docs([4, 4])
    found[0].specific["labels"] = found[1].specific["labels"] = "{}"
    assert sorted(drawn_order(found, ["tier", "language"], 0)) == sorted({question_of(doc) for doc in found})
