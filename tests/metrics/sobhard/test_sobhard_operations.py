"""Replayed operations (contract, section 7): patch, diff, change objects, joins, templates, paths."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.sobhard.comparison import compare
from metrics.sobhard.operations import (
    OperationError,
    apply_changes,
    apply_ops,
    join_records,
    render,
    structural_diff,
)
from metrics.sobhard.values import PathError, find, parse_path

PATHS = [
    ("a.b[0].c", ["a", "b", 0, "c"]),
    ("[3][4]", [3, 4]),
    ("a..b", ["a", "b"]),
    ("a[x]", ["a", "x"]),
    ("ключ с пробелом.1", ["ключ с пробелом", "1"]),
    ("", []),
]


@pytest.mark.parametrize(("path", "steps"), PATHS, ids=[path for path, _ in PATHS])
def test_paths(path, steps):
    """Indices in brackets, runs of other characters as keys, everything else skipped."""
    assert parse_path(path) == steps


def test_a_path_that_leads_nowhere():
    """Missing key, index past the end, a key of a list, a step into a scalar."""
    for path in ("x", "a[9]", "a.x", "b.x"):
        with pytest.raises(PathError):
            find({"a": [1], "b": 5}, path)
    assert find({"a": "слово"}, "a[0]") == "с"


SET, DELETE, INSERT = "set", "delete", "insert"
PATCHES = [
    ([{"op": SET, "path": "a", "value": 9}], {"a": 9, "l": [1, 2]}),
    ([{"op": SET, "path": "new", "value": {"x": []}}], {"a": 1, "l": [1, 2], "new": {"x": []}}),
    ([{"op": SET, "path": "l[1]", "value": 9}], {"a": 1, "l": [1, 9]}),
    ([{"op": DELETE, "path": "l[0]"}, {"op": DELETE, "path": "l[0]"}], {"a": 1, "l": []}),
    ([{"op": DELETE, "path": "a"}], {"l": [1, 2]}),
    ([{"op": INSERT, "path": "l[0]", "value": 0}], {"a": 1, "l": [0, 1, 2]}),
    ([{"op": INSERT, "path": "l[99]", "value": 3}], {"a": 1, "l": [1, 2, 3]}),
]


@pytest.mark.parametrize(("ops", "wanted"), PATCHES, ids=range(len(PATCHES)))
def test_patch(ops, wanted):
    """In order, on a copy."""
    source = {"a": 1, "l": [1, 2]}
    assert apply_ops(source, ops) == wanted
    assert source == {"a": 1, "l": [1, 2]}


BAD_OPS = [
    {"op": SET, "path": "l[2]", "value": 0},
    {"op": SET, "path": "l.x", "value": 0},
    {"op": SET, "path": "a[0]", "value": 0},
    {"op": SET, "path": "x.y", "value": 0},
    {"op": SET, "path": "", "value": 0},
    {"op": DELETE, "path": "x"},
    {"op": DELETE, "path": "l[2]"},
    {"op": INSERT, "path": "a", "value": 0},
    {"op": "move", "path": "a"},
]


SAID_OF_OPS = [
    "operation 1 cannot be applied: no 2 here",
    "operation 1 cannot be applied: an array has no place 'x'",
    "operation 1 cannot be applied: an integer has no place 0",
    "operation 1 cannot be applied: no 'x' here",
    "operation 1 cannot be applied: an empty path",
    "operation 1 cannot be applied: no 'x' here",
    "operation 1 cannot be applied: no 2 here",
    "operation 1 cannot be applied: only a place in a list takes an insertion",
    "operation 1 cannot be applied: 'move' is no known operation",
]


@pytest.mark.parametrize("op", BAD_OPS, ids=[f"{op['op']} {op['path']}" for op in BAD_OPS])
def test_patch_that_cannot_be_applied(op):
    """Never a guess."""
    with pytest.raises(OperationError) as caught:
        apply_ops({"a": 1, "l": [1, 2]}, [op])
    assert str(caught.value) == SAID_OF_OPS[BAD_OPS.index(op)]


def test_diff_by_hand():
    """Every branch: entries, tails, kinds, containers against scalars, order of paths."""
    old = {"z": 1, "a": True, "n": 1, "s": "x", "l": [1, 2, 3], "d": {"k": 1}, "gone": {}, "same": 1.0}
    new = {"z": 1, "a": 1, "n": None, "s": "y", "l": [1, 9], "d": [1], "fresh": [], "same": 1}
    found = structural_diff(old, new)
    assert list(found) == ["added", "removed", "changed"]
    assert found["added"] == {"fresh": []}
    assert found["removed"] == {"gone": {}, "l[2]": 3}
    assert found["changed"] == {
        "a": {"было": True, "стало": 1},
        "d": {"было": {"k": 1}, "стало": [1]},
        "l[1]": {"было": 2, "стало": 9},
        "n": {"было": 1, "стало": None},
        "s": {"было": "x", "стало": "y"},
    }
    assert list(found["changed"]) == sorted(found["changed"])
    assert structural_diff([1], {"a": 1})["changed"] == {"": {"было": [1], "стало": {"a": 1}}}


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "1"])
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
).filter(lambda value: isinstance(value, dict))


@given(DOCUMENTS, DOCUMENTS)
def test_applying_a_difference_gives_the_new_version(old, new):
    """diff and apply_diff are written apart; together they come back to version 2."""
    before = copy.deepcopy(old)
    assert compare(apply_changes(old, structural_diff(old, new)), new, False).equal
    assert old == before


def test_order_of_changes():
    """Keys are removed before indices, indices from high to low, additions to lists from low to high."""
    change = {
        "removed": {"l[0]": 1, "l[1]": 2, "k": 0},
        "changed": {"l[0]": {"было": 3, "стало": 30}},
        "added": {"m": 1, "l[2]": 50, "l[1]": 40},
    }
    assert apply_changes({"l": [1, 2, 3], "k": 0}, change) == {"l": [30, 40, 50], "m": 1}


BAD_CHANGES = [
    [],
    {"removed": []},
    {"removed": {"x": 1}},
    {"changed": {"a": 2}},
    {"changed": {"a": {"было": 1}}},
    {"added": {"x.y": 1}},
    {"added": {"a[0]": 1}},
    {"changed": {"x.y": {"стало": 1}}},
    {"removed": {"a[0]": 1}},
]


SAID_OF_CHANGES = [
    "the change object is no object",
    "removed is no object",
    "removed, 'x': no 'x' here",
    "changed, 'a': no стало",
    "changed, 'a': no стало",
    "added, 'x.y': no 'x' here",
    "added, 'a[0]': only a place in a list takes an insertion",
    "changed, 'x.y': no 'x' here",
    "removed, 'a[0]': an integer has no place 0",
]


@pytest.mark.parametrize("change", BAD_CHANGES, ids=range(len(BAD_CHANGES)))
def test_changes_that_cannot_be_applied(change):
    """Missing places, sections that are no objects, entries without a new value."""
    with pytest.raises(OperationError) as caught:
        apply_changes({"a": 1}, change)
    assert str(caught.value) == SAID_OF_CHANGES[BAD_CHANGES.index(change)]


A = [{"k": 1, "v": "a1"}, {"k": 2, "v": "a2"}, {"k": 1, "v": "a3"}, {"v": "no key"}]
B = [{"k": 2, "w": "b1", "v": "B"}, {"k": 3, "w": "b2"}, {"k": 2, "w": "b3"}]


def joined(**changes):
    settings = {"key": "k", "winner": "A", "unmatched_a": "keep", "unmatched_b": "append", "order": "A"}
    return join_records(A, B, settings | changes)


def test_join_in_the_order_of_a():
    """First partner of each key; what of B has no partner comes last."""
    assert joined() == [
        {"k": 1, "v": "a1"},
        {"k": 2, "v": "a2", "w": "b1"},
        {"k": 1, "v": "a3"},
        {"v": "no key"},
        {"k": 3, "w": "b2"},
    ]
    assert joined(winner="B", unmatched_a="drop", unmatched_b="drop") == [{"k": 2, "v": "B", "w": "b1"}]


def test_join_in_the_order_of_b():
    """The mirror image; A's fields still come first."""
    found = joined(order="B", winner="B")
    assert found == [
        {"k": 2, "v": "B", "w": "b1"},
        {"k": 3, "w": "b2"},
        {"k": 2, "v": "a2", "w": "b3"},
        {"k": 1, "v": "a1"},
        {"k": 1, "v": "a3"},
        {"v": "no key"},
    ]
    assert list(found[0]) == ["k", "v", "w"]
    assert joined(order="B", unmatched_b="drop", unmatched_a="drop") == [
        {"k": 2, "v": "a2", "w": "b1"},
        {"k": 2, "v": "a2", "w": "b3"},
    ]


def test_nulls_and_containers_are_keys_too():
    """A record without the field has the key null, and nulls match."""
    assert join_records([{"v": 1}], [{"k": None, "w": 2}], {"key": "k"}) == [{"v": 1, "k": None, "w": 2}]
    assert join_records([{"k": [1]}], [{"k": [1], "w": 2}], {"key": "k"}) == [{"k": [1], "w": 2}]


def test_a_side_that_is_no_table():
    """Refused."""
    with pytest.raises(OperationError):
        join_records({"k": 1}, [], {"key": "k"})


RECORD = {
    "s": "текст",
    "i": 7,
    "f": 1.1,
    "g": 2.0,
    "e": 1e-07,
    "h": 1e16,
    "t": True,
    "n": None,
    "l": ["x"],
    "o": {"p": "q"},
}
TEMPLATES = [
    ("без слотов", "без слотов"),
    ("${s} ${i} ${f} ${g} ${e} ${h}", "текст 7 1.1 2.0 1e-07 1e+16"),
    ("${t} ${n} ${l[0]} ${o.p}", "true null x q"),
    ("[${zzz}] [${l[9]}] [${s.x}]", "[] [] []"),
    ("$${s} ${s}", "${s} текст"),
    ("$$${s}", "$${s}"),
    ("${s", "${s"),
    ("$s {s}", "$s {s}"),
    ("${s[0]}", "т"),
]


@pytest.mark.parametrize(("template", "wanted"), TEMPLATES, ids=[template for template, _ in TEMPLATES])
def test_templates(template, wanted):
    """Slots, the escape, what stays literal."""
    assert render(template, RECORD) == wanted


@pytest.mark.parametrize("template", ["${l}", "${o}", "${}"])
def test_a_container_in_a_slot(template):
    """An error of the question."""
    with pytest.raises(OperationError):
        render(template, RECORD)
