"""IFHardBench through a real vLLM: the command a user types, and LightEval's own command line."""

import asyncio
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest
from lighteval_command import lighteval_custom, lighteval_results

from endpoints.client import Endpoint
from endpoints.planning import plan_requests
from endpoints.request import Request

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
TASK = "ifhard:all|0"


def run(tmp_path, *arguments):
    """The command line; its run folder and what it printed."""
    before = set((tmp_path / "out").glob("*"))
    done = subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments, "--output-dir", str(tmp_path / "out")],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    new = sorted(set((tmp_path / "out").glob("*")) - before)
    return done, new[0] if new else None


def rows(run_dir):
    """Results rows of a run."""
    return json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["tasks"]


def journal(run_dir):
    """Journal lines by question."""
    lines = (run_dir / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["id"]: entry for entry in map(json.loads, lines)}


@pytest.fixture(scope="module")
def finished(vllm_server, tmp_path_factory):
    """A run of six questions with short answers."""
    folder = tmp_path_factory.mktemp("run")
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    done, run_dir = run(folder, "--task", TASK, *server, "--max-samples", "6", "--max-new-tokens", "96")
    assert done.returncode == 0, done.stderr
    return done, run_dir


def test_the_users_command_ends_with_a_table_of_real_scores(finished, vllm_server):
    """Every question answered, with usage and finish reasons, the window reported by the server."""
    done, run_dir = finished
    assert "sample_pass_rate" in done.stdout
    answers = journal(run_dir)
    assert len(answers) == 6
    for entry in answers.values():
        assert entry["status"] == "answered"
        assert entry["response"].strip()
        assert 0 < entry["completion_tokens"] <= 96
        assert entry["finish_reason"] in ("stop", "length")
    content = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))
    assert content["model"]["max_model_len"] == vllm_server.window
    assert rows(run_dir)[TASK]["n_answered"] == 6


def test_its_answers_score_the_same_from_the_file_and_under_lighteval(
    finished, vllm_server, tmp_path, offline_lighteval
):
    """``--responses`` and ``lighteval custom`` over the journal: the same numbers."""
    _, run_dir = finished
    saved = run_dir / "responses.jsonl"
    done, again = run(tmp_path, "--task", TASK, "--max-samples", "6", "--responses", str(saved))
    assert done.returncode == 0, done.stderr
    assert rows(again)[TASK] == rows(run_dir)[TASK]

    lighteval_custom(tmp_path, vllm_server.model, TASK, "--max-samples", "6", ENDPOINT_RESPONSES=str(saved))
    row = lighteval_results(tmp_path, TASK)
    for name in ("sample_pass_rate", "constraint_pass_rate", "empty_share", "coverage"):
        assert row[name] == rows(run_dir)[TASK][name], name


def test_lighteval_asks_the_server_itself(vllm_server, tmp_path, offline_lighteval):
    """``lighteval custom`` with the environment instead of options; the journal is kept."""
    done = lighteval_custom(
        tmp_path,
        vllm_server.model,
        "ifhard:easy|0",
        *("--max-samples", "2"),
        ENDPOINT_BASE_URL=vllm_server.base_url,
        ENDPOINT_MAX_NEW_TOKENS="48",
        ENDPOINT_JOURNAL=str(tmp_path / "journal.jsonl"),
    )
    assert len((tmp_path / "journal.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert "sample_pass_rate" in done.stdout


def test_the_tasks_cap_is_cut_to_the_window_by_the_servers_own_count(vllm_server):
    """16,384 new tokens and a prompt do not fit 8,192: the cap becomes what vLLM's tokenizer leaves."""
    wanted = Request(
        task="ifhard:all",
        sample_id="x",
        repeat=0,
        kind="chat",
        model=vllm_server.model,
        messages=({"role": "user", "content": "Опиши утро. " * 50},),
        prompt=None,
        max_tokens=16_384,
        sampling={},
        extra_body={},
    )

    async def fit():
        async with Endpoint(vllm_server.base_url, "EMPTY", concurrency=1) as endpoint:
            window = (await endpoint.describe(vllm_server.model)).max_model_len
            (fitted,) = (await plan_requests([wanted], window, endpoint)).requests
            counted = await endpoint.count_prompt_tokens(wanted)
            short = dataclasses.replace(wanted, max_tokens=1)
            (outcome,) = await endpoint.run([short], None, None)
            return fitted.max_tokens, counted, outcome.prompt_tokens

    left, counted, used = asyncio.run(fit())
    assert counted == used
    assert left == vllm_server.window - counted


def test_a_wrong_model_name_is_answered_with_the_served_one(vllm_server, tmp_path):
    """Exit 3 and the name that would work."""
    done, run_dir = run(tmp_path, "--task", TASK, "--model", "smollm3", "--base-url", vllm_server.base_url)
    assert done.returncode == 3
    assert vllm_server.model in done.stderr
    assert run_dir is None


def test_repeated_sampling_is_seeded(vllm_server, tmp_path):
    """Temperature and seed reach vLLM: two answers a question, not the greedy one."""
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    done, run_dir = run(
        tmp_path,
        *("--task", TASK, *server, "--max-samples", "2", "--max-new-tokens", "32"),
        *("--temperature", "1.0", "--seed", "5", "--repeats", "2"),
    )
    assert done.returncode == 0, done.stderr
    assert rows(run_dir)[TASK]["n_total"] == 4
