"""The official scorer's labelled cases, where they are at hand: full agreement."""

import json
from typing import Any

import pytest
from ifhard_tables import VECTORS

from metrics import ifhard

pytestmark = pytest.mark.skipif(
    not VECTORS.is_file(), reason="the official scorer's vectors are not beside the checkout"
)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """All vectors."""
    return [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


def of_kind(rows: list[dict[str, Any]], kind: str, source: str | None = None) -> list[dict[str, Any]]:
    """Vectors of a kind; there must be some, or the test would pass on nothing."""
    found = [row for row in rows if row["kind"] == kind and row.get("input") == source]
    assert found
    return found


def test_every_verdict_agrees(rows):
    """Each requirement type decides as the official scorer; an error there is a fail here."""
    wrong = []
    for row in of_kind(rows, "verdict"):
        verdict = ifhard.verify(row["category"], row["params"], row["response"], row["language"])
        if verdict.passed != row["expected"]:
            wrong.append((row["id"], row["category"], row["params"], row["response"], verdict.reason))
    assert not wrong


def test_errors_are_named(rows):
    """What makes the official scorer raise is refused with the dataset, unless the answer alone is to blame."""
    raising = [row for row in of_kind(rows, "verdict") if row["tag"].endswith("+raises")]
    assert raising
    for row in raising:
        code = ifhard.verify(row["category"], row["params"], row["response"]).code
        if code == "unreadable-number":
            ifhard.check_params(row["category"], row["params"])
        else:
            assert code == "invalid-params"
            with pytest.raises(ifhard.ParamsError, match=row["category"]):
                ifhard.check_params(row["category"], row["params"])


def test_other_params_are_accepted(rows):
    """Whatever the official scorer reads passes the check at loading.

    The check is stricter where a missing parameter goes unnoticed because the answer fails before it is read.
    """
    refused = {}
    for row in of_kind(rows, "verdict"):
        if not row["tag"].endswith("+raises"):
            try:
                ifhard.check_params(row["category"], row["params"])
            except ifhard.ParamsError as error:
                refused[row["id"]] = (error.problem, row["expected"])
    assert set(refused.values()) <= {("is missing", False)}
    assert len(refused) <= 2


def test_reasoning_removal_agrees(rows):
    """Steps 2 to 5 of section 3."""
    wrong = [row["id"] for row in of_kind(rows, "strip") if ifhard.strip_reasoning(row["raw"]) != row["expected"]]
    assert not wrong


def test_aggregates_of_verdicts_agree(rows):
    """The three run-level values from given verdicts."""
    for row in of_kind(rows, "aggregate", "verdicts"):
        values = ifhard.aggregate(row["samples"])
        assert {name: values[name] for name in row["expected"]} == pytest.approx(row["expected"], abs=1e-9), row["id"]


def test_runs_agree_end_to_end(rows):
    """From raw text to per-question and run-level values."""
    for row in of_kind(rows, "aggregate", "run"):
        scores = [ifhard.score({"meta": {"constraints": doc["constraints"]}}, doc["raw"]) for doc in row["docs"]]
        for score, expected in zip(scores, row["per_sample"], strict=True):
            pairs = [[name, v.passed] for name, v in zip(score.categories, score.verdicts, strict=True)]
            assert score.sample_pass_rate == expected["sample_pass_rate"]
            assert score.constraint_pass_rate == expected["constraint_pass_rate"]
            assert (None if score.empty or not pairs else pairs) == expected["balance_score"]
        values = ifhard.aggregate(
            [(s.empty, [(name, v.passed) for name, v in zip(s.categories, s.verdicts, strict=True)]) for s in scores]
        )
        assert {name: values[name] for name in row["expected"]} == pytest.approx(row["expected"], abs=1e-9), row["id"]
