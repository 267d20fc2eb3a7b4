"""Constraint 28: jsonschema under draft 2020-12, its work bounded, kept from the network (contract, 11.4)."""

import functools
import json
import random

import pytest
from jsonschema_specifications import REGISTRY
from sobhard_suites import by_library, judged

from metrics.sobhard.schema_library import flat_metaschema, keywords
from metrics.sobhard.schema_validation import SchemaError, accepts
from metrics.sobhard.shapes import BLIND, of_each_shape, sees_shapes_alone

REFUSALS = ("invalid-schema", "foreign-reference", "costly-pattern", "too-costly")
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
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"a": 1}),
    ({"allOf": [{"prefixItems": [{}]}], "unevaluatedItems": False}, [1]),
    ({"$id": "http://a/b", "$ref": "c", "$defs": {"c": {"$id": "c", "type": "string"}}}, "x"),
    ({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": STRING}}, "x"),
    ({"$dynamicRef": "#n", "$defs": {"n": {"$dynamicAnchor": "n", "type": "string"}}}, "x"),
    ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, {"type": "string"}),
    # Another draft inside, as the library has it.
    ({"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "minLength": 1}]}, "x"),
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
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"a": 1, "b": 2}),
    ({"allOf": [{"prefixItems": [{}]}], "unevaluatedItems": False}, [1, 2]),
    ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, {"type": "str"}),
    ({"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "minLength": 1}]}, ""),
    ({"pattern": "^[0-9]{2}$"}, "123"),
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
    ({"pattern": "a" * 1001}, "costly-pattern"),
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
    ({"pattern": "(a|a?a)" * 25 + "c"}, "costly-pattern"),
    ({"pattern": "(?x)^(a+) +$"}, "costly-pattern"),
    ({"pattern": "a{500}" * 5}, "costly-pattern"),
    ({"pattern": "a{9999999999999}"}, "invalid-schema"),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, "too-costly"),
    ({"$dynamicRef": "#a", "$dynamicAnchor": "a"}, "too-costly"),
    ({"$dynamicRef": "http://127.0.0.1:9/s"}, "foreign-reference"),
    ({"unevaluatedProperties": False, "$ref": "http://127.0.0.1:9/s"}, "foreign-reference"),
    ({"$id": "http://127.0.0.1:9/", "$ref": "s"}, "foreign-reference"),
    ({"$schema": "http://127.0.0.1:9/s", "$ref": "http://127.0.0.1:9/s"}, "foreign-reference"),
    ({"$ref": 5}, "invalid-schema"),
    ({"$id": "#x"}, "invalid-schema"),
]


@pytest.mark.parametrize(("schema", "code"), ERRORS, ids=[f"{schema!r:.40}" for schema, _ in ERRORS])
def test_refused_schemas(schema, code):
    """No schema, one that leads outside, one without a bound: an error with its code, at once."""
    with pytest.raises(SchemaError) as caught:
        accepts(schema, "a" * 40)
    assert caught.value.code == code
    assert str(caught.value)


def test_a_schema_inside_itself_is_refused():
    """YAML aliases can make one, and the library would never end; so they can a schema too large to be written out."""
    schema = {"type": "object"}
    schema["properties"] = {"a": schema}
    with pytest.raises(SchemaError, match="contains itself") as caught:
        accepts(schema, {"a": 1})
    assert caught.value.code == "too-costly"
    for _ in range(60):
        schema = {"properties": {"a": {}}, "allOf": [schema, schema]} if "allOf" in schema else {"allOf": [{}, {}]}
    with pytest.raises(SchemaError, match="values, more than") as caught:
        accepts(schema, {"a": 1})
    assert caught.value.code == "too-costly"


RECORDS = [{f"k{i}": j for i in range(30)} for j in range(400)]
WIDE = {f"k{i}": i for i in range(3_000)}
NESTED = json.loads('{"a":' * 60 + "1" + "}" * 60)


def doubling(levels, **more):
    """A schema that applies 2**levels schemas to one value."""
    schema = {"$ref": "#/$defs/d0", "$defs": {f"d{levels}": {}}}
    for level in range(levels):
        link = {"$ref": f"#/$defs/d{level + 1}"}
        schema["$defs"][f"d{level}"] = {"allOf": [link, link]}
    return {**schema, **more}


def nested_not(levels):
    schema = True
    for _ in range(levels):
        schema = {"not": schema}
    return schema


HOSTILE = {
    "unique-records": ({"uniqueItems": True}, RECORDS * 10),
    "unique-mixed": ({"uniqueItems": True}, [1, "a"] * 20_000),
    "unique-numbers": ({"uniqueItems": True}, list(range(90_000))),
    "deep-schema": (nested_not(2_000), 1),
    "deep-definitions": ({"$defs": {"a": nested_not(400)}}, 1),
    "deep-instance": ({"properties": {"a": {"$ref": "#"}}}, NESTED),
    "unevaluated-cycle": ({"unevaluatedProperties": False, "$ref": "#"}, {"a": 1}),
    "if-cycle": ({"if": {"$ref": "#"}, "unevaluatedItems": False}, [1]),
    "not-cycle": ({"not": {"$ref": "#"}}, 1),
    "contains-cycle": ({"contains": {"$ref": "#/$defs/a"}, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}, [1]),
    "long-chain": ({"$ref": "#/$defs/d0", "$defs": {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(900)}}, 1),
    "recursive": ({"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"$ref": "#"}]}, NESTED),
    "exponential": (doubling(40), 1),
    "exponential-not": (doubling(40, **{"$defs": {**doubling(40)["$defs"], "d40": {"not": {}}}}), 1),
    "long-pointer": ({"$ref": "#" + "/allOf/0" * 10_000}, 1),
    "many-anchors": (
        {"$defs": {f"d{i}": {"$anchor": f"a{i}"} for i in range(3_000)}, "allOf": [{"$ref": "#a1"}] * 3_000},
        1,
    ),
    "many-false": ({"anyOf": [False] * 20_000}, RECORDS),
    "many-types": ({"anyOf": [{"type": "string"}] * 5_000}, RECORDS),
    "many-false-one-of": ({"oneOf": [{"allOf": [False]}] * 5_000}, RECORDS),
    "false-by-reference": ({"anyOf": [{"$ref": "#/$defs/f"}] * 5_000, "$defs": {"f": False}}, RECORDS),
    "wide-enum": ({"items": {"enum": RECORDS}}, RECORDS),
    "wide-required": ({"items": {"required": [f"r{i}" for i in range(9_000)]}}, [{}] * 9_000),
    "wide-properties": ({"items": {"properties": {f"r{i}": {} for i in range(9_000)}}}, RECORDS * 20),
    "unevaluated": (
        {"unevaluatedProperties": False, "allOf": [{"properties": {f"k{i}": {}}} for i in range(3_000)]},
        WIDE,
    ),
    "unevaluated-doubling": (doubling(40, unevaluatedProperties=False), WIDE),
    "unevaluated-patterns": (
        {
            "unevaluatedProperties": False,
            "$ref": "#/$defs/p",
            "$defs": {"p": {"patternProperties": {f"^(k*)*{i}$": {} for i in range(50)}}},
        },
        {"k" * 40 + "!": 1},
    ),
    "pattern-properties": ({"patternProperties": {"^(k+)+$": {}}}, {"k" * 40 + "!": 1}),
    "additional-patterns": ({"patternProperties": {"^(k+)+$": {}}, "additionalProperties": False}, {"k" * 40 + "!": 1}),
    "other-draft-pattern": (
        {"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a+)+$"}]},
        "a" * 40 + "!",
    ),
    "same-draft-pattern": (
        {"allOf": [{"$schema": "https://json-schema.org/draft/2020-12/schema", "pattern": "^(a+)+$"}]},
        "a" * 40 + "!",
    ),
    "property-names": ({"propertyNames": {"pattern": "^(k+)+$"}}, {"k" * 40 + "!": 1}),
    "long-pattern": ({"pattern": "(?:a|b)" * 20_000}, 1),
    "many-patterns": ({"patternProperties": {f"^k{i}.*a.*$": {} for i in range(3_000)}}, WIDE),
    "huge-number": ({"multipleOf": 1e-300}, 10**4_000),
    "many-definitions": ({"$defs": {f"d{i}": {"type": "string", "minLength": i} for i in range(12_000)}}, 1),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas(name):
    """Each has a verdict, or a refusal with a code and a sentence."""
    try:
        accepts(*HOSTILE[name])
        refusal = None
    except SchemaError as error:
        refusal = error
    if refusal is not None:
        assert refusal.code in REFUSALS
        assert 0 < len(str(refusal)) < 400


def draft(number, keywords):
    return {"$schema": f"http://json-schema.org/draft-0{number}/schema#", **keywords}


@pytest.mark.parametrize("part", ["x" * 20_000, 10**4_299, {"x" * 20_000: 1}], ids=["text", "number", "key"])
def test_a_long_part_that_stands_in_many_places_is_refused(part):
    """As YAML's aliases write it: the library would write all of it into a message."""
    for schema in ({"enum": [part] * 20_000}, {"anyOf": [{"const": part}] * 12_000}):
        with pytest.raises(SchemaError, match="more than 5000000 characters") as caught:
            accepts(schema, 5)
        assert caught.value.code == "too-costly"
    assert accepts({"enum": [part] * 100}, part)


CLOSED = {"type": "object", "properties": dict.fromkeys(RECORDS[0], INTEGER), "unevaluatedProperties": False}
ORDINARY = {
    "records, closed": ({"type": "array", "items": CLOSED}, RECORDS),
    "records, closed by reference": ({"items": {"$ref": "#/$defs/r"}, "$defs": {"r": CLOSED}}, RECORDS),
    "records, unique": ({"type": "array", "uniqueItems": True}, [{"id": i, "a": 1, "b": "x"} for i in range(600)]),
    "columns, closed": (
        {"unevaluatedProperties": False, "properties": {"a": {"items": INTEGER}}},
        {"a": list(range(5_000))},
    ),
}


@pytest.mark.parametrize("name", ORDINARY)
def test_what_a_model_may_write_of_a_large_document_is_judged(name):
    """Keywords that can be dear have a budget for documents as large as the set's."""
    assert accepts(*ORDINARY[name])


# One keyword each whose single application takes as long as hundreds of small schemas.
DEAR = {
    "additionalProperties": {"additionalProperties": True},
    "additionalProperties, known": {"additionalProperties": {}, "properties": dict.fromkeys(WIDE, True)},
    "additionalProperties, patterns": {"additionalProperties": True, "patternProperties": {"^k": True}},
    "dependentRequired, nothing": {"dependentRequired": {f"r{i}": [] for i in range(3_000)}},
    "dependentRequired, names": {"dependentRequired": {key: ["k1"] for key in WIDE}},
    "dependentSchemas": {"dependentSchemas": dict.fromkeys(WIDE, True)},
    "dependencies": draft(7, {"dependencies": {key: ["k1"] for key in WIDE}}),
    "dependencies, draft 3": draft(3, {"dependencies": dict.fromkeys(WIDE, "k1")}),
    "type": {"type": ["string"] * 3_000 + ["object"]},
    "type, draft 3": draft(3, {"type": ["string"] * 3_000 + ["object"]}),
    "disallow": draft(3, {"disallow": ["string"] * 3_000}),
    "extends": draft(3, {"extends": [{}] * 3_000}),
    "properties": {"properties": dict.fromkeys(WIDE, True)},
    "propertyNames": {"propertyNames": True},
    "required": {"required": list(WIDE)},
    "unknown": {f"x-{i}": 1 for i in range(3_000)},
}


@pytest.mark.parametrize("name", DEAR)
def test_what_one_keyword_does_is_counted(name):
    """Applied a thousand times, it spends the budget; where it stands the metaschema does not look."""
    with pytest.raises(SchemaError, match="more than 100000 steps") as caught:
        accepts({"allOf": [{"$ref": "#/x"}] * 1_000, "x": DEAR[name]}, WIDE)
    assert caught.value.code == "too-costly"


def test_references_under_an_id_are_counted():
    """The library looks for the base of each anew, through all of the schema."""
    definitions = {f"d{i}": STRING for i in range(3_000)}
    inner = {"$id": "http://x/y", "$defs": {"a": True}, "allOf": [{"$ref": "#/$defs/a"}] * 100}
    with pytest.raises(SchemaError, match="more than 100000 steps"):
        accepts({"allOf": [inner], "$defs": definitions}, 1)
    assert accepts({"allOf": [inner], "$defs": {"d": STRING}}, 1)


def test_the_first_failure_decides_whatever_the_order_of_a_set():
    """The library walks additional properties in a set's order, which changes from one process to the next."""
    schema = {"additionalProperties": {"if": {"const": 0}, "then": False, "else": {"$ref": "http://127.0.0.1:9/s"}}}
    assert accepts(schema, {f"k{i}": i for i in range(40)}) is False
    with pytest.raises(SchemaError, match="127"):
        accepts(schema, {f"k{i}": 40 - i for i in range(40)})
    with pytest.raises(SchemaError, match=r"at \$defs.k3,"):
        accepts({"properties": {"a": {}}, "$defs": {f"k{i}": 5 if i > 2 else {} for i in range(40)}}, 1)


def test_the_depth_of_the_caller_does_not_matter():
    """A schema that fits an empty stack fits."""
    schema = nested_not(60)

    def deeper(levels):
        return deeper(levels - 1) if levels else accepts(schema, 1)

    assert accepts(schema, 1) is deeper(700) is True


def test_the_flat_metaschema_has_all_rules():
    """Every keyword of the library's metaschema and its vocabularies; no reference leads out of it."""
    flat = flat_metaschema()
    parts = [REGISTRY.contents(uri) for uri in REGISTRY if "2020-12" in uri and not uri.endswith("format-assertion")]
    assert set(flat["properties"]) == {key for part in parts for key in part["properties"]}
    text = json.dumps(flat)
    assert '"$ref": "meta' not in text
    assert '"$dynamicRef": "#meta"' not in text
    for word in ("pattern", "format", "exclusiveMinimum", "uniqueItems", "minItems", "minimum", "propertyNames"):
        assert text.count(f'"{word}": ') == json.dumps(parts).count(f'"{word}": ')


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
        "unevaluatedProperties": one,
        "unevaluatedItems": one,
        "$dynamicRef": lambda: source.choice(["#anc", "#", "#/$defs/x"]),
        "$schema": lambda: source.choice(["http://json-schema.org/draft-07/schema#", "urn:x"]),
        "$id": lambda: source.choice(["http://x/y", "z", "#"]),
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
    source = random.Random(seed)
    for _ in range(700):
        schema, value = random_schema(source), random_value(source)
        wanted = (True,) if by_library(schema, value) is True else (False, *REFUSALS)
        assert judged(schema, value) in wanted, (schema, value)


def random_shape_schema(source, depth=0):
    """A random schema that looks at shapes alone."""
    part = functools.partial(random_shape_schema, source, depth + 1)
    makers = {
        "type": lambda: source.choice(
            ("string", "integer", "number", "boolean", "null", "array", "object", ["null", "integer"])
        ),
        "required": lambda: source.sample("abc", source.randint(0, 2)),
    }
    if depth < 3:
        makers |= {
            "properties": lambda: {name: part() for name in source.sample("abc", source.randint(1, 3))},
            "items": part,
            "additionalProperties": lambda: source.choice((False, part())),
            **{name: lambda: [part() for _ in range(source.randint(1, 2))] for name in ("allOf", "anyOf", "oneOf")},
            **dict.fromkeys(("not", "if", "then", "else"), part),
        }
    return {name: makers[name]() for name in source.sample(sorted(makers), source.choice((1, 1, 2)))}


def random_table(source, depth=0):
    """A random value with long arrays of few shapes."""
    if depth == 3 or source.random() < 0.3:
        return source.choice(("x", "", 1, 2, 1.5, 2.0, 0.0, True, False, None))
    if source.random() < 0.6:
        return [random_table(source, depth + 1) for _ in range(source.choice((0, 1, 3, 9)))]
    return {name: random_table(source, depth + 1) for name in source.sample("abcd", source.randint(0, 3))}


@pytest.mark.parametrize("seed", range(3))
def test_one_element_of_each_shape_is_enough(seed):
    """The library's verdict on the whole value, where only a part of it is looked at."""
    source, smaller = random.Random(seed), 0
    for _ in range(700):
        schema, value = random_shape_schema(source), random_table(source)
        assert sees_shapes_alone(schema, keywords())
        assert judged(schema, value) is by_library(schema, value), (schema, value)
        smaller += of_each_shape(value) != value
    assert smaller > 100


@pytest.mark.parametrize("other", [*sorted(keywords() - BLIND), "$schema", "$id"])
def test_a_schema_with_any_other_keyword_sees_everything(other):
    """Wherever it stands, in the place of a property's name too."""
    assert not sees_shapes_alone({"items": {"properties": {other: True}}}, keywords())
    assert not sees_shapes_alone({"anyOf": [{other: 1}]}, keywords())


def test_a_deep_value_is_left_as_it_is():
    """What nests too deeply to be reduced is judged whole."""
    value = None
    for _ in range(5_000):
        value = [value]
    assert judged({"type": "array"}, value) is True
