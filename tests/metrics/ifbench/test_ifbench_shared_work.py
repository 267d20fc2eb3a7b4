"""What the constraints of an answer share changes no verdict, and is bounded."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from ifbench_cases import own_fixtures

from metrics import ifbench
from metrics.ifbench import text

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


def test_only_some_answers_are_kept_and_no_long_one():
    """Sixteen of at most 20,000 characters."""
    text._kept.cache_clear()
    for number in range(40):
        assert text.text_of(f"answer {number}") is text.text_of(f"answer {number}")
    assert text.text_of("a " * 10_001) is not text.text_of("a " * 10_001)
    assert text._kept.cache_info().currsize == 16
