"""What a question adds to a mean over questions, and which metrics are one."""

import pytest

from metrics.hardmultiqa.summary import METRICS as HARDMULTIQA
from metrics.headlines import MetricSpec, flag, question_value
from metrics.ifbench.summary import METRICS as IFBENCH
from metrics.ifhard.summary import METRICS as IFHARD
from metrics.record import Sample, blank_record
from metrics.sobhard.summary import METRICS as SOBHARD

RATE = MetricSpec("rate")


def record(value, outcome="answered", empty=False):
    made = blank_record(Sample("q", 0, "", "{}"), outcome, "", ["rate"], [])
    made["scores"]["rate"], made["empty"] = value, empty
    return made


@pytest.mark.parametrize(
    ("records", "value"),
    [
        ([record(1.0)], 1.0),
        ([record(1.0), record(0.0), record(0.5), record(0.5)], 0.5),
        ([record(1.0), record(None)], None),  # undefined
        ([record(1.0), record(None, "failed")], None),
        ([record(None, "blocked")], None),
        ([record(None, "unjudged")], None),
    ],
)
def test_the_value_is_the_mean_over_all_answers(records, value):
    """Where one of them is not known, neither is the value."""
    assert question_value(RATE, records) == value


def test_a_metric_may_be_known_of_answers_without_a_verdict():
    """Whether an answer is empty needs no judge."""
    spec = MetricSpec("empty_share", part=flag("empty"), outcomes=("answered", "unjudged"))
    assert question_value(spec, [record(None, "unjudged", empty=True)]) == 1.0
    assert question_value(spec, [record(None, "failed")]) is None


def test_metrics_that_are_no_mean_over_questions():
    """Geometric means, shares of constraints, shares of some answers, and the judge's coverage."""
    none = {
        spec.name for specs in (IFHARD, SOBHARD, HARDMULTIQA, IFBENCH) for spec in specs if not spec.mean_of_questions
    }
    levels = {name for spec in IFBENCH if "inst" in (name := spec.name)}
    shares = {"open_wrong_share", "open_not_attempted_share"}
    assert levels
    assert none == {"balance_score", "judge_coverage", *shares, *levels}
