"""The six target notations (contract, section 4): what is read as what, what is refused, by which code."""

import datetime
import json
import math
import sys
import tomllib
from pathlib import Path

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from metrics.sobhard.targets import TARGETS, parse

SAME = object()  # the text's own JSON reading

READ = [
    ("json", '{"a": [1, 2.5, true, null, "я"]}', SAME),
    ("json", ' \n"x" ', "x"),
    ("json", "0", 0),
    ("json", "false", False),
    ("json", '{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}),
    ("json", '{"x": NaN, "y": -Infinity}', {"x": math.nan, "y": -math.inf}),
    ("json", r'"\ud83d"', "\ud83d"),
    ("json", r'"\u0416\/"', "Ж/"),
    ("json", "1" + "0" * 400, 10**400),
    ("json", "1e999", math.inf),
    ("json", "```json\n{}```", {}),
    ("jsonl", "", []),
    ("jsonl", '{"a": 1}\n\n  [1]\nnull\n', [{"a": 1}, [1], None]),
    ("jsonl", '\u00a0{"a": 1}\u3000', [{"a": 1}]),
    ("yaml", "a: 1\nb: [x, 'y', \"z\\n\"]", {"a": 1, "b": ["x", "y", "z\n"]}),
    (
        "yaml",
        "{'a': NO, \"b\": no, c: On, d: y, e: ~, f: }",
        {"a": False, "b": False, "c": True, "d": "y", "e": None, "f": None},
    ),
    ("yaml", "[0x1F, 010, 0b11, 1_000, 12:30:45, +5, -0]", [31, 8, 3, 1000, 45045, 5, 0]),
    (
        "yaml",
        "[1.5, 1e5, 1.0e5, 1.0e+5, .5, 1., .inf, -.INF, 1_0.5]",
        [1.5, "1e5", "1.0e5", 1e5, 0.5, 1.0, math.inf, -math.inf, 10.5],
    ),
    (
        "yaml",
        "a: 2024-05-01\nb: 2024-05-01 10:00:00",
        {"a": datetime.date(2024, 5, 1), "b": datetime.datetime(2024, 5, 1, 10)},
    ),
    (
        "yaml",
        "on: push\n2: x\n1.5: y\nnull: z\n2024-01-01: d",
        {True: "push", 2: "x", 1.5: "y", None: "z", datetime.date(2024, 1, 1): "d"},
    ),
    ("yaml", "a: 1\nb: 2\na: 3", {"a": 3, "b": 2}),
    ("yaml", "true: a\n1: b", {True: "b"}),
    ("yaml", "base: &b {x: 1, y: 2}\nc: {<<: *b, y: 3}", {"base": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3}}),
    (
        "yaml",
        "a: &p {k: 1}\nb: &q {k: 2, l: 3}\nc: {<<: [*p, *q], m: 4}",
        {"a": {"k": 1}, "b": {"k": 2, "l": 3}, "c": {"k": 1, "l": 3, "m": 4}},
    ),
    ("yaml", "=: x", {"=": "x"}),
    ("yaml", "# c\n--- # d\na: b # e\n...\n", {"a": "b"}),
    ("yaml", "a: |\n  т\n  к\nb: >-\n  с\n  т", {"a": "т\nк\n", "b": "с т"}),
    ("yaml", "a: |\n  последняя\n", {"a": "последняя"}),
    ("yaml", 'a: "x\ty" # \t\nb: |\n  \tz\n  w', {"a": "x\ty", "b": "\tz\nw"}),
    ("yaml", '"\\ud83d\\ude00"', "\ud83d\ude00"),
    ("yaml", "a: x\u2028 b", {"a": "x\u2028b"}),
    ("yaml", '{"a": {"b": [1, {}]}}', SAME),
    ("yaml", "{a:, b: 1}", {"a": None, "b": 1}),
    ("yaml", "!!str 5", "5"),
    (
        "yaml",
        "[!!set {a, b}, !!omap [x: 1], !!pairs [x: 1, x: 2], !!binary aGk=]",
        [{"a", "b"}, [("x", 1)], [("x", 1), ("x", 2)], b"hi"],
    ),
    ("yaml", "\ufeffa: 1", {"a": 1}),
    (
        "toml",
        'a.b = 1\nc = [1, 2,]\nd = {x = "y"}\n[[t]]\nk = true\n[u]\nf = 0x1F',
        {"a": {"b": 1}, "c": [1, 2], "d": {"x": "y"}, "t": [{"k": True}], "u": {"f": 31}},
    ),
    ("toml", "x = inf\ny = 1_000\nz = 2024-05-01", {"x": math.inf, "y": 1000, "z": datetime.date(2024, 5, 1)}),
    ("toml", "# c\n", {}),
    ("jsonl", " \n\n", []),
    ("properties", "a = 1\n\n # c\n! d\nb=x=y\n c  =  \na = 2", {"a": "2", "b": "x=y", "c": ""}),
    ("properties", r"a = \u0041 \n", {"a": r"\u0041 \n"}),
    ("sqlinsert", "INSERT INTO records (a, b) VALUES ('1', NULL);", [{"a": "1", "b": None}]),
    ("sqlinsert", "\n  insert\tINTO Records(a)values  ('it''s' , ) ; \n", [{"a": "it's"}]),
    ("sqlinsert", "INSERT INTO records (\"a\", b c) VALUES (null,');');", [{'"a"': None, "b c": ");"}]),
    ("sqlinsert", "INSERT INTO records (a) VALUES ('''');", [{"a": "'"}]),
]

REFUSED = [
    ("json", "", "invalid-json"),
    ("json", "null", "null-document"),
    ("json", "{'a': 1}", "invalid-json"),
    ("json", '{"a": 1,}', "invalid-json"),
    ("json", '{"a": 1} // c', "invalid-json"),
    ("json", '"a\nb"', "invalid-json"),
    ("json", "{} {}", "invalid-json"),
    ("json", "\ufeff{}", "invalid-json"),
    ("json", "1" * 4301, "invalid-json"),
    ("json", "[" * 1000 + "]" * 1000, "too-deep"),
    ("jsonl", '{"a": 1},\n{"a": 2}', "invalid-jsonl"),
    ("jsonl", '{\n"a": 1\n}', "invalid-jsonl"),
    ("yaml", "", "null-document"),
    ("yaml", "# один комментарий", "null-document"),
    ("yaml", "~", "null-document"),
    ("yaml", "a: 1\n---\nb: 2", "several-documents"),
    ("yaml", "a: !!python/object:os.system x", "unknown-tag"),
    ("yaml", "!X a", "unknown-tag"),
    ("yaml", "a: =", "unknown-tag"),
    ("yaml", "- <<", "unknown-tag"),
    ("yaml", "a:\tb", "invalid-yaml"),
    ("yaml", "a: b\tc", "invalid-yaml"),
    ("yaml", "a:\n\tb: 1", "invalid-yaml"),
    ("yaml", "a: 1\t\nb: 2", "invalid-yaml"),
    ("yaml", "a: \ud800", "invalid-yaml"),
    ("yaml", "a: \x07", "invalid-yaml"),
    ("yaml", "? [a]\n: b", "unhashable-key"),
    ("yaml", "{a: 1}: b", "unhashable-key"),
    ("yaml", "a: 2024-13-45", "invalid-yaml"),
    ("yaml", "a: *x", "invalid-yaml"),
    ("yaml", "- &x 1\n- &x 2", "invalid-yaml"),
    ("yaml", "a: |x\n  b", "invalid-yaml"),
    ("yaml", "a: |#\n  b", "invalid-yaml"),
    ("yaml", "a: " + "9" * 4301, "invalid-yaml"),
    ("yaml", "[" * 491 + "]" * 491, "too-deep"),
    ("yaml", "[" * 1000 + " ? ]", "too-deep"),
    ("yaml", "a: 1:" + "1:" * 2400 + "1", "invalid-yaml"),
    ("yaml", "{<<: 1}", "invalid-yaml"),
    ("yaml", "!!omap [{a: 1, b: 2}]", "unknown-tag"),
    ("yaml", "a: b: c", "invalid-yaml"),
    ("toml", "", "empty-toml"),
    ("toml", " \n\t\n", "empty-toml"),
    ("toml", "```toml\n\n```", "empty-toml"),
    ("toml", "a = 1\na = 2", "invalid-toml"),
    ("toml", "[a]\n[a]", "invalid-toml"),
    ("toml", "a = {\nb = 1}", "invalid-toml"),
    ("toml", "a = {b = 1,}", "invalid-toml"),
    ("toml", 'a = "\\ud800"', "invalid-toml"),
    ("toml", 'a = "\\e"', "invalid-toml"),
    ("toml", 'a = "\\x41"', "invalid-toml"),
    ("toml", "a = {b = 1 # c\n}", "invalid-toml"),
    ("toml", "a = 12:30", "invalid-toml"),
    ("toml", "a = 2024-05-01 12:30", "invalid-toml"),
    ("toml", "a = слово", "invalid-toml"),
    ("toml", "\ufeffa = 1", "invalid-toml"),
    ("toml", "a = " + "[" * 1000 + "]" * 1000, "too-deep"),
    ("toml", "a" + ".a" * 20_000 + " = 1", "too-deep"),
    ("properties", "a: 1", "no-separator"),
    ("properties", "a 1", "no-separator"),
    ("properties", "= 1", "empty-key"),
    ("properties", "# c", "no-entries"),
    ("properties", "", "no-entries"),
    ("sqlinsert", "", "no-entries"),
    ("sqlinsert", "-- c\nINSERT INTO records (a) VALUES ('1');", "not-an-insert"),
    ("sqlinsert", "INSERT INTO other (a) VALUES ('1');", "not-an-insert"),
    ("sqlinsert", "INSERT INTO records (a)\nVALUES ('1');", "not-an-insert"),
    ("sqlinsert", "INSERT INTO records (a) VALUES ('1')", "not-an-insert"),
    ("sqlinsert", "INSERT INTO records (a) VALUES ('1'), ('2');", "bad-value"),
    ("sqlinsert", "INSERT INTO records (a) VALUES (1);", "bad-value"),
    ("sqlinsert", 'INSERT INTO records (a) VALUES ("1");', "bad-value"),
    ("sqlinsert", "INSERT INTO records (a) VALUES ('it's');", "bad-value"),
    ("sqlinsert", "INSERT INTO records (a, b) VALUES ('1');", "wrong-count"),
    ("sqlinsert", "INSERT INTO records (a) VALUES ('1',,);", "bad-value"),
    ("sqlinsert", "INSERT INTO records (a) VALUES ();", "wrong-count"),
    ("sqlinsert", "INSERT INTO records (a, a) VALUES ('1', '2');", "bad-columns"),
    ("sqlinsert", "INSERT INTO records (a, ) VALUES ('1', '2');", "bad-columns"),
    (
        "sqlinsert",
        "INSERT INTO records (a, b) VALUES ('1', '2');\nINSERT INTO records (b, a) VALUES ('1', '2');",
        "other-columns",
    ),
    ("sqlinsert", "```sql\nINSERT INTO records (a) VALUES ('1');```", "not-an-insert"),
]


def same(a, b):
    """Equal with the same types, NaN equal to itself, keys in the same order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return [repr(key) for key in a] == [repr(key) for key in b] and all(map(same, a.values(), b.values()))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (a != a and b != b)


@pytest.mark.parametrize(("target", "text", "value"), READ, ids=lambda x: repr(x)[:40] if isinstance(x, str) else None)
def test_read(target, text, value):
    """The value, with its types and key order."""
    parsed = parse(TARGETS[target], text)
    assert parsed.code == "ok", parsed.reason
    assert same(parsed.value, json.loads(text) if value is SAME else value)


@pytest.mark.parametrize(("target", "text", "code"), REFUSED, ids=lambda x: repr(x)[:40])
def test_refused(target, text, code):
    """No value, and the code that says why; the reason is one printable line."""
    parsed = parse(TARGETS[target], text)
    assert parsed.value is None
    assert parsed.code == code
    assert parsed.reason
    assert "\n" not in parsed.reason
    assert len(parsed.reason) < 300


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="from Python 3.15 on the standard library reads TOML 1.1")
@pytest.mark.parametrize("text", [text for target, text, *_ in READ + REFUSED if target == "toml" and len(text) < 2000])
def test_toml_is_read_as_python_reads_toml_1_0(text):
    """The pinned reader takes and refuses what the standard library's TOML 1.0 reader does, to the type."""

    def outcome(loads, error):
        try:
            return loads(text)
        except error as refusal:
            return str(refusal)

    assert same(outcome(tomli.loads, tomli.TOMLDecodeError), outcome(tomllib.loads, tomllib.TOMLDecodeError))


def test_no_scorer_reads_toml_with_the_interpreters_own_reader():
    """That one changes with the interpreter: a verdict would too."""
    rooms = [Path(__file__).parents[3] / room for room in ("metrics", "builders")]
    assert [str(file) for room in rooms for file in room.rglob("*.py") if "tomllib." in file.read_text("utf-8")] == []


def test_trailing_tab_is_trimmed_with_the_text():
    """Outer white space goes before the parser sees it, so a tab there is nothing."""
    assert parse(TARGETS["yaml"], "a: 1\t").value == {"a": 1}


def test_a_plain_question_mark_ends_a_flow_scalar_as_in_the_pure_parser():
    """Libyaml reads ``a?`` here; the pure parser, whose verdict counts, refuses."""
    assert parse(TARGETS["yaml"], "- [a? b]").code == "invalid-yaml"


def test_aliases_share_and_may_contain_themselves():
    """A reference into itself is a value, and marked so that walks can refuse it."""
    parsed = parse(TARGETS["yaml"], "a: &x\n  b: *x")
    assert parsed.shared
    assert parsed.value["a"]["b"] is parsed.value["a"]
    assert not parse(TARGETS["yaml"], "a: {b: c}").shared


def test_depth_does_not_depend_on_the_callers_stack():
    """900 levels of JSON parse from a deep stack as from a shallow one."""
    text = "[" * 900 + "]" * 900

    def deep(levels):
        return deep(levels - 1) if levels else parse(TARGETS["json"], text).code

    assert parse(TARGETS["json"], text).code == "ok"
    assert deep(600) == "ok"


def test_the_slow_yaml_path_has_its_own_limit():
    """What only the pure parser can judge is refused when it is long, unless the reference is as long."""
    text = 'a: "\u2028"\n' + "k: v\n" * 15_000
    assert parse(TARGETS["yaml"], text).code == "too-large"
    assert parse(TARGETS["yaml"], text, usual=len(text)).code == "ok"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
).filter(lambda value: value is not None)


@given(JSON_VALUES, st.sampled_from([None, 1, 4]), st.booleans())
def test_json_round_trip(value, indent, ascii_only):
    """Any layout and escape style reads as the same value."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert same(parse(TARGETS["json"], text).value, value)


@given(st.lists(JSON_VALUES | st.none(), max_size=5))
def test_jsonl_round_trip(values):
    """One value a line."""
    assert same(parse(TARGETS["jsonl"], "\n".join(map(json.dumps, values))).value, values)


PLAIN = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=10)


@given(st.lists(st.tuples(PLAIN | st.none(), PLAIN), min_size=1, max_size=5))
def test_sqlinsert_round_trip(rows):
    """Any text without a line feed can be a value."""
    lines = [
        "INSERT INTO records (a, b) VALUES ("
        + ", ".join("NULL" if value is None else "'" + value.replace("'", "''") + "'" for value in row)
        + ");"
        for row in rows
    ]
    assert parse(TARGETS["sqlinsert"], "\n".join(lines)).value == [{"a": a, "b": b} for a, b in rows]


@given(st.sampled_from(sorted(TARGETS)), st.text(max_size=60))
def test_any_text_has_a_verdict(target, text):
    """No text raises; a value or a code, never both."""
    parsed = parse(TARGETS[target], text)
    assert (parsed.value is None) == (parsed.code != "ok")
