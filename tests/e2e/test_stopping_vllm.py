"""A run on a real model that a rule stops, and its completion: the same score as a run that nothing stopped."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
TASK = "sobhard:all|0"
QUESTIONS = 33


def run(folder, *arguments):
    """The command; what it printed and its newest run folder."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    return done, max((folder / "out").iterdir())


def answered(run_dir):
    """Ids in the journal."""
    lines = (run_dir / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    return [entry["id"] for entry in map(json.loads, lines)]


def said(run_dir):
    """What run.json says."""
    return json.loads((run_dir / "run.json").read_text(encoding="utf-8"))


def test_a_stopped_run_is_completed_to_the_score_of_an_unbroken_one(vllm_server, tmp_path):
    """No further request after the stop, what was under way kept, nothing asked twice."""
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url, "--dataset", "builtin-small"]
    size = ["--max-new-tokens", "16", "--concurrency", "2", "--output-dir", str(tmp_path / "out")]
    stopped, run_dir = run(tmp_path, "--task", TASK, *server, *size, "--stop-when", "below=0.4")
    assert stopped.returncode == 0, stopped.stderr
    assert "STOPPED EARLY" in stopped.stdout
    rule = said(run_dir)["stopped"]
    assert (rule["rule"], rule["level"]) == ("below=0.4", 0.05)
    assert rule["interval"][1] < 0.4
    first = answered(run_dir)
    assert rule["after"] <= len(first) <= rule["after"] + 2 < QUESTIONS

    completed, _ = run(tmp_path, "--resume", str(run_dir), "--full")
    assert completed.returncode == 0, completed.stderr
    whole = answered(run_dir)
    assert whole[: len(first)] == first
    assert len(whole) == len(set(whole)) == QUESTIONS
    assert said(run_dir)["stopped"] is None

    unbroken, other = run(tmp_path, "--task", TASK, *server, *size, "--full")
    assert unbroken.returncode == 0, unbroken.stderr
    assert said(other)["tasks"][TASK]["n_answered"] == said(run_dir)["tasks"][TASK]["n_answered"] == QUESTIONS
    for metric in ("sample_pass_rate", "balance_score"):
        assert said(other)["tasks"][TASK][metric] == said(run_dir)["tasks"][TASK][metric]
