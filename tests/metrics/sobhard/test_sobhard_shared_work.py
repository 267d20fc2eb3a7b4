"""What is kept between answers changes no verdict: in any order, of any row, changed rows too."""

import copy
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sobhard_questions import QUESTIONS, answer

from metrics import sobhard
from metrics.sobhard import pattern_costs, rows, scoring
from metrics.sobhard.schema_validation import accepts

NAMES = sorted(QUESTIONS)
EDITS = (
    lambda text: text,
    lambda text: text.replace("1", "2", 1),
    lambda text: f"<think>\n1\n</think>\n{text}",
    lambda text: f"Вот:\n{text}",
    lambda text: text[:-5],
    lambda text: "",
)


def fresh(row, response):
    """A score of which nothing was kept before."""
    rows._prepared.cache_clear()
    scoring._of_reference.cache_clear()
    return sobhard.score(row, response)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(EDITS)), min_size=1, max_size=12))
def test_any_order_of_answers_gives_the_verdicts_of_a_fresh_start(asked):
    """Right and wrong answers, bare or in other packaging, of one question or several in turns."""
    asked = [(QUESTIONS[name], edit(answer(QUESTIONS[name]))) for name, edit in asked]
    wanted = [fresh(row, response) for row, response in asked]
    assert [sobhard.score(row, response) for row, response in asked] == wanted


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.sampled_from(EDITS), min_size=2, max_size=4))
def test_verdicts_known_of_a_document_are_those_of_its_own_score(name, edits):
    """The texts of one answer with and without its reasoning share what they have in common."""
    question, known = rows.question_of(QUESTIONS[name]), {}
    for edit in edits:
        response = edit(answer(QUESTIONS[name]))
        found = scoring.score_question(question, response, known=known)
        assert found == scoring.score_question(question, response)


def test_a_row_that_changes_is_seen():
    """A row is known by its texts, not by which object it is."""
    row = copy.deepcopy(QUESTIONS["convert_json"])
    right = answer(row)
    assert sobhard.score(row, right).metrics["sample_pass_rate"] == 1.0
    row["meta"]["reference"] = row["meta"]["reference"].replace("8080", "8081")
    assert sobhard.score(row, right).metrics["sample_pass_rate"] == 0.0


def test_what_is_kept_is_bounded():
    """Questions and verdicts of references."""
    assert rows._prepared.cache_info().maxsize == scoring._of_reference.cache_info().maxsize == 64


@pytest.mark.parametrize(("levels", "groups"), [(65, 200), (74, 150)])
def test_a_pattern_is_read_the_same_on_a_deep_stack(levels, groups):
    """Python keeps compiled patterns, and we their counts: an earlier schema with the pattern changes no verdict."""
    schema, instance = {"pattern": f"{'(' * groups}a{')' * groups}(b+)+$"}, "abbb"
    assert accepts(schema, instance)
    nested, within = schema, instance
    for _ in range(levels):
        nested, within = {"properties": {"x": nested}}, {"x": within}
    known = accepts(nested, within)
    pattern_costs._net.cache_clear()
    re.purge()
    assert accepts(nested, within) is known is True
