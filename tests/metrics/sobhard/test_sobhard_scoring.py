"""When each constraint applies, and the metrics made of the verdicts (contract, sections 6 and 9)."""

import pytest
from sobhard_questions import QUESTIONS, answer, changed, fence, with_category

from metrics import sobhard
from metrics.sobhard.rows import question_of
from metrics.sobhard.scoring import score_question

CONVERT = QUESTIONS["convert_json"]["meta"]["reference"]


def verdict(name, row, response):
    return sobhard.score(row, response).constraints[name]


ALWAYS = {"pack.fence_present", "pack.fence_exactly_one", "pack.nothing_outside_fence", "syn.parses_target"}
VAL = {"val.structure_match", "val.numeric_within_tol", "val.strings_byte_exact"}
TAGGED = ALWAYS | {"pack.fence_tag_correct"} | VAL
PROGRAM = {"transform.rule_applied", "transform.list_order_preserved", "transform.values_unchanged"}
SCHEMAS = {"schema.required_sorted", "schema.validates_source", "schema.type_mapping_exact", "schema.no_extra_keywords"}
Q = QUESTIONS
NO_PROGRAM = {"program": []}

# question, response, constraints that apply
APPLIES = [
    (Q["convert_json"], "", ALWAYS),
    (Q["convert_json"], "x", ALWAYS),
    (Q["convert_json"], fence("x", "json"), ALWAYS | {"pack.fence_tag_correct"}),
    (Q["convert_json"], fence("{}", "json"), TAGGED | {"convert.lossless_vs_source"}),
    (changed(Q["convert_json"], checks={"source": {}, "gates": {}}), fence("{}", "json"), TAGGED),
    (changed(Q["convert_json"], checks={"gates": {"convert.lossless_vs_source": True}}), fence("{}", "json"), TAGGED),
    (
        changed(Q["convert_json"], reference="{", outputs=""),
        fence("{}", "json"),
        TAGGED - VAL | {"convert.lossless_vs_source"},
    ),
    (
        Q["extract_json"],
        fence("{}", "json"),
        TAGGED | {"extract.keys_exact", "extract.is_object", "extract.absent_paths_null"},
    ),
    (Q["extract_json"], fence("[]", "json"), TAGGED | {"extract.is_object"}),
    (
        changed(Q["extract_json"], task_meta={"paths": ["a"], "absent": []}),
        fence("{}", "json"),
        TAGGED | {"extract.keys_exact", "extract.is_object"},
    ),
    (
        changed(Q["extract_json"], task_meta={"paths": ["a"], "program": [{"rule": "sort_keys"}]}),
        fence("[]", "json"),
        TAGGED | {"extract.is_object"} | PROGRAM,
    ),
    (Q["repair_json"], fence("{}", "json"), TAGGED | {"repair.data_intact"} | PROGRAM),
    (Q["transform_jsonl"], fence("{}", "jsonl"), TAGGED | PROGRAM),
    (changed(Q["transform_jsonl"], task_meta=NO_PROGRAM), fence("{}", "jsonl"), TAGGED),
    (
        changed(Q["transform_jsonl"], reference="{", outputs=""),
        fence("{}", "jsonl"),
        TAGGED - VAL | {"transform.rule_applied"},
    ),
    (Q["schema_json"], fence("{}", "json"), TAGGED | SCHEMAS),
    (
        changed(Q["schema_json"], checks={}),
        fence("[]", "json"),
        TAGGED | {"schema.required_sorted", "schema.no_extra_keywords"},
    ),
    (Q["patch_toml"], fence("# c", "toml"), TAGGED | {"patch.ops_applied"}),
    (
        changed(Q["patch_toml"], task_meta={"ops": [], "program": [{"rule": "sort_keys"}]}),
        fence("# c", "toml"),
        TAGGED | PROGRAM,
    ),
    (
        Q["diff_yaml"],
        fence("a: 1", "yaml"),
        TAGGED | {"diff.matches_pair", "diff.top_level_form", "diff.sections_sorted"},
    ),
    (Q["diff_yaml"], fence("[]", "yaml"), TAGGED | {"diff.matches_pair", "diff.top_level_form"}),
    (changed(Q["diff_yaml"], checks={"source": {}}), fence("[]", "yaml"), TAGGED | {"diff.top_level_form"}),
    (Q["applydiff_json"], fence("[]", "json"), TAGGED | {"applydiff.result_exact"}),
    (
        changed(Q["applydiff_json"], task_meta={"program": [{"rule": "sort_keys"}]}),
        fence("[]", "json"),
        TAGGED | {"applydiff.result_exact"},
    ),
    (Q["merge_sql"], answer(Q["merge_sql"]), TAGGED | {"merge.join_exact", "merge.record_count"}),
    (changed(Q["merge_sql"], task_meta={"join": {}}), answer(Q["merge_sql"]), TAGGED),
    (
        Q["template_json"],
        fence("[]", "json"),
        TAGGED | {"template.record_count", "template.no_placeholder_left", "template.rendered_exact"},
    ),
    (
        changed(Q["template_json"], task_meta={"has_escape": True}),
        fence("[]", "json"),
        TAGGED | {"template.record_count", "template.rendered_exact"},
    ),
    (Q["template_json"], fence("{}", "json"), TAGGED | {"template.record_count", "template.rendered_exact"}),
    (Q["session_yaml"], fence("a: 1", "yaml"), TAGGED | {"patch.ops_applied", "session.no_restatement"}),
    (
        changed(Q["session_yaml"], task_meta={"turn_family": "convert", "session": {"turn_index": 1}}),
        fence("a: 1", "yaml"),
        TAGGED,
    ),
    (
        changed(Q["session_yaml"], task_meta={"turn_family": "transform", "session": {"turn_index": "2"}}),
        fence("a: 1", "yaml"),
        TAGGED,
    ),
]


@pytest.mark.parametrize(("row", "response", "wanted"), APPLIES, ids=range(len(APPLIES)))
def test_gates(row, response, wanted):
    """Exactly these constraints are graded; the rest are None, also of a question that sobhard.score would refuse."""
    score = score_question(question_of(row), response)
    assert {name for name, found in score.constraints.items() if found is not None} == wanted


@pytest.mark.parametrize("response", ["", " \n", "\ufeff", "<think>plan</think>\n"])
@pytest.mark.parametrize("name", Q)
def test_an_empty_answer_parses_in_jsonl_alone(name, response):
    """It is JSONL's empty list, whose structure is another than the reference's; no metric is above 0."""
    row = Q[name]
    score = sobhard.score(row, response)
    jsonl = row["meta"]["categories"]["target_format"] == "jsonl"
    assert score.constraints["syn.parses_target"].passed == jsonl
    structure = score.constraints["val.structure_match"]
    assert structure is not None if jsonl else structure is None
    assert not (structure and structure.passed)
    assert set(score.metrics.values()) == {0.0}
    assert score.empty


def test_metrics_by_hand():
    """An answer with one wrong number, an unparsable one, an unfenced one."""
    wrong = sobhard.score(Q["convert_json"], fence(CONVERT.replace("8080", "1"), "json"))
    assert wrong.metrics == {
        "sample_pass_rate": 0.0,
        "constraint_pass_rate": 7 / 9,
        "format_pass_rate": 1.0,
        "content_pass_rate": 0.0,
        "task_pass_rate": 0.0,
    }
    rubbish = sobhard.score(Q["convert_json"], fence("@@", "json"))
    assert rubbish.metrics == {
        "sample_pass_rate": 0.0,
        "constraint_pass_rate": 4 / 5,
        "format_pass_rate": 0.0,
        "content_pass_rate": 0.0,
        "task_pass_rate": 0.0,
    }
    bare = sobhard.score(Q["convert_json"], CONVERT)
    assert bare.metrics == {
        "sample_pass_rate": 0.0,
        "constraint_pass_rate": 5 / 8,
        "format_pass_rate": 0.0,
        "content_pass_rate": 1.0,
        "task_pass_rate": 1.0,
    }


def test_without_family_constraints_the_task_rate_is_the_content_rate():
    """A convert row whose gate is shut."""
    row = changed(Q["convert_json"], checks={})
    assert sobhard.score(row, answer(row)).metrics["task_pass_rate"] == 1.0
    assert sobhard.score(row, answer(row, "{}")).metrics["task_pass_rate"] == 0.0


def test_content_rate_without_a_reference_value_is_zero():
    """The reference does not parse, so nothing is compared (contract, 11.1, case 15)."""
    row = changed(Q["merge_sql"], reference="", outputs=answer(Q["merge_sql"]))
    metrics = score_question(question_of(row), answer(row, Q["merge_sql"]["meta"]["reference"])).metrics
    assert metrics["content_pass_rate"] == 0.0
    assert metrics["sample_pass_rate"] == 1.0
    with pytest.raises(sobhard.RowError, match="does not parse"):
        sobhard.check_row(row)


def test_a_reference_given_as_a_fenced_answer():
    """Works for every target whose parser takes a fence off."""
    row = changed(Q["convert_yaml"], reference="", outputs=answer(Q["convert_yaml"]))
    assert sobhard.score(row, row["outputs"]).metrics["sample_pass_rate"] == 1.0


BLANKED = changed(
    with_category(Q["convert_json"], family="", difficulty="", target_format=""),
    reference="",
    task_meta="",
    checks="",
    fence_tag="",
    base_id="",
)


@pytest.mark.parametrize("response", [None, "", answer(Q["convert_json"])])
def test_a_blanked_row_is_a_state_of_its_own(response):
    """The official zeros and cell, no verdict at all, and a flag that says why."""
    score = sobhard.score(BLANKED, response)
    assert score.blanked
    assert set(score.constraints.values()) == {None}
    assert score.metrics == dict.fromkeys(sobhard.METRICS, 0.0)
    assert score.cell == "/"
    assert sobhard.is_blanked(BLANKED)
    assert sobhard.check_row(BLANKED) is None
    assert not sobhard.score(Q["convert_json"], response).blanked


def test_a_cell_with_an_absent_part():
    """Reads as a question mark."""
    row = with_category(Q["convert_json"])
    del row["meta"]["categories"]["difficulty"]
    assert sobhard.score(row, "x").cell == "convert/?"


BALANCE = [
    ([], 0.0),
    ([("a/easy", 1.0)], 1.0),
    ([("a/easy", 0.0)], 0.01),
    ([("a/easy", 1.0), ("a/easy", 0.0), ("b/easy", 0.5)], 0.5),
    ([("a/easy", 1.0)] * 32 + [("b/easy", 0.0)], 0.1),
    ([(f"{i}/x", 1.0) for i in range(32)] + [("dead/x", 0.0)], 0.01 ** (1 / 33)),
    ([1.0, 0.5, ["a/easy", 0.75]], 0.75),
]


@pytest.mark.parametrize(("items", "wanted"), BALANCE, ids=range(len(BALANCE)))
def test_balance_score(items, wanted):
    """The geometric mean over the cells that occur, each at least 0.01."""
    assert sobhard.balance_score(items) == pytest.approx(wanted, abs=1e-12)


def test_one_dead_cell_of_33():
    """Multiplies by 0.87, as the benchmark says."""
    items = [(f"{i}/x", 1.0) for i in range(32)] + [("dead/x", 0.0)]
    assert sobhard.balance_score(items) == pytest.approx(0.8697, abs=5e-5)


def test_undoing_turn_refuses_both_states():
    """``source`` is the state two steps back, ``prev_state`` the one on the table."""
    row = changed(Q["session_yaml"], checks={"source": {"a": 1}, "prev_state": {"b": 2}})
    for text, passes in (("a: 1", False), ("b: 2", False), ("c: 3", True)):
        assert verdict("session.no_restatement", row, fence(text, "yaml")).passed is passes


def test_integers_beyond_floats_fail_all_three_comparisons():
    """Even identical ones (contract, 11.2, case 29)."""
    huge = "1" + "0" * 320
    row = changed(Q["convert_json"], reference=f'{{"x": {huge}}}', checks={})
    found = sobhard.score(row, answer(row)).constraints
    assert {found[name].code for name in VAL} == {"not-comparable"}


def test_a_check_that_meets_the_unforeseen_fails_without_raising():
    """A broken question, or an answer that no rule foresees."""
    row = changed(Q["transform_jsonl"], task_meta={"program": [{"params": {}}]})
    assert verdict("transform.rule_applied", row, answer(row)).code == "cannot-check"
    row = changed(Q["patch_toml"], task_meta={"ops": [{"op": "set", "path": "x.y", "value": 1}]})
    assert verdict("patch.ops_applied", row, answer(row)).code == "broken-question"
    dated = "- sku: 2024-05-01\n  qty: 1"
    assert verdict("transform.values_unchanged", Q["transform_yaml"], fence(dated, "yaml")).code == "cannot-check"
