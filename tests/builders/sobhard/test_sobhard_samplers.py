"""What is chosen of a question fits its document: rules that matter, edits that apply, paths that are not there."""

import copy
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.sobhard.operations import OperationRefused, patched, run_program
from builders.sobhard.samplers import Unsuitable
from builders.sobhard.samplers.edits import draw_ops, draw_version
from builders.sobhard.samplers.facts import addressable, common_fields, places, records_of, size
from builders.sobhard.samplers.programs import draw_program
from metrics.sobhard.rules import broken_rule
from metrics.sobhard.values import find

RECORDS = [
    {"id": str(number), "город": city, "sum_total": number * 7 % 5, "note": note, "code": f"{number:03}"}
    for number, (city, note) in enumerate(
        [("Пермь", ""), ("Омск", "да"), ("Пермь", "нет"), ("Тверь", ""), ("Омск", "да"), ("Пермь", "да")] * 3, 1
    )
]
TREE = {
    "service_name": "почта",
    "hosts": [{"name": "a", "port": 80, "tags": []}, {"name": "b", "port": 443, "tags": ["x"]}],
    "limits": {"memory_mb": "512", "cpu": "2", "empty": ""},
    "z": None,
    "a": True,
}
scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "да", "7", "a b"])
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b_c", "ключ", "x.y"]), inner),
    max_leaves=20,
)


@pytest.mark.parametrize("steps", [1, 2, 3])
@pytest.mark.parametrize("value", [RECORDS, TREE], ids=["records", "tree"])
def test_rules_apply_change_something_and_hold_together(value, steps):
    """Whatever the draw: no rule can be left out unseen, none breaks what another is checked for."""
    before = copy.deepcopy(value)
    drawn = Counter()
    for seed in range(30):
        try:
            program, result = draw_program(random.Random(seed), value, steps, drawn, None, lambda answer: True)
        except Unsuitable:
            continue
        assert len(program) == steps
        assert run_program(value, program) == result != []
        assert broken_rule(program, result) is None
        if steps > 1:
            for index in range(steps):
                try:
                    less = run_program(value, program[:index] + program[index + 1 :])
                except OperationRefused:
                    continue
                assert (less, str(less)) != (result, str(result))
        drawn.update(step["rule"] for step in program)
    assert value == before
    assert len(drawn) >= 4


def test_a_document_without_rules_is_said_to_be_unsuitable():
    """Nothing in a single word can be sorted, dropped or renamed."""
    with pytest.raises(Unsuitable, match="no chain of 1 rules"):
        draw_program(random.Random(1), {"a": "b"}, 1, {})


def test_rare_rules_are_preferred():
    """A rule that was taken often gives way."""
    often = {"sort_keys": 50, "renumber": 50, "sort_records": 50}
    drawn = Counter()
    for seed in range(20):
        program, _ = draw_program(random.Random(seed), RECORDS, 1, often)
        drawn.update(step["rule"] for step in program)
    assert not set(drawn) & set(often)


@pytest.mark.parametrize("value", [RECORDS, TREE], ids=["records", "tree"])
@pytest.mark.parametrize("count", [3, 6])
def test_the_operations_of_a_patch_apply_in_their_order(value, count):
    """Each on the result of the one before; the document given is not touched."""
    before = copy.deepcopy(value)
    kinds = Counter()
    for seed in range(20):
        ops, result = draw_ops(random.Random(seed), value, count)
        assert len(ops) == count
        assert len({op["path"] for op in ops}) == count
        assert patched(value, ops) == result != value
        kinds.update(op["op"] for op in ops)
    assert value == before
    assert set(kinds) == {"set", "delete", "insert"}


def test_a_table_stays_a_table():
    """Second versions and patches of what becomes a table keep its columns."""
    for seed in range(20):
        newer = draw_version(random.Random(seed), RECORDS, 6, uniform=True)
        assert newer != RECORDS
        assert {tuple(record) for record in newer} == {tuple(RECORDS[0])}
        _, result = draw_ops(random.Random(seed), RECORDS, 6, uniform=True)
        assert {tuple(record) for record in result} == {tuple(RECORDS[0])}


@given(documents, st.integers(0, 3))
def test_edits_of_any_document_apply_or_are_refused_by_name(value, seed):
    """No other error, and values are the document's own."""
    rng = random.Random(seed)
    try:
        ops, result = draw_ops(rng, value, 2)
    except Unsuitable:
        return
    assert patched(value, ops) == result


@given(documents)
def test_places_are_where_their_paths_lead(value):
    """By the scorer's own reading of paths."""
    for place in places(value):
        assert find(value, place.path) == place.value
        assert place.holder[place.last] == place.value


@pytest.mark.parametrize("key", ["", "a.b", "a[0]", "]", " a", "a ", "12"])
def test_keys_that_a_path_cannot_name(key):
    """Nor a reader."""
    assert not addressable(key)


def test_facts_of_records():
    """A list of objects, none empty; fields of all."""
    assert records_of(RECORDS) is RECORDS
    assert records_of([]) == records_of({}) == records_of([{}]) == records_of([1]) == []
    assert common_fields([{"a": 1, "b": 2}, {"b": 3}]) == ["b"]
    assert size(TREE) == 11
