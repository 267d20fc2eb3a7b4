"""The sixteen rules carried out: right values by hand, and the scorer's property of each."""

import copy

import pytest

from builders.sobhard.operations import EXECUTED, OperationRefused, run_program
from builders.sobhard.wording import Words, program_text
from metrics.sobhard.rules import RULES, broken_rule

CASES = [
    ("sort_keys", {}, {"б": 1, "a": [{"z": 1, "Y": 2}]}, {"a": [{"Y": 2, "z": 1}], "б": 1}),
    ("flatten", {}, {"a": {"b": [1, {"c": None}]}, "d": "x"}, {"a.b[0]": 1, "a.b[1].c": None, "d": "x"}),
    ("unflatten", {}, {"a.b[0]": 1, "a.b[1].c": None, "d": "x"}, {"a": {"b": [1, {"c": None}]}, "d": "x"}),
    ("unflatten", {}, {"a[1]": 1, "b": 2, "a[0]": 0}, {"a": [0, 1], "b": 2}),
    ("camel_keys", {}, {"a_b_c": [{"x_1": 0}], "d": 1}, {"aBC": [{"x1": 0}], "d": 1}),
    ("filter_records", {"field": "n", "op": "gt", "value": 2}, [{"n": 2}, {"n": 3}], [{"n": 3}]),
    ("filter_records", {"field": "n", "op": "lt", "value": 3}, [{"n": 2}, {"n": 3}], [{"n": 2}]),
    ("filter_records", {"field": "n", "op": "eq", "value": "3"}, [{"n": 3}, {"n": "3"}], [{"n": "3"}]),
    ("filter_records", {"field": "n", "op": "ne", "value": 3}, [{"n": 2}, {"n": 3}], [{"n": 2}]),
    (
        "sort_records",
        {"field": "n", "numeric": True},
        [{"n": 10, "i": 1}, {"n": 9, "i": 2}, {"n": 10, "i": 0}],
        [{"n": 9, "i": 2}, {"n": 10, "i": 1}, {"n": 10, "i": 0}],
    ),
    ("sort_records", {"field": "n", "numeric": False}, [{"n": "9"}, {"n": "10"}], [{"n": "10"}, {"n": "9"}]),
    (
        "group_records",
        {"field": "g"},
        [{"g": "b", "i": 1}, {"g": "a", "i": 2}, {"g": "b", "i": 3}],
        {"a": [{"g": "a", "i": 2}], "b": [{"g": "b", "i": 1}, {"g": "b", "i": 3}]},
    ),
    ("project_fields", {"fields": ["b", "a"]}, [{"a": 1, "b": 2, "c": 3}], [{"b": 2, "a": 1}]),
    ("numbers_from_strings", {}, ["007", "-5", "1.5", "", {"x": "12"}, "5 "], [7, -5, "1.5", "", {"x": 12}, "5 "]),
    ("drop_empty", {}, {"a": {"b": {"c": ""}}, "d": [[], {}], "e": None, "f": 0}, {"d": [[], {}], "e": None, "f": 0}),
    ("dedup_records", {"field": "k"}, [{"k": 1, "i": 1}, {"k": 1, "i": 2}], [{"k": 1, "i": 1}]),
    ("renumber", {"field": "n"}, [{"n": "x", "a": 1}, {"a": 2}], [{"n": 1, "a": 1}, {"a": 2, "n": 2}]),
    ("count_by", {"field": "g"}, [{"g": "b"}, {"g": "a"}, {"g": "b"}], {"a": 1, "b": 2}),
    ("top_n_per_group", {"field": "g", "n": 1}, [{"g": 1, "i": 1}, {"g": 1, "i": 2}], [{"g": 1, "i": 1}]),
    ("pivot_levels", {}, {"y": {"b": 1}, "x": {"b": 2, "a": 3}}, {"a": {"x": 3}, "b": {"x": 2, "y": 1}}),
    (
        "melt",
        {"fields": ["q", "p"]},
        [{"id": 1, "p": 5, "q": 6}],
        [{"id": 1, "metric": "q", "value": 6}, {"id": 1, "metric": "p", "value": 5}],
    ),
]


@pytest.mark.parametrize(("rule", "params", "before", "after"), CASES, ids=[f"{i}-{c[0]}" for i, c in enumerate(CASES)])
def test_a_rule_gives_the_value_worked_out_by_hand(rule, params, before, after):
    """Value and key order; the source is left alone; the scorer's property holds; the words name the parameters."""
    kept = copy.deepcopy(before)
    program = [{"rule": rule, "params": params}]
    found = run_program(before, program)
    assert repr(found) == repr(after)
    assert before == kept
    assert broken_rule(program, found) is None
    words = program_text(Words(), program)
    assert all(value in words for name, value in params.items() if isinstance(value, str) and name != "op")


def test_every_rule_of_the_scorer_can_be_carried_out():
    """The two tables have the same names."""
    assert set(EXECUTED) == set(RULES) == {case[0] for case in CASES}


@pytest.mark.parametrize(
    ("document", "step", "says"),
    [
        ({"a": []}, {"rule": "flatten"}, "empty container"),
        ({"_a": 1}, {"rule": "camel_keys"}, "no camelCase"),
        ([{"a": 1}], {"rule": "project_fields", "params": {"fields": ["b"]}}, "'b'"),
        ([{"a": "x"}], {"rule": "filter_records", "params": {"field": "a", "op": "gt", "value": 1}}, "step 1"),
        ([{"a": True}], {"rule": "filter_records", "params": {"field": "a", "op": "lt", "value": 2}}, "no number"),
        ([{"a": True}], {"rule": "filter_records", "params": {"field": "a", "op": "eq", "value": 1}}, "another type"),
        ([{"a": 1}], {"rule": "filter_records", "params": {"field": "a", "op": "gt", "value": 1}}, "no record is left"),
        ({"a.b": 1, "c": {"d": 2}}, {"rule": "flatten"}, "no path leads"),
        ([{"a": 1}], {"rule": "flatten"}, "no object"),
        ({"a": 1, "a.b": 2}, {"rule": "unflatten"}, "goes on"),
        ({"a[0]": 1, "a.b": 2}, {"rule": "unflatten"}, "an object and a list"),
        ({"a[1]": 1}, {"rule": "unflatten"}, "gaps"),
        ({"[0]": 1}, {"rule": "unflatten"}, "starts with an index"),
        ({"a..b": 1}, {"rule": "unflatten"}, "no path"),
        ({"a": []}, {"rule": "unflatten"}, "not flat"),
        ({"a_b": 1, "aB": 2}, {"rule": "camel_keys"}, "same camelCase"),
        ({"a_ß": 1}, {"rule": "camel_keys"}, "no capital"),
        ({"a__b": 1}, {"rule": "camel_keys"}, "no camelCase"),
        ([{"a": 1.5}], {"rule": "group_records", "params": {"field": "a"}}, "not all strings"),
        ([{"a": 1}, {"a": "1"}], {"rule": "count_by", "params": {"field": "a"}}, "not all strings"),
        ([{"a": None}], {"rule": "top_n_per_group", "params": {"field": "a", "n": 1}}, "not all strings"),
        ([{"a": 1}, {"a": 1.0}], {"rule": "dedup_records", "params": {"field": "a"}}, "another type"),
        ([{"a": 1}, {}], {"rule": "sort_records", "params": {"field": "a", "numeric": True}}, "record 2 has no 'a'"),
        ([], {"rule": "renumber", "params": {"field": "a"}}, "no list of records"),
        ({"a": {"b": ""}}, {"rule": "drop_empty"}, "nothing is left"),
        ({"a": {}}, {"rule": "pivot_levels"}, "no object with entries"),
        ([{"a": 1, "value": 2}], {"rule": "melt", "params": {"fields": ["a"]}}, "metric or value"),
        ([{"a": 1}], {"rule": "project_fields", "params": {"fields": ["a", "a"]}}, "given twice"),
        (["1" * 21], {"rule": "numbers_from_strings"}, "64 bits"),
        ({}, {"rule": "shuffle"}, "shuffle"),
    ],
)
def test_what_a_rule_cannot_do_stops_the_build(document, step, says):
    """A broken recipe is named, never a broken question."""
    with pytest.raises(OperationRefused, match=says):
        run_program(document, [step])


def test_steps_work_on_each_others_results():
    """Two rules in a row."""
    program = [
        {"rule": "numbers_from_strings"},
        {"rule": "filter_records", "params": {"field": "n", "op": "gt", "value": 9}},
    ]
    assert run_program([{"n": "9"}, {"n": "10"}], program) == [{"n": 10}]
