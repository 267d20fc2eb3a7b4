"""IFBench through a real vLLM: the built-in prompts under every grader, and the same scores from the journal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lighteval_command import lighteval_custom, lighteval_results

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
TASK = "ifbench:all|0"
MAIN = ("prompt_level_loose_acc", "inst_level_loose_acc", "prompt_level_strict_acc", "inst_level_strict_acc")


def run(tmp_path, *arguments):
    """The command line over the built-in prompts; what it printed and its run folder."""
    before = set((tmp_path / "out").glob("*"))
    command = [sys.executable, str(ROOT / "run_lighteval.py"), "--task", TASK, "--dataset", "builtin", *arguments]
    done = subprocess.run(
        [*command, "--output-dir", str(tmp_path / "out")], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    new = sorted(set((tmp_path / "out").glob("*")) - before)
    return done, new[0] if new else None


def content(run_dir):
    """A run's record."""
    return json.loads((run_dir / "run.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def finished(vllm_server, tmp_path_factory):
    """Every built-in prompt, answers kept short."""
    folder = tmp_path_factory.mktemp("ifbench")
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    done, run_dir = run(folder, *server, "--full", "--max-new-tokens", "96")
    assert done.returncode == 0, done.stderr
    return done, run_dir


def test_every_grader_scores_the_answers_of_one_run(finished):
    """All prompts answered; both levels of each grader at hand, with intervals; loose is never below strict."""
    done, run_dir = finished
    row = content(run_dir)["tasks"][TASK]
    assert row["n_answered"] == row["n_total"] >= 60
    for name in (*MAIN, "prompt_level/fixes_only", "instruction_level/lighteval_loose", "degenerate_share"):
        assert name in done.stdout
        assert 0 <= row[f"{name}_ci_low"] <= row[name] <= row[f"{name}_ci_high"] <= 1
    assert row["prompt_level_strict_acc"] <= row["prompt_level_loose_acc"]
    assert row["inst_level_strict_acc"] <= row["inst_level_loose_acc"]
    assert row["truncated_share"] > 0  # 96 tokens end most answers of a model that rambles
    assert "lighteval" in json.dumps(content(run_dir)["options"])


def test_its_answers_score_the_same_from_the_file_and_under_lighteval(
    finished, vllm_server, tmp_path, offline_lighteval
):
    """``--responses`` and ``lighteval custom`` over the journal: the same numbers."""
    _, run_dir = finished
    saved = run_dir / "responses.jsonl"
    done, again = run(tmp_path, "--full", "--responses", str(saved))
    assert done.returncode == 0, done.stderr
    assert content(again)["tasks"][TASK] == content(run_dir)["tasks"][TASK]

    lighteval_custom(tmp_path, vllm_server.model, TASK, ENDPOINT_RESPONSES=str(saved))
    row = lighteval_results(tmp_path, TASK)
    for name in (*MAIN, "prompt_level/fixes_only_loose", "instruction_level/lighteval_strict", "coverage"):
        assert row[name] == content(run_dir)["tasks"][TASK][name], name
