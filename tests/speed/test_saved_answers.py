"""The script that measures runs of saved answers: its answers, its figures, and a run that fails."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "speed" / "saved_answers.py"


@pytest.fixture
def script(monkeypatch):
    """The script as a module; the rate of verdicts is measured elsewhere and given here."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = importlib.util.spec_from_file_location("saved_answers", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "rate", lambda cases: 2_000.0)
    return module


def test_answers_are_all_unlike(script, tmp_path):
    """Every question with as many repeats as asked for, no text twice."""
    assert script.write_answers(tmp_path / "a.jsonl", 3, questions=20) == 60
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({line["response"] for line in lines}) == 60
    assert len({(line["id"], line["repeat"]) for line in lines}) == 60
    assert {line["repeat"] for line in lines} == {0, 1, 2}


def test_figures_are_differences_by_answer(script, monkeypatch, capsys):
    """1 MB and 2 s more for 2,520 answers than for ten; the limits decide the exit status."""
    runs = []

    def measured(checkout, arguments, folder):
        runs.append(arguments)
        return script.Usage(500_000, 10) if "--max-samples" in arguments else script.Usage(500_000 + 25_100, 12.51)

    monkeypatch.setattr(script, "measure", measured)
    assert script.main(["--answers", "1261", "--most-kb", "10", "--most-ms", "1"]) == 0
    assert runs[1][-3:] == ["--full", "--repeats", "2"]
    printed = capsys.readouterr().out
    for line in (
        "answers: 2,520",
        "peak memory an answer: 10.0 KB",
        "processor time an answer: 1.000 ms",
        "as 2.0 verdicts",
    ):
        assert line in printed
    assert script.main(["--answers", "1261", "--most-kb", "9.9", "--most-ms", "0.9"]) == 1
    assert "KB an answer is over 9.9\nms an answer is over 0.9\n" in capsys.readouterr().out


def test_a_failed_run_gives_no_figures(script, tmp_path, capsys):
    """A checkout whose command fails: its last words and status 2, rather than a difference of nothing."""
    (tmp_path / "run_lighteval.py").write_text("raise SystemExit('out of luck')", encoding="utf-8")
    assert script.main(["--checkout", str(tmp_path), "--answers", "1"]) == 2
    assert "out of luck" in capsys.readouterr().err


def test_a_process_is_measured_alone(script, tmp_path):
    """A command that fills 200 MB and computes for half a second."""
    code = "import time\nx = bytearray(200_000_000)\nwhile time.process_time() < 0.5:\n    pass\n"
    (tmp_path / "run_lighteval.py").write_text(code, encoding="utf-8")
    usage = script.measure(tmp_path, [], tmp_path)
    assert 195_000 < usage.peak_kb < 300_000
    assert 0.5 <= usage.cpu_s < 3


@pytest.mark.slow
def test_real_runs(script, capsys):
    """Both runs of the real command, over every question once."""
    assert script.main(["--answers", "1260"]) == 0
    printed = capsys.readouterr().out
    assert "answers: 1,260" in printed
    assert "processor time an answer: 0.000" not in printed
