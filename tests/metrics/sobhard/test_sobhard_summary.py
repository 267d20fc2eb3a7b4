"""SOBHard over a run: records, values by hand, coverage and bounds, notes, LightEval's view of it."""

import json
import math
from types import SimpleNamespace

import pytest
from sobhard_questions import QUESTIONS, answer, changed

from metrics import sobhard
from metrics.lighteval import record_metric
from metrics.record import Answer, Sample, VerdictRecord
from metrics.sobhard.records import BLANKED, score, unanswered
from metrics.sobhard.rows import labels, scoring_key
from metrics.sobhard.summary import CELLS, METRICS, summarise
from metrics.summary import flat

HEADLINES = tuple(spec.name for spec in METRICS)
METRIC = record_metric("SOBHard", METRICS, score=score, unanswered=unanswered, summarise=summarise)
SAMPLE_FN, CORPUS = METRIC.sample_level_fn, METRIC.corpus_level_fn["record"]
CONVERT, PATCH = QUESTIONS["convert_json"], QUESTIONS["patch_toml"]
TEXT = CONVERT["meta"]["reference"]


def sample(number, row=CONVERT, repeat=0):
    return Sample(f"q{number}", repeat, scoring_key(row), labels(row))


def fields(*of):
    """The sample as a document holds it."""
    return sample(*of)._asdict()


def answered(number, response, row=CONVERT, truncated=False, repeat=0):
    return score(sample(number, row, repeat), Answer(response, truncated))


RIGHT = answer(CONVERT)
ONE_WRONG = RIGHT.replace("8080", "1")  # 7 of 9 constraints


def test_values_by_hand():
    """Two of three right in one cell, none of one in another."""
    records = [answered(0, RIGHT), answered(1, RIGHT), answered(2, ONE_WRONG), answered(3, "", PATCH, truncated=True)]
    summary = summarise(records)
    values = {headline.name: headline.value for headline in summary.headlines}
    assert tuple(values) == HEADLINES
    assert values == pytest.approx(
        {
            "sample_pass_rate": 2 / 4,
            "balance_score": math.sqrt(2 / 3 * 0.01),
            "constraint_pass_rate": (1 + 1 + 7 / 9 + 0) / 4,
            "format_pass_rate": 3 / 4,
            "content_pass_rate": 2 / 4,
            "task_pass_rate": 2 / 4,
            "empty_share": 1 / 4,
            "truncated_share": 1 / 4,
        }
    )
    assert summary.headline("balance_score").note == "2 of 33 cells"
    assert summary.counts.complete
    for headline in summary.headlines:
        assert headline.bounds is None
        low, high = headline.interval
        assert low <= headline.value <= high or headline.name == "balance_score"


def test_breakdowns():
    """By family, difficulty, notations, tier, cell, constraint; axes in their natural order."""
    records = [answered(0, RIGHT), answered(1, ONE_WRONG), answered(2, answer(PATCH), PATCH)]
    found = summarise(records).breakdowns
    assert found["family"]["convert"]["n"] == 2
    assert found["family"]["convert"]["sample_pass_rate"] == 0.5
    assert list(found["difficulty"]) == ["easy", "hard"]
    assert found["target_notation"]["toml"]["sample_pass_rate"] == 1.0
    assert found["source_notation"]["json"]["n"] == 3
    assert found["length_tier"]["short"]["n"] == 3
    assert list(found["cell"]) == ["convert/easy", "patch/hard"]
    assert found["constraint"]["val.numeric_within_tol"] == {"n": 3, "passed": 2, "pass_rate": 2 / 3}
    assert found["constraint"]["patch.ops_applied"]["n"] == 1
    assert len(CELLS) == 33


def test_truncated_and_empty_answers_are_spoken_of():
    """Beside the headline, with counts and shares."""
    notes = summarise([answered(0, RIGHT), answered(1, "", truncated=True)]).notes
    assert any("1 of 2 answers (50%) ended at the token cap" in note for note in notes)
    assert any("1 of 2 answers (50%) are empty" in note for note in notes)
    assert summarise([answered(0, RIGHT)]).notes == ()


def test_the_official_verdict_stands_beside_ours_where_they_differ():
    """A trace whose opening tag is missing, and one with a draft block, fail the official scorer and pass here."""
    for response in ("trace</think>" + RIGHT, "<think>```json\n{}\n```\n</think>\n" + RIGHT):
        record = answered(0, response)
        assert record["scores"]["sample_pass_rate"] == 1.0
        assert record["scores"]["official_sample_pass_rate"] == 0.0
        summary = summarise([record, answered(1, RIGHT)])
        assert summary.headline("sample_pass_rate").value == 1.0
        rules = summary.breakdowns["reasoning_rule"]
        assert rules["official, nothing cut"]["sample_pass_rate"] == 0.5
        assert rules["everything before </think> cut"]["sample_pass_rate"] == 1.0
        assert any(note.startswith("1 of 2 answers score otherwise") for note in summary.notes)


def test_the_contracts_score_keeps_the_trace():
    """score() is the official scorer's function; the product's rule comes before it, in samples."""
    assert sobhard.score(CONVERT, "trace</think>" + RIGHT).metrics["sample_pass_rate"] == 0.0
    assert sobhard.score(CONVERT, "<think>trace</think>" + RIGHT).metrics["sample_pass_rate"] == 1.0


def test_unclosed_reasoning_is_counted_and_scored_as_it_stands():
    """Cut off inside the trace: no verdict for what the trace happens to hold."""
    record = answered(0, "<think>Ответ:\n" + RIGHT, truncated=True)
    assert record["unclosed_reasoning"] is True
    assert record["scores"]["sample_pass_rate"] == 0.0


@pytest.mark.parametrize("outcome", ["failed", "not_asked", "unscored"])
def test_missing_samples_lower_the_coverage_and_open_bounds(outcome):
    """The value is over valid answers; the bounds say what the missing ones could do."""
    records = [answered(i, RIGHT if i < 6 else ONE_WRONG) for i in range(8)]
    records += [unanswered(sample(i), outcome, "503 five times") for i in range(8, 10)]
    summary = summarise(records)
    assert not summary.counts.complete
    assert getattr(summary.counts, outcome) == 2
    headline = summary.headline("sample_pass_rate")
    assert (headline.value, headline.n, headline.bounds) == (6 / 8, 8, (6 / 10, 8 / 10))
    assert summary.headline("balance_score").bounds == pytest.approx((6 / 10, 8 / 10))
    assert summary.headline("empty_share").bounds == (0.0, 2 / 10)
    low, high = summary.headline("constraint_pass_rate").bounds
    assert (low, high) == pytest.approx(((6 + 14 / 9) / 10, (8 + 14 / 9) / 10))


def test_nothing_answered_is_undefined_not_zero():
    """Every headline is None with a reason, and NaN under LightEval."""
    summary = summarise([unanswered(sample(i), "failed", "down") for i in range(3)])
    for headline in summary.headlines:
        assert headline.value is None
        assert headline.note
        assert headline.interval is None
    row = flat(summary)
    assert [row[name] for name in HEADLINES] == [None] * len(HEADLINES)
    assert row["coverage"] == 0.0
    under_lighteval = CORPUS.compute_corpus([unanswered(sample(i), "failed", "down") for i in range(3)])
    assert all(math.isnan(under_lighteval[name]) for name in HEADLINES)
    assert under_lighteval["coverage"] == 0.0


def test_blanked_rows_are_unscored_never_zero():
    """The public copy's rows: the answer is kept, no score is made up."""
    row = changed(CONVERT, reference="", checks="", task_meta="")
    record = answered(0, RIGHT, row)
    assert record["outcome"] == "unscored"
    assert record["error"] == BLANKED
    assert set(record["scores"].values()) == {None}
    assert summarise([record]).headline("sample_pass_rate").value is None


def test_repeats_of_a_question_are_resampled_together():
    """Twenty repeats of two questions carry no more certainty than two questions."""
    records = [answered(i, RIGHT if i else "", repeat=r) for i in range(2) for r in range(20)]
    summary = summarise(records)
    assert summary.headline("sample_pass_rate").value == 0.5
    low, high = summary.headline("sample_pass_rate").interval
    assert low < 0.2
    assert high > 0.8


def test_every_record_has_one_schema():
    """Arrow wants the same keys and types whatever became of the sample."""
    records = [
        answered(0, RIGHT),
        answered(1, None),
        unanswered(sample(2), "failed", "x"),
        answered(3, "я", PATCH),
    ]
    for record in records:
        assert list(record) == list(records[0])
        assert list(record["scores"]) == list(records[0]["scores"])
        assert record["verdicts"]
        for verdict in record["verdicts"]:
            assert list(verdict) == list(VerdictRecord.__annotations__)
            texts = ("id", "group", "grader", "code", "reason", "observed", "wanted")
            assert all(isinstance(verdict[name], str) for name in texts)
            assert isinstance(verdict["place"], int)
        json.dumps(record, ensure_ascii=False).encode("utf-8")


class Response(SimpleNamespace):
    """What LightEval hands to a metric."""


def test_lighteval_sees_one_record_and_five_rates_a_sample():
    """And the corpus function answers every name."""
    doc = SimpleNamespace(specific=fields(0))
    found = SAMPLE_FN.compute(doc, Response(text=["<think>x</think>" + RIGHT]))
    assert [found[name] for name in sobhard.METRICS] == [1.0] * 5
    assert found["record"]["truncated"] is False
    row = CORPUS.compute_corpus([found["record"]])
    assert row["balance_score"] == 1.0
    assert set(HEADLINES) <= set(row)
    assert list(METRIC.metric_name) == ["record", *sobhard.METRICS]
    nothing = CORPUS.compute_corpus([])
    assert math.isnan(nothing["sample_pass_rate"])


def test_a_fault_of_the_scorer_is_recorded_on_its_sample():
    """The run goes on; the sample is unscored, with the fault named."""
    doc = SimpleNamespace(specific=fields(0, changed(CONVERT, task_meta="{")))
    record = SAMPLE_FN.compute(doc, Response(text=[RIGHT]))["record"]
    assert record["outcome"] == "unscored"
    assert "RowError" in record["error"]


def test_an_endpoint_failure_is_no_answer():
    """Its outcome and error come from the response."""
    doc = SimpleNamespace(specific=fields(0))
    record = SAMPLE_FN.compute(doc, Response(text=[], outcome="failed", error="503"))["record"]
    assert (record["outcome"], record["error"]) == ("failed", "503")
