"""The committed small set: made by its recipes, whole, right, and able to tell a wrong answer from a right one."""

import json
import re
from collections import Counter

import pytest
from sobhard_docs import split_rows, value_damaged, witnesses

from builders.sobhard import sources
from builders.sobhard.operations import run_program
from builders.sobhard.small.__main__ import main as build
from builders.sobhard.targets import write_target
from metrics import sobhard
from metrics.sobhard.operations import apply_ops
from metrics.sobhard.question import FAMILIES
from metrics.sobhard.row_checks import DIFFICULTIES
from metrics.sobhard.summary import CELLS
from metrics.sobhard.targets import TARGETS, parse
from tasks.sobhard.dataset import BUILTIN_SMALL
from tasks.sobhard.prompts import STYLES, render, template_text

TEST, SHOTS, WITNESSES = split_rows("test"), split_rows("shots"), witnesses()
NAMES = [f"{row['meta']['categories']['family']}-{row['meta']['categories']['difficulty']}" for row in TEST]
each_question = pytest.mark.parametrize("row", TEST, ids=NAMES)


def test_a_build_gives_the_committed_bytes(tmp_path, capsys):
    """Documents, recipes and data cannot drift apart; the command says where the files are."""
    assert build(["--out", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert said.startswith(f"33 questions in {tmp_path}: ")
    assert {path.name for path in tmp_path.iterdir()} == set(said.rpartition(": ")[2].strip().split(", "))
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in BUILTIN_SMALL.iterdir()}


def test_every_cell_notation_and_register_occurs():
    """33 cells, fifteen sources, six targets, five registers, twenty templates."""
    categories = [row["meta"]["categories"] for row in TEST]
    assert Counter(f"{c['family']}/{c['difficulty']}" for c in categories) == Counter(CELLS)
    assert {c["source_format"] for c in categories} == set(sources.NOTATIONS)
    assert {c["target_format"] for c in categories} == set(TARGETS)
    assert {c["prompt_style"] for c in categories} == set(STYLES)
    every = {template_text(style, edition) for style in STYLES for edition in range(4)}
    assert {row["instruction"] for row in TEST} == every
    assert [row["meta"]["id"] for row in [*SHOTS, *TEST]] == list(range(1, 45))
    assert len({row["meta"]["base_id"] for row in [*SHOTS, *TEST]}) == 44


def test_every_constraint_is_at_work():
    """Each of the 31 applies to some reference and holds."""
    applied = Counter(
        name
        for row in TEST
        for name, verdict in sobhard.score(row, WITNESSES[row["meta"]["base_id"]]).constraints.items()
        if verdict is not None
    )
    assert set(applied) == set(sobhard.CONSTRAINTS)
    assert applied["session.no_restatement"] == 3
    assert applied["template.no_placeholder_left"] == 2


@each_question
def test_the_reference_is_right(row):
    """1.0 by every metric, under the rows' own checks."""
    assert sobhard.check_row(row) is not None
    result = sobhard.score(row, WITNESSES[row["meta"]["base_id"]])
    assert result.metrics == dict.fromkeys(sobhard.METRICS, 1.0)
    assert row["outputs"] == ""


@each_question
def test_one_wrong_character_fails(row):
    """A value changed in one place: it parses, the packaging holds, the content does not."""
    result = sobhard.score(row, value_damaged(WITNESSES[row["meta"]["base_id"]]))
    assert result.metrics["format_pass_rate"] == 1.0
    assert result.metrics["content_pass_rate"] == 0.0
    assert result.metrics["sample_pass_rate"] == 0.0


@each_question
@pytest.mark.parametrize(
    ("damage", "constraint"),
    [
        (lambda answer: answer.replace("```", "```x", 1), "pack.fence_tag_correct"),
        (lambda answer: "Готово:\n" + answer, "pack.nothing_outside_fence"),
        (lambda answer: answer + "\n" + answer, "pack.fence_exactly_one"),
        (lambda answer: answer.removesuffix("```"), "pack.fence_present"),
    ],
    ids=["tag", "preamble", "twice", "cut off"],
)
def test_wrong_packaging_fails(row, damage, constraint):
    """Each broken rule is named by its own constraint."""
    result = sobhard.score(row, damage(WITNESSES[row["meta"]["base_id"]]))
    assert not result.constraints[constraint].passed
    assert result.metrics["sample_pass_rate"] == 0.0


@each_question
def test_lazy_answers_fail(row):
    """The input handed back, an empty document, no answer at all."""
    tag = row["meta"]["fence_tag"]
    for body in (row["inputs"]["input_data"], "{}", "[]", "null", ""):
        assert sobhard.score(row, f"```{tag}\n{body}\n```").metrics["sample_pass_rate"] == 0.0
    assert sobhard.score(row, "").metrics["sample_pass_rate"] == 0.0


def unfinished(row):
    """The document without the last step of the work, for questions that are a chain of steps; None for others."""
    meta, checks = json.loads(row["meta"]["task_meta"]), json.loads(row["meta"]["checks"])
    if "ops" in meta:
        return apply_ops(checks["source"], meta["ops"] if meta.get("program") else meta["ops"][:-1])
    if "program" in meta and row["meta"]["categories"]["family"] in ("transform", "repair", "session"):
        return run_program(checks["source"], meta["program"][:-1])
    return None


CHAINS = [row for row in TEST if unfinished(row) is not None]


@pytest.mark.parametrize("row", CHAINS, ids=[row["meta"]["categories"]["family"] for row in CHAINS])
def test_an_unfinished_chain_fails(row):
    """All steps but the last, written without a fault."""
    target = row["meta"]["categories"]["target_format"]
    result = sobhard.score(row, f"```{row['meta']['fence_tag']}\n{write_target(target, unfinished(row))}\n```")
    assert result.metrics["format_pass_rate"] == 1.0
    assert result.metrics["sample_pass_rate"] == result.metrics["task_pass_rate"] == 0.0


@pytest.mark.parametrize("row", [row for row in TEST if row["meta"]["dialogue_id"]], ids=DIFFICULTIES)
def test_a_conversation_has_all_its_earlier_turns(row):
    """3, 4 and 5 turns; the graded one is the last; later turns do not show the document."""
    dialogue, turns = row["meta"]["dialogue_id"], row["meta"]["n_turns"]
    earlier = [shot for shot in SHOTS if shot["meta"]["dialogue_id"] == dialogue]
    assert [shot["meta"]["turn_index"] for shot in earlier] == list(range(1, turns))
    assert row["meta"]["turn_index"] == turns == dialogue + 2
    assert {shot["instruction"] for shot in earlier} == {row["instruction"]}
    for previous, turn in zip(earlier, [*earlier[1:], row], strict=True):
        assert turn["inputs"]["input_data"].endswith(("шаге этого разговора.", "до предыдущего шага."))
        target = TARGETS[previous["meta"]["categories"]["target_format"]]
        state = json.loads(turn["meta"]["checks"])["prev_state"]
        assert parse(target, previous["meta"]["reference"]).value == state


def test_the_undoing_turn_refuses_both_states():
    """Neither the state on the table nor the one before it is an answer."""
    (row,) = [row for row in TEST if row["meta"]["dialogue_id"] and "Отмени" in row["inputs"]["question"]]
    checks = json.loads(row["meta"]["checks"])
    assert checks["source"] != checks["prev_state"]
    for state in ("source", "prev_state"):
        text = sources.write("yaml", checks[state])
        result = sobhard.score(row, f"```yaml\n{text}```")
        assert not result.constraints["session.no_restatement"].passed


def test_shots_are_answered_and_give_nothing_away():
    """Every shot's answer is right by its own checks, and no graded answer stands in a shot."""
    shown = "\n".join(render(shot) + shot["outputs"] for shot in SHOTS)
    for shot in SHOTS:
        assert sobhard.score(shot, shot["outputs"]).metrics == dict.fromkeys(sobhard.METRICS, 1.0)
    for row in TEST:
        assert row["meta"]["reference"] not in shown
    assert sum(shot["meta"]["dialogue_id"] is None for shot in SHOTS) == 2


@each_question
def test_the_prompt_says_what_is_checked(row):
    """Tag, notation and every parameter of the question stand in its words."""
    prompt = render(row)
    meta = json.loads(row["meta"]["task_meta"])
    assert f"меткой {row['meta']['fence_tag']}," in prompt
    wanted = [*meta.get("paths", []), *(op["path"] for op in meta.get("ops", []))]
    for step in meta.get("program", []):
        for name, value in step["params"].items():
            if name != "op" and not isinstance(value, bool):
                wanted += value if isinstance(value, list) else [str(value)]
    if "join" in meta:
        wanted.append(meta["join"]["key"])
    for word in wanted:
        assert word in prompt
    if row["meta"]["dialogue_id"] is None:
        source = row["meta"]["categories"]["source_format"]
        assert sources.NOTATIONS[source].convention in prompt or source == "jsonc"


def test_no_word_mixes_alphabets():
    """A Latin letter among Cyrillic ones looks the same and is another byte."""
    text = "\n".join(render(row) for row in [*TEST, *SHOTS])
    assert not re.findall(r"\b\w*(?:[a-zA-Z][а-яёА-ЯЁ]|[а-яёА-ЯЁ][a-zA-Z])\w*\b", re.sub(r"\\[nu]", " ", text))


def test_families_are_those_of_the_benchmark():
    """A row of an unknown family would be in no cell."""
    assert {row["meta"]["categories"]["family"] for row in TEST} == set(FAMILIES)
