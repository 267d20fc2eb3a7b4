"""The sixteen rule properties (contract, 6.1), list order (6.2) and leaves (6.3): hand tables in both directions."""

import datetime
from collections import Counter

import pytest

from metrics.sobhard.rules import RULES, broken_rule, start_index
from metrics.sobhard.trees import leaf_counts, reordered_list

F = {"field": "f"}
MELT = {"fields": ["jan", "feb"]}

HOLDS = [
    ("sort_keys", {}, {"a": {"b": 1, "c": 2}, "b": [{"x": 1, "y": 2}]}),
    ("sort_keys", {}, {"A": 1, "Z": 1, "a": 1, "я": 1}),
    ("sort_keys", {}, 5),
    ("sort_keys", {}, {1: 0, 10: 0, 2: 0}),
    ("flatten", {}, {"a.b[0].c": 1, "d": None, "e[1][2]": "x"}),
    ("flatten", {}, {}),
    ("unflatten", {}, {"a": {"b": [{"c": "x.y[0]"}]}}),
    ("camel_keys", {}, [{"priceRub": "a_b"}]),
    ("filter_records", {**F, "op": "gt", "value": 1}, [{"f": 2}, {"f": 1.5}]),
    ("filter_records", {**F, "op": "lt", "value": 1}, {"g": [{"f": 0}], "h": [{"f": -1}]}),
    ("filter_records", {**F, "op": "eq", "value": "x"}, [{"f": "x"}]),
    ("filter_records", {**F, "op": "ne", "value": "x"}, [{"f": "y"}, {}]),
    ("filter_records", {**F, "op": "gt", "value": 1}, [{"g": 0}]),
    ("filter_records", {**F, "op": "gt", "value": 1}, []),
    ("sort_records", {**F, "numeric": True}, [{"f": 1}, {"f": 1}, {"f": 2.5}]),
    ("sort_records", {**F, "numeric": False}, [{"f": 10}, {"f": 9}, {"f": True}]),
    ("sort_records", {**F, "numeric": True}, [{"f": 5}, {"g": 0}, {"f": 1}]),
    ("sort_records", {**F, "numeric": True}, {"a": [{"f": 2}], "b": [{"f": 1}], "c": 5}),
    ("group_records", F, {"1": [{"f": 1}], "True": [{"f": True}, {}], "x": [{"f": "x"}]}),
    ("group_records", F, {}),
    ("project_fields", {"fields": ["a", "b"]}, [{"b": 1, "a": 2}]),
    ("project_fields", {"fields": ["a"]}, []),
    ("numbers_from_strings", {}, {"5": ["x5", "1.5", "--5", "", "5 ", 5, "٥"]}),
    ("drop_empty", {}, {"a": [[], {}, ""], "b": None, "c": 0, "d": False, "e": {"f": " "}}),
    ("dedup_records", F, [{"f": 1}, {"f": 1.0}, {"f": True}, {"f": "1"}, {"f": None}, {"f": [1]}]),
    ("dedup_records", F, [{"g": 1}, {"g": 1}]),
    ("renumber", F, [{"f": 1}, {"f": 2.0}, {"f": 3}]),
    ("renumber", F, {"a": [{"f": 1}], "b": [{"f": 2}]}),
    ("count_by", F, {"a": 1, "b": 20}),
    ("count_by", {}, {}),
    ("top_n_per_group", {**F, "n": 2}, [{"f": "x"}, {"f": "x"}, {"f": "y"}]),
    ("top_n_per_group", {**F, "n": 0}, [{"g": "x"}]),
    ("pivot_levels", {}, {"a": {"x": 1, "y": None}, "b": {}}),
    ("melt", MELT, [{"metric": "jan", "value": 1}, {"metric": "feb", "value": 2, "k": 0}]),
    ("melt", MELT, []),
]

BREAKS = [
    ("sort_keys", {}, [{"a": {"c": 1, "b": 2}}]),
    ("sort_keys", {}, {"a": 1, "Z": 1}),
    ("sort_keys", {}, {2: 0, 10: 0}),
    ("flatten", {}, [1]),
    ("flatten", {}, {"a": []}),
    ("flatten", {}, {"a": {}}),
    ("flatten", {}, {"a..b": 1}),
    ("flatten", {}, {"[0]": 1}),
    ("flatten", {}, {"a[x]": 1}),
    ("flatten", {}, {"": 1}),
    ("unflatten", {}, {"a": [{"b.c": 1}]}),
    ("unflatten", {}, {"a[0": 1}),
    ("camel_keys", {}, [{"a": {"price_rub": 1}}]),
    ("filter_records", {**F, "op": "gt", "value": 1}, [{"f": 2}, {"f": 1}]),
    ("filter_records", {**F, "op": "gt", "value": 1}, [{"f": 2}, {}]),
    ("filter_records", {**F, "op": "gt", "value": 0}, [{"f": True}]),
    ("filter_records", {**F, "op": "lt", "value": 1}, [{"f": "0"}]),
    ("filter_records", {**F, "op": "eq", "value": "x"}, [{"f": "x"}, {"f": "y"}]),
    ("filter_records", {**F, "op": "ne", "value": "x"}, [{"f": "x"}]),
    ("filter_records", {**F, "op": "gt", "value": 1}, {"f": 2}),
    ("filter_records", {**F, "op": "gt", "value": 1}, {}),
    ("sort_records", {**F, "numeric": True}, [{"f": 2}, {"f": 1}]),
    ("sort_records", {**F, "numeric": True}, [{"f": "2"}]),
    ("sort_records", {**F, "numeric": False}, [{"f": 9}, {"f": 10}]),
    ("sort_records", {**F, "numeric": True}, {"a": 1}),
    ("sort_records", {**F, "numeric": True}, "x"),
    ("sort_records", {**F, "numeric": True}, {"a": [{"f": 2}, {"f": 1}], "b": [{"g": 0}]}),
    ("group_records", F, [1]),
    ("group_records", F, {"b": [{"f": "b"}], "a": [{"f": "a"}]}),
    ("group_records", F, {"a": []}),
    ("group_records", F, {"a": [1]}),
    ("group_records", F, {"false": [{"f": False}]}),
    ("project_fields", {"fields": ["a"]}, [{"a": 1, "b": 2}]),
    ("project_fields", {"fields": ["a", "b"]}, [{"a": 1}]),
    ("project_fields", {"fields": ["a"]}, [{"a": 1}, {"a": 1}, {}]),
    ("numbers_from_strings", {}, [{"a": "-007"}]),
    ("numbers_from_strings", {}, ["5\n"]),
    ("drop_empty", {}, {"a": {"b": ""}}),
    ("drop_empty", {}, [{"a": []}]),
    ("drop_empty", {}, {"a": {}}),
    ("dedup_records", F, [{"f": 1}, {"f": 1}]),
    ("dedup_records", F, [{"f": [1]}, {"f": [1]}]),
    ("renumber", F, [{"f": 0}, {"f": 1}]),
    ("renumber", F, [{"f": True}]),
    ("renumber", F, [{"f": "1"}]),
    ("renumber", F, [{}]),
    ("count_by", F, {"b": 1, "a": 1}),
    ("count_by", F, {"a": 2.0}),
    ("count_by", F, {"a": True}),
    ("count_by", F, {"a": 0}),
    ("count_by", F, [1]),
    ("top_n_per_group", {**F, "n": 1}, [{"f": 1}, {"f": "1"}]),
    ("pivot_levels", {}, {"b": {}, "a": {}}),
    ("pivot_levels", {}, {"a": {"y": 1, "x": 2}}),
    ("pivot_levels", {}, {"a": {"x": []}}),
    ("pivot_levels", {}, {"a": 1}),
    ("pivot_levels", {}, []),
    ("melt", MELT, [{"metric": "jan", "value": 1}]),
    ("melt", MELT, [{"metric": "feb", "value": 1}, {"metric": "jan", "value": 1}]),
    ("melt", MELT, [{"metric": "jan"}, {"metric": "feb", "value": 1}]),
    ("melt", MELT, {"a": 1}),
]

# What is said of each of them
SAID = [
    'the key "b" stands after "c"',
    'the key "Z" stands after "a"',
    'the key "10" stands after "2"',
    "an object required, found an array of 1 element",
    'under "a" stands an array of 0 elements',
    'under "a" stands an object with 0 keys',
    'the key "a..b" is no path',
    'the key "[0]" is no path',
    'the key "a[x]" is no path',
    'the key "" is no path',
    "the key \"b.c\" holds '.'",
    "the key \"a[0\" holds '['",
    "the key \"price_rub\" holds '_'",
    'record 2 has 1 in "f", against gt 1',
    'record 2 has null in "f", against gt 1',
    'record 1 has true in "f", against gt 0',
    "record 1 has '0' in \"f\", against lt 1",
    "record 2 has 'y' in \"f\", against eq 'x'",
    "record 1 has 'x' in \"f\", against ne 'x'",
    "the answer is no list of records, nor an object of such lists",
    "the answer is no list of records, nor an object of such lists",
    'record 2 has 1 in "f" after 2',
    "\"f\" holds '2', no number",
    "record 2 has '10' in \"f\" after '9'",
    "there is no list of records",
    "there is no list of records",
    'record 2 has 1 in "f" after 2',
    "an object required, found an array of 1 element",
    'the key "a" stands after "b"',
    'the group "a" is no list of records that holds one',
    'the group "a" is no list of records that holds one',
    'the group "false" holds a record with false',
    "record 1 has other fields than [a]",
    "record 1 has other fields than [a, b]",
    "record 3 has other fields than [a]",
    "the string '-007' is an integer",
    "the string '5\\n' is an integer",
    "\"b\" holds ''",
    '"a" holds an array of 0 elements',
    '"a" holds an object with 0 keys',
    'record 2 repeats 1 in "f"',
    'record 2 repeats an array of 1 element in "f"',
    'record 1 carries 0 in "f"',
    'record 1 carries true in "f"',
    "record 1 carries '1' in \"f\"",
    'record 1 carries null in "f"',
    'the key "a" stands after "b"',
    '"a" holds 2.0, no count',
    '"a" holds true, no count',
    '"a" holds 0, no count',
    "an object required, found an array of 1 element",
    '2 records have "1" in "f", at most 1 allowed',
    'the key "a" stands after "b"',
    'under "a": the key "x" stands after "y"',
    'under "a", "x" stands an array of 0 elements',
    'under "a" an object required, found 1',
    "an object required, found an array of 0 elements",
    "1 records are no multiple of 2 fields",
    "record 1 has the metric 'feb', not 'jan'",
    "record 1 has no metric or no value",
    "the answer is no list of records, nor an object of such lists",
]


@pytest.mark.parametrize(("rule", "params", "answer"), HOLDS, ids=range(len(HOLDS)))
def test_holds(rule, params, answer):
    """The property is there."""
    assert RULES[rule](answer, params) == ""


@pytest.mark.parametrize(("rule", "params", "answer"), BREAKS, ids=range(len(BREAKS)))
def test_breaks(rule, params, answer):
    """The property is not there, and one line says where."""
    problem = RULES[rule](answer, params)
    assert problem
    assert "\n" not in problem


def test_what_is_said_of_a_broken_rule():
    """The place and what stands there."""
    assert [RULES[rule](answer, params) for rule, params, answer in BREAKS] == SAID


def test_every_rule_is_shown_to_hold_and_to_break():
    """No rule without both."""
    assert {case[0] for case in HOLDS} == {case[0] for case in BREAKS} == set(RULES)


STARTS = [
    (["sort_keys", "camel_keys"], 0),
    (["sort_keys", "count_by"], 1),
    (["melt", "count_by", "melt"], 1),
    (["count_by", "sort_keys", "melt", "sort_keys"], 2),
]


@pytest.mark.parametrize(("names", "start"), STARTS, ids=["-".join(names) for names, _ in STARTS])
def test_rules_before_a_reshaping_one_are_not_looked_for(names, start):
    """The later of the first count_by and the first melt."""
    assert start_index([{"rule": name, "params": {}} for name in names]) == start


def test_the_first_broken_step_is_named():
    """By its place in the program."""
    program = [{"rule": "camel_keys", "params": {}}, {"rule": "renumber", "params": {"field": "n"}}]
    assert broken_rule(program, [{"n": 1}]) is None
    assert broken_rule(program, [{"n": 2}]) == (2, "renumber", 'record 1 carries 2 in "n"')
    assert broken_rule([{"rule": "rot13"}], {})[:2] == (1, "rot13")


def test_a_missing_parameter_raises():
    """Which fails the constraint."""
    with pytest.raises(KeyError):
        broken_rule([{"rule": "renumber", "params": {}}], [{"n": 1}])


ORDERS = [
    ([1, 2], [2, 1], ()),
    ([1, 2], [1, 2], None),
    ([1, 2], [1, 3], None),
    ([1, 2, 3], [2, 1], None),
    ({"a": [1, [2, 3]]}, {"a": [1, [3, 2]]}, ("a", 1)),
    ([{"x": 1, "y": 2}, {"x": 3}], [{"x": 3}, {"y": 2, "x": 1}], ()),
    ([{"x": [1, 2]}, 0], [{"x": [2, 1]}, 9], (0, "x")),
    ({"a": [1, 2]}, {"a": [2, 1], "b": 0}, None),
    ([1, 1.0], [1.0, 1], ()),
]


@pytest.mark.parametrize(("pred", "gold", "path"), ORDERS, ids=range(len(ORDERS)))
def test_reordered_lists(pred, gold, path):
    """A list of the same elements in another order, where both are otherwise aligned."""
    assert reordered_list(pred, gold) == path


def test_keys_that_cannot_be_sorted_raise():
    """Only where elements of lists are compared as texts."""
    assert reordered_list({1: 0, "a": 1}, {1: 0, "a": 1}) is None
    with pytest.raises(TypeError):
        reordered_list([{1: 0, "a": 1}], [{"a": 1}])


def test_leaves_are_exact():
    """Types and texts count, keys and empty containers do not; 1 and "1" and True are three values."""
    found = leaf_counts({"k": [1, 1.0, "1", True, None, -0.0, {}, []], "m": [1]})
    assert found == Counter({"1": 2, "1.0": 1, '"1': 1, "True": 1, "None": 1, "-0.0": 1})


@pytest.mark.parametrize(
    "leaf", [datetime.date(2024, 5, 1), b"x", {"a"}, 1 << 20_000], ids=["date", "bytes", "set", "huge"]
)
def test_leaves_without_json_text_raise(leaf):
    """Dates, bytes, sets, integers of over 4,300 digits."""
    with pytest.raises((TypeError, ValueError)):
        leaf_counts([leaf])
