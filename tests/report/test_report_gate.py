"""A gate fails for an established drop alone."""

import json
from xml.etree import ElementTree

import pytest
from report_runs import TASK, command, ifhard_rows, ifhard_run, open_row, write_run

SURE = "+" * 100


def gate(tmp_path, run, baseline, *options, drop=0.02):
    """Exit status, JSON and JUnit of a gate."""
    files = ["--json", tmp_path / "gate.json", "--junit", tmp_path / "gate.xml"]
    status = command("gate", run, "--against", baseline, "--max-drop", drop, *files, *options)
    form = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8")) if status < 2 else None
    return status, form, ElementTree.parse(tmp_path / "gate.xml").getroot()


@pytest.mark.parametrize(
    ("marks", "drop", "status"),
    [
        (SURE, 0.02, 0),  # the same
        ("w" * 40 + "+" * 60, 0.02, 1),  # 40 points lower
        ("w" * 40 + "+" * 60, 0.5, 0),  # which is allowed
        ("w" * 3 + "+" * 97, 0.02, 0),  # 3 points may be chance
    ],
)
def test_exit_status(tmp_path, capsys, marks, drop, status):
    """1 only where the whole interval lies beyond the allowed drop."""
    baseline, run = ifhard_run(tmp_path / "a", SURE), ifhard_run(tmp_path / "b", marks)
    found, form, suite = gate(tmp_path, run, baseline, drop=drop)
    assert found == status
    (one,) = form["metrics"]
    assert (one["task"], one["metric"], one["max_drop"]) == (TASK, "sample_pass_rate", drop)
    assert one["drop"] == pytest.approx(marks.count("w") / 100)
    assert (one["interval"][0] > drop) == one["established"] == form["established"] == bool(status)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", str(status), "0")
    assert (suite.find("testcase/failure") is not None) == bool(status)
    said = capsys.readouterr().out
    assert ("a drop of more than" if status else "no drop of more than") in said
    assert ("would show, at 80%, a drop" in said) == (not status)


def test_a_gain_is_no_drop(tmp_path):
    """Of any size."""
    status, form, _ = gate(tmp_path, ifhard_run(tmp_path / "b", SURE), ifhard_run(tmp_path / "a", "w" * 100))
    assert status == 0
    assert form["metrics"][0]["drop"] == -1


@pytest.mark.parametrize(
    ("marks", "metric", "drop", "words"),
    [
        ("w" * 100, "sample_pass_rate", 0, "from 0.0000 no drop can be larger: such a gate never fails"),
        ("+" * 10 + "w" * 90, "sample_pass_rate", 0.1, "from 0.1000 no drop can be larger"),
        (SURE, "sample_pass_rate", 1, "from 1.0000 no drop can be larger"),
        ("e" * 95 + "+" * 5, "empty_share", 0.05, "from 0.9500 no drop can be larger"),
        (SURE, "sample_pass_rate", 0.95, "100 questions are too few to show any drop at 80%"),
    ],
)
def test_a_gate_that_cannot_fail_says_so(tmp_path, capsys, marks, metric, drop, words):
    """A mistaken bound, such as 1 for a point, is not passed in silence."""
    baseline, run = (ifhard_run(tmp_path / name, marks) for name in "ab")
    assert gate(tmp_path, run, baseline, "--metric", metric, drop=drop)[0] == 0
    assert words in capsys.readouterr().out


def test_missing_answers_leave_room_for_a_drop(tmp_path, capsys):
    """The baseline's own value may be higher than the one that was seen."""
    baseline, run = ifhard_run(tmp_path / "a", "w" * 60 + "?" * 40), ifhard_run(tmp_path / "b", "w" * 100)
    assert gate(tmp_path, run, baseline)[0] == 0
    assert "never fails" not in capsys.readouterr().out


def test_the_same_folder_is_named(tmp_path, capsys):
    """A gate of a run against itself passes, and is seen to."""
    run = ifhard_run(tmp_path / "a", SURE)
    assert gate(tmp_path, run, run)[0] == 0
    assert "note: both are the same folder" in capsys.readouterr().out


def test_a_metric_where_lower_is_better(tmp_path):
    """A rise of empty answers is a drop."""
    baseline, run = ifhard_run(tmp_path / "a", SURE), ifhard_run(tmp_path / "b", "e" * 50 + "+" * 50)
    status, form, _ = gate(tmp_path, run, baseline, "--metric", "empty_share")
    assert status == 1
    assert form["metrics"][0]["drop"] == pytest.approx(0.5)
    assert gate(tmp_path, baseline, run, "--metric", "empty_share")[0] == 0


def test_several_metrics(tmp_path, capsys):
    """Corrected for their number: each interval is wider; an unknown name is refused with those there are."""
    baseline, run = ifhard_run(tmp_path / "a", SURE), ifhard_run(tmp_path / "b", "w" * 40 + "+" * 60)
    alone = gate(tmp_path, run, baseline)[1]["metrics"][0]
    status, form, suite = gate(tmp_path, run, baseline, "--metric", "sample_pass_rate", "--metric", "empty_share")
    assert status == 1
    assert [one["established"] for one in form["metrics"]] == [True, False]
    assert form["metrics"][0]["interval"][0] < alone["interval"][0]
    assert suite.get("tests") == "2"
    assert gate(tmp_path, run, baseline, "--metric", "nonsense")[0] == 2
    assert "there are sample_pass_rate, constraint_pass_rate, balance_score, empty_share" in capsys.readouterr().err


def test_missing_answers_do_not_establish_a_drop(tmp_path, capsys):
    """Forty failed requests are no wrong answers: they could all have been right."""
    baseline = ifhard_run(tmp_path / "a", SURE)
    lost = ifhard_run(tmp_path / "b", "?" * 40 + "+" * 60, status="incomplete")
    assert gate(tmp_path, lost, baseline)[0] == 0
    assert "missing answers counted both ways: -0.4000 to +0.0000" in capsys.readouterr().out
    worse = ifhard_run(tmp_path / "c", "?" * 10 + "w" * 50 + "+" * 40, status="incomplete")
    assert gate(tmp_path, worse, baseline)[0] == 1


def test_runs_that_do_not_compare(tmp_path, capsys):
    """Exit status 2, and the CI server shows an error: never a pass."""
    baseline = ifhard_run(tmp_path / "a", SURE)
    other = ifhard_run(tmp_path / "b", SURE, sampling={"temperature": 1.0})
    status, _, suite = gate(tmp_path, other, baseline)
    assert status == 2
    assert "sampling: temperature 0.0 and 1.0" in suite.find("testcase/error").get("message")
    assert gate(tmp_path, other, baseline, "--common")[0] == 0
    (tmp_path / "gate.xml").unlink()
    assert gate(tmp_path, tmp_path / "absent", baseline)[0] == 2
    unanswered = ifhard_run(tmp_path / "c", "?" * 100)
    assert gate(tmp_path, unanswered, baseline)[0] == 2
    assert "nothing to compare" in capsys.readouterr().err


def test_each_task_has_its_verdict(tmp_path):
    """The first headline of each."""
    for name, mark in (("a", "+"), ("b", "w")):
        write_run(tmp_path / name, [*ifhard_rows(mark * 60), *(open_row(i, 1) for i in range(60))])
    status, form, _ = gate(tmp_path, tmp_path / "b", tmp_path / "a")
    assert status == 1
    assert [(one["metric"], one["established"]) for one in form["metrics"]] == [
        ("sample_pass_rate", True),
        ("hardmultiqa_judge", False),
    ]


def test_characters_that_xml_does_not_know(tmp_path):
    """A run's name may hold any."""
    baseline = ifhard_run(tmp_path / "a", "+" * 50, settings={"name": "bell \x07 & <x>"})
    run = ifhard_run(tmp_path / "b", "w" * 50)
    status, _, suite = gate(tmp_path, run, baseline)
    assert status == 1
    assert "bell \N{REPLACEMENT CHARACTER} & <x>" in suite.find("testcase/failure").get("message")
    files = ["--junit", tmp_path / "absent" / "x.xml"]
    assert command("gate", run, "--against", baseline, "--max-drop", 0.1, *files) == 2
