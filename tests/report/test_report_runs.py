"""``report runs``: what each run of a folder says of itself, newest first."""

import fcntl
import json
import shutil

import pytest
from report_runs import command, ifhard_run

from report.listing import list_runs

TASK = "ifhard:all|0"
ROW = {
    "sample_pass_rate": 0.5,
    "sample_pass_rate_ci_low": 0.25,
    "sample_pass_rate_ci_high": 0.75,
    "n_answered": 4,
    "n_total": 8,
}


def run(parent, name, day=1, **content):
    """A finished run that began on that day of January."""
    usual = {"tasks": {TASK: ROW}}
    usual["sessions"] = [{"started": f"2026-01-{day:02}T03:04:05+00:00", "ended": f"2026-01-{day:02}T04:00:00+00:00"}]
    settings = content.pop("settings", {})
    folder = ifhard_run(parent / name, "+w", settings=settings)
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | usual | content), encoding="utf-8")
    return folder


def listed(folder, name):
    (found,) = (one for one in list_runs(folder) if one.folder.name == name)
    return found


def test_newest_first_with_all_there_is_to_know(tmp_path, capsys):
    """Folder, model, task, headline with its interval, coverage, state; the JSON has the same."""
    run(tmp_path, "older", 1, settings={"name": "first", "chat_template_kwargs": {"thinking": False}})
    run(tmp_path, "newer", 2, status="incomplete")
    assert command("runs", tmp_path) == 0
    head, newer, older, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["run", "model", "task", "headline", "95%", "interval", "coverage", "state"]
    assert newer.split() == ["newer", "org/model", TASK, "0.5000", "[0.2500,", "0.7500]", "4/8", "incomplete"]
    assert older.split()[:3] == ["older", "org/model", "[thinking=False]"]
    assert last == "headlines: sample_pass_rate of ifhard"
    assert command("runs", tmp_path, "--json", "-") == 0
    form = json.loads(capsys.readouterr().out)
    assert [one["folder"] for one in form["runs"]] == [str(tmp_path / "newer"), str(tmp_path / "older")]
    assert form["runs"][1] == {
        "folder": str(tmp_path / "older"),
        "name": "first",
        "model": "org/model [thinking=False]",
        "started": "2026-01-01T03:04:05+00:00",
        "ended": "2026-01-01T04:00:00+00:00",
        "state": "complete",
        "why": "",
        "tasks": {
            TASK: {
                "metric": "sample_pass_rate",
                "value": 0.5,
                "interval": [0.25, 0.75],
                "answered": 4,
                "total": 8,
                "coverage": 0.5,
            }
        },
    }


def test_only_run_json_is_read(tmp_path):
    """A thousand runs are listed at once: details and journals may hold anything."""
    folder = run(tmp_path, "a")
    for path in folder.glob("details/**/*.parquet"):
        path.write_bytes(b"no parquet")
    (folder / "responses.jsonl").write_bytes(b"{")
    assert listed(tmp_path, "a").state == "complete"


def test_tasks_in_the_order_of_the_run(tmp_path, capsys):
    """One line each; rows of parts that nobody asked for are left out, tasks without scores say so."""
    rows = {
        TASK: ROW,
        "ifhard:easy|0": ROW | {"sample_pass_rate": None, "sample_pass_rate_ci_low": None},
        "sobhard:all|0": {"generated_only": True, "n_total": 9, "n_generated": 8},
        "gone:all|0": {"n_answered": 1, "n_total": 1},
        "ifhard:hard|0": ROW,
    }
    order = ["sobhard:all|0", "ifhard:easy|0", TASK, "gone:all|0"]
    run(tmp_path, "a", tasks=rows, settings={"tasks": order})
    assert command("runs", tmp_path) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:-1]]
    assert lines[0][2:] == ["sobhard:all|0", "not", "scored", "8/9", "complete"]
    assert lines[1:] == [
        ["ifhard:easy|0", "n/a", "4/8"],
        [TASK, "0.5000", "[0.2500,", "0.7500]", "4/8"],
        ["gone:all|0", "not", "scored", "1/1"],
    ]


@pytest.mark.parametrize(
    ("content", "state", "why"),
    [
        (
            {"status": "stopped early", "stopped": {"rule": "above=0.4", "after": 9}},
            "stopped early",
            "above=0.4 after 9",
        ),
        ({"status": "interrupted", "tasks": {}}, "interrupted", ""),
        ({"status": "interrupted"}, "interrupted", "the values are of its last table"),
        ({"status": "failed", "exit_status": 3}, "failed", "exit status 3"),
        ({"status": "stopped", "exit_status": 4}, "stopped", "exit status 4"),
        ({"status": "running"}, "interrupted", "its process ended without a word"),
        ({"tasks": {TASK: 7}}, "broken", f"run.json is damaged: its tasks.{TASK} is no object: 7"),
        ({"tasks": {TASK: {}}}, "broken", "KeyError: 'n_total'"),
        ({"tasks": [TASK]}, "broken", "its tasks is no object"),
        ({"sessions": [7]}, "broken", "its sessions.0 is no object: 7"),
    ],
)
def test_states(tmp_path, content, state, why):
    """As ``run.json`` has it; what cannot be read says why."""
    run(tmp_path, "a", **content)
    found = listed(tmp_path, "a")
    assert found.state == state
    assert why in found.why


def test_a_run_that_is_going_on(tmp_path):
    """It holds the lock of its folder; looking does not take it away."""
    folder = run(tmp_path, "a", status="running", tasks={})
    with (folder / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert [listed(tmp_path, "a").state for _ in range(2)] == ["running", "running"]
    assert listed(tmp_path, "a").state == "interrupted"


def test_a_run_that_was_copied_without_its_details(tmp_path):
    """What is left reads, but no answer can be shown: that is said here already."""
    shutil.rmtree(run(tmp_path, "a") / "details")
    assert listed(tmp_path, "a").state == "broken"
    assert listed(tmp_path, "a").why == "its details are missing: copy the whole folder"


def test_folders_that_are_no_runs_are_passed_over(tmp_path, capsys):
    """Empty ones, files, those of other tools."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("x")
    (tmp_path / "wandb").mkdir()
    (tmp_path / "wandb" / "run.json").write_text('{"project": "x"}')
    assert command("runs", tmp_path) == 0
    assert capsys.readouterr().out == f"{tmp_path} holds no runs\n"


def test_broken_ones_are_listed_with_why(tmp_path, capsys):
    """An empty, cut, unreadable or lost ``run.json``; they sort by the time in the folder's name."""
    run(tmp_path, "2026-01-03T00-00-00_m_ifhard", 3)
    for number, content in enumerate((b"", b'{"settings": {', b"\xff")):
        folder = tmp_path / f"2026-01-0{number + 4}T00-00-00_m_ifhard"
        folder.mkdir()
        (folder / "run.json").write_bytes(content)
    lost = tmp_path / "2026-01-01T00-00-00_m_ifhard"
    lost.mkdir()
    (lost / "responses.jsonl").write_text("")
    assert command("runs", tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()[1:-1]
    assert [line[:10] for line in lines] == [f"2026-01-0{day}" for day in (6, 5, 4, 3, 1)]
    assert "broken: run.json cannot be read: 'utf-8' codec" in lines[0]
    assert "broken: run.json is not JSON" in lines[1]
    assert "broken: run.json is not JSON" in lines[2]
    assert lines[4].endswith("broken: has no run.json beside its other files: copy the whole folder")
    assert not any(str(tmp_path) in line for line in lines)


def test_the_folder_may_be_the_run(tmp_path, capsys):
    """A run's own folder lists that run."""
    assert command("runs", run(tmp_path, "a")) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("a ")


def test_names_of_strangers_are_harmless(tmp_path, capsys):
    """A model's name may hold anything; a table has one line a task."""
    run(tmp_path, "a", settings={"model": "\x1b[2Jm\u202e\n[red]" + "x" * 99})
    assert command("runs", tmp_path) == 0
    out = capsys.readouterr().out
    assert "<U+001B>[2Jm<U+202E><U+000A>[red]xxx" in out
    assert "x" * 60 not in out


def test_no_such_folder(tmp_path, capsys, monkeypatch):
    """Exit 2; the default folder is ``results``."""
    assert command("runs", tmp_path / "absent") == 2
    monkeypatch.chdir(tmp_path)
    assert command("runs") == 2
    assert capsys.readouterr().err.splitlines()[1].startswith("error: results: there is no such folder")
    run(tmp_path / "results", "a")
    assert command("runs") == 0
