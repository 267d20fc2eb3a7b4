"""Scores by hand on a scripted judge: accuracy, F1, recall, and what stays without a verdict."""

import json
from collections import Counter

import pytest
from hardmultiqa_cases import load_cases, replies_of, run_case, sample_of, wanted_score
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.judgement import Judgement
from metrics.hardmultiqa import TYPES, empty_verdict, parse_key, score_verdict
from metrics.hardmultiqa.records import score
from metrics.record import Answer

CASES = load_cases()


def test_twelve_cases_a_type():
    """Every type has at least twelve, and some of each remain without a verdict."""
    assert all(n >= 12 for n in Counter(case["type"] for case in CASES).values())
    assert {case["type"] for case in CASES if case["score"] is None} == set(TYPES)


@pytest.mark.parametrize("case", CASES, ids=[f"{case['type']}-{case['id']}" for case in CASES])
def test_the_score_is_the_one_by_hand(case):
    """The record holds the exact score, or none where no attempt was readable."""
    judgement, record, calls = run_case(case)
    wanted = wanted_score(case)
    assert record["scores"]["hardmultiqa_judge"] == pytest.approx(wanted, abs=1e-12)
    assert record["verdicts"][0]["id"] == case["type"]
    if wanted is None:
        assert (judgement.status, record["outcome"], len(calls)) == ("unjudged", "unjudged", 3)
        assert record["error"].startswith("no readable verdict in 3 attempts; the last: ")
        assert record["verdicts"][0]["passed"] is None
    else:
        assert (judgement.status, record["outcome"], record["error"]) == ("judged", "answered", "")
        assert len(calls) == len(replies_of(case))
        assert record["verdicts"][0]["passed"] is (wanted == 1.0)
    share = case.get("share")
    defined = case["type"] == "open" and wanted is not None
    assert record["scores"]["open_wrong_share"] == (float(share == "wrong") if defined else None)
    assert record["scores"]["open_not_attempted_share"] == (float(share == "not-attempted") if defined else None)


REASONS = [
    ("strict-list", "two-of-three-one-extra", "2 of 3 reference elements named, 1 extra element: F1 0.67"),
    ("not-strict-list", "three-of-four",
     "3 of 4 reference elements named, 0 extra elements: recall 0.75 (extra elements cost nothing)"),
    ("mistakes", "one-right-one-wrong", "1 of 2 mistakes corrected, 1 extra correction: F1 0.50"),
    ("one-option-many-options", "half", "options 1, 3 required, 1 chosen: 3 missing"),
    ("one-option-many-options", "one-extra", "options 1, 3 required, 1, 3, 4 chosen: 4 extra"),
    ("one-option-many-options", "none-chosen", "options 1, 3 required, none chosen: 1, 3 missing"),
    ("one-option-many-options", "both-right", "chose 1, 3, as required"),
    ("open", "wrong", "the judge found the answer wrong"),
    ("open", "refusal", "the judge found no answer to the question"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "reason"), REASONS, ids=[name for _, name, _ in REASONS])
def test_the_reason_says_what_was_missing(kind, name, reason):
    """One sentence, with numbers that a person can check."""
    case = next(case for case in CASES if (case["type"], case["id"]) == (kind, name))
    judgement, record, _ = run_case(case)
    assert record["verdicts"][0]["reason"] == judgement.reason == reason


def test_the_record_says_what_judging_took():
    """Calls and tokens of all attempts, and the rule's word on options; no verdict holds them."""
    case = next(case for case in CASES if case["id"] == "contradiction-then-right")
    _, record, _ = run_case(case)
    assert len(record["verdicts"]) == 1
    assert record["judging"] == {
        "status": "judged",
        "calls": 2,
        "prompt_tokens": 200,
        "completion_tokens": 20,
        "rule": "right",
        "judge": "right",
    }


def test_every_record_has_one_schema():
    """Arrow wants the same keys whatever became of the sample."""
    records = [run_case(case)[1] for case in CASES]
    for record in records:
        assert list(record) == list(records[0])
        assert list(record["scores"]) == list(records[0]["scores"])
        assert [list(verdict) for verdict in record["verdicts"]] == [list(records[0]["verdicts"][0])]
        assert list(record["judging"]) == list(records[0]["judging"])


BAD_VERDICTS = [
    ("open", {"grade": 2}),
    ("open", {}),
    ("open", {"grade": []}),
    ("one-option-many-options", {"chosen": [1], "verdict": "incorrect"}),
    ("one-option-many-options", {"chosen": [2], "verdict": "correct"}),
    ("one-option-many-options", {"chosen": [1], "verdict": "right"}),
    ("strict-list", {"elements": [], "matches": [{"element": 1, "reference": 1}]}),
    ("strict-list", {"elements": [{"i": 1}], "matches": [{"element": 1, "reference": 2}]}),
    ("strict-list", {"elements": [{"i": 1}, {"i": 1}], "matches": []}),
    ("strict-list", {"elements": [{"i": 1}, {"i": 2}],
                     "matches": [{"element": 1, "reference": 1}, {"element": 2, "reference": 1}]}),
    ("mistakes", {"grade": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "verdict"), BAD_VERDICTS)
def test_a_stored_verdict_of_another_question_is_an_error(kind, verdict):
    """A verdict that cannot be of this question is refused, never scored."""
    sample = sample_of({"id": "x", "type": kind, "question": "?", "reference": ["1"], "cut": []})
    with pytest.raises(ValueError, match=r"verdict|one-to-one"):
        score(sample, Answer("1"), Judgement("judged", verdict))


@settings(deadline=None)
@given(st.sampled_from(TYPES), st.integers(1, 6), st.integers(0, 6), st.integers(0, 6))
def test_scores_lie_in_the_unit_interval(kind, references, elements, matches):
    """Whatever the counts, and an empty answer is worth nothing."""
    reference = [str(n) for n in range(1, references + 1)]
    key = parse_key(json.dumps({"type": kind, "question": "?", "reference": reference}))
    assert score_verdict(key, empty_verdict(key)).score == 0.0
    if kind not in ("open", "one-option-many-options"):
        pairs = min(references, elements, matches)
        verdict = {
            "elements": [{"i": n} for n in range(1, elements + 1)],
            "matches": [{"element": n, "reference": n} for n in range(1, pairs + 1)],
        }
        score = score_verdict(key, verdict).score
        assert 0.0 <= score <= 1.0
        full = pairs == references and (kind == "not-strict-list" or elements == references)
        assert (score == 1.0) is full
