"""A quick start of the command, and files that are not what they should be."""

import json
import subprocess
import sys
from pathlib import Path

from audit_runs import IDS, KWARGS, command, make_run, sample, two_graders, verdict

ROOT = Path(__file__).resolve().parents[2]
PASS = two_graders([True, True], [True, True])


def test_the_command_starts_without_lighteval():
    """Help comes at once: neither LightEval nor torch is imported for it."""
    code = "import sys, audit.cli; assert not {'lighteval', 'torch', 'datasets'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "audit", "--help"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert "in order:" in done.stdout


def test_an_incomplete_run_is_noted(tmp_path, capsys):
    """Its panel can be made, and says so."""
    run = make_run(tmp_path, "run", [sample("a", "x", PASS)])
    content = json.loads((run / "run.json").read_text(encoding="utf-8"))
    (run / "run.json").write_text(json.dumps(content | {"status": "interrupted"}), encoding="utf-8")
    assert command("panel", run, "--out", tmp_path / "p.parquet") == 0
    assert "note: run: its run is interrupted" in capsys.readouterr().out


def test_what_cannot_be_written_is_said(tmp_path, capsys):
    """Exit 2 and the path."""
    run = make_run(tmp_path, "run", [sample("a", "x", PASS)])
    assert command("panel", run, "--out", tmp_path / "absent" / "p.parquet") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_panel_counts(tmp_path, capsys):
    """Passes, crashes, verdicts that are missing and disagreements, by grader; broken answers apart."""
    verdicts = two_graders([True, None], [False, False])
    verdicts[3]["code"] = "crash"
    rows = [sample("a", "x", verdicts), sample("b", "", PASS, outcome="failed"), sample("c", "y", PASS, truncated=True)]
    run = make_run(tmp_path, "run", rows)
    assert command("panel", run, "--out", tmp_path / "p.parquet") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["org/secret-model", "run", "3", "1", "1", "0", "0"] in lines
    assert ["1", "old", "3", "3", "(100.0%)", "0", "1", "-", "1/3"] in lines
    assert ["2", "new", "4", "2", "(50.0%)", "1", "0", "1/3", "-"] in lines


def test_the_panel_has_one_table_of_its_graders(tmp_path, capsys):
    """Six graders are six lines, not fifteen more; a pair without a common verdict has none to differ on."""
    names = [f"g{number}" for number in range(6)]
    verdicts = [
        verdict(IDS[0], name, None if name == "g5" else number % 2 == 0, place=0) for number, name in enumerate(names)
    ]
    key = {"prompt": "", "constraints": [{"id": IDS[0], "kwargs": KWARGS[0]}]}
    run = make_run(tmp_path, "run", [sample("a", "x", verdicts, scoring=key)])
    assert command("panel", run, "--out", tmp_path / "p.parquet") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    (head,) = (place for place, line in enumerate(lines) if line[:2] == ["grader", "verdicts"])
    assert [line[:2] for line in lines[head + 1 : head + 7]] == [[str(n), f"g{n - 1}"] for n in range(1, 7)]
    assert lines[head + 1][-6:] == ["-", "1/1", "0/1", "1/1", "0/1", "n/a"]
    assert len(lines) == head + 8
    capsys.readouterr()
    alone = make_run(tmp_path, "alone", [sample("a", "x", verdicts[:1], scoring=key)])
    assert command("panel", alone, "--out", tmp_path / "p.parquet") == 0
    assert "vs" not in capsys.readouterr().out
