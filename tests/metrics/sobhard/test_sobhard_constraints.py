"""The 31 constraints: an accepting and a rejecting answer for each."""

import json

import pytest
from sobhard_questions import QUESTIONS, answer, fence

from metrics import sobhard
from metrics.sobhard.constraints import LAYERS


def verdict(name, row, response):
    return sobhard.score(row, response).constraints[name]


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_reference_scores_one(name):
    """In the right fence, with every applicable constraint passed."""
    score = sobhard.score(QUESTIONS[name], answer(QUESTIONS[name]))
    assert {k: v.reason for k, v in score.constraints.items() if v and not v.passed} == {}
    assert score.metrics == dict.fromkeys(sobhard.METRICS, 1.0)
    assert score.cell == "{family}/{difficulty}".format(**QUESTIONS[name]["meta"]["categories"])


def body(name, text):
    return answer(QUESTIONS[name], text)


SCHEMA = json.loads(QUESTIONS["schema_json"]["meta"]["reference"])


def schema(**changes):
    return body("schema_json", json.dumps({**SCHEMA, **changes}, ensure_ascii=False))


CONVERT, EXTRACT = QUESTIONS["convert_json"]["meta"]["reference"], QUESTIONS["extract_json"]["meta"]["reference"]
REPAIR, TRANSFORM = QUESTIONS["repair_json"]["meta"]["reference"], QUESTIONS["transform_jsonl"]["meta"]["reference"]

# constraint, question, response that it rejects, code of the verdict
REJECTED = [
    ("pack.fence_present", "convert_json", CONVERT, "no-block"),
    ("pack.fence_present", "convert_json", "```json\n{}", "unclosed-block"),
    ("pack.fence_exactly_one", "convert_json", CONVERT, "no-block"),
    ("pack.fence_exactly_one", "convert_json", fence("{}", "json") + "\n" + fence("{}", "json"), "several-blocks"),
    ("pack.fence_exactly_one", "convert_json", "\n".join([fence("{}", "json")] * 9), "several-blocks"),
    ("pack.fence_exactly_one", "convert_json", fence("{}", "json") + "\n```", "unclosed-block"),
    ("pack.fence_tag_correct", "convert_json", fence(CONVERT, "JSON"), "wrong-tag"),
    ("pack.fence_tag_correct", "convert_json", fence(CONVERT, ""), "no-tag"),
    ("pack.nothing_outside_fence", "convert_json", "Вот:\n" + fence(CONVERT, "json"), "text-outside"),
    ("pack.nothing_outside_fence", "convert_json", fence(CONVERT, "json") + "\n.", "text-outside"),
    ("syn.parses_target", "convert_json", fence(CONVERT + ",", "json"), "invalid-json"),
    ("syn.parses_target", "convert_json", fence("null", "json"), "null-document"),
    ("syn.parses_target", "convert_json", "", "empty-response"),
    ("val.structure_match", "convert_json", fence(CONVERT.replace("8080", '"8080"'), "json"), "structure-differs"),
    ("val.numeric_within_tol", "convert_json", fence(CONVERT.replace("8080", "8081"), "json"), "number-differs"),
    ("val.strings_byte_exact", "convert_json", fence(CONVERT.replace("Лавка", "лавка"), "json"), "string-differs"),
    ("convert.lossless_vs_source", "convert_json", fence(CONVERT.replace("0.5", "0.6"), "json"), "differs"),
    ("extract.keys_exact", "extract_json", fence(EXTRACT.replace("shop.name", "name"), "json"), "wrong-keys"),
    ("extract.is_object", "extract_json", fence(f"[{EXTRACT}]", "json"), "not-an-object"),
    ("extract.absent_paths_null", "extract_json", fence(EXTRACT.replace("null", '""'), "json"), "absent-path-filled"),
    (
        "extract.absent_paths_null",
        "extract_json",
        fence(EXTRACT.replace("fax", "phone"), "json"),
        "absent-path-missing",
    ),
    ("repair.data_intact", "repair_json", fence(REPAIR.replace("старт", "стоп"), "json"), "differs"),
    ("transform.rule_applied", "transform_jsonl", fence(TRANSFORM.replace('"n": 2', '"n": 3'), "jsonl"), "rule-broken"),
    (
        "transform.values_unchanged",
        "transform_jsonl",
        fence(TRANSFORM.replace("5", "6").replace('"n": 2', '"n": 9'), "jsonl"),
        "values-changed",
    ),
    (
        "transform.list_order_preserved",
        "transform_jsonl",
        fence("\n".join(reversed(TRANSFORM.split("\n"))), "jsonl"),
        "reordered",
    ),
    ("transform.values_unchanged", "transform_jsonl", fence(TRANSFORM.replace("5", "5.0"), "jsonl"), "values-changed"),
    ("template.record_count", "template_json", body("template_json", '["№1: Аня, true; ."]'), "wrong-count"),
    ("template.record_count", "template_json", body("template_json", '["a", 5]'), "not-strings"),
    ("template.record_count", "template_json", body("template_json", '{"a": "b"}'), "not-strings"),
    ("template.no_placeholder_left", "template_json", body("template_json", '["${id}", "x"]'), "placeholder-left"),
    (
        "template.rendered_exact",
        "template_json",
        body("template_json", '["№1: Аня, True; .", "№2: Ян, null; ."]'),
        "differs",
    ),
    ("applydiff.result_exact", "applydiff_json", body("applydiff_json", '{"host": "a"}'), "differs"),
    (
        "patch.ops_applied",
        "patch_toml",
        body("patch_toml", 'title = "старый"\nports = [80]\n[db]\nhost = "h"'),
        "differs",
    ),
    (
        "merge.join_exact",
        "merge_sql",
        body("merge_sql", "INSERT INTO records (emp, room, dept) VALUES ('007', '12', 'MI6');"),
        "differs",
    ),
    ("merge.record_count", "merge_sql", body("merge_sql", "INSERT INTO records (emp) VALUES ('007');"), "wrong-count"),
    ("diff.matches_pair", "diff_yaml", body("diff_yaml", "added: {}\nremoved: {}\nchanged: {}"), "differs"),
    (
        "diff.matches_pair",
        "diff_yaml",
        body(
            "diff_yaml",
            "changed: {host: {стало: b, было: a}, 'flags[1]': {было: 'y', стало: z}}\nremoved: {tls: 'no'}\n"
            "added: {log: {level: info}, 'flags[2]': w}",
        ),
        "differs",
    ),
    ("diff.top_level_form", "diff_yaml", body("diff_yaml", "removed: {}\nadded: {}\nchanged: {}"), "wrong-sections"),
    ("diff.top_level_form", "diff_yaml", body("diff_yaml", "[]"), "not-an-object"),
    ("diff.sections_sorted", "diff_yaml", body("diff_yaml", "changed: {b: 1, a: 2}"), "unsorted"),
    ("schema.required_sorted", "schema_json", schema(required=["tags", "name"]), "unsorted"),
    ("schema.validates_source", "schema_json", schema(type="array"), "not-valid"),
    ("schema.validates_source", "schema_json", schema(type="record"), "invalid-schema"),
    (
        "schema.validates_source",
        "schema_json",
        schema(properties={"name": {"$ref": "file:///etc/hosts"}}),
        "foreign-reference",
    ),
    ("schema.validates_source", "schema_json", schema(properties={"name": {"pattern": r"(а|а)\1"}}), "costly-pattern"),
    ("schema.type_mapping_exact", "schema_json", schema(properties={}), "differs"),
    ("schema.no_extra_keywords", "schema_json", schema(title="t"), "extra-keyword"),
    ("session.no_restatement", "session_yaml", body("session_yaml", "host: h\nport: 80"), "restated"),
]
ACCEPTED = [
    ("pack.fence_present", "convert_json", "```json\n{}\n```\n```"),
    ("pack.fence_exactly_one", "convert_json", "~~~~\n{}\n```json\nхвост"),
    ("pack.fence_tag_correct", "convert_json", "  ``` json \n{}\n```\nхвост"),
    ("pack.nothing_outside_fence", "convert_json", "\u00a0<think>x</think>\n```\n{}\n```\n</reason>"),
    ("syn.parses_target", "convert_json", fence('{"x": NaN}', "json")),
    ("val.structure_match", "convert_json", fence(CONVERT.replace("8080", "1"), "json")),
    (
        "val.numeric_within_tol",
        "convert_json",
        fence(CONVERT.replace("8080", "8080.001").replace("Лавка", "x"), "json"),
    ),
    ("val.strings_byte_exact", "convert_json", fence(CONVERT.replace("Лавка", "\\u041b\\u0430вка"), "json")),
    ("convert.lossless_vs_source", "convert_json", fence(CONVERT.replace("8080", '"8080.0"'), "json")),
    ("extract.keys_exact", "extract_json", fence(EXTRACT.replace("Лавка", "x"), "json")),
    ("extract.is_object", "extract_json", fence("{}", "json")),
    ("extract.absent_paths_null", "extract_json", fence('{"shop.fax": null}', "json")),
    ("repair.data_intact", "repair_json", fence(REPAIR.replace("0", '"0"'), "json")),
    ("transform.rule_applied", "transform_jsonl", fence('{"qty": 2, "n": 1}', "jsonl")),
    ("transform.list_order_preserved", "transform_jsonl", fence(TRANSFORM.replace("C-3", "X"), "jsonl")),
    ("transform.values_unchanged", "transform_jsonl", fence("\n".join(reversed(TRANSFORM.split("\n"))), "jsonl")),
    ("template.record_count", "template_json", body("template_json", '["a", "${b}"]')),
    ("template.no_placeholder_left", "template_json", body("template_json", '["$ {b}", 5]')),
    ("template.rendered_exact", "template_json", body("template_json", '[\n"№1: Аня, true; .",\n"№2: Ян, null; ."]')),
    (
        "applydiff.result_exact",
        "applydiff_json",
        body("applydiff_json", '{"port": 80.0, "host": "b", "log": {"level": "info"}, "flags": ["x", "z", "w"]}'),
    ),
    ("patch.ops_applied", "patch_toml", body("patch_toml", 'db.host = "h"\nports = [80, 443]\ntitle = "новый" # c')),
    (
        "merge.join_exact",
        "merge_sql",
        body(
            "merge_sql",
            "insert into RECORDS (dept, emp, room) values ('MI6', '7', null);\n"
            "insert into RECORDS (dept, emp, room) values ('HR', '100', '3.0');",
        ),
    ),
    (
        "merge.record_count",
        "merge_sql",
        body("merge_sql", "INSERT INTO records (x) VALUES ('1');\nINSERT INTO records (x) VALUES ('2');"),
    ),
    (
        "diff.matches_pair",
        "diff_yaml",
        body(
            "diff_yaml",
            "changed: {host: {стало: b, было: a}, 'flags[1]': {было: 'y', стало: z}}\nremoved: {tls: no}\n"
            "added: {log: {level: info}, 'flags[2]': w}",
        ),
    ),
    ("diff.top_level_form", "diff_yaml", body("diff_yaml", "added: 1\nremoved: 2\nchanged: 3")),
    (
        "diff.sections_sorted",
        "diff_yaml",
        body("diff_yaml", "other: {b: 1, a: 2}\nadded: [b, a]\nchanged: {Я: 1, а: 2}"),
    ),
    ("schema.required_sorted", "schema_json", body("schema_json", '{"required": "ba", "x": {"required": ["A", "a"]}}')),
    (
        "schema.validates_source",
        "schema_json",
        body("schema_json", '{"$schema": 42, "properties": {"name": {"type": "string"}}}'),
    ),
    ("schema.type_mapping_exact", "schema_json", schema(**{"$schema": "x"})),
    ("schema.no_extra_keywords", "schema_json", body("schema_json", '{"properties": {"title": {"minItems": 1}}}')),
    ("session.no_restatement", "session_yaml", body("session_yaml", "port: 80")),
]


# constraint, the sentence, what was observed and what was wanted: row by row of the tables above
SAID_OF_REJECTED = [
    ("pack.fence_present", "no fenced block in 98 characters", 0, ">= 1"),
    ("pack.fence_present", "the fence of line 1 is never closed", 0, ">= 1"),
    ("pack.fence_exactly_one", "one fenced block required, none found", 0, 1),
    ("pack.fence_exactly_one", "one fenced block required, 2 found, at lines 1, 4", 2, 1),
    ("pack.fence_exactly_one", "one fenced block required, 9 found, at lines 1, 4, 7, 10, 13, …", 9, 1),
    ("pack.fence_exactly_one", "the fence of line 4 is never closed, beside 1 whole block", 1, 1),
    ("pack.fence_tag_correct", 'the tag "json" required, "JSON" found at line 1', "JSON", "json"),
    ("pack.fence_tag_correct", 'the tag "json" required, none found at line 1', "", "json"),
    ("pack.nothing_outside_fence", '4 characters outside the block, from line 1 on: "Вот:"', 4, 0),
    ("pack.nothing_outside_fence", '1 character outside the block, from line 4 on: "."', 1, 0),
    ("syn.parses_target", "not JSON: line 1, column 99: Extra data", None, "json"),
    ("syn.parses_target", "the document is null as json, which counts as not parsed", None, "json"),
    ("syn.parses_target", "nothing to parse", None, "json"),
    ("val.structure_match", "port: 8080 expected, '8080' found", "'8080'", "8080"),
    ("val.numeric_within_tol", "port: 8080 expected, 8081 found", "8081", "8080"),
    ("val.strings_byte_exact", "name: 'Лавка' expected, 'лавка' found", "'лавка'", "'Лавка'"),
    ("convert.lossless_vs_source", "against the source, ratio: 0.5 expected, 0.6 found", "0.6", "0.5"),
    ("extract.keys_exact", "the keys must be the paths as given: missing 'shop.name'; extra 'name'", 3, 3),
    ("extract.is_object", "an object required, found an array of 1 element", "an array of 1 element", "an object"),
    ("extract.absent_paths_null", "\"shop.fax\" leads nowhere, null required, '' found", "''", "null"),
    ("extract.absent_paths_null", '"shop.fax" leads nowhere and must be a key with null', None, "null"),
    (
        "repair.data_intact",
        "against the intact document, log[0].m: 'старт' expected, 'стоп' found",
        "'стоп'",
        "'старт'",
    ),
    ("transform.rule_applied", 'step 3, renumber: record 2 carries 3 in "n"', None, "renumber"),
    ("transform.values_unchanged", "values as written: missing 2, 5; extra 9, 6", 8, 8),
    ("transform.list_order_preserved", "the document: the right elements in another order", "the document", None),
    ("transform.values_unchanged", "values as written: missing 5; extra 5.0", 8, 8),
    ("template.record_count", "2 strings required, 1 found", 1, 2),
    ("template.record_count", "element 2 must be a string, found 5", "5", 2),
    ("template.record_count", "an array of strings required, found an object with 1 key", "an object with 1 key", 2),
    ("template.no_placeholder_left", 'element 1 still holds "${id}"', "${id}", None),
    (
        "template.rendered_exact",
        "against the filled template, [0]: '№1: Аня, true; .' expected, '№1: Аня, True; .' found",
        "'№1: Аня, True; .'",
        "'№1: Аня, true; .'",
    ),
    (
        "applydiff.result_exact",
        "against version 1 after the changes, the document: missing keys 'port', 'flags', 'log'",
        "an object with 1 key",
        "an object with 4 keys",
    ),
    (
        "patch.ops_applied",
        "against the source after the operations, ports: 2 elements expected, 1 found (2 differences in all)",
        "an array of 1 element",
        "an array of 2 elements",
    ),
    (
        "merge.join_exact",
        "against the joined records, the document: 2 elements expected, 1 found",
        "an array of 1 element",
        "an array of 2 elements",
    ),
    ("merge.record_count", "2 records required, 1 found", 1, 2),
    (
        "diff.matches_pair",
        "against the versions' difference, added: missing keys 'flags[2]', 'log' (3 differences in all)",
        "an object with 0 keys",
        "an object with 2 keys",
    ),
    ("diff.matches_pair", "against the versions' difference, removed.tls: false expected, 'no' found", "'no'", "false"),
    (
        "diff.top_level_form",
        "the sections must be added, removed, changed in this order, found removed, added, changed",
        "removed, added, changed",
        "added, removed, changed",
    ),
    (
        "diff.top_level_form",
        "an object of three sections required, found an array of 0 elements",
        "an array of 0 elements",
        "added, removed, changed",
    ),
    ("diff.sections_sorted", "changed: 'b' stands where 'a' must", "'b'", "'a'"),
    ("schema.required_sorted", "a list of required names is not sorted: tags, name", "tags, name", None),
    ("schema.validates_source", "the document is not valid under the schema", None, None),
    ("schema.validates_source", "no schema of draft 2020-12: at type, 'record' breaks the rule anyOf", None, None),
    ("schema.validates_source", "the reference file:///etc/hosts leads outside the schema", None, None),
    ("schema.validates_source", "the pattern (а|а)\\1 may take too long", None, None),
    (
        "schema.type_mapping_exact",
        "against the inferred schema, properties: missing keys 'name', 'tags'",
        "an object with 0 keys",
        "an object with 2 keys",
    ),
    ("schema.no_extra_keywords", 'the keyword "title" is not allowed here', "title", None),
    ("session.no_restatement", "the answer restates the state on the table", None, None),
]
SAID_OF_ACCEPTED = [
    ("pack.fence_present", "1 fenced block found", 1, ">= 1"),
    ("pack.fence_exactly_one", "exactly one fenced block", 1, 1),
    ("pack.fence_tag_correct", 'the tag is "json"', "json", "json"),
    ("pack.nothing_outside_fence", "nothing stands outside the block", 0, 0),
    ("syn.parses_target", "the body parses as json", "json", "json"),
    ("val.structure_match", "no difference in structure from the reference", 0, 0),
    ("val.numeric_within_tol", "no difference in numbers from the reference", 0, 0),
    ("val.strings_byte_exact", "no difference in strings from the reference", 0, 0),
    ("convert.lossless_vs_source", "equal to the source", 0, 0),
    ("extract.keys_exact", "the keys are the 3 paths asked for", 3, 3),
    ("extract.is_object", "the answer is an object", None, None),
    ("extract.absent_paths_null", "every path that leads nowhere holds null", None, None),
    ("repair.data_intact", "equal to the intact document", 0, 0),
    ("transform.rule_applied", "every step's property holds", None, None),
    ("transform.list_order_preserved", "no list differs by its order alone", None, None),
    ("transform.values_unchanged", "the same 8 values as in the reference", 8, 8),
    ("template.record_count", "2 strings required, 2 found", 2, 2),
    ("template.no_placeholder_left", "no slot is left", None, None),
    ("template.rendered_exact", "equal to the filled template", 0, 0),
    ("applydiff.result_exact", "equal to version 1 after the changes", 0, 0),
    ("patch.ops_applied", "equal to the source after the operations", 0, 0),
    ("merge.join_exact", "equal to the joined records", 0, 0),
    ("merge.record_count", "2 records required, 2 found", 2, 2),
    ("diff.matches_pair", "equal to the versions' difference", 0, 0),
    ("diff.top_level_form", "the three sections, in order", None, None),
    ("diff.sections_sorted", "the paths of each section are in order", None, None),
    ("schema.required_sorted", "every list of required names is sorted", None, None),
    ("schema.validates_source", "the document is valid under the schema", None, None),
    ("schema.type_mapping_exact", "equal to the inferred schema", 0, 0),
    ("schema.no_extra_keywords", "only the allowed keywords occur", None, None),
    ("session.no_restatement", "the answer is a new state", None, None),
]


def test_what_is_said_of_each():
    """The sentence and its values, of what is rejected and of what is accepted."""
    for rows, said in ((REJECTED, SAID_OF_REJECTED), (ACCEPTED, SAID_OF_ACCEPTED)):
        found = [(name, verdict(name, QUESTIONS[question], response)) for name, question, response, *_ in rows]
        assert [(name, one.reason, one.observed, one.wanted) for name, one in found] == said


def test_several_differences_are_counted():
    """The first is told, all of the kind are counted."""
    shop = json.loads(CONVERT)
    changed = body("convert_json", json.dumps({**shop, "port": 1, "ratio": 2.5}, ensure_ascii=False))
    found = verdict("val.numeric_within_tol", QUESTIONS["convert_json"], changed)
    assert found.reason == "port: 8080 expected, 1 found (2 differences in all)"


@pytest.mark.parametrize(("name", "question", "response", "code"), REJECTED, ids=[f"{c[0]}-{c[3]}" for c in REJECTED])
def test_rejects(name, question, response, code):
    """The constraint applies and fails, with this code, a reason in one line, and sample_pass_rate 0."""
    score = sobhard.score(QUESTIONS[question], response)
    found = score.constraints[name]
    assert found is not None
    assert not found.passed
    assert found.code == code
    assert "\n" not in found.reason
    assert found.reason.isprintable()
    assert score.metrics["sample_pass_rate"] == 0.0


@pytest.mark.parametrize(("name", "question", "response"), ACCEPTED, ids=[case[0] for case in ACCEPTED])
def test_accepts(name, question, response):
    """The constraint applies and passes, whatever others say."""
    found = verdict(name, QUESTIONS[question], response)
    assert found is not None
    assert found.passed, found.reason
    assert found.code == "ok"


def test_each_constraint_is_shown_to_accept_and_to_reject():
    """31 of each, and the table's layers."""
    assert {case[0] for case in ACCEPTED} == {case[0] for case in REJECTED} == set(sobhard.CONSTRAINTS)
    counts = [sum(c.layer == layer for c in sobhard.CONSTRAINTS.values()) for layer in LAYERS]
    assert counts == [4, 1, 3, 23]
    assert all(c.description.endswith(".") for c in sobhard.CONSTRAINTS.values())
