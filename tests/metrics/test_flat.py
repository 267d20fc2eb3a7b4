"""There is one flat form of a summary: run files, LightEval's row and the summary itself never differ."""

import math

import pytest
from hypothesis import given, settings
from made_records import PLANS, corpus_row, record, records_of

from judges.judgement import Judgement
from metrics.hardmultiqa.records import score
from metrics.record import OUTCOMES, Answer, Sample
from metrics.summary import COUNTS, flat
from tasks.registry import BENCHMARK_NAMES, benchmark


def test_unjudged_answers_that_are_cut_count_as_cut():
    """Whether an answer is cut needs no judge: one judged and two unjudged answers, all cut, give a share of 1."""
    sample = Sample("q", 0, '{"type": "open", "question": "?", "reference": ["a"]}', '{"type": "open"}')
    judgements = [Judgement("judged", {"grade": 1}, calls=1), *[Judgement("unjudged", error="?", calls=3)] * 2]
    records = [
        score(sample._replace(id=f"q{number}"), Answer("a", truncated=True), judgement)
        for number, judgement in enumerate(judgements)
    ]
    assert [one["outcome"] for one in records] == ["answered", "unjudged", "unjudged"]
    assert flat(benchmark("hardmultiqa").summarise(records))["truncated_share"] == 1.0
    assert corpus_row("hardmultiqa", records)["truncated_share"] == 1.0


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
@settings(max_examples=40)
@given(plan=PLANS)
def test_every_form_of_a_summary_holds_the_same_values(name, plan):
    """Headlines, counts and shares of the flat row are the summary's; LightEval's row has them, NaN for None."""
    records = records_of(name, plan)
    summary = benchmark(name).summarise(records)
    row = flat(summary)
    for headline in summary.headlines:
        assert row[headline.name] == headline.value
        ends = headline.interval or (None, None)
        assert (row[f"{headline.name}_ci_low"], row[f"{headline.name}_ci_high"]) == tuple(ends)
        assert row.get(f"{headline.name}_lower_bound") == (headline.bounds and headline.bounds[0])
    assert {count: row[f"n_{count}"] for count in COUNTS} == {count: getattr(summary.counts, count) for count in COUNTS}
    assert sum(row[f"n_{name}"] for name in COUNTS[1 : 1 + len(OUTCOMES)]) == row["n_total"] == len(records)
    at_hand = [one["truncated"] for one in records if one["truncated"] is not None]
    assert row["truncated_share"] == (sum(at_hand) / len(at_hand) if at_hand else None)
    under_lighteval = corpus_row(name, records)
    assert {spec.name for spec in benchmark(name).metrics} <= set(under_lighteval)
    for key, value in under_lighteval.items():
        assert type(value) is float
        wanted = row.get(key)
        assert math.isnan(value) if wanted is None else value == wanted, key


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_the_share_of_cut_answers_is_over_the_answers_at_hand(name):
    """Three of four answers are cut; a sample without an answer is in neither number."""
    records = [record(name, number, 0, 0, 0, truncated=number < 3) for number in range(4)]
    records.append(record(name, 4, 0, 0, -1))
    summary = benchmark(name).summarise(records)
    assert records[-1]["outcome"] == "unscored"
    assert flat(summary)["truncated_share"] == corpus_row(name, records)["truncated_share"] == 3 / 4
