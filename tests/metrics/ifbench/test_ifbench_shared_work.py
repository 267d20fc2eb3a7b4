"""What the constraints of an answer share changes no verdict, and is bounded."""

import json
import pickle

from hypothesis import given, settings
from hypothesis import strategies as st
from ifbench_cases import own_fixtures

from metrics import ifbench
from metrics.ifbench import grading, records, text
from metrics.record import Answer, Sample

CASES = [(row["instruction_id"], row["kwargs_json"], row["response"]) for row in own_fixtures()]
ARGUMENTS = {name: json.loads(kwargs) for name, kwargs, _ in CASES}
TEXTS = sorted({response for *_, response in CASES if len(response) < 400}, key=lambda one: (len(one), one))[:120]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(ARGUMENTS)), st.sampled_from(TEXTS), st.sampled_from(ifbench.OWN_GRADERS)),
        min_size=1,
        max_size=12,
    )
)
def test_any_order_of_constraints_gives_the_verdicts_of_a_fresh_start(asked):
    """Answers and instructions in any order, under any grader."""
    wanted = []
    for name, answer, grader in asked:
        text._kept.cache_clear()
        wanted.append(ifbench.verify(name, ARGUMENTS[name], answer, grader=grader))
    assert [ifbench.verify(name, ARGUMENTS[name], answer, grader=grader) for name, answer, grader in asked] == wanted


def test_arguments_that_change_are_seen():
    """They are read at each verdict."""
    arguments = {"small_n": 1.0}
    assert ifbench.verify("count:conjunctions", arguments, "this and that").passed
    arguments["small_n"] = 2.0
    assert not ifbench.verify("count:conjunctions", arguments, "this and that").passed


def test_verdicts_keep_no_answer():
    """A reason that is yet to be worded holds the fragments that it shows, and no more of the answer."""
    for name, kwargs, answer in CASES:
        if "reference_text" in kwargs or "prompt_to_repeat" in kwargs or len(kwargs) > 200:
            continue
        for part in (" ", "", ". ", "\n"):
            for grader in ifbench.OWN_GRADERS:
                verdict = ifbench.verify(name, json.loads(kwargs), answer + part + "x" * 9_000, grader=grader)
                assert len(pickle.dumps((verdict.told, *verdict))) < 2_000, verdict


def test_constraints_are_read_once_a_question(monkeypatch):
    """However many answers, graders and variants there are; what is read gives the verdicts of verify."""
    read = []
    reads = grading.read_arguments
    monkeypatch.setattr(grading, "read_arguments", lambda kinds, kwargs: read.append(kwargs) or reads(kinds, kwargs))
    row = {
        "key": "a row of its own",
        "prompt": "Say cafe\u0301, twice.",
        "instruction_id_list": ["count:numbers", "sentence:keyword"],
        "kwargs": [{"N": 2.0, "word": None}, {"word": "cafe\u0301", "N": 1.0}],
    }
    scoring = records.scoring_key(row)
    records.check_scoring(scoring)
    before = len(read)
    graders = grading.Graders({})
    for answer in ("1 caf\u00e9, 2.", "no\n1 *caf\u00e9* 2", "<think>a</think>b</think>c"):
        record = records.score(Sample("q", 0, scoring, "{}"), Answer(answer), graders=graders)
        assert [verdict["id"] for verdict in record["verdicts"][:2]] == row["instruction_id_list"]
    assert len(read) == before
    constraints = [grading.read_constraint(*one) for one in zip(row["instruction_id_list"], row["kwargs"], strict=True)]
    assert [dict(constraint.compared) for constraint in constraints] == [{"N": 2}, {"word": "caf\u00e9", "N": 1}]
    for constraint, kwargs in zip(constraints, row["kwargs"], strict=True):
        for grader in ifbench.OWN_GRADERS:
            found = graders.judge(constraint, "1 caf\u00e9, 2.", grader=grader)
            assert found == ifbench.verify(constraint.checker.id, kwargs, "1 caf\u00e9, 2.", grader=grader)


def test_only_some_answers_are_kept_and_no_long_one():
    """Sixteen of at most 20,000 characters."""
    text._kept.cache_clear()
    for number in range(40):
        assert text.text_of(f"answer {number}") is text.text_of(f"answer {number}")
    assert text.text_of("a " * 10_001) is not text.text_of("a " * 10_001)
    assert text._kept.cache_info().currsize == 16
