"""From run folders to the table of verdicts."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from audit_runs import IDS, MODEL, STAMP, command, make_run, sample, two_graders, verdict

from audit.errors import AuditError
from audit.panel import build_panel
from audit.panel_parquet import read_panel, write_panel
from audit.wording import reader_of
from metrics.ifhard.records import score as score_ifhard
from metrics.record import Answer, Sample
from metrics.sobhard import CONSTRAINTS
from runs.files import FileError, read_jsonl
from runs.folder import config_of

ROOT = Path(__file__).resolve().parents[2]
PASS = two_graders([True, True], [True, True])


def one(tmp_path, *rows, name="run", **settings):
    """The panel rows of one run."""
    return build_panel([make_run(tmp_path, name, rows, **settings)]).rows


def test_a_row_holds_what_the_published_panel_has(tmp_path):
    """Each field of the published table, and each constraint's verdict under each grader."""
    verdicts = [
        verdict(IDS[0], "old", False, reason="one number"),
        verdict(IDS[1], "old", False, "crash", "the checker raised KeyError"),
        verdict(IDS[0], "new", True, reason="two numbers"),
        verdict(IDS[1], "new", None, "not-gradable", "no tagger"),
    ]
    (row,) = one(tmp_path, sample("k1", "<think>hm</think>1 2", verdicts, truncated=True, repeat=3))
    assert (row.config, row.run, row.prompt_key, row.repeat) == (MODEL, "run", "k1", 3)
    assert row.response == "1 2"
    assert row.response_sha256 == hashlib.sha256(b"1 2").hexdigest()
    assert (row.extraction, row.finish_reason, row.truncated, row.infrastructure) == ("ok", "length", True, False)
    assert row.tokens == len("<think>hm</think>1 2")
    numbers, space = row.constraints
    assert numbers.verdicts == {"old": False, "new": True}
    assert numbers.reasons == {"old": "one number", "new": "two numbers"}
    assert (numbers.instruction_id, numbers.kwargs_json) == ("count:numbers", '{"N":2}')
    assert numbers.instruction == "Exactly 2 numbers occur."
    assert space.verdicts == {"old": False, "new": None}
    assert (numbers.crashed, space.crashed) == ((), ("old",))


def test_unclosed_reasoning_is_no_answer(tmp_path):
    """ifbench: an opening tag without a closing one leaves the empty text."""
    (row,) = one(tmp_path, sample("k1", "<think>1 2 and on", PASS))
    assert (row.response, row.extraction) == ("", "reasoning_unclosed")


def test_a_loop_is_degenerate(tmp_path):
    """At least half of the word 4-grams are repeats."""
    looped, plain = one(tmp_path, sample("a", "go on and on " * 9, PASS), sample("b", "one two three four five", PASS))
    assert looped.degenerate
    assert looped.repeat_share == pytest.approx(1 - 4 / 33)
    assert not plain.degenerate
    assert plain.repeat_share == 0


@pytest.mark.parametrize("outcome", ["failed", "not_asked", "unscored"])
def test_what_broke_is_no_wrong_answer(tmp_path, outcome):
    """The row is kept and flagged; its verdicts are null whatever the record says."""
    (row,) = one(tmp_path, sample("k1", "", two_graders([None, None], [None, False]), outcome=outcome))
    assert row.infrastructure
    assert row.error == "the server is gone"
    assert all(value is None for graded in row.constraints for value in graded.verdicts.values())


def test_several_turns_are_marked(tmp_path):
    """A lone user turn stands as it is."""
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
    many, alone = one(tmp_path, sample("a", "x", PASS, turns=turns), sample("b", "x", PASS))
    assert many.prompt == "[system]\nBe brief.\n\n[user]\nWhy?"
    assert alone.prompt == "Question b?"


def test_an_ifhard_requirement_is_shown_in_the_prompts_words(tmp_path):
    """The line of the prompt where it can be found; else the type's description with its parameters."""
    scoring = [{"category": "style:comma_count", "family": "style", "params": {"op": "eq", "value": 3}}]
    record = score_ifhard(Sample("q", 0, json.dumps(scoring), "{}"), Answer("а, б, в, г"))
    prompt = "Контекст:\n- не требование\n\nТребования к ответу:\n- Ровно 3 запятые.\n\nЗадание:\nПиши.\n"
    given = {"task": "ifhard:all|0", "scoring": scoring}
    found, lost = one(
        tmp_path,
        sample("a", "а, б, в, г", record["verdicts"], prompt=prompt, **given),
        sample("b", "а, б, в, г", record["verdicts"], prompt="Ровно три запятые.", **given),
    )
    assert found.constraints[0].verdicts == {"ifhard": True}
    assert found.constraints[0].instruction == "Ровно 3 запятые."
    assert found.constraints[0].kwargs_json == '{"op":"eq","value":3}'
    assert lost.constraints[0].instruction.endswith('Parameters: {"op":"eq","value":3}')


def test_every_ifhard_prompt_gives_its_requirements(tmp_path):
    """All questions of the built-in set: as many lines as requirements, each a part of the prompt."""
    from tasks.ifhard.prompts import render

    lines = (ROOT / "tasks" / "ifhard" / "data" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        entries = json.loads(row["meta"]["constraints"])
        found = reader_of("ifhard").constraints(row["meta"]["constraints"], [], render(row))
        assert ["- " + one.instruction for one in found] == row["inputs"]["constraints"].split("\n")
        assert len(found) == len(entries)


def test_sobhard_constraints_are_described(tmp_path):
    """Its verdicts depend on the answer; each is shown by the sentence of its table."""
    verdicts = [
        verdict(name, "sobhard", True, group="pack") for name in ("pack.fence_present", "pack.nothing_outside_fence")
    ]
    given = {"task": "sobhard:all|0", "scoring": {}}
    (row,) = one(tmp_path, sample("k", "```json\n1\n```", verdicts, **given))
    assert [graded.verdicts for graded in row.constraints] == [{"sobhard": True}] * 2
    assert row.constraints[0].instruction == CONSTRAINTS["pack.fence_present"].description


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([sample("k", "x", PASS[:3])], "verdicts of new are not on"),
        ([sample("k", "x", [verdict("other:id", "old", True)])], "not on the constraints of the scoring key"),
    ],
    ids=["half of a grader", "another constraint"],
)
def test_records_that_do_not_fit_are_refused(tmp_path, rows, words):
    """A verdict must never be shown beside another constraint's words."""
    with pytest.raises(AuditError, match=words):
        one(tmp_path, *rows)


def test_folders_that_are_no_runs(tmp_path):
    """Said by name, exit status 2."""
    (tmp_path / "empty").mkdir()
    assert command("panel", tmp_path / "empty", "--out", tmp_path / "p.parquet") == 2
    (tmp_path / "empty" / "run.json").write_text('{"settings": {"full": true}}', encoding="utf-8")
    with pytest.raises(FileError, match="no details"):
        build_panel([tmp_path / "empty"])
    run = make_run(tmp_path, "run", [sample("k", "x", PASS)])
    with pytest.raises(FileError, match="2 runs are named run"):
        build_panel([run, run])


def test_the_newest_details_count(tmp_path):
    """A resumed run leaves an older file beside."""
    run = make_run(tmp_path, "run", [sample("k", "old answer", PASS)])
    newer = make_run(tmp_path, "other", [sample("k", "new answer", PASS)])
    later = "2026-01-03T03-04-05.000001"
    (moved,) = newer.rglob("*.parquet")
    target = run / "details" / "org" / "secret-model" / later
    target.mkdir()
    moved.rename(target / moved.name.replace(STAMP, later))
    assert [row.response for row in build_panel([run]).rows] == ["new answer"]


def test_a_question_of_two_tasks_enters_once(tmp_path):
    """With a note."""
    run = make_run(tmp_path, "run", [sample("k", "x", PASS), sample("k", "x", PASS, task="ifbench:some|0")])
    panel = build_panel([run])
    assert len(panel.rows) == 1
    assert "1 answers" in panel.notes[0]


@pytest.mark.parametrize(
    ("settings", "config"),
    [
        ({}, "m"),
        ({"chat_template_kwargs": {"enable_thinking": False}}, "m [enable_thinking=False]"),
        ({"system_prompt": "Be brief."}, "m [system prompt 'Be brief.']"),
    ],
)
def test_config_tells_thinking_from_not(settings, config):
    """Settings that make another model of it are part of its name."""
    assert config_of({"settings": settings, "model": {"requested": "m"}}) == config


def test_the_file_gives_the_panel_back(tmp_path):
    """Written and read, rows, graders and nulls are the same; runs in any order give the same rows."""
    first = make_run(
        tmp_path, "a", [sample("k2", "x", PASS), sample("k1", "y", two_graders([None, True], [False, True]))]
    )
    second = make_run(tmp_path, "b", [sample("k1", "z", [verdict("i", "other", True)], task="other:all|0", scoring={})])
    panel = build_panel([first, second])
    assert panel.rows == build_panel([second, first]).rows
    assert panel.graders == ("old", "new", "other")
    write_panel(tmp_path / "panel.parquet", panel)
    assert read_panel(tmp_path / "panel.parquet") == (panel.rows, panel.graders, ())
    table = pq.read_table(tmp_path / "panel.parquet")
    assert table.column_names[:11] == [
        *("config", "run", "prompt_key", "response_sha256", "extraction", "tokens", "finish_reason", "truncated"),
        *("repeat_share", "degenerate", "infrastructure"),
    ]
    assert table.to_pylist()[0]["constraints"][0] == {
        "instruction_id": "count:numbers",
        "kwargs_json": '{"N":2}',
        "instruction": "Exactly 2 numbers occur.",
        "old": None,
        "new": False,
        "other": None,
        "old_reason": "because",
        "new_reason": "because",
        "other_reason": None,
        "crash": False,
        "crashed": [],
    }


def test_a_grader_named_like_a_column_is_refused(tmp_path):
    """It would take the column's place."""
    rows = [verdict(name, "crash", True) for name in IDS]
    panel = build_panel([make_run(tmp_path, "run", [sample("k", "x", rows)])])
    with pytest.raises(AuditError, match="cannot be named 'crash'"):
        write_panel(tmp_path / "p.parquet", panel)


def test_a_panel_without_responses_cannot_be_reviewed(tmp_path):
    """The published panel is one: the message names what is missing."""
    panel = build_panel([make_run(tmp_path, "run", [sample("k", "x", PASS)])])
    write_panel(tmp_path / "p.parquet", panel)
    pq.write_table(pq.read_table(tmp_path / "p.parquet").drop_columns(["response"]), tmp_path / "q.parquet")
    with pytest.raises(AuditError, match="no column response"):
        read_panel(tmp_path / "q.parquet")
    with pytest.raises(AuditError, match="cannot be read"):
        read_panel(tmp_path / "absent.parquet")


def test_a_run_of_the_command_line_becomes_a_panel(tmp_path):
    """Saved answers scored by ``run_lighteval.py``, then the panel: every requirement of every witness passes."""
    saved = ROOT / "tasks" / "ifhard" / "data" / "witnesses.jsonl"
    options = ["--task", "ifhard:all|0", "--max-samples", "6", "--responses", str(saved)]
    done = subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *options, "--output-dir", str(tmp_path / "out")],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "out").iterdir()
    rows = build_panel([run]).rows
    assert len(rows) == 6
    graded = [graded for row in rows for graded in row.constraints]
    assert all(one.verdicts == {"ifhard": True} for one in graded)
    assert all(one.instruction in row.prompt for row in rows for one in row.constraints)


def test_ifbench_records_become_rows(tmp_path):
    """Built-in questions with their witnesses, scored by the benchmark itself: every grader, each in its own field."""
    from metrics.ifbench import default_graders
    from metrics.ifbench.records import score, scoring_key

    data = ROOT / "tasks" / "ifbench" / "data"
    answers = {row["id"]: row["response"] for row in read_jsonl(data / "witnesses.jsonl")}
    rows = []
    for question in read_jsonl(data / "test.jsonl")[:6]:
        key = scoring_key(question)
        record = score(Sample(question["key"], 0, key, "{}"), Answer(answers[question["key"]]))
        scoring = json.loads(key)
        rows.append(
            sample(
                question["key"],
                answers[question["key"]],
                record["verdicts"],
                prompt=question["prompt"],
                scoring=scoring,
            )
        )
    panel = build_panel([make_run(tmp_path, "run", rows)])
    assert panel.graders == default_graders().names
    for row in panel.rows:
        for graded in row.constraints:
            assert graded.verdicts["fixes_only"]
            assert graded.verdicts["proposed"]
            assert graded.instruction
    write_panel(tmp_path / "p.parquet", panel)
    assert read_panel(tmp_path / "p.parquet").rows == panel.rows


def test_runs_go_by_their_own_names(tmp_path):
    """The name that the run was given; two runs of one name go by their folders'; saved answers have no other name."""
    first = make_run(tmp_path, "2026-a", [sample("k", "x", PASS)], name="greedy", responses="/a.jsonl")
    second = make_run(tmp_path, "2026-b", [sample("k", "y", PASS)], name="warm")
    assert [(row.run, row.config) for row in build_panel([first, second]).rows] == [
        ("greedy", "greedy"),
        ("warm", MODEL),
    ]
    third = make_run(tmp_path, "2026-c", [sample("k", "z", PASS)], name="warm")
    assert {row.run for row in build_panel([first, second, third]).rows} == {"greedy", "2026-b", "2026-c"}


def test_runs_that_share_a_name_are_told_apart_by_the_option(tmp_path, capsys):
    """Folders of one name from two machines: an error names ``--name``, which panel takes."""
    runs = [
        make_run(tmp_path / machine, "run", [sample("k", machine, PASS), sample("l", "same", PASS)]) for machine in "ab"
    ]
    out = ["--out", tmp_path / "p.parquet"]
    assert command("panel", *runs, *out) == 2
    assert "2 runs are named run: tell them apart by --name NAME" in capsys.readouterr().err
    assert command("panel", *runs, *out, "--name", "left") == 2
    assert "1 names by --name for 2 runs" in capsys.readouterr().err
    assert command("panel", *runs, *out, "--name", "same", "--name", "same") == 2
    assert command("panel", *runs, *out, "--name", "left", "--name", "right") == 0
    assert {row.run for row in read_panel(tmp_path / "p.parquet").rows} == {"left", "right"}
