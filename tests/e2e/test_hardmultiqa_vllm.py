"""HardMultiQA with a real model and a real judge, both served for the run or by hand.

The small judge is poor, so nothing is said of scores: these tests are about plumbing, the two journals, attempts,
UNJUDGED answers and exit statuses.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest
import yaml
from vllm_server import cache_folder, vllm_python

from endpoints.embedded_model import prepare_model
from endpoints.serving import read_serving, serve

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
MODEL, JUDGE = "Qwen/Qwen3-8B-Base", "Qwen/Qwen3.5-35B-A3B"
TASKS = ("hardmultiqa:all:pretrain|5", "hardmultiqa:all:alignment|0")
TYPES = 5


@pytest.fixture(scope="module")
def serving_file(tmp_path_factory) -> Path:
    """The ready file for CPUs, with this machine's paths, and the small model under both of the benchmark's names."""
    content = yaml.safe_load((ROOT / "serving" / "cpu.yaml").read_text(encoding="utf-8"))
    python, model = str(vllm_python(cache_folder())), str(prepare_model())
    for role, name in (("model", MODEL), ("judge", JUDGE)):
        content[role] |= {"python": python, "model": model, "served_model_name": name}
    # The small judge fills whatever cap a list reply has; a reply cut at this one is as unreadable, and sooner.
    content["judge"]["extra_args"] += ["--override-generation-config", '{"max_new_tokens": 160}']
    path = tmp_path_factory.mktemp("serving") / "cpu.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8", newline="\n")
    return path


def command(tmp_path, *arguments):
    """The command line in a folder of its own."""
    return subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check_accounts(run, task, questions):
    """Every answer is scored or counted as unjudged, and the exit status says which."""
    row = run["tasks"][task]
    assert (row["n_total"], row["n_failed"], row["n_not_asked"], row["n_unscored"]) == (questions, 0, 0, 0)
    assert row["n_answered"] + row["n_unjudged"] == questions
    assert run["exit_status"] == (4 if any(row["n_unjudged"] for row in run["tasks"].values()) else 0)


def left_over():
    """Servers of this product that are still running."""
    found = (process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"]))
    return [
        words
        for words in found
        if "vllm.entrypoints.openai.api_server" in words and f"--served-model-name={JUDGE}" in words
    ]


def test_served_for_the_run(serving_file, tmp_path):
    """Both tasks, both servers from one file; every answer judged or counted; nothing is left running."""
    done = command(
        tmp_path,
        *("--serve", str(serving_file), "--dataset", "builtin", "--max-samples", "1", "--max-new-tokens", "48"),
        *(argument for task in TASKS for argument in ("--task", task)),
    )
    assert done.returncode in (0, 4), done.stderr
    (folder,) = (tmp_path / "results").iterdir()
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert run["exit_status"] == done.returncode
    for task in TASKS:
        check_accounts(run, task, TYPES)
    assert len(lines(folder / "responses.jsonl")) == len(TASKS) * TYPES
    replies = lines(folder / "judgements.jsonl")
    asked = Counter((line["task"], line["id"]) for line in replies)
    assert asked
    assert max(asked.values()) <= 3
    assert run["judge"]["model"] == JUDGE
    assert {path.name for path in (folder / "logs").iterdir()} == {"model.log", "judge.log"}
    assert f"Judge: {JUDGE} at" in done.stdout
    assert not left_over()


def test_the_benchmarks_own_commands(serving_file, tmp_path):
    """Servers at the default ports and under the default names; then a resume generates nothing."""
    with serve(read_serving(serving_file), tmp_path / "logs", lambda _: None):
        first = ("--model", MODEL, "--task", TASKS[0], "--max-samples", "1", "--max-new-tokens", "48")
        done = command(tmp_path, *first, "--dataset", "builtin")
        assert done.returncode in (0, 4), done.stderr
        (folder,) = (tmp_path / "results").iterdir()
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        check_accounts(run, TASKS[0], TYPES)
        answers, replies = lines(folder / "responses.jsonl"), lines(folder / "judgements.jsonl")
        again = command(tmp_path, "--resume", str(folder))
        assert again.returncode in (0, 4), again.stderr
        # No answer is generated anew; only what the judge left unreadable is put to it again.
        assert lines(folder / "responses.jsonl") == answers
        after = lines(folder / "judgements.jsonl")
        assert after[: len(replies)] == replies
        tries = Counter((line["task"], line["id"]) for line in replies)
        assert all(tries[line["task"], line["id"]] == 3 for line in after[len(replies) :])
