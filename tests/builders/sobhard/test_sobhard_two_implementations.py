"""The builder's operations and the scorer's, written apart: on any document they agree, or the builder refuses."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.sobhard import operations as ours
from builders.sobhard import reconciled
from builders.sobhard.operations import OperationRefused
from metrics.sobhard import operations as theirs
from metrics.sobhard import schemas
from metrics.sobhard.rules import RULES, broken_rule
from metrics.sobhard.values import PathError, find

NAMES = st.sampled_from(["a", "b", "Ё", "a_b", "c d", "a.b", "x[0]", "", "1"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, -0.0, 1e20]), st.text("a0-\n", max_size=3)
)
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(NAMES, v, max_size=3), max_leaves=12)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(NAMES, VALUES, max_size=4)
STEPS = st.sampled_from(["a", "b", "Ё", "[0]", "[1]", "[2]", "a.b", "a[0]", "b.a[1]", "[0].a", "a..b", "", "a[x]", "]"])
OPS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"op": st.sampled_from(["set", "insert"]), "path": STEPS, "value": VALUES}),
        st.fixed_dictionaries({"op": st.just("delete"), "path": STEPS}),
    ),
    min_size=1,
    max_size=3,
)
FIELDS = st.sampled_from(["k", "m", "n"])
CELLS = st.one_of(st.integers(-2, 12), st.sampled_from(["", "7", "012", "б", "a", "-3"]))
RECORDS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"k": CELLS, "m": CELLS, "n": CELLS}),
        st.dictionaries(FIELDS, SCALARS, max_size=3),
    ),
    max_size=5,
)
EVEN = st.one_of(
    *(
        st.lists(st.fixed_dictionaries({"k": cell, "m": cell, "n": cell}), min_size=1, max_size=6)
        for cell in (st.integers(-2, 3), st.sampled_from(["", "7", "012", "б", "a"]))
    )
)


def text(value):
    """Equal texts: equal values, types and order of keys."""
    return json.dumps(value)


def both(ours_found, theirs_found):
    """The answer of both, None where the builder refuses; the scorer may go on where the builder does not."""
    try:
        answer = ours_found()
    except OperationRefused:
        return None
    assert text(answer) == text(theirs_found())
    return answer


@given(CONTAINERS, OPS)
def test_patches(document, ops):
    """Edits in order; the document is left alone."""
    before = text(document)
    both(lambda: ours.patched(document, ops), lambda: theirs.apply_ops(document, ops))
    assert text(document) == before


@given(CONTAINERS, CONTAINERS)
def test_differences_and_their_application(old, new):
    """A change object leads from the one version to the other, whoever makes it and whoever applies it."""
    change = both(lambda: ours.difference(old, new), lambda: theirs.structural_diff(old, new))
    if change is not None:
        there = both(lambda: ours.applied(old, change), lambda: theirs.apply_changes(old, change))
        assert there == new


@pytest.mark.parametrize(
    ("old", "new"), [({"a.b": 1}, {"a.b": 2}), ({"": {"a": 1}}, {"": {"a": 2}}), ({"a[0]": 1}, {}), ([1], {"a": 1})]
)
def test_changes_that_no_path_names_are_refused(old, new):
    """Keys that a path cannot hold, and versions with nothing in common; what does not change may have any key."""
    with pytest.raises(OperationRefused):
        ours.difference(old, new)
    change = {"added": {"b": 1}, "removed": {}, "changed": {}}
    assert ours.difference({"a.b": {"c": 1}}, {"a.b": {"c": 1}, "b": 1}) == change


@given(RECORDS, RECORDS, FIELDS, *[st.sampled_from("AB")] * 2, *[st.booleans()] * 2)
def test_joins(left, right, key, winner, order, keep, append):
    """Every combination of rules."""
    rules = {"key": key, "winner": winner, "order": order}
    rules |= {"unmatched_a": "keep" if keep else "drop", "unmatched_b": "append" if append else "drop"}
    both(lambda: ours.join(left, right, rules), lambda: theirs.join_records(left, right, rules))


@given(st.lists(st.sampled_from(["${a}", "$${", "${b.a}", "${", "}", "$", "{", "x", "${Ё[0]}", "я\n"])), VALUES)
def test_templates(parts, record):
    """Slots, escapes and what only looks like one; the empty slot and characters of strings are the scorer's own."""
    template = "".join(parts)
    try:
        slots = ours.slots(template)
    except OperationRefused:
        return
    if not any(isinstance(record, dict) and isinstance(record.get("Ё"), str) for _ in slots):
        both(lambda: ours.filled(template, record), lambda: theirs.render(template, record))


@given(VALUES, st.sampled_from(schemas.KINDS))
def test_schemas(document, kind):
    """Every kind, on anything."""
    assert text(ours.schema(document, kind)) == text(schemas.infer(document, kind))
    assert ours.SCHEMA_KINDS == schemas.KINDS


@given(CONTAINERS, STEPS)
def test_paths(document, path):
    """What stands at a path; a character of a string does not."""

    def found():
        value = ours.resolve(document, path)
        return [] if value is ours.ABSENT else [value]

    def scorer():
        try:
            return [find(document, path)]
        except PathError:
            return []

    try:
        both(found, scorer)
    except AssertionError:
        assert found() == []
        assert isinstance(scorer()[0], str)
        with pytest.raises(reconciled.RecipeError, match="different answers"):
            reconciled.found(document, path)


def params_for(rule, field, other, value, n):
    """Parameters of a rule."""
    return {
        "filter_records": {"field": field, "op": ["gt", "lt", "eq", "ne"][n], "value": value},
        "sort_records": {"field": field, "numeric": isinstance(value, int)},
        "project_fields": {"fields": list(dict.fromkeys([other, field]))},
        "renumber": {"field": "№"},
        "top_n_per_group": {"field": field, "n": n + 1},
        "melt": {"fields": list(dict.fromkeys([field, other]))},
    }.get(rule, {"field": field} if rule in ("group_records", "dedup_records", "count_by") else {})


PARAMETERS = (FIELDS, FIELDS, CELLS, st.integers(0, 3))
WORKS_ON_RECORDS = sorted(rule for rule in RULES if params_for(rule, "k", "m", 1, 1))


@settings(max_examples=60)
@given(EVEN | RECORDS, *PARAMETERS)
@pytest.mark.parametrize("rule", WORKS_ON_RECORDS)
def test_a_rule_on_records_has_the_scorers_property(rule, records, field, other, value, n):
    """Whatever the builder makes, the scorer accepts."""
    program = [{"rule": rule, "params": params_for(rule, field, other, value, n)}]
    before = text(records)
    try:
        answer = ours.run_program(records, program)
    except OperationRefused:
        return
    finally:
        assert text(records) == before
    assert broken_rule(program, answer) is None


@settings(max_examples=60)
@given(CONTAINERS)
@pytest.mark.parametrize("rule", sorted(set(RULES) - set(WORKS_ON_RECORDS)))
def test_a_rule_on_any_document_has_the_scorers_property(rule, document):
    """As above; a string of digits that ends with a line feed is the scorer's own integer, and stops a build."""
    program = [{"rule": rule, "params": {}}]
    try:
        answer = ours.run_program(document, program)
    except OperationRefused:
        return
    if broken_rule(program, answer) is not None:
        assert rule == "numbers_from_strings"
        with pytest.raises(reconciled.RecipeError, match="refuses the result"):
            reconciled.transformed(document, program)


@given(st.dictionaries(st.sampled_from(["a", "b", "Ё", "a_b"]), VALUES, min_size=1, max_size=3))
def test_a_flattened_document_unfolds_to_itself(document):
    """The two rules undo each other."""
    try:
        flat = ours.run_program(document, [{"rule": "flatten"}])
    except OperationRefused:
        return
    assert text(ours.run_program(flat, [{"rule": "unflatten"}])) == text(document)


@given(EVEN, FIELDS)
def test_sorting_is_stable_and_complete(records, field):
    """Equal records keep their order, none is lost."""
    numeric = isinstance(records[0][field], int)
    marked = [{**record, "at": place} for place, record in enumerate(records)]
    answer = ours.run_program(marked, [{"rule": "sort_records", "params": {"field": field, "numeric": numeric}}])
    keys = [(record[field] if numeric else str(record[field]), record["at"]) for record in answer]
    assert keys == sorted(keys)
    assert len(keys) == len(records)
