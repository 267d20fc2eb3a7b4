"""IFHardBench over a run: values by hand, coverage, bounds, what is undefined."""

import json
import math

import pytest

from metrics.ifhard.records import score, unanswered
from metrics.ifhard.summary import METRICS, summarise
from metrics.lighteval import record_metric
from metrics.record import Answer, Sample, VerdictRecord
from metrics.summary import flat

HEADLINES = tuple(spec.name for spec in METRICS)
TWO = [
    {
        "category": "structure:word_count",
        "family": "structure",
        "params": {"op": "eq", "value": 2},
        "is_terminal": False,
    },
    {"category": "style:no_commas", "family": "style", "params": {}, "is_terminal": False},
]


def sample(number, tier="easy", constraints=TWO, repeat=0):
    return Sample(f"q{number}", repeat, json.dumps(constraints), json.dumps({"tier": tier}))


def answered(number, text, tier="easy", truncated=False, repeat=0):
    return score(sample(number, tier, repeat=repeat), Answer(text, truncated))


def test_values_by_hand():
    """Four questions: both met, one met, none met, empty."""
    records = [
        answered(0, "раз два"),
        answered(1, "раз, два"),
        answered(2, "раз, два, три", "hard"),
        answered(3, "  ", "hard", True),
    ]
    summary = summarise(records)
    values = {headline.name: headline.value for headline in summary.headlines}
    assert tuple(values) == HEADLINES
    assert values["sample_pass_rate"] == 1 / 4
    assert values["constraint_pass_rate"] == pytest.approx((1 + 0.5 + 0) / 3)  # the empty answer has no share
    assert values["balance_score"] is None  # three verdicts a type
    assert "5 verdicts" in summary.headline("balance_score").note
    assert values["empty_share"] == 1 / 4
    assert summary.counts.truncated == 1
    assert summary.counts.complete
    assert summary.breakdowns["type"]["structure:word_count"] == {"n": 3, "passed": 2, "pass_rate": 2 / 3}
    assert summary.breakdowns["family"]["style"] == {"n": 3, "passed": 1, "pass_rate": 1 / 3}
    assert summary.breakdowns["tier"] == {
        "easy": {"n": 2, "sample_pass_rate": 0.5, "constraint_pass_rate": 0.75},
        "hard": {"n": 2, "sample_pass_rate": 0.0, "constraint_pass_rate": 0.0},
    }
    low, high = summary.headline("sample_pass_rate").interval
    assert 0 <= low <= 0.25 <= high <= 1


def test_balance_is_the_geometric_mean_over_types():
    """Ten answers: words right in 8, commas absent in 1: sqrt(0.8 x 0.1)."""
    records = [answered(i, ("раз, два" if i else "раз два") if i < 8 else "раз, два три") for i in range(10)]
    summary = summarise(records)
    assert summary.headline("balance_score").value == pytest.approx(math.sqrt(0.8 * 0.1))
    assert summary.notes == ()


def test_rare_types_are_left_out_and_named():
    """Four verdicts are too few, and the note says which type that concerns."""
    extra = [*TWO, {"category": "style:no_digits", "family": "style", "params": {}, "is_terminal": False}]
    records = [score(sample(i, constraints=extra if i < 4 else TWO), Answer("раз два 3")) for i in range(10)]
    summary = summarise(records)
    assert summary.headline("balance_score").value == pytest.approx(math.sqrt(0.01 * 1.0))
    assert summary.headline("balance_score").note == "2 of 3 types"
    assert "style:no_digits" in summary.notes[0]


@pytest.mark.parametrize("outcome", ["failed", "not_asked", "unscored"])
def test_missing_samples_lower_the_coverage_and_open_bounds(outcome):
    """The value is over valid answers; the bounds say what the missing ones could do."""
    records = [answered(i, "раз два") for i in range(6)] + [answered(6, "раз, два три"), answered(7, "")]
    records += [unanswered(sample(i), outcome, "503 five times") for i in range(8, 10)]
    summary = summarise(records)
    assert not summary.counts.complete
    assert getattr(summary.counts, outcome) == 2
    headline = summary.headline("sample_pass_rate")
    assert headline.value == 6 / 8
    assert headline.n == 8
    assert headline.bounds == (6 / 10, 8 / 10)
    assert summary.headline("constraint_pass_rate").bounds == (pytest.approx(6 / 9), pytest.approx(8 / 9))
    assert summary.headline("empty_share").bounds == (1 / 10, pytest.approx(3 / 10))
    low, high = summary.headline("balance_score").bounds
    assert low == pytest.approx(6 / 9)
    assert high == pytest.approx(8 / 9)


def test_nothing_answered_is_undefined_not_zero():
    """No valid answer at all: every headline is None with a reason, and NaN under LightEval."""
    records = [unanswered(sample(i), "failed", "down") for i in range(3)]
    summary = summarise(records)
    for headline in summary.headlines:
        assert headline.value is None
        assert headline.note
        assert headline.interval is None
    row = flat(summary)
    assert [row[name] for name in HEADLINES] == [None] * len(HEADLINES)
    assert all(row[f"{name}_undefined_because"] for name in HEADLINES)
    assert row["coverage"] == 0.0
    metric = record_metric("IFHard", METRICS, score=score, unanswered=unanswered, summarise=summarise)
    under_lighteval = metric.corpus_level_fn["record"].compute_corpus(records)
    assert all(math.isnan(under_lighteval[name]) for name in HEADLINES)
    assert under_lighteval["coverage"] == 0.0


def test_only_empty_answers():
    """All answers empty: a real 0 for whole answers, undefined for shares."""
    summary = summarise([answered(i, None) for i in range(6)])
    assert summary.headline("sample_pass_rate").value == 0.0
    assert summary.headline("constraint_pass_rate").value is None
    assert summary.headline("balance_score").value is None
    assert summary.headline("empty_share").value == 1.0


def test_a_question_without_requirements_counts_as_the_contract_says():
    """n = 0: 0.0 and 0.0, even when empty; no balance item (contract, 8.1)."""
    record = score(sample(0, constraints=[]), Answer("что угодно"))
    assert record["scores"] == {"sample_pass_rate": 0.0, "constraint_pass_rate": 0.0}
    assert record["verdicts"] == []


def test_repeats_of_a_question_are_resampled_together():
    """Twenty repeats of two questions carry no more certainty than two questions."""
    records = [answered(i, "раз два" if i else "раз", repeat=r) for i in range(2) for r in range(20)]
    summary = summarise(records)
    assert summary.headline("sample_pass_rate").value == 0.5
    low, high = summary.headline("sample_pass_rate").interval
    assert low < 0.2
    assert high > 0.8


def test_repeats_do_not_make_a_type_frequent():
    """Four questions asked five times have four verdicts a type, not twenty: undefined, as without repeats."""
    records = [answered(i, "раз два", repeat=r) for i in range(4) for r in range(5)]
    assert summarise(records).headline("balance_score").value is None
    more = [answered(i, "раз два" if i else "раз", repeat=r) for i in range(5) for r in range(5)]
    assert summarise(more).headline("balance_score").value == pytest.approx(math.sqrt(0.8))


def test_unclosed_reasoning_is_counted_and_scored_as_it_stands():
    """Cut inside the trace: the trace is the answer, and it is no right one for containing the answer."""
    record = answered(0, "<think>ответ: раз два", truncated=True)
    assert record["unclosed_reasoning"] is True
    assert record["truncated"] is True
    assert record["scores"]["sample_pass_rate"] == 0.0


def test_every_record_has_one_schema():
    """Arrow wants the same keys and types whatever became of the sample."""
    records = [
        answered(0, "раз"),
        answered(1, None),
        unanswered(sample(2), "failed", "x"),
        answered(3, "раз два три", "hard"),
    ]
    for record in records:
        assert list(record) == list(records[0])
        assert list(record["scores"]) == list(records[0]["scores"])
        for verdict in record["verdicts"]:
            assert list(verdict) == list(VerdictRecord.__annotations__)
            texts = ("id", "group", "grader", "code", "reason", "observed", "wanted")
            assert all(isinstance(verdict[name], str) for name in texts)
        assert [verdict["place"] for verdict in record["verdicts"]] == [0, 1]
        assert {verdict["grader"] for verdict in record["verdicts"]} == {"ifhard"}
        assert record["judging"] is None
