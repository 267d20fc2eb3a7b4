"""Whole runs over the sample set against a scripted model and a scripted judge: exact scores of all five types."""

import json
from pathlib import Path

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer
from lighteval_command import lighteval_custom, lighteval_results

from runner.cli import main
from tasks.hardmultiqa.names import TYPES

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    """Caches of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(tmp_path, task, model, judge, *more):
    """Exit status and ``run.json``."""
    here = ["--task", task, "--dataset", "builtin", "--output-dir", str(tmp_path / "out")]
    there = ["--model", "tiny", "--base-url", model.url, "--judge-model", "tiny", "--judge-base-url", judge.url]
    code = main([*here, *there, *more])
    (folder,) = (tmp_path / "out").iterdir()
    return int(code), json.loads((folder / "run.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("task", ["hardmultiqa:all:pretrain|5", "hardmultiqa:all:alignment|0"])
def test_exact_scores(tmp_path, task, capsys):
    """Each type, and all of them over the individual samples; what the model adds, or thinks, is not judged."""
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        code, found = run(tmp_path, task, model, judge, "--full")
        assert code == 0, capsys.readouterr()
        assert len(model.bodies) == len(judge.bodies) == 40
    table = capsys.readouterr().out
    assert found["tasks"][task]["hardmultiqa_judge"] == pytest.approx(servers.expected())
    assert found["tasks"][task]["judge_coverage"] == 1.0
    for kind in TYPES:
        row = found["tasks"][task.replace(":all:", f":{kind}:")]
        assert row["hardmultiqa_judge"] == pytest.approx(servers.expected(kind))
    assert "sample set of this project" in table
    assert "scorer 2-0; judge tiny, prompts 6 sha256" in table


def test_what_is_sent(tmp_path):
    """Completion: cap, stop string, five demonstrations; greedy."""
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        code, _ = run(tmp_path, "hardmultiqa:open:pretrain|5", model, judge, "--max-samples", "2")
        assert code == 0
        for body in model.bodies:
            assert (body["max_tokens"], body["temperature"], body["stop"]) == (256, 0, ["\nВопрос:"])
            assert body["prompt"].count("Вопрос: ") == 6
            assert body["prompt"].endswith("\nОтвет:")


@pytest.mark.slow
def test_lightevals_own_command(tmp_path, offline_lighteval):
    """The same scores and the same requests through ``--custom-tasks tasks.hardmultiqa.task``, in both modes."""
    tasks = ["hardmultiqa:all:pretrain|5", "hardmultiqa:all:alignment|5"]
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        _, expected = run(tmp_path, ",".join(tasks), model, judge, "--full")
        ours = sorted(json.dumps(body, sort_keys=True) for body in model.bodies)
        assert len(ours) == 80
        model.bodies.clear()
        environment = {
            "ENDPOINT_BASE_URL": model.url,
            "JUDGE_BASE_URL": judge.url,
            "JUDGE_MODEL": "tiny",
            "JUDGE_JOURNAL": str(tmp_path / "judgements.jsonl"),
        }
        lighteval_custom(tmp_path, "tiny", ",".join(tasks), "--save-details", **environment)
        assert sorted(json.dumps(body, sort_keys=True) for body in model.bodies) == ours
    for task in tasks:
        row = lighteval_results(tmp_path, task)
        for name in ("hardmultiqa_judge", "open_wrong_share", "judge_coverage", "coverage"):
            assert row[name] == pytest.approx(expected["tasks"][task][name]), name
        # The questions come in another order here, and resampling them meets others.
        ours_low = expected["tasks"][task]["hardmultiqa_judge_ci_low"]
        assert row["hardmultiqa_judge_ci_low"] == pytest.approx(ours_low, abs=0.02)
    assert len((tmp_path / "judgements.jsonl").read_text(encoding="utf-8").splitlines()) >= 80
    assert len(list((tmp_path / "theirs").rglob("details_*.parquet"))) == 2
