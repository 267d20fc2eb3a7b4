"""The labelled cases: every constraint and every number as the official scorer has them."""

import json
from pathlib import Path

import pytest

from metrics import sobhard

VECTORS = Path(__file__).resolve().parents[4] / "shared" / "vectors" / "sobhard_public.jsonl"


@pytest.fixture(scope="module")
def vectors():
    if not VECTORS.exists():
        pytest.skip("the labelled cases are not at hand")
    # On line feeds alone: the cases hold other line breaks.
    return [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").split("\n") if line]


def test_every_labelled_score(vectors):
    """All constraints (not applicable included) and the five numbers, to 1e-12; no difference at all."""
    cases = [case for case in vectors if case["kind"] == "score"]
    assert cases
    wrong = []
    for case in cases:
        found = sobhard.score(case["row"], case["response"])
        wanted = case["expected"]
        assert list(found.constraints) == list(wanted["constraints"])
        for name, label in wanted["constraints"].items():
            verdict = found.constraints[name]
            if (None if verdict is None else verdict.passed) is not label:
                wrong.append((case["id"], case["case"], name, label, verdict))
        for name in sobhard.METRICS:
            if abs(found.metrics[name] - wanted[name]) > 1e-12:
                wrong.append((case["id"], case["case"], name, wanted[name], found.metrics[name]))
    assert wrong == []


def test_every_labelled_aggregate(vectors):
    """balance_score of each list of items, and the five means over the whole file."""
    aggregates = [case for case in vectors if case["kind"] == "aggregate"]
    assert aggregates
    scores = [sobhard.score(case["row"], case["response"]) for case in vectors if case["kind"] == "score"]
    for case in aggregates:
        wanted = case["expected"]
        assert sobhard.balance_score(case["items"]) == pytest.approx(wanted["balance_score"], abs=1e-12)
        if "whole_file" in case["id"]:
            found = sobhard.aggregate((score.cell, score.metrics) for score in scores)
            assert found == pytest.approx(wanted, abs=1e-12)


def test_every_labelled_row_passes_the_check(vectors):
    """check_row accepts what the official scorer can score."""
    for case in vectors:
        if case["kind"] == "score" and not sobhard.is_blanked(case["row"]):
            assert sobhard.check_row(case["row"]) is not None
