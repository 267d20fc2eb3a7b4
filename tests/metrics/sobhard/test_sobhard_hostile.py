"""Answers that would hang, crash or reach out (contract, 11.4): a bounded verdict for each, and nothing is opened.

No test measures time; one that forgets its bound does not come back, and `make fuzz` times such texts.
"""

import builtins
import json
import socket

import pytest
from sobhard_questions import QUESTIONS, answer, changed, fence

from metrics import sobhard
from metrics.sobhard.values import MAX_NODES, Size, measure, too_large_to_walk

BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(12)
)
SELF = "a: &x\n  b: *x"
LONG_STRING = f'a: &s "{"x" * 100_000}"\nb: [{",".join(["*s"] * 20_000)}]'
SIX_LEVELS = BOMB[: BOMB.index("g: ")]


def with_rule(rule, **params):
    return changed(QUESTIONS["transform_yaml"], task_meta={"program": [{"rule": rule, "params": params}]})


RENUMBERED, SORTED_KEYS = with_rule("renumber", field="n"), with_rule("sort_keys")
SORTED = with_rule("sort_records", field="f", numeric=False)
BIG = f"- f: &big [{','.join(['[x]'] * 9_000)}]\n" + "- f: [*big]\n" * 2_000

# row, body, verdict codes of rule_applied, list_order_preserved, values_unchanged
SHARED = [
    # What no walk multiplies is judged in full, as the official scorer would after seconds or hours.
    (SORTED_KEYS, SIX_LEVELS, ("ok", "ok", "values-changed")),
    (SORTED_KEYS, BOMB, ("ok", "ok", "values-changed")),
    (SORTED_KEYS, "b: &b {y: 1, x: 2}\nc: *b", ("rule-broken", "ok", "values-changed")),
    # A bomb inside an aligned list.
    (SORTED_KEYS, "- &a {sku: x, qty: 1}\n- *a\n- *a", ("rule-broken", "ok", "values-changed")),
    (SORTED, SIX_LEVELS, ("ok", "ok", "values-changed")),
    # The rest is refused.
    (SORTED, BIG, ("too-large", "ok", "values-changed")),
    (
        SORTED,
        "a: &a\n" + "- {f: 1}\n" * 5_000 + "".join(f"b{i}: *a\n" for i in range(5_000)),
        ("too-large", "ok", "values-changed"),
    ),
    (RENUMBERED, BOMB, ("too-large", "ok", "values-changed")),
    (RENUMBERED, LONG_STRING, ("too-large", "ok", "values-changed")),
    (SORTED_KEYS, SELF, ("too-large", "too-large", "too-large")),
    (RENUMBERED, "&a [*a]", ("too-large", "too-large", "too-large")),
    # 0 leaves, as in no reference; a million empty lists.
    (changed(SORTED_KEYS, reference="[]"), BOMB.replace("x,x,x,x,x,x,x,x,x,x", ""), ("ok", "ok", "too-large")),
]


@pytest.mark.parametrize(("row", "body", "codes"), SHARED, ids=range(len(SHARED)))
def test_aliases_in_families_that_walk(row, body, codes):
    """The document parses as the official scorer has it; each walking constraint has a verdict of its own."""
    found = sobhard.score(row, fence(body, "yaml")).constraints
    assert found["syn.parses_target"].passed
    names = ("transform.rule_applied", "transform.list_order_preserved", "transform.values_unchanged")
    assert tuple(found[name].code for name in names) == codes


def test_a_bomb_among_the_elements_of_a_list():
    """It is no element of the reference, so the others decide about the order."""
    row = changed(SORTED_KEYS, reference="[[1], 2, 3]")
    bomb = "- &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"- &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(6)
    )
    found = sobhard.score(row, fence(f"- - {bomb[2:].replace(chr(10), chr(10) + '  ').rstrip()}\n- 3\n- 2", "yaml"))
    assert found.constraints["syn.parses_target"].passed
    assert found.constraints["transform.list_order_preserved"].code == "ok"


def test_one_large_part_in_a_thousand_places_of_an_aligned_list():
    """Measured once, not once a place."""
    row = changed(SORTED_KEYS, reference=json.dumps([0] * 2_000))
    found = sobhard.score(row, fence(BIG.rstrip().removesuffix("\n- f: [*big]"), "yaml")).constraints
    assert found["val.structure_match"].code == "structure-differs"
    assert found["transform.list_order_preserved"].code == "ok"


@pytest.mark.parametrize(("body", "code"), [(BOMB, "extra-keyword"), (SELF, "too-large")], ids=["bomb", "self"])
def test_aliases_in_a_schema(body, code):
    """Keywords are collected without multiplying; a schema inside itself is refused."""
    row = changed(QUESTIONS["schema_json"], fence_tag="yaml", reference="type: object")
    row["meta"]["categories"]["target_format"] = "yaml"
    found = sobhard.score(row, fence(body, "yaml")).constraints
    assert found["schema.no_extra_keywords"].code == code
    assert found["schema.required_sorted"].code == ("ok" if code == "extra-keyword" else "too-large")
    assert found["schema.validates_source"] is not None
    big = f"a: &a [{','.join(['[x]'] * 9_000)}]\nb: [{','.join(['{required: [*a]}'] * 2_000)}]"
    assert sobhard.score(row, fence(big, "yaml")).constraints["schema.required_sorted"].code == "too-large"
    listed = "a: &a [x,x,x]\nrequired: &r [*a, *a]\nitems: {required: [*r, *r]}"
    assert sobhard.score(row, fence(listed, "yaml")).constraints["schema.required_sorted"].passed


@pytest.mark.parametrize("body", [BOMB, SELF], ids=["alias-bomb", "self-reference"])
def test_families_that_only_compare_are_immune(body):
    """No walk, so no bound is met."""
    found = sobhard.score(QUESTIONS["convert_yaml"], fence(body, "yaml")).constraints
    assert found["convert.lossless_vs_source"].code == "differs"


def test_aliases_as_such_are_fine():
    """A right answer that shares its parts is right."""
    row = QUESTIONS["transform_yaml"]
    body = "- {sku: &b B-2, qty: 1}\n- {sku: A-1, qty: 5}\n- &c {sku: C-3, qty: 9}"
    assert sobhard.score(row, fence(body, "yaml")).metrics["sample_pass_rate"] == 1.0


def test_size_of_a_shared_value():
    """Counted once for each place that a walk would meet it in, in time linear in the distinct parts."""
    leaf = ["x"] * 10
    for _ in range(60):
        leaf = [leaf] * 10
    assert too_large_to_walk(leaf)
    assert not too_large_to_walk([["x"] * 10] * 100)
    assert too_large_to_walk([0] * (MAX_NODES + 1))
    assert too_large_to_walk([("k", ["y" * 1_000_000] * 6)])
    loop = []
    loop.append([loop])
    assert too_large_to_walk(loop)
    assert measure(loop) is None
    assert measure({"a": [1, "xy"], "b": {}}) == Size(5, 10, 2)
    assert measure("xy") == Size(1, 2, 1)


TOO_LARGE = 200_001


@pytest.mark.parametrize("name", ["convert_json", "transform_yaml", "patch_toml", "convert_properties", "merge_sql"])
def test_a_body_far_over_the_reference_is_refused_with_its_own_code(name):
    """Over 200,000 characters here; the limit grows with the reference, eight times its length."""
    row = QUESTIONS[name]
    found = sobhard.score(row, answer(row, "x" * TOO_LARGE)).constraints["syn.parses_target"]
    assert found.code == "too-large"
    assert str(TOO_LARGE) in found.reason
    assert sobhard.score(row, answer(row, "x" * (TOO_LARGE - 1))).constraints["syn.parses_target"].code != "too-large"


def test_the_size_limit_grows_with_the_reference():
    """A reference of 30,000 characters lets 240,000 pass."""
    row = changed(QUESTIONS["convert_json"], reference=json.dumps("x" * 30_000))
    found = sobhard.score(row, answer(row, json.dumps("x" * 230_000))).constraints["syn.parses_target"]
    assert found.passed


HOSTILE = {
    "json": [
        "[" * 100_000,
        "{" * 190_000,
        '{"a":' * 30_000,
        "9" * 5_000,
        "1" * 190_000 + ".5",
        '"' + "\\u0041" * 30_000 + '"',
        "[" + ",".join(["1"] * 90_000) + "]",
        "[" * 900 + "]" * 900,
        '"\ud800"',
        "\x00" * 1_000,
    ],
    "yaml": [
        "[" * 190_000,
        "[" * 1_200 + "]" * 1_200,
        "- " * 90_000,
        "? " * 90_000,
        ": " * 90_000,
        "&a " * 60_000,
        "\n".join("a0: &m0 {k: v}" if not i else f"a{i}: &m{i} {{<<: *m{i - 1}, k{i}: v}}" for i in range(5_000)),
        "a: 1" + ":1" * 90_000,
        "a: 0x" + "f" * 190_000,
        "a: " + "9" * 190_000,
        '"' * 190_000,
        "a: |\n" + " \n" * 90_000,
        "!!" * 90_000,
        "a: !!python/object/apply:os.system ['true']",
        "- {a: 1}\n" * 22_000,
        '["?\t' + '",1,"' * 30_000 + '"]',
        'a: "\u2028"\n' + "k: [a, b]\n" * 5_000,
        "&a [*a, *a, *a]",
        "? &a [*a]\n: 1",
        "<<: &a {<<: *a}",
        "%TAG ! tag:x\n---\na",
    ],
    "toml": [
        "a = " + "[" * 190_000,
        "a = " + "{a=" * 60_000,
        "a" + ".a" * 90_000 + " = 1",
        "#" * 190_000,
        "[[a]]\n" * 30_000,
        "[a" + ".a" * 5_000 + "]\n" + "\n".join(f"k{i}=1" for i in range(20_000)),
        "a = " + "9" * 190_000,
        "'''" * 60_000,
        'a = "' + "\\u0041" * 30_000 + '"',
        "\n".join(f"[t{i}.b]" for i in range(15_000)),
        '"a".' * 40_000 + "b=1",
    ],
    "properties": ["=" * 190_000, "a=1\n" * 48_000, "#" * 190_000],
    "sqlinsert": [
        "INSERT INTO records (" + "(" * 150_000,
        "INSERT INTO records (a) VALUES ('" + "'" * 150_001 + "');",
        "INSERT" + " " * 150_000 + "INTO",
        "INSERT INTO records (a) VALUES (" + "," * 150_000 + ");",
        "INSERT INTO records (a) VALUES (" + "' '" * 50_000 + ");",
        "INSERT INTO records (a) VALUES ('" + "9" * 150_000 + "');",
    ],
}
ROWS = {
    "json": "schema_json",
    "yaml": "transform_yaml",
    "toml": "patch_toml",
    "properties": "convert_properties",
    "sqlinsert": "merge_sql",
}


@pytest.mark.parametrize(
    ("target", "body"), [(t, b) for t, bodies in HOSTILE.items() for b in bodies], ids=lambda value: repr(value[:24])
)
def test_hostile_documents_have_verdicts(target, body):
    """None raises, none passes, and no verdict carries the text along."""
    row = QUESTIONS[ROWS[target]]
    score = sobhard.score(row, fence(body, row["meta"]["fence_tag"]))
    assert score.metrics["sample_pass_rate"] == 0.0
    assert all(len(verdict.reason) < 600 for verdict in score.constraints.values() if verdict)


MILLION = 1_000_000
HOSTILE_RESPONSES = [
    "[" * MILLION,
    "```\n" * (MILLION // 4),
    "`" * MILLION,
    "~" * MILLION,
    "<think>" * (MILLION // 7),
    "</think>" * (MILLION // 8),
    "<think></reason>" * (MILLION // 16),
    "<" * MILLION,
    "<thi<think></think>nk>" * (MILLION // 22),
    "```json" + " " * MILLION + "x",
    "\t" * MILLION,
    "\r\n" * (MILLION // 2),
    "слово " * (MILLION // 6),
    "\ud800" * MILLION,
    "\u2028" * MILLION,
    "\ufeff" * MILLION,
    "```" + "\t" * MILLION + "json!",
    "  " * (MILLION // 2) + "```",
    "<reason>\n```\n" * (MILLION // 13),
]


@pytest.mark.parametrize("response", HOSTILE_RESPONSES, ids=lambda text: repr(text[:12]))
def test_a_million_characters(response):
    """Linear in the response, whatever it holds."""
    score = sobhard.score(QUESTIONS["convert_json"], response)
    assert score.metrics["sample_pass_rate"] == 0.0


def test_scoring_opens_no_file_and_no_socket(monkeypatch):
    """References in schemas, entity-like and include-like texts, tags of Python objects: all with the doors shut."""
    for row in QUESTIONS.values():
        sobhard.score(row, answer(row))  # what is imported late is imported now

    def shut(*args, **kwargs):
        raise AssertionError("scoring opened something")

    monkeypatch.setattr(builtins, "open", shut)
    monkeypatch.setattr("io.open", shut)
    monkeypatch.setattr("os.open", shut)
    monkeypatch.setattr(socket, "socket", shut)
    monkeypatch.setattr(socket, "create_connection", shut)
    for address in ("http://127.0.0.1:9/x", "file:///etc/passwd", "https://json-schema.org/draft/2020-12/schema"):
        for schema in (
            {"$ref": address},
            {"$schema": address},
            {"$id": address, "$ref": "x"},
            {"$dynamicRef": address},
        ):
            row = QUESTIONS["schema_json"]
            assert sobhard.score(row, answer(row, json.dumps(schema))).metrics["sample_pass_rate"] == 0.0
    for name, row in QUESTIONS.items():
        assert sobhard.score(row, answer(row)).metrics["sample_pass_rate"] == 1.0, name
    found = sobhard.score(QUESTIONS["transform_yaml"], fence("!!python/object/apply:os.system ['true']", "yaml"))
    assert found.constraints["syn.parses_target"].code == "unknown-tag"
