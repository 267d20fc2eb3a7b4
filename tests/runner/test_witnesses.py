"""The built-in dataset end to end: witnesses, whole and damaged, through the command line."""

import json

import pytest
from mini import write_dataset

from builders.ifhard.__main__ import main as build
from builders.ifhard.damage import main as damage
from runner.exits import Exit
from tasks.ifhard.dataset import BUILTIN


def test_every_witness_scores_one(command):
    """All questions of the shipped set are solvable, and the scorer agrees."""
    result = command("--full", "--responses", str(BUILTIN / "witnesses.jsonl"), data=None)
    assert result.code == Exit.COMPLETE
    row = result.row()
    assert row["n_total"] == len((BUILTIN / "test.jsonl").read_text(encoding="utf-8").splitlines())
    for name in ("sample_pass_rate", "constraint_pass_rate", "balance_score"):
        assert row[name] == 1.0, name
    assert row["empty_share"] == 0.0
    assert {row[f"tier/{tier}/sample_pass_rate"] for tier in ("easy", "medium", "hard", "expert")} == {1.0}


def test_damaged_witnesses_score_the_computed_rate(command, tmp_path):
    """Three in ten broken by a recorded rule: the run finds exactly that, its interval around it."""
    out = tmp_path / "damaged.jsonl"
    assert damage(["--dataset", str(BUILTIN), "--share", "0.3", "--seed", "8", "--out", str(out)]) == 0
    expected = json.loads((tmp_path / "damaged.jsonl.expected.json").read_text(encoding="utf-8"))
    result = command("--full", "--responses", str(out), data=None)
    row = result.row()
    assert row["sample_pass_rate"] == pytest.approx(expected["sample_pass_rate"])
    assert row["constraint_pass_rate"] == pytest.approx(expected["constraint_pass_rate"])
    assert row["sample_pass_rate_ci_low"] < 0.7 < row["sample_pass_rate_ci_high"]
    assert 0 < row["balance_score"] < 1


def test_shots_of_the_shipped_set_load_as_chat_turns(command):
    """Five shots are there, with answers."""
    result = command("--show-prompt", "1", task="ifhard:all|5", data=None)
    assert result.code == Exit.COMPLETE
    assert result.out.count("[assistant]\n") == 5
    assert result.out.count("Задание:\n") == 6


@pytest.mark.parametrize("requirements", ["1-1", "7-12", "12-12"])
def test_a_set_with_a_range_of_requirements_runs(command, tmp_path, requirements):
    """Built by the command, read by ``--dataset``; each witness scores one, and each tier has its quarter."""
    folder = tmp_path / "harder"
    options = ["--requirements", requirements, "--size", "4", "--processes", "1", "--out", str(folder)]
    assert build(options) == 0
    result = command("--full", "--responses", str(folder / "witnesses.jsonl"), data=folder)
    assert result.code == Exit.COMPLETE, result.err
    row = result.row()
    assert (row["n_total"], row["sample_pass_rate"], row["constraint_pass_rate"]) == (4, 1.0, 1.0)
    assert [row[f"tier/{tier}/n"] for tier in ("easy", "medium", "hard", "expert")] == [1] * 4
    shown = command("--show-prompt", "1", data=folder)
    lines = [line for line in shown.out.splitlines() if line.startswith("- ")]
    low, high = map(int, requirements.split("-"))
    assert low <= len(lines) <= high


@pytest.mark.parametrize("form", ["folder", "file", "list", "crlf", "bom"])
def test_a_dataset_of_ones_own_loads_in_every_usual_form(command, tmp_path, form):
    """Folder or file, key as text or as list, CRLF, byte order mark."""
    folder = write_dataset(tmp_path / "own", 12)
    test = folder / "test.jsonl"
    text = test.read_text(encoding="utf-8")
    if form == "list":
        rows = [json.loads(line) for line in text.splitlines()]
        for row in rows:
            row["meta"]["constraints"] = json.loads(row["meta"]["constraints"])
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    text = text.replace("\n", "\r\n") if form == "crlf" else text
    test.write_bytes(text.encode("utf-8-sig" if form == "bom" else "utf-8"))
    result = command("--show-prompt", "1", data=test if form == "file" else folder)
    assert result.code == Exit.COMPLETE, result.err
    assert "Требования к ответу:" in result.out
