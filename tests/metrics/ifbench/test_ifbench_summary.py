"""IFBench over a run: values by hand, coverage, bounds, what is undefined, where graders part ways."""

import json
import math

import pytest

from metrics.ifbench import Graders, NotGradableError
from metrics.ifbench.foreign import Source
from metrics.ifbench.records import MAIN, score, scoring_key, unanswered
from metrics.ifbench.summary import METRICS, summarise
from metrics.lighteval import record_metric
from metrics.reasons import failed, passed
from metrics.record import Answer, Sample
from metrics.summary import flat

LOWER_IS_BETTER = tuple(spec.name for spec in METRICS if not spec.higher_is_better)


class StubCheckers:
    """Passes everything but the words family, which it cannot grade; raises on an exclamation mark."""

    source = Source("stub", "stub", "stub")

    def judge(self, instruction_id, arguments, texts, prompt=""):
        if instruction_id.startswith("words:"):
            raise NotGradableError(f"stub: {instruction_id}: no tagger")
        return failed("crash", "raised", "IndexError") if "!" in texts[0] else passed("fine")


GRADERS = Graders({"stub": StubCheckers()})


def sample(number, *ids, repeat=0):
    ids = ids or ("format:no_whitespace", "format:newline")
    row = {"key": f"{number}", "prompt": "p", "instruction_id_list": list(ids), "kwargs": [{} for _ in ids]}
    return Sample(row["key"], repeat, scoring_key(row), "{}")


def answered(number, text, *ids, truncated=False, repeat=0, graders=GRADERS):
    return score(sample(number, *ids, repeat=repeat), Answer(text, truncated), graders=graders)


def missing(of, outcome, error):
    return unanswered(of, outcome, error, graders=GRADERS)


def test_values_by_hand():
    """Both met; one of two met; the only one not met: 1 of 3 prompts, 3 of 5 constraints."""
    summary = summarise(
        [answered(0, "yes"), answered(1, "yes\nyes"), answered(2, "Yes there", "format:newline", truncated=True)]
    )
    values = {headline.name: headline.value for headline in summary.headlines}
    assert list(values)[:4] == list(MAIN)
    assert values["prompt_level_strict_acc"] == pytest.approx(1 / 3)
    assert values["inst_level_strict_acc"] == pytest.approx(3 / 5)
    assert values["prompt_level_loose_acc"] == pytest.approx(2 / 3)
    assert values["inst_level_loose_acc"] == pytest.approx(4 / 5)
    assert values["prompt_level/fixes_only"] == pytest.approx(1 / 3)
    assert values["prompt_level/stub_strict"] == values["instruction_level/stub_loose"] == 1.0
    assert [values[name] for name in LOWER_IS_BETTER] == [0.0, pytest.approx(1 / 3), 0.0, 0.0]
    assert [summary.headline(name).n for name in MAIN] == [3, 5, 3, 5]
    assert summary.headline("truncated_share").higher_is_better is False
    assert {spec.name for spec in METRICS} <= set(values)
    for headline in summary.headlines:
        low, high = headline.interval
        assert 0 <= low <= headline.value <= high <= 1
        assert headline.bounds is None


def test_instruction_level_is_over_constraints_not_a_mean_of_means():
    """Two constraints of two met in one prompt, none of one in another: 2/3, not 1/2."""
    summary = summarise([answered(0, "yes"), answered(1, "a b", "format:no_whitespace")])
    assert summary.headline("inst_level_strict_acc").value == pytest.approx(2 / 3)
    assert summary.headline("prompt_level_strict_acc").value == 1 / 2


def test_graders_whose_names_begin_alike_are_told_apart():
    """What ``stub_old`` cannot grade is said of it alone."""

    class Whole(StubCheckers):
        def judge(self, instruction_id, arguments, texts, prompt=""):
            return passed("fine")

    class Old(StubCheckers):
        def judge(self, instruction_id, arguments, texts, prompt=""):
            if instruction_id == "format:newline":
                raise NotGradableError(f"stub_old: {instruction_id}: no table")
            return StubCheckers().judge(instruction_id, arguments, texts)

    graders = Graders({"stub": StubCheckers(), "stub_old": Old(), "stub_new": Whole()})
    ids = ("format:newline", "words:start_verb")
    summary = summarise([answered(i, "Go", name, graders=graders) for i, name in enumerate(ids)])
    found = [note.partition("cannot grade here: ")[::2] for note in summary.notes if "cannot grade here" in note]
    assert {who.split()[-1]: what.partition(" ")[0] for who, what in found} == {"stub": "1", "stub_old": "2"}


def test_what_a_grader_cannot_judge_leaves_its_denominators():
    """One of two prompts holds such a constraint: n says it, a note names it, the others' n is whole."""
    records = [answered(0, "yes", "format:no_whitespace"), answered(1, "Go", "format:newline", "words:start_verb")]
    summary = summarise(records)
    assert (summary.headline("prompt_level/stub_strict").n, summary.headline("prompt_level/stub_strict").value) == (
        1,
        1,
    )
    assert summary.headline("instruction_level/stub_strict").n == 2
    assert "left out" in summary.headline("prompt_level/stub_strict").note
    assert summary.headline("prompt_level_strict_acc").n == 2
    assert any("stub cannot grade here: 1 (words:start_verb; no tagger)" in note for note in summary.notes)
    assert summary.breakdowns["grader"]["stub_strict"] == {"n": 3, "passed": 2, "crashes": 0, "not_gradable": 1}
    alone = summarise([answered(0, "Go", "words:start_verb")]).headline("prompt_level/stub_loose")
    assert alone.value is None
    assert "no tagger" in alone.note


def test_crashes_are_counted():
    """As not followed, and by grader."""
    summary = summarise([answered(0, "yes!", "format:no_whitespace")])
    assert summary.headline("prompt_level/stub_strict").value == 0.0
    assert summary.breakdowns["grader"]["stub_strict"]["crashes"] == 1
    assert any("stub_strict 1" in note and "raised" in note for note in summary.notes)


def test_disagreements_are_counted_both_ways():
    """Strict with strict, loose with loose."""
    records = [answered(0, "a b", "format:no_whitespace"), answered(1, "yes!", "format:no_whitespace")]
    pairs = summarise(records).breakdowns["pair"]
    assert pairs["proposed and stub_strict"] == {
        "n": 2, "differ": 2, "first_alone_passes": 1, "second_alone_passes": 1,
    }  # fmt: skip
    assert pairs["fixes_only_loose and proposed_loose"]["differ"] == 0
    assert len(pairs) == 6


def test_breakdowns_by_instruction_and_family():
    """Constraints, under the proposed readings, loose and strict."""
    breakdowns = summarise([answered(0, "yes"), answered(1, "yes\nyes")]).breakdowns
    assert breakdowns["instruction"] == {
        "format:newline": {"n": 2, "loose_acc": 1.0, "strict_acc": 1.0},
        "format:no_whitespace": {"n": 2, "loose_acc": 1.0, "strict_acc": 0.5},
    }
    assert breakdowns["family"] == {"format": {"n": 4, "loose_acc": 1.0, "strict_acc": 0.75}}


def test_rates_with_and_without_truncated_answers():
    """Contract, 6.1.3."""
    summary = summarise([answered(0, "yes"), answered(1, "a b", truncated=True)])
    assert summary.breakdowns["answers"]["all"]["prompt_level_loose_acc"] == 0.5
    assert summary.breakdowns["answers"]["not truncated"]["prompt_level_loose_acc"] == 1.0
    assert any("1 of 2 answers ended at the token cap; without them" in note for note in summary.notes)
    every = summarise([answered(1, "a b", truncated=True)])
    assert any("all of them" in note for note in every.notes)
    assert "answers" not in summarise([answered(0, "yes")]).breakdowns


def test_the_other_reasoning_rule_stands_beside_the_headline():
    """Named where it differs, silent where it does not."""
    summary = summarise([answered(0, "<think>yes", "format:no_whitespace"), answered(1, "<think>a</think>yes")])
    assert summary.headline("prompt_level_loose_acc").value == 0.5
    assert summary.headline("unclosed_reasoning_share").value == 0.5
    assert summary.headline("empty_share").value == 0.0
    assert any("1 of 2 answers score otherwise" in n and "prompt_level_loose_acc 1.0000" in n for n in summary.notes)
    assert not any("otherwise" in note for note in summarise([answered(0, "yes")]).notes)


@pytest.mark.parametrize("outcome", ["failed", "not_asked", "unscored"])
def test_missing_samples_lower_the_coverage_and_open_bounds(outcome):
    """Three answered (2 met), one missing of two constraints: 2/4 to 3/4 of prompts, 4/8 to 6/8 of constraints."""
    records = [answered(0, "yes"), answered(1, "no"), answered(2, "a b")]
    records.append(missing(sample(3), outcome, "503 five times"))
    summary = summarise(records)
    assert not summary.counts.complete
    prompts, constraints = (summary.headline(name) for name in ("prompt_level_strict_acc", "inst_level_strict_acc"))
    assert (prompts.value, prompts.n, prompts.bounds) == (2 / 3, 3, (2 / 4, 3 / 4))
    assert (constraints.value, constraints.n, constraints.bounds) == (4 / 6, 6, (4 / 8, 6 / 8))
    assert summary.headline("empty_share").bounds == (0.0, 1 / 4)


def test_a_missing_sample_that_could_not_be_graded_opens_no_bound():
    """The bounds of a grader hold what it can judge."""
    records = [answered(0, "Go", "words:start_verb"), answered(1, "yes", "format:newline")]
    records.append(missing(sample(2, "words:start_verb"), "failed", "x"))
    assert summarise(records).headline("prompt_level/stub_strict").bounds == (1.0, 1.0)
    assert summarise(records).headline("instruction_level/stub_strict").bounds == (1.0, 1.0)


def test_nothing_answered_is_undefined_not_zero():
    """No valid answer at all: every headline is None with a reason, and NaN under LightEval."""
    summary = summarise([missing(sample(i), "failed", "down") for i in range(3)])
    for headline in summary.headlines:
        assert headline.value is None
        assert headline.note
        assert headline.interval is None
    row = flat(summary)
    assert [row[name] for name in (*MAIN, *LOWER_IS_BETTER)] == [None] * 8
    assert row["coverage"] == 0.0
    metric = record_metric("IFBench", METRICS, score=score, unanswered=unanswered, summarise=summarise)
    under_lighteval = metric.corpus_level_fn["record"].compute_corpus([missing(sample(0), "failed", "down")])
    assert all(math.isnan(under_lighteval[name]) for name in (*MAIN, *LOWER_IS_BETTER))
    assert summary.breakdowns == {}


def test_repeats_of_a_question_are_resampled_together():
    """Twenty repeats of two questions carry no more certainty than two questions."""
    records = [answered(i, "yes" if i else "a b", repeat=r) for i in range(2) for r in range(20)]
    summary = summarise(records)
    assert summary.headline("prompt_level_strict_acc").value == 0.5
    for name in ("prompt_level_strict_acc", "inst_level_strict_acc"):
        low, high = summary.headline(name).interval
        assert low < 0.2
        assert high > 0.8


def test_the_order_of_records_changes_nothing():
    """Values, intervals, breakdowns: the same from any order that keeps the questions' own."""
    records = [answered(i, text) for i, text in enumerate(["yes", "a b", "yes\nyes", "<think>", ""])]
    one, other = summarise(records), summarise(records[::-1])
    assert [(h.name, h.value, h.n) for h in one.headlines] == [(h.name, h.value, h.n) for h in other.headlines]
    assert json.dumps(one.breakdowns) == json.dumps(other.breakdowns)
