"""One answer becomes one record: every constraint under every grader, in order."""

import json

import pytest

from metrics.ifbench import GraderFailedError, Graders, NotGradableError
from metrics.ifbench.foreign import Source
from metrics.ifbench.records import MAIN, NOT_GRADABLE, score, score_names, scoring_key, unanswered
from metrics.reasons import failed, passed
from metrics.record import Answer, Sample

OWN = ("fixes_only", "fixes_only_loose", "proposed", "proposed_loose")
ROW = {
    "key": "7",
    "prompt": "Which?",
    "instruction_id_list": ["format:options", "count:numbers"],
    "kwargs": [{"options": "yes/no", "N": None}, {"options": None, "N": 0.0}],
}


class StubCheckers:
    """Checkers of another project that answer by the text, and remember what they were asked."""

    def __init__(self):
        self.source = Source("stub", "stub", "stub at no commit")
        self.asked = []

    def judge(self, instruction_id, arguments, texts, prompt=""):
        self.asked.append((instruction_id, len(texts), prompt))
        if instruction_id == "words:start_verb":
            raise NotGradableError("stub: words:start_verb: no tagger")
        if texts[0] == "crash":
            return failed("crash", "raised", "IndexError")
        if texts[0] == "lost":
            raise GraderFailedError(f"stub: {instruction_id}: grader failed: it ended")
        if texts[0] == "stall":
            return failed("crash", "raised", "TimeoutError")
        return passed("fine") if "yes" in texts else failed("not-followed", "no")


@pytest.fixture
def stub():
    """The only foreign checkers of the test."""
    return StubCheckers()


def graded(sample, text, truncated=False, stub=None):
    """The record under our own graders, and the stub's where there is one."""
    return score(sample, Answer(text, truncated), graders=graders_with(stub))


def graders_with(stub):
    return Graders({"stub": stub} if stub is not None else {})


def sample(row=ROW, repeat=0):
    return Sample(row["key"], repeat, scoring_key(row), "{}")


def row(*ids, **kwargs):
    return {"key": "1", "prompt": "p", "instruction_id_list": list(ids), "kwargs": [kwargs.get(i, {}) for i in ids]}


def by_grader(record):
    """Pass or fail for each constraint, by grader."""
    found = {}
    for verdict in record["verdicts"]:
        found.setdefault(verdict["grader"], []).append(verdict["passed"])
    return found


def test_verdicts_stand_grader_by_grader(stub):
    """Order: graders as they are listed, constraints as the row lists them."""
    record = graded(sample(), "Sure:\nyes", stub=stub)
    graders = (*OWN, "stub_strict", "stub_loose")
    assert [verdict["grader"] for verdict in record["verdicts"]] == [name for name in graders for _ in range(2)]
    assert [verdict["id"] for verdict in record["verdicts"]] == ROW["instruction_id_list"] * 6
    assert [verdict["place"] for verdict in record["verdicts"]] == [0, 1] * 6
    assert [verdict["group"] for verdict in record["verdicts"]] == ["format", "count"] * 6
    assert by_grader(record) == {
        "fixes_only": [False, True],
        "fixes_only_loose": [True, True],
        "proposed": [False, True],
        "proposed_loose": [True, True],
        "stub_strict": [False, False],
        "stub_loose": [True, True],
    }


def test_scores_by_hand(stub):
    """Prompt level: all of it; instruction level: the share; the main four are the proposed readings'."""
    scores = graded(sample(), "Sure:\nyes", stub=stub)["scores"]
    assert tuple(scores) == score_names(graders_with(stub))
    assert (scores["prompt_level/proposed"], scores["instruction_level/proposed"]) == (0.0, 0.5)
    assert (scores["prompt_level/stub_loose"], scores["instruction_level/stub_strict"]) == (1.0, 0.0)
    assert [scores[name] for name in MAIN] == [1.0, 1.0, 0.0, 0.5]


def test_a_strict_pass_is_a_loose_pass_without_asking_again(stub):
    """The variants cost nine checks; they are tried where the strict verdict fails."""
    graded(sample(row("format:no_whitespace")), "yes", stub=stub)
    assert stub.asked == [("format:no_whitespace", 1, "p")]
    graded(sample(row("format:no_whitespace")), "no\nno", stub=stub)
    assert [texts for _, texts, _ in stub.asked] == [1, 1, 2]


def test_a_crash_counts_and_a_stalled_worker_is_not_asked_again(stub):
    """Codes say it; after a time limit the loose verdict is the strict one."""
    record = graded(sample(row("format:newline")), "crash", stub=stub)
    assert [v["code"] for v in record["verdicts"]][-2:] == ["crash", "crash"]
    assert len(stub.asked) == 2
    stub.asked.clear()
    graded(sample(row("format:newline")), "stall", stub=stub)
    assert len(stub.asked) == 1
    stub.asked.clear()
    record = graded(sample(row("format:newline")), "lost", stub=stub)
    assert [(v["passed"], v["code"]) for v in record["verdicts"]][-2:] == [(None, "grader-failed")] * 2
    assert record["scores"]["instruction_level/stub_strict"] is None
    assert len(stub.asked) == 1


def test_what_cannot_be_graded_is_no_verdict(stub):
    """No pass, no fail, no place in the rates of that grader; the others are not touched."""
    record = graded(sample(row("words:start_verb", "format:no_whitespace")), "Run!", stub=stub)
    verdicts = [v for v in record["verdicts"] if v["grader"].startswith("stub")]
    assert [(v["passed"], v["code"]) for v in verdicts] == [
        (None, NOT_GRADABLE), (False, "not-followed"), (None, NOT_GRADABLE), (False, "not-followed"),
    ]  # fmt: skip
    assert "no tagger" in verdicts[0]["reason"]
    assert record["scores"]["prompt_level/stub_strict"] is None
    assert record["scores"]["instruction_level/stub_strict"] == 0.0
    assert record["scores"]["prompt_level/proposed"] == 1.0
    alone = graded(sample(row("words:start_verb")), "Run!", stub=stub)
    assert alone["scores"]["instruction_level/stub_loose"] is None


@pytest.mark.parametrize("answer", [None, "", " \n", "<think>done</think>\n\n"])
def test_blank_answers_fail_under_every_grader(stub, answer):
    """No checker is asked, not even one that could not judge; the answer is empty."""
    record = graded(sample(row("words:start_verb")), answer, stub=stub)
    assert {(v["passed"], v["code"]) for v in record["verdicts"]} == {(False, "blank-answer")}
    assert stub.asked == []
    assert record["empty"] is True
    assert record["unclosed_reasoning"] is False


def test_a_trace_is_no_answer():
    """Cut off inside its reasoning: fails, unclosed and truncated, not called empty; what the trace would score is
    kept beside it."""
    record = graded(sample(row("format:no_whitespace")), "<think>yes", True)
    assert {v["passed"] for v in record["verdicts"]} == {False}
    assert (record["unclosed_reasoning"], record["truncated"], record["empty"]) == (True, True, False)
    assert record["scores"]["prompt_level_loose_acc"] == 0.0
    assert record["scores"]["first_tag/prompt_level_loose_acc"] == 1.0


def test_the_answer_begins_after_the_last_closing_tag():
    """Text up to a second closing tag is reasoning too; by the first tag alone the answer would fail."""
    record = graded(sample(row("format:no_whitespace")), "a b</think> c </think>d")
    assert record["scores"]["prompt_level_strict_acc"] == 1.0
    assert record["scores"]["first_tag/prompt_level_strict_acc"] == 0.0
    assert record["unclosed_reasoning"] is False


def test_line_breaks_before_the_answer():
    """Kept under the official readings, cut under the proposed ones (APD1)."""
    record = graded(sample(row("format:no_whitespace")), "<think>x</think>\n\nyes")
    assert by_grader(record) == {
        "fixes_only": [False], "fixes_only_loose": [True], "proposed": [True], "proposed_loose": [True],
    }  # fmt: skip
    # The preface is the first line only once the line breaks are gone.
    record = graded(sample(), "</think>\n\nSure:\nyes")
    assert record["scores"]["prompt_level/fixes_only_loose"] == 0.0
    assert record["scores"]["prompt_level_loose_acc"] == 1.0


def test_degenerate_responses_are_flagged():
    """Half of the runs of four words or more are repeats."""
    assert graded(sample(), "go on " * 20)["scores"]["degenerate"] == 1.0
    assert graded(sample(), "yes")["scores"]["degenerate"] == 0.0


def test_every_record_has_one_schema(stub):
    """Arrow wants the same keys in the same order whatever became of the sample."""
    records = [
        graded(sample(), "yes", stub=stub),
        graded(sample(), None, True, stub=stub),
        graded(sample(), "<think>", True, stub=stub),
        unanswered(sample(), "failed", "503 five times", graders=graders_with(stub)),
        unanswered(sample(), "unscored", "scorer raised", graders=graders_with(stub)),
    ]
    for record in records:
        assert list(record) == list(records[0])
        assert list(record["scores"]) == list(records[0]["scores"])
        assert [(v["grader"], v["id"]) for v in record["verdicts"]] == [
            (v["grader"], v["id"]) for v in records[0]["verdicts"]
        ]
    assert {v["passed"] for v in records[3]["verdicts"]} == {None}
    assert set(records[3]["scores"].values()) == {None}


def test_the_scoring_key_is_the_same_in_every_form():
    """Floats and nulls of the official file, integers, kwargs as text: one key; the row is left as it is."""
    before = json.dumps(ROW)
    plain = {**ROW, "kwargs": [{"options": "yes/no"}, {"N": 0}]}
    assert scoring_key(ROW) == scoring_key(plain) == scoring_key({**ROW, "kwargs": json.dumps(ROW["kwargs"])})
    assert json.dumps(ROW) == before


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"instruction_id_list": ["format:options", "count:letters"]}, "row 7: 'count:letters'.*none of the 58"),
        ({"kwargs": [{"options": "yes/no"}, {}]}, "row 7: count:numbers: argument 'N': is missing"),
        ({"kwargs": [{"options": "yes/no"}, {"N": 1, "sep": "-"}]}, "'sep': is not an argument"),
        ({"kwargs": [{"options": "yes/no"}]}, "row 7: 2 instructions, 1 kwargs"),
    ],
    ids=["unknown id", "missing", "unknown argument", "too few"],
)
def test_bad_rows_are_refused_by_name(change, problem):
    """Nothing is guessed."""
    with pytest.raises(ValueError, match=problem):
        scoring_key({**ROW, **change})


def test_verify_all_gives_what_verify_gives(stub):
    """One call instead of one a grader, with the same verdicts, reasons included."""
    graders = graders_with(stub)
    for answer in ("Sure:\nyes", "no", "*yes*", "crash"):
        together = graders.verify_all("format:options", {"options": "yes/no"}, answer, answer, prompt="p")
        assert tuple(together) == graders.names
        for grader, verdict in together.items():
            assert verdict == graders.verify("format:options", {"options": "yes/no"}, answer, grader=grader)
