"""The small validator behind constraint 28: draft 2020-12, bounded, kept from the network (contract, 11.4)."""

import random
import warnings

import pytest

from metrics.sobhard.schema_shape import search_cost, shape_problem
from metrics.sobhard.schema_validation import SchemaError, accepts

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
DEFS = {"$defs": {"s": STRING, "named": {"$anchor": "n", "type": "integer"}}}
VALID = [
    ({}, 5),
    (True, None),
    ({"type": ["string", "null"]}, None),
    ({"type": "integer"}, 2.0),
    ({"type": "number"}, 2),
    ({"const": 1}, 1.0),
    ({"enum": [[1], {"a": True}]}, {"a": True}),
    ({"properties": {"a": STRING}}, {"b": 1}),
    ({"required": ["a"]}, [1]),
    ({"items": STRING, "prefixItems": [INTEGER]}, [1, "x", "y"]),
    ({"additionalProperties": False, "patternProperties": {"^a": {}}}, {"ab": 1}),
    ({"propertyNames": {"maxLength": 1}}, {"a": 1}),
    ({"oneOf": [STRING, INTEGER]}, 1),
    ({"anyOf": [STRING, INTEGER]}, "x"),
    ({"allOf": [{}, INTEGER]}, 1),
    ({"not": STRING}, 1),
    ({"if": STRING, "then": {"minLength": 2}, "else": {"minimum": 5}}, 5),
    ({"contains": INTEGER, "minContains": 2}, [1, "x", 2]),
    ({"multipleOf": 0.5}, 1.5),
    ({"uniqueItems": True}, [1, True, "1"]),
    ({"pattern": "^[a-z]+$"}, "abc"),
    ({"format": "date"}, "x"),
    ({**DEFS, "$ref": "#/$defs/s"}, "x"),
    ({**DEFS, "$ref": "#n"}, 1),
    ({"nullable": 5}, 1),
    ({"$id": "http://x/y", **DEFS, "$ref": "http://x/y#/$defs/s"}, "x"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 2}),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"c": 1}),
    ({"minProperties": 1, "maxProperties": 1}, {"a": 1}),
    ({"$comment": "c", "title": "t", "examples": [], "default": None}, 1),
]
INVALID = [
    (False, 1),
    (STRING, 1),
    (INTEGER, True),
    (INTEGER, 1.5),
    ({"type": "number"}, False),
    ({"const": 1}, True),
    ({"enum": []}, 1),
    ({"enum": [1]}, True),
    ({"properties": {"a": STRING}}, {"a": 1}),
    ({"required": ["a"]}, {}),
    ({"items": STRING}, ["x", 1]),
    ({"additionalProperties": False}, {"a": 1}),
    ({"additionalProperties": STRING}, {"a": 1}),
    ({"oneOf": [{}, {}]}, 1),
    ({"anyOf": [STRING]}, 1),
    ({"not": {}}, 1),
    ({"if": STRING, "then": False}, "x"),
    ({"contains": STRING}, [1]),
    ({"contains": {}, "maxContains": 1}, [1, 2]),
    ({"multipleOf": 2}, 3),
    ({"uniqueItems": True}, [1, 1.0]),
    ({"pattern": "^a"}, "b"),
    ({"minItems": 1}, []),
    ({"maxItems": 0}, [1]),
    ({"minLength": 1}, ""),
    ({"maxLength": 0}, "x"),
    ({"minimum": 1}, 0),
    ({"maximum": 1}, 2),
    ({"exclusiveMinimum": 1}, 1),
    ({"exclusiveMaximum": 1}, 1),
    ({"propertyNames": STRING, "maxProperties": 0}, {"a": 1}),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
    ({"dependentSchemas": {"a": False}}, {"a": 1}),
    ({"prefixItems": [STRING]}, [1]),
    ({"patternProperties": {"a": STRING}}, {"ba": 1}),
    ({**DEFS, "$ref": "#/$defs/s"}, 1),
]


@pytest.mark.parametrize(("schema", "value"), VALID, ids=range(len(VALID)))
def test_accepts(schema, value):
    """Valid under draft 2020-12."""
    assert accepts(schema, value)


@pytest.mark.parametrize(("schema", "value"), INVALID, ids=range(len(INVALID)))
def test_rejects(schema, value):
    """Not valid under draft 2020-12."""
    assert not accepts(schema, value)


ERRORS = [
    ([], "invalid-schema"),
    (5, "invalid-schema"),
    ({"type": "str"}, "invalid-schema"),
    ({"type": []}, "invalid-schema"),
    ({"type": [1]}, "invalid-schema"),
    ({"required": "a"}, "invalid-schema"),
    ({"required": ["a", "a"]}, "invalid-schema"),
    ({"required": [["a"]]}, "invalid-schema"),
    ({"items": [STRING]}, "invalid-schema"),
    ({"properties": {"a": 5}}, "invalid-schema"),
    ({"properties": {"a": {"b": {}, "not": "x"}}}, "invalid-schema"),
    ({"oneOf": []}, "invalid-schema"),
    ({"enum": "a"}, "invalid-schema"),
    ({"minItems": -1}, "invalid-schema"),
    ({"minItems": 1.5}, "invalid-schema"),
    ({"minItems": True}, "invalid-schema"),
    ({"exclusiveMinimum": True}, "invalid-schema"),
    ({"multipleOf": 0}, "invalid-schema"),
    ({"pattern": "("}, "invalid-schema"),
    ({"pattern": "a" * 1001}, "invalid-schema"),
    ({"patternProperties": {"(": {}}}, "invalid-schema"),
    ({"title": 1}, "invalid-schema"),
    ({"$anchor": "1"}, "invalid-schema"),
    ({"$ref": "#/nope"}, "invalid-schema"),
    ({"$ref": "#nope"}, "invalid-schema"),
    ({"$ref": "#/x", "x": 5}, "invalid-schema"),
    ({"$ref": "http://127.0.0.1:9/s"}, "foreign-reference"),
    ({"$ref": "file:///etc/passwd"}, "foreign-reference"),
    ({"$ref": "other.json#/a"}, "foreign-reference"),
    ({"$ref": "#"}, "too-costly"),
    ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, "too-costly"),
    ({"pattern": "^(a+)+$"}, "costly-pattern"),
    ({"pattern": r"(a|a)\1"}, "costly-pattern"),
    ({"pattern": "a*" * 8 + "b"}, "costly-pattern"),
    ({"pattern": "a?" * 30 + "a" * 30}, "costly-pattern"),
    ({"pattern": "(a|b)" * 30}, "costly-pattern"),
    ({"unevaluatedProperties": False}, "unsupported-keyword"),
]


@pytest.mark.parametrize(("schema", "code"), ERRORS, ids=[f"{schema!r:.40}" for schema, _ in ERRORS])
def test_refused_schemas(schema, code):
    """No schema, one that leads outside, one without a bound: an error with its code, at once."""
    with pytest.raises(SchemaError) as caught:
        accepts(schema, "a" * 40)
    assert caught.value.code == code
    assert str(caught.value)


def test_doubling_references_are_counted():
    """Sixty levels that each use the next one twice would be 2**60 steps."""
    schema = {"$ref": "#/$defs/d0", "$defs": {"d60": {}}}
    for level in range(60):
        link = {"$ref": f"#/$defs/d{level + 1}"}
        schema["$defs"][f"d{level}"] = {"allOf": [link, link]}
    with pytest.raises(SchemaError, match="steps"):
        accepts(schema, 1)


def test_a_schema_inside_itself_has_a_verdict():
    """YAML aliases can make one."""
    schema = {"type": "object"}
    schema["properties"] = {"a": schema}
    assert shape_problem(schema) == ""
    assert accepts(schema, {"a": {"a": {}}})
    assert not accepts(schema, {"a": {"a": 1}})


def test_pattern_costs():
    """Plain patterns are cheap on long strings; each open repetition multiplies by the length."""
    assert search_cost(r"^\d{4}-\d{2}$", 1_000) < 2_000
    assert search_cost(r"^[a-z)(]+$", 100) < 20_000
    assert search_cost(r"(?i)\+\*\?", 100) < 500
    assert search_cost("(a+)+", 10) == float("inf")
    assert search_cost(".*.*.*", 10_000) > 1e12


def random_value(source, depth=0):
    kind = source.random()
    if depth < 3 and kind < 0.25:
        return {source.choice("abc"): random_value(source, depth + 1) for _ in range(source.randrange(4))}
    if depth < 3 and kind < 0.5:
        return [random_value(source, depth + 1) for _ in range(source.randrange(4))]
    return source.choice([None, True, False, 0, 1, 2, 1.0, 1.5, -3, "", "a", "ab", "b1", 10**20, "abc", "я"])


def random_schema(source, depth=0):
    if depth > 3 or source.random() < 0.08:
        return source.choice([True, False, {}])

    def one():
        return random_schema(source, depth + 1)

    def count():
        return source.choice([0, 1, 2, 3, 2.0, 1.5, -1])

    types = ["array", "boolean", "integer", "null", "number", "object", "string"]
    makers = {
        "type": lambda: source.choice([*types, source.sample(types, 2), "foo"]),
        "properties": lambda: {key: one() for key in source.sample("abc", 2)},
        "required": lambda: source.sample("abc", source.randrange(3)),
        "items": one,
        "additionalProperties": one,
        "contains": one,
        "propertyNames": one,
        "not": one,
        "if": one,
        "then": one,
        "else": one,
        "prefixItems": lambda: [one()],
        "patternProperties": lambda: {source.choice(["a", "^b", "[ab]"]): one()},
        "enum": lambda: [random_value(source, 2) for _ in range(3)],
        "const": lambda: random_value(source, 2),
        "anyOf": lambda: [one(), one()],
        "allOf": lambda: [one(), one()],
        "oneOf": lambda: [one(), one()],
        "multipleOf": lambda: source.choice([1, 2, 0.5, 1.5, 0, 0.1]),
        "uniqueItems": lambda: source.random() < 0.7,
        "pattern": lambda: source.choice(["^a", "b$", "[0-9]", "(", "a|b", "^.{2}$"]),
        "dependentRequired": lambda: {source.choice("abc"): source.sample("abc", 2)},
        "dependentSchemas": lambda: {source.choice("abc"): one()},
        "$ref": lambda: source.choice(["#/$defs/x", "#/properties/a", "#", "#anc", "#/items", "http://x/y", "#/nope"]),
        "$defs": lambda: {"x": one(), "y": {"$anchor": "anc", "type": "string"}},
        "title": lambda: source.choice(["t", 1]),
        "format": lambda: "date",
        "nullable": lambda: True,
        **dict.fromkeys(
            (
                "minItems",
                "maxItems",
                "minLength",
                "maxLength",
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "minProperties",
                "maxProperties",
                "minContains",
                "maxContains",
            ),
            count,
        ),
    }
    schema = {key: makers[key]() for key in source.sample(sorted(makers), source.choice((1, 1, 2, 3)))}
    if source.random() < 0.03:
        schema[source.choice(sorted(makers))] = random_value(source)
    return schema


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_the_library(seed):
    """700 random schemas and values a seed: the verdict of jsonschema, kept from the network, is ours."""
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    source = random.Random(seed)
    for _ in range(700):
        schema, value = random_schema(source), random_value(source)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                jsonschema.Draft202012Validator.check_schema(schema)
                validator = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
                wanted = not list(validator.iter_errors(value))
        except Exception:
            wanted = False  # the contract: an invalid schema or any error fails
        try:
            found = accepts(schema, value)
        except SchemaError:
            found = False
        assert found == wanted, (schema, value)
