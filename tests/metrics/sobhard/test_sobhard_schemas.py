"""Schema questions: inference by kind, keywords, required lists (contract, 7.9)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.sobhard.schema_validation import accepts
from metrics.sobhard.schemas import KINDS, infer, keywords, unsorted_required

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
INFERRED = [
    (None, "minimal", {"type": "null"}),
    (True, "minimal", {"type": "boolean"}),
    (1, "minimal", INTEGER),
    (1.0, "minimal", {"type": "number"}),
    ({}, "minimal", {"type": "object", "properties": {}, "required": []}),
    (
        {"b": 1, "a": "x"},
        "minimal",
        {"type": "object", "properties": {"b": INTEGER, "a": STRING}, "required": ["a", "b"]},
    ),
    ([], "minimal", {"type": "array"}),
    ([], "full", {"type": "array", "minItems": 0, "maxItems": 0}),
    ([1, "x"], "minimal", {"type": "array", "items": INTEGER}),
    ([1, "x"], "bounds", {"type": "array", "items": INTEGER, "minItems": 2, "maxItems": 2}),
    (["b", "a", "b"], "enum", {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
    (["b", 1], "enum", {"type": "array", "items": STRING}),
    (
        [{"a": 1}, {"a": "x", "b": 1}],
        "minimal",
        {"type": "array", "items": {"type": "object", "properties": {"a": INTEGER}, "required": ["a"]}},
    ),
    (
        [{"a": 1}, {"a": "x", "b": 1}],
        "union",
        {"type": "array", "items": {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "required": ["a"]}},
    ),
    (
        [{"a": 1}, 5],
        "union",
        {"type": "array", "items": {"type": "object", "properties": {"a": INTEGER}, "required": ["a"]}},
    ),
    (["x"], "full", {"type": "array", "items": {"type": "string", "enum": ["x"]}, "minItems": 1, "maxItems": 1}),
    ([1, 2], "oneOf", {"type": "array", "items": INTEGER}),
    (["x", 1, None, 2], "oneOf", {"type": "array", "items": {"oneOf": [INTEGER, {"type": "null"}, STRING]}}),
    (
        [[1], ["x"]],
        "oneOf",
        {
            "type": "array",
            "items": {"oneOf": [{"type": "array", "items": INTEGER}, {"type": "array", "items": STRING}]},
        },
    ),
    ([1], "unknown", {"type": "array", "items": INTEGER}),
]


@pytest.mark.parametrize(
    ("value", "kind", "schema"), INFERRED, ids=[f"{kind}-{i}" for i, (_, kind, _) in enumerate(INFERRED)]
)
def test_inference(value, kind, schema):
    """By hand."""
    assert infer(value, kind) == schema


EVEN_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "б"]),
    lambda inner: inner.map(lambda value: [value, value]) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(EVEN_VALUES, st.sampled_from(KINDS))
def test_a_schema_accepts_the_document_it_describes(value, kind):
    """For every kind, where the elements of each list are alike."""
    assert accepts(infer(value, kind), value)


def test_kinds():
    """The six of the contract."""
    assert KINDS == ("minimal", "union", "bounds", "enum", "oneOf", "full")


def test_keywords_are_collected_outside_names_and_values():
    """Names under properties, and whatever stands under required and enum, are no keywords."""
    schema = {
        "type": "object",
        "properties": {"const": {"enum": [{"title": 1}]}, "x": {"items": [{"format": "f"}]}},
        "required": ["pattern"],
        "not": {"properties": [{"minimum": 0}]},
    }
    wanted = {"type", "properties", "enum", "items", "format", "required", "not", "minimum"}
    assert set(keywords(schema)) == wanted


def test_required_lists_are_found_anywhere():
    """By the string form of their members; a ``required`` that is no list is nothing."""
    assert unsorted_required({"required": ["a", "b"], "x": [{"required": True}]}) is None
    assert unsorted_required({"enum": [{"required": ["b", "a"]}]}) == ["b", "a"]
    assert unsorted_required({"required": [10, 9]}) is None
