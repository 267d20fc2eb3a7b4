"""``report rescore`` of runs that have not ended: their journals, over the dataset that was asked."""

import json
from pathlib import Path

import pytest
from mini import right, write_dataset, wrong
from report_runs import TASK, command, ifhard_run

from endpoints.journal import Journal
from endpoints.outcome import Outcome
from endpoints.request import Request
from tasks.benchmark import DatasetRequest
from tasks.names import TaskName
from tasks.registry import benchmark

OPEN = "hardmultiqa:open:alignment|0"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Copies of datasets lie beside the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def handle_of(name, data):
    """The dataset as a run would have it."""
    return benchmark(name).load_dataset(DatasetRequest(str(data), Path(data).parent / "cache" / "lighteval-hard"))


def interrupted(folder, outcomes, *, data, task=TASK, replies=(), **content):
    """A run's folder without details: (id, repeat, outcome) in the order in which they came."""
    name = task.partition(":")[0]
    handle = handle_of(name, data)
    folder.mkdir()
    journal(folder / "responses.jsonl", task, outcomes)
    if replies:
        journal(folder / "judgements.jsonl", task, replies)
    usual = {
        "status": "interrupted",
        "settings": {"model": "m", "full": True, "tasks": [task], "dataset": str(data), **content.pop("settings", {})},
        "datasets": {name: {"name": str(data), "sha256": handle.sha256, "scorer_version": "1-0"}},
    }
    (folder / "run.json").write_text(json.dumps(usual | content), encoding="utf-8")
    return folder


def journal(path, task, outcomes):
    with Journal(path) as kept:
        for number, (ident, repeat, outcome) in enumerate(outcomes):
            turns = ({"role": "user", "content": f"{ident} {number}"},)
            kept.append(Request(task, ident, repeat, "chat", "m", turns, None, 8, {}, {}), outcome)


def said(text, finish="stop", **given):
    return Outcome("answered", text, finish_reason=finish, attempts=1, **given)


def rescored(tmp_path, folder):
    assert command("rescore", folder, "--json", tmp_path / "again.json") == 0
    return json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))


def refused(folder, capsys):
    """The one line of an error."""
    assert command("rescore", folder) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    return line


@pytest.fixture
def data(tmp_path):
    """Forty questions, ``t000`` to ``t039``."""
    return write_dataset(tmp_path / "data")


def test_a_journal_is_scored_over_the_dataset_that_was_asked(tmp_path, data, capsys):
    """Answers are right or wrong; a failed request is none, unless a later line has the answer; a fragment is none."""
    outcomes = [
        ("t000", 0, said(right(0))),
        ("t001", 0, said(wrong(1))),
        ("t002", 0, Outcome.failure("timeout", "too slow", 3)),
        ("t002", 0, said(right(2))),
        ("t003", 0, Outcome("blocked", "", finish_reason="content_filter", error="filter", error_code="blocked")),
        ("t004", 0, said("начало", "network_error")),
        ("t005", 0, said(right(5), "length")),
    ]
    found = rescored(tmp_path, interrupted(tmp_path / "run", outcomes, data=data))
    assert found["source"] == "journal"
    task = found["tasks"][TASK]
    assert (task["answers"], task["missing"]) == (6, 2)
    value = task["headlines"]["sample_pass_rate"]
    assert value["before"] is None
    assert (value["after"]["value"], value["after"]["n"]) == (0.75, 4)
    assert value["after"]["bounds"] == [0.5, pytest.approx(5 / 6)]
    assert "4 answers of responses.jsonl scored, of 40 that were to be asked" in capsys.readouterr().out


def test_a_torn_last_line_is_passed_over_and_said(tmp_path, data):
    """And it stays in the file."""
    folder = interrupted(tmp_path / "run", [("t000", 0, said(right(0)))], data=data)
    path = folder / "responses.jsonl"
    path.write_bytes(torn := path.read_bytes() + b'{"key": "0123')
    found = rescored(tmp_path, folder)
    assert "responses.jsonl: an unfinished last line of 13 bytes is passed over" in found["notes"]
    assert found["tasks"][TASK]["answers"] == 1
    assert path.read_bytes() == torn


def test_a_broken_line_is_named(tmp_path, data, capsys):
    """One in the middle is no unfinished end."""
    folder = interrupted(tmp_path / "run", [("t000", 0, said(right(0)))], data=data)
    path = folder / "responses.jsonl"
    path.write_bytes(b"{}\n" + path.read_bytes())
    assert "line 1 is broken" in refused(folder, capsys)


def test_another_dataset_is_refused(tmp_path, data, capsys):
    """Its questions under the same ids may be others."""
    folder = interrupted(tmp_path / "run", [("t000", 0, said(right(0)))], data=data)
    write_dataset(data, 39)
    line = refused(folder, capsys)
    assert "have changed since" in line
    assert "--resume" in line


def test_a_dataset_that_is_gone_is_refused(tmp_path, data, capsys):
    """With its own words."""
    folder = interrupted(tmp_path / "run", [("t000", 0, said(right(0)))], data=data)
    data.rename(tmp_path / "elsewhere")
    assert "its dataset cannot be had" in refused(folder, capsys)


def test_a_run_that_kept_no_answers_is_refused(tmp_path, data, capsys):
    """Saved answers lie elsewhere; a run that was killed early has none, nor does it know its dataset."""
    folder = interrupted(tmp_path / "saved", [], data=data, settings={"responses": "there.jsonl"})
    assert "score there.jsonl again by --responses" in refused(folder, capsys)
    folder = interrupted(tmp_path / "none", [], data=data)
    assert "holds no answer yet" in refused(folder, capsys)
    (folder / "responses.jsonl").unlink()
    assert "neither details files nor a journal" in refused(folder, capsys)
    folder = interrupted(tmp_path / "early", [("t000", 0, said("x"))], data=data, datasets={})
    assert "does not say which dataset" in refused(folder, capsys)


def test_reasoning_marks_are_cut_as_in_the_run(tmp_path, data):
    """The journal has the text as it came."""
    text = f"[THINK]много, очень много слов[/THINK]{right(0)}"
    for marks, value in ((None, 0.0), ("mistral", 1.0)):
        folder = tmp_path / f"run {marks}"
        interrupted(folder, [("t000", 0, said(text))], data=data, settings={"reasoning_marks": marks})
        found = rescored(tmp_path, folder)["tasks"][TASK]["headlines"]["sample_pass_rate"]["after"]
        assert found["value"] == value


def test_repeats_are_answers_of_their_own(tmp_path, data):
    """The value weighs the question once; of two answers to one place the later line counts."""
    outcomes = [("t000", 0, said(right(0))), ("t000", 1, said(right(0))), ("t000", 1, said(wrong(0)))]
    folder = interrupted(tmp_path / "run", outcomes, data=data, settings={"repeats": 2})
    found = rescored(tmp_path, folder)
    assert "of 80 that were to be asked" in found["notes"][0]
    assert found["tasks"][TASK]["headlines"]["sample_pass_rate"]["after"]["value"] == 0.5


def test_the_judges_replies_of_a_journal_are_read(tmp_path, capsys):
    """An answer without a readable reply is unjudged; replies of two judges are not mixed."""
    bench = benchmark("hardmultiqa")
    handle = bench.load_dataset(DatasetRequest("builtin", tmp_path))
    lines = (handle.folder / "test.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [row for row in map(json.loads, filter(None, lines)) if row["task"] == "open"]
    ids = [bench.sample_of(row, TaskName.read(OPEN)).id for row in rows[:3]]
    grade = json.dumps({"explanation": "так", "grade": 1}, ensure_ascii=False)
    folder = interrupted(
        tmp_path / "run",
        [(ident, 0, said("Ответ")) for ident in ids],
        data="builtin",
        task=OPEN,
        replies=[(ids[0], 0, said("хм")), (ids[0], 0, said(grade)), (ids[1], 0, said("хм"))],
    )
    found = rescored(tmp_path, folder)["tasks"][OPEN]["headlines"]["hardmultiqa_judge"]["after"]
    assert (found["value"], found["n"]) == (1.0, 1)
    assert found["bounds"] == [pytest.approx(1 / 3), 1.0]
    content = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    sessions = [{"command": ["x"]}, {"command": ["x", "--resume", "y", "--judge-model", "other"]}]
    (folder / "run.json").write_text(json.dumps(content | {"sessions": sessions}), encoding="utf-8")
    assert "which reply is whose cannot be told" in refused(folder, capsys)


def test_answers_that_no_details_file_has_are_said(tmp_path, data):
    """A resumed run that was stopped again has details of its first session."""
    folder = ifhard_run(tmp_path / "run", "+w")
    journal(folder / "responses.jsonl", TASK, [("q000", 0, said("раз два")), ("q005", 0, said("раз два"))])
    notes = rescored(tmp_path, folder)["notes"]
    assert any(note.startswith("1 answer of responses.jsonl left out") for note in notes)
