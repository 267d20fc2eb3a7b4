"""Rows: what is read, what is refused at load with the row and the field named."""

import copy
import hashlib
import json

import pytest
from sobhard_questions import QUESTIONS, answer, changed, fence, with_category

from metrics import sobhard
from metrics.record import Answer, Sample
from metrics.sobhard.records import score
from metrics.sobhard.rows import answer_size, labels, scoring_key

NAMES = sorted(QUESTIONS)


def flattened(value, prefix=""):
    """The row with dotted keys."""
    flat = {}
    for key, entry in value.items():
        if isinstance(entry, dict):
            flat |= flattened(entry, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = entry
    return flat


@pytest.mark.parametrize("name", NAMES)
def test_rows_come_in_three_forms(name):
    """Nested with JSON texts, flattened, and with task_meta and checks decoded: one score."""
    row = QUESTIONS[name]
    decoded = copy.deepcopy(row)
    for part in ("task_meta", "checks"):
        decoded["meta"][part] = json.loads(row["meta"][part])
    response = answer(row)
    assert sobhard.score(flattened(row), response) == sobhard.score(row, response)
    assert sobhard.score(decoded, response) == sobhard.score(row, response)
    wanted = sobhard.score(row, response)
    record = score(Sample("x", 0, scoring_key(row), labels(row)), Answer(response))
    assert {name: record["scores"][name] for name in wanted.metrics} == wanted.metrics
    passed = {verdict["id"]: verdict["passed"] for verdict in record["verdicts"]}
    assert passed == {name: verdict.passed for name, verdict in wanted.constraints.items() if verdict is not None}


@pytest.mark.parametrize("value", [None, "", {}, "null"], ids=repr)
def test_missing_objects_are_empty(value):
    """Missing, null and blank mean no keys."""
    row = copy.deepcopy(QUESTIONS["convert_json"])
    row["meta"]["checks"] = value
    assert sobhard.score(row, answer(row)).constraints["convert.lossless_vs_source"] is None


def test_the_answer_of_a_shot():
    """outputs, or the reference in a fence with the row's tag or the notation's own."""
    row = QUESTIONS["convert_sql"]
    assert sobhard.answer_text(row) == fence(row["meta"]["reference"], "sql")
    assert sobhard.answer_text(changed(row, fence_tag="")) == fence(row["meta"]["reference"], "sql")
    assert sobhard.answer_text(changed(row, outputs="готово")) == "готово"
    assert sobhard.answer_text(changed(row, reference="")) == ""


def test_a_default_tag():
    """The notation's own where the row names none."""
    row = changed(QUESTIONS["merge_sql"], fence_tag="")
    assert sobhard.score(row, answer(QUESTIONS["merge_sql"])).metrics["sample_pass_rate"] == 1.0


def test_labels():
    """The categories that results are broken down by, missing ones as question marks."""
    row = with_category(QUESTIONS["convert_json"])
    del row["meta"]["categories"]["length_tier"]
    found = json.loads(labels(row))
    assert found["family"] == "convert"
    assert found["length_tier"] == "?"


@pytest.mark.parametrize(
    ("outputs", "reference", "size"),
    [("x" * 20, "ы" * 900, 16), ("x" * 31, "", 16), ("x" * 32, "", 32), ("", "", None), ("", "y" * 2048, 2048)],
)
def test_the_size_of_an_answer_is_a_class(outputs, reference, size):
    """Half a token a character of what a shot would show, up to the next power of two; a blanked row has none."""
    row = changed(QUESTIONS["convert_json"], reference=reference)
    row["outputs"] = outputs
    assert answer_size(scoring_key(row)) == size


@pytest.mark.parametrize("name", NAMES)
def test_check_row_accepts(name):
    """Every hand-made question, and its question can be scored."""
    assert sobhard.check_row(QUESTIONS[name]) is not None


def meta(name, **fields):
    """The row with fields of its task_meta replaced; None removes one."""
    row = QUESTIONS[name]
    found = json.loads(row["meta"]["task_meta"]) | fields
    return changed(row, task_meta={key: value for key, value in found.items() if value is not None})


def checks(name, **fields):
    """The same for checks."""
    row = QUESTIONS[name]
    found = json.loads(row["meta"]["checks"]) | fields
    return changed(row, checks={key: value for key, value in found.items() if value is not None})


BAD = [
    (changed(QUESTIONS["convert_json"], task_meta="{"), "meta.task_meta"),
    (changed(QUESTIONS["convert_json"], checks="[]"), "meta.checks"),
    (changed(QUESTIONS["convert_json"], checks="[" * 100_000), "meta.checks"),
    (changed(QUESTIONS["convert_json"], reference=5), "meta.reference"),
    (changed(QUESTIONS["convert_json"], reference="{"), "meta.reference"),
    (changed(QUESTIONS["convert_json"], reference_sha256="0" * 64), "meta.reference_sha256"),
    (changed(QUESTIONS["convert_json"], fence_tag="my tag"), "meta.fence_tag"),
    (with_category(QUESTIONS["convert_json"], family="rewrite"), "meta.categories.family"),
    (with_category(QUESTIONS["convert_json"], difficulty="expert"), "meta.categories.difficulty"),
    (with_category(QUESTIONS["convert_json"], target_format="xml"), "meta.categories.target_format"),
    (checks("convert_json", source=None), "meta.checks.source"),
    (checks("convert_json", gates=[1]), "meta.checks.gates"),
    (
        checks("convert_json", gates={"convert.lossless_vs_source": "yes"}),
        "meta.checks.gates.convert.lossless_vs_source",
    ),
    (meta("extract_json", paths=None), "meta.task_meta.paths"),
    (meta("extract_json", paths=[1]), "meta.task_meta.paths"),
    (meta("extract_json", absent="x"), "meta.task_meta.absent"),
    (checks("repair_json", derived=None), "meta.checks.derived"),
    (meta("transform_jsonl", program=None), "meta.task_meta.program"),
    (meta("transform_jsonl", program={}), "meta.task_meta.program"),
    (meta("transform_jsonl", program=[{"rule": "rot13"}]), "meta.task_meta.program[0].rule"),
    (meta("transform_jsonl", program=[{"rule": ["sort_keys"]}]), "meta.task_meta.program[0].rule"),
    (meta("transform_jsonl", program=[{"rule": {}}]), "meta.task_meta.program[0].rule"),
    (
        meta(
            "transform_jsonl",
            program=[{"rule": "sort_keys"}, {"rule": "filter_records", "params": {"field": "x", "op": "gt"}}],
        ),
        "meta.task_meta.program[1].params.value",
    ),
    (meta("schema_json", schema_kind="loose"), "meta.task_meta.schema_kind"),
    (meta("patch_toml", ops=[{"op": "move", "path": "a"}]), "meta.task_meta.ops[0].op"),
    (meta("patch_toml", ops=[{"op": "delete", "path": ""}]), "meta.task_meta.ops[0].path"),
    (meta("patch_toml", ops=[{"op": "set", "path": "a"}]), "meta.task_meta.ops[0].value"),
    (meta("patch_toml", ops=[{"op": "delete", "path": "nope"}]), "meta.checks"),
    (meta("patch_toml", program=[{"rule": "sort_keys"}]), "meta.checks.derived"),
    (checks("diff_yaml", source_b=None), "meta.checks.source_b"),
    (checks("applydiff_json", source_b={"removed": {"nope": 1}}), "meta.checks"),
    (meta("merge_sql", join={"winner": "A", "order": "A"}), "meta.task_meta.join.key"),
    (meta("merge_sql", join={"key": "emp", "winner": "C", "order": "A"}), "meta.task_meta.join.winner"),
    (checks("merge_sql", source={"a": 1}), "meta.checks"),
    (checks("template_json", source_b="${who}"), "meta.checks"),
    (checks("template_json", source={"who": 1}), "meta.checks"),
    (meta("session_yaml", turn_family="session"), "meta.task_meta.turn_family"),
    (meta("session_yaml", session={}), "meta.task_meta.session.turn_index"),
    (meta("session_yaml", session={"turn_index": 0}), "meta.task_meta.session.turn_index"),
]


SAID = [
    "row convert-json, meta.task_meta: is not JSON",
    "row convert-json, meta.checks: is no object but list",
    "row convert-json, meta.checks: is not JSON",
    "row convert-json, meta.reference: is no string but int",
    "row convert-json, meta.reference: does not parse as the target notation",
    "row convert-json, meta.reference_sha256: is not the hash of meta.reference",
    "row convert-json, meta.fence_tag: cannot stand on a fence: 'my tag'",
    "row convert-json, meta.categories.family: is none of convert, extract, repair, transform, schema_gen, patch, "
    "diff, apply_diff, merge, template, session: 'rewrite'",
    "row convert-json, meta.categories.difficulty: is none of easy, medium, hard: 'expert'",
    "row convert-json, meta.categories.target_format: is no known target: 'xml'",
    "row convert-json, meta.checks.source: is missing, and convert needs it",
    "row convert-json, meta.checks.gates: is no object",
    "row convert-json, meta.checks.gates.convert.lossless_vs_source: is no boolean",
    "row extract-json, meta.task_meta.paths: is missing, and extract needs it",
    "row extract-json, meta.task_meta.paths: is no list of strings",
    "row extract-json, meta.task_meta.absent: is no list of strings",
    "row repair-json, meta.checks.derived: is missing, and repair needs it",
    "row transform-jsonl, meta.task_meta.program: is missing, and transform needs it",
    "row transform-jsonl, meta.task_meta.program: is no list of objects",
    "row transform-jsonl, meta.task_meta.program[0].rule: is no known rule: 'rot13'",
    "row transform-jsonl, meta.task_meta.program[0].rule: is no known rule: ['sort_keys']",
    "row transform-jsonl, meta.task_meta.program[0].rule: is no known rule: {}",
    "row transform-jsonl, meta.task_meta.program[1].params.value: is missing",
    "row schema_gen-json, meta.task_meta.schema_kind: is none of minimal, union, bounds, enum, oneOf, full: 'loose'",
    "row patch-toml, meta.task_meta.ops[0].op: is none of set, delete, insert: 'move'",
    "row patch-toml, meta.task_meta.ops[0].path: is no path",
    "row patch-toml, meta.task_meta.ops[0].value: is missing",
    "row patch-toml, meta.checks: gives nothing to compare with: "
    "OperationError: operation 1 cannot be applied: no 'nope' here",
    "row patch-toml, meta.checks.derived: is missing beside a program",
    "row diff-yaml, meta.checks.source_b: is missing, and diff needs it",
    "row apply_diff-json, meta.checks: gives nothing to compare with: OperationError: removed, 'nope': no 'nope' here",
    "row merge-sqlinsert, meta.task_meta.join.key: is missing",
    "row merge-sqlinsert, meta.task_meta.join.winner: is neither A nor B: 'C'",
    "row merge-sqlinsert, meta.checks: gives nothing to compare with: OperationError: a side is no list of records",
    "row template-json, meta.checks: gives nothing to compare with: "
    "OperationError: the slot '${who}' holds a container",
    "row template-json, meta.checks: gives nothing to compare with: OperationError: the records are no list",
    "row session-yaml, meta.task_meta.turn_family: is no family of a turn: 'session'",
    "row session-yaml, meta.task_meta.session.turn_index: is no turn number",
    "row session-yaml, meta.task_meta.session.turn_index: is no turn number",
]


def test_what_is_said_of_a_bad_row():
    """The row, the field, and what is wrong with it."""
    said = []
    for row, _ in BAD:
        with pytest.raises(sobhard.RowError) as caught:
            sobhard.check_row(row)
        said.append(str(caught.value).partition(": Expecting")[0].partition(": maximum recursion")[0])
    assert said == SAID


@pytest.mark.parametrize(("row", "field"), BAD, ids=[f"{field}-{i}" for i, (_, field) in enumerate(BAD)])
def test_check_row_names_row_and_field(row, field):
    """A broken row is refused when the dataset is loaded."""
    with pytest.raises(sobhard.RowError) as caught:
        sobhard.check_row(row)
    assert caught.value.place == field
    assert caught.value.row == row["meta"]["base_id"]
    assert row["meta"]["base_id"] in str(caught.value)
    assert field in str(caught.value)


def test_the_first_turn_is_a_turn():
    """Turns count from 1."""
    assert sobhard.check_row(meta("session_yaml", session={"turn_index": 1})) is not None


def test_score_names_the_row_too():
    """A row that cannot be read at all raises in score, whatever the answer."""
    with pytest.raises(sobhard.RowError, match="row convert-json, meta\\.task_meta: is not JSON"):
        sobhard.score(changed(QUESTIONS["convert_json"], task_meta="{"), "x")


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("answer", ["", "x", "as the reference"])
def test_score_refuses_a_reference_that_does_not_parse(name, answer):
    """Whatever the notation: where nothing can be right, nothing is scored, least of all the reference itself."""
    row = changed(QUESTIONS[name], reference="{[\"'", outputs="")
    response = sobhard.answer_text(row) if answer == "as the reference" else answer
    with pytest.raises(sobhard.RowError, match=r"meta\.reference: does not parse") as caught:
        sobhard.score(row, response)
    assert caught.value.row == row["meta"]["base_id"]


def test_the_stated_hash_is_checked():
    """The right one passes."""
    row = QUESTIONS["convert_json"]
    digest = hashlib.sha256(row["meta"]["reference"].encode()).hexdigest()
    assert sobhard.check_row(changed(row, reference_sha256=digest)) is not None
