"""SOBHard's small set through a real vLLM: all questions answered, conversations replayed, equal scores elsewhere."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lighteval_command import lighteval_custom, lighteval_results

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
TASK = "sobhard:all|0"
RATES = ("sample_pass_rate", "constraint_pass_rate", "format_pass_rate", "content_pass_rate", "task_pass_rate")


def run(folder, *arguments):
    """The command line over the small set; what it printed and its run folder."""
    before = set((folder / "out").glob("*"))
    options = ["--dataset", "builtin-small", "--output-dir", str(folder / "out")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments, *options],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    new = sorted(set((folder / "out").glob("*")) - before)
    return done, new[0] if new else None


def rows(run_dir):
    """Results rows of a run."""
    return json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["tasks"]


def journal(run_dir):
    """Journal lines by task and question."""
    lines = (run_dir / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    return {(entry["task"], entry["id"]): entry for entry in map(json.loads, lines)}


@pytest.fixture(scope="module")
def finished(vllm_server, tmp_path_factory):
    """All 33 questions with short answers."""
    folder = tmp_path_factory.mktemp("sobhard")
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    done, run_dir = run(folder, "--task", TASK, *server, "--full", "--max-new-tokens", "96")
    assert done.returncode == 0, done.stderr
    return done, run_dir


def test_every_question_of_the_small_set_is_answered(finished, vllm_server):
    """33 answers with usage; every headline is a number, and the share cut at the cap stands beside it."""
    done, run_dir = finished
    answers = journal(run_dir)
    assert len(answers) == 33
    for entry in answers.values():
        assert entry["status"] == "answered"
        assert 0 < entry["completion_tokens"] <= 96
        assert entry["prompt_tokens"] + entry["completion_tokens"] <= vllm_server.window
    row = rows(run_dir)[TASK]
    assert row["n_answered"] == 33
    assert all(0 <= row[name] <= 1 for name in (*RATES, "balance_score", "empty_share", "truncated_share"))
    assert "truncated at the token cap" in done.stdout


def test_its_answers_score_the_same_from_the_file_and_under_lighteval(
    finished, vllm_server, tmp_path, offline_lighteval
):
    """``--responses`` and ``lighteval custom`` over the journal: the same numbers."""
    _, run_dir = finished
    saved = run_dir / "responses.jsonl"
    done, again = run(tmp_path, "--task", TASK, "--full", "--responses", str(saved))
    assert done.returncode == 0, done.stderr
    assert rows(again)[TASK] == rows(run_dir)[TASK]

    lighteval_custom(tmp_path, vllm_server.model, TASK, ENDPOINT_RESPONSES=str(saved))
    row = lighteval_results(tmp_path, TASK)
    for name in (*RATES, "balance_score", "empty_share", "truncated_share", "coverage"):
        assert row[name] == rows(run_dir)[TASK][name], name


def test_conversations_reach_the_model_as_turns(vllm_server, tmp_path):
    """vLLM's own count of prompt tokens grows with the turns that are replayed, whole or the last one alone."""
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    tasks = ["--task", "sobhard:session|0", "--task", "sobhard:session|1"]
    done, run_dir = run(tmp_path, *tasks, *server, "--full", "--max-new-tokens", "8")
    assert done.returncode == 0, done.stderr
    assert "cuts the history of 3 of 3 conversations" in done.stderr
    tokens: dict[str, dict[str, int]] = {"sobhard:session|0": {}, "sobhard:session|1": {}}
    for (task, ident), entry in journal(run_dir).items():
        tokens[task][ident] = entry["prompt_tokens"]
    whole, cut = tokens.values()
    assert len(whole) == 3
    assert all(whole[ident] > cut[ident] for ident in whole)
    # Five turns against two.
    assert max(whole.values()) > 2 * max(cut.values())
