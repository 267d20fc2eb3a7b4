"""References in the six target notations: what is written reads back by both readers, and what is not is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.sobhard.sources.model import same_value
from builders.sobhard.targets import read_target, write_target
from metrics.sobhard.extraction import unpack
from metrics.sobhard.targets import TARGETS, parse

TEXTS = st.one_of(
    st.sampled_from(
        [
            "NO",
            "on",
            "12:30:45",
            "2024-05-01",
            "010",
            "1e5",
            "=",
            "80",
            "~",
            "null",
            "0x1f",
            "1_000",
            ".5",
            "y",
            "-",
            "",
        ]
    ),
    st.sampled_from(
        ["a\nb\n", "a\n", "\n", "x: y", "- x", "# x", "'", '"', "it's", "a\\n", "ё\u2028я", "😀", " a ", "\t"]
    ),
    st.text(max_size=6),
)
SCALARS = st.one_of(TEXTS, st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False))
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXTS, v, max_size=3), max_leaves=8)
ROWS = st.lists(st.fixed_dictionaries({"a": TEXTS | st.none(), "Ёж_1": TEXTS}), min_size=1, max_size=3)
MAPS = st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=3)


@given(VALUES | ROWS | MAPS, st.sampled_from(sorted(TARGETS)))
def test_a_reference_is_the_value_or_there_is_none(value, target):
    """Types included, inside a block as an answer has it; nothing but a refusal is raised."""
    try:
        text = write_target(target, value)
    except ValueError:
        return
    assert same_value(read_target(target, text), value)
    assert same_value(parse(TARGETS[target], text).value, value)
    tag = TARGETS[target].tag
    body = unpack(f"```{tag}\n{text}\n```", tag).body
    assert same_value(parse(TARGETS[target], body).value, value)


@given(st.dictionaries(st.sampled_from(["b", "a", "Ё"]), st.integers(0, 9) | st.just([{"z": 1, "y": 2}]), min_size=1))
def test_the_order_of_keys_is_kept_where_it_is_graded(value):
    """JSON and YAML always keep it; TOML puts its tables last."""
    for target in ("json", "yaml"):
        assert json.dumps(read_target(target, write_target(target, value, ordered=True))) == json.dumps(value)
    with pytest.raises(ValueError, match="order of keys"):
        write_target("toml", {"a": {"x": 1}, "b": 1}, ordered=True)
    assert write_target("toml", {"a": 1, "b": {"x": 1}}, ordered=True) == "a = 1\n\n[b]\nx = 1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": "x\ny\n"}, 'a: "x\\ny\\n"'),
        ({"a": "x\ny\n", "b": 1}, "a: |\n  x\n  y\nb: 1"),
        ({"a": ["x\ny"]}, "a:\n  - |-\n    x\n    y"),
        ({"country": "NO", "on": "push", "mode": "010"}, 'country: "NO"\n"on": push\nmode: "010"'),
    ],
)
def test_yaml_has_no_surprises(value, text):
    """A last text keeps its line feed; what YAML 1.1 would read as something else is quoted."""
    assert write_target("yaml", value) == text


@pytest.mark.parametrize(
    ("target", "value", "says"),
    [
        ("sqlinsert", [{"a": 1}], "no string: 1"),
        ("sqlinsert", [{"a": ["x"]}], "no string"),
        ("sqlinsert", [{"a": "x"}, {"b": "x"}], "record 2 has other fields"),
        ("sqlinsert", [{"a": "x\ny"}], "line break"),
        ("sqlinsert", [{"a": "x\ry"}], "line break"),
        ("sqlinsert", [{"first name": "x"}], "without quotes"),
        ("sqlinsert", [{"Order": "x"}], "without quotes"),
        ("sqlinsert", {"a": "x"}, "list of records"),
        ("sqlinsert", [{}], "list of records"),
        ("toml", {"a": None}, "no null"),
        ("toml", [1], "an object"),
        ("toml", {"a": 2**63}, "64 bits"),
        ("jsonl", {"a": 1}, "a list"),
        ("json", {}, "empty"),
        ("jsonl", [], "empty"),
        ("json", None, "null"),
        ("json", {"a": float("nan")}, "no JSON number"),
        ("json", {"a": "\ud800"}, "surrogate"),
        ("properties", {"a": 1}, "not a string"),
        ("properties", {"a": " x"}, "another"),
        ("properties", {"a b": "x"}, "separator|white space"),
        ("yaml", {"a": "x\n```\ny"}, "block of code"),
        ("toml", {"a": ["~~~ sh"]}, "block of code"),
    ],
)
def test_what_a_target_cannot_hold_is_refused_with_the_reason(target, value, says):
    """Nothing is changed to fit."""
    with pytest.raises(ValueError, match=says):
        write_target(target, value)


def test_sql_doubles_quotes_and_writes_null():
    """As the scorer reads it; the columns of all lines are the first record's."""
    text = write_target("sqlinsert", [{"a": "it's", "b": None}, {"b": "', '", "a": "NULL"}])
    assert text == (
        "INSERT INTO records (a, b) VALUES ('it''s', NULL);\nINSERT INTO records (a, b) VALUES ('NULL', ''', ''');"
    )


@pytest.mark.parametrize("text", ["INSERT INTO t (a) VALUES ('x');", "x", "", "INSERT INTO records (a) VALUES ();"])
@pytest.mark.parametrize("change", [lambda text: text, lambda text: text.replace("'x'", "'x")])
def test_what_is_no_statement_is_not_read(text, change):
    """The reader knows its own writer's statements alone."""
    with pytest.raises(ValueError, match="no "):
        read_target("sqlinsert", change(text))
