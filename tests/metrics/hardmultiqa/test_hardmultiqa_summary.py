"""HardMultiQA over a run: values by hand, coverage, bounds, judging effort, agreement."""

import json
import math

import pytest
from hardmultiqa_cases import load_cases, run_case, wanted_score

from judges.judgement import Judgement
from metrics.hardmultiqa.records import score, unanswered
from metrics.hardmultiqa.summary import METRICS, summarise
from metrics.lighteval import record_metric
from metrics.record import Answer, Sample
from metrics.stats import wilson_interval

HEADLINES = tuple(spec.name for spec in METRICS)
CORPUS = record_metric(
    "HardMultiQA", METRICS, score=score, unanswered=unanswered, summarise=summarise, judge_all=lambda asked: []
).corpus_level_fn
QUESTION = "Где?\n1) Тут\n2) Там"


def sample(number, kind="open", reference=("Волга",), repeat=0, topic=""):
    scoring = {"type": kind, "question": QUESTION, "reference": list(reference)}
    labels = json.dumps({"type": kind, "topic": topic}, ensure_ascii=False)
    return Sample(f"q{number}", repeat, json.dumps(scoring, ensure_ascii=False), labels)


def open_answer(number, grade, text="Волга", **more):
    judgement = Judgement("judged", {"grade": grade}, calls=bool(text), prompt_tokens=50, completion_tokens=5)
    return score(sample(number, **more), Answer(text), judgement)


def options_answer(number, text, chosen):
    right = chosen == [1]
    verdict = {"chosen": chosen, "verdict": "correct" if right else "incorrect"}
    return score(sample(number, "one-option-many-options", ["1"]), Answer(text), Judgement("judged", verdict, calls=1))


def list_answer(number, elements, matches, references=2):
    verdict = {
        "elements": [{"i": n} for n in range(1, elements + 1)],
        "matches": [{"element": n, "reference": n} for n in range(1, matches + 1)],
    }
    reference = [str(n) for n in range(references)]
    return score(sample(number, "strict-list", reference), Answer("что-то"), Judgement("judged", verdict, calls=1))


def unjudged(number, status="unjudged", calls=3):
    judgement = Judgement(status, error="no readable verdict", calls=calls, prompt_tokens=150, completion_tokens=9)
    return score(sample(number), Answer("Волга"), judgement)


def values_of(summary):
    return {headline.name: headline.value for headline in summary.headlines}


def test_values_by_hand():
    """Six answers of three types: 1 + 0 + 0 (empty) + 1 + 2/3 + 0 over six."""
    records = [
        open_answer(0, 1), open_answer(1, -1, "Ока"), open_answer(2, 0, ""), options_answer(3, "1", [1]),
        list_answer(4, 1, 1), list_answer(5, 3, 0),
    ]  # fmt: skip
    summary = summarise(records)
    assert values_of(summary) == {
        "hardmultiqa_judge": pytest.approx((1 + 0 + 0 + 1 + 2 / 3 + 0) / 6),
        "open_wrong_share": pytest.approx(1 / 3),
        "open_not_attempted_share": pytest.approx(1 / 3),
        "judge_coverage": 1.0,
        "empty_share": pytest.approx(1 / 6),
    }
    assert tuple(values_of(summary)) == HEADLINES
    assert summary.counts.complete
    assert all(headline.bounds is None for headline in summary.headlines)
    low, high = summary.headline("hardmultiqa_judge").interval
    assert 0.0 <= low <= (2 + 2 / 3) / 6 <= high <= 1.0
    assert list(summary.breakdowns["type"]) == ["one-option-many-options", "open", "strict-list"]
    assert summary.breakdowns["type"]["strict-list"] == {
        "n": 2, "hardmultiqa_judge": pytest.approx(1 / 3), "full_marks": 0.0, "unjudged": 0,
    }  # fmt: skip
    assert any("do not compare with published" in note for note in summary.notes)


def test_the_table_of_hand_cases_as_one_task():
    """The micro average over all five types is the mean over the single samples that have a verdict."""
    cases = load_cases()
    summary = summarise([run_case(case)[1] for case in cases])
    known = [wanted_score(case) for case in cases if case["score"] is not None]
    headline = summary.headline("hardmultiqa_judge")
    assert headline.value == pytest.approx(sum(known) / len(known))
    missing = len(cases) - len(known)
    assert headline.bounds == (
        pytest.approx(sum(known) / len(cases)), pytest.approx((sum(known) + missing) / len(cases)),
    )  # fmt: skip
    assert summary.counts.unjudged == missing


def test_shares_of_open_questions_only_where_there_are_any():
    """A list task has no wrong or not-attempted share: absent, not zero."""
    summary = summarise([list_answer(0, 2, 2)])
    assert tuple(values_of(summary)) == ("hardmultiqa_judge", "judge_coverage", "empty_share")


def test_answers_without_a_verdict_open_bounds():
    """Two judged, one unreadable, one without reply, one never generated."""
    records = [
        open_answer(0, 1), open_answer(1, -1), unjudged(2), unjudged(3, "failed", 0),
        unanswered(sample(4), "failed", "down"),
    ]  # fmt: skip
    summary = summarise(records)
    headline = summary.headline("hardmultiqa_judge")
    assert (headline.value, headline.n, headline.bounds) == (0.5, 2, (1 / 5, 4 / 5))
    assert summary.headline("open_wrong_share").bounds == (1 / 5, 4 / 5)
    coverage = summary.headline("judge_coverage")
    assert (coverage.value, coverage.n, coverage.bounds) == (2 / 4, 4, None)
    assert summary.headline("empty_share").bounds == (0.0, 1 / 5)  # the unjudged ones are known to hold text
    assert (summary.counts.unjudged, summary.counts.failed) == (2, 1)
    assert not summary.counts.complete
    assert "1 answers have no readable verdict after all attempts, 1 got no reply" in summary.notes[1]
    assert summary.breakdowns["type"]["open"]["unjudged"] == 2


def test_judging_effort_is_counted():
    """Calls and tokens over all attempts, those of unjudged answers included; empty answers cost none."""
    empty = score(sample(3), Answer(""), Judgement("judged", {"grade": 0}))
    summary = summarise([open_answer(0, 1), open_answer(1, 1), unjudged(2), empty])
    assert summary.breakdowns["judging"]["open"] == {
        "n": 4, "without_a_call": 1, "calls": 5, "asked_again": 2, "unreadable": 1, "no_reply": 0,
        "prompt_tokens": 250, "completion_tokens": 19,
    }  # fmt: skip
    assert summary.notes[0] == (
        "judge: 5 calls for 4 answers (2 of them asked again after an unreadable reply; 1 empty answers need no "
        "call), 250 prompt and 19 completion tokens"
    )


def test_agreement_with_the_rule():
    """Right/right, wrong taken for right, right taken for wrong, wrong/wrong, and one undecided."""
    records = [
        options_answer(0, "1", [1]), options_answer(1, "2", [1]), options_answer(2, "1", [2]),
        options_answer(3, "Ответ: 2", [2]), options_answer(4, "1 или 2", [1, 2]), open_answer(5, 1),
    ]  # fmt: skip
    summary = summarise(records)
    assert summary.breakdowns["agreement"] == {
        "rule right": {"n": 2, "judge_right": 1, "judge_wrong": 1},
        "rule wrong": {"n": 2, "judge_right": 1, "judge_wrong": 1},
        "rule undecided": {"n": 1, "judge_right": 0, "judge_wrong": 1},
    }
    assert (
        "judge check: on 4 options answers that a rule can decide the judge agrees on 2 (50.0%); it took 1 wrong ones "
        "for right and 1 right ones for wrong; 1 are undecided" in summary.notes
    )
    undecided = summarise([options_answer(4, "1 или 2", [1, 2])])
    assert "judge check: the rule for options decides none of 1 answers" in undecided.notes


def test_nothing_judged_is_undefined_not_zero():
    """No verdict at all: None with a reason, NaN under LightEval."""
    summary = summarise([unanswered(sample(i), "failed", "down") for i in range(3)])
    for headline in summary.headlines:
        assert headline.value is None
        assert headline.note
    row = CORPUS.compute_corpus([unanswered(sample(0), "not_asked", "x")])
    assert all(math.isnan(row[name]) for name in HEADLINES)


def test_repeats_of_a_question_are_resampled_together():
    """Twenty repeats of two questions carry no more certainty than two questions."""
    records = [open_answer(i, 1 if i else -1, repeat=r) for i in range(2) for r in range(20)]
    headline = summarise(records).headline("hardmultiqa_judge")
    assert (headline.value, headline.interval) == (0.5, wilson_interval(0.5, 2))


def test_topics_where_rows_have_them():
    """A breakdown by topic, in alphabetical order."""
    summary = summarise([open_answer(0, 1, topic="реки"), open_answer(1, -1, topic="горы"), open_answer(2, -1)])
    assert {topic: row["hardmultiqa_judge"] for topic, row in summary.breakdowns["topic"].items()} == {
        "горы": 0.0, "реки": 1.0,
    }  # fmt: skip
    assert list(summary.breakdowns["topic"]) == ["горы", "реки"]


def test_lighteval_sees_every_per_sample_value():
    """One row of floats; what a task has none of is NaN."""
    row = CORPUS.compute_corpus([list_answer(0, 2, 1)])
    assert row["hardmultiqa_judge"] == pytest.approx(0.5)
    assert math.isnan(row["open_wrong_share"])
    lower = {spec.name for spec in METRICS if not spec.higher_is_better}
    assert lower == set(HEADLINES) - {"hardmultiqa_judge", "judge_coverage"}
