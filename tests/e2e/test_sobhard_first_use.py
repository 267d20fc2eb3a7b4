"""SOBHard's default on a machine that has not built it: it is built, checked, asked, and scores its own answers 1.0."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
FACTS = yaml.safe_load((ROOT / "tasks" / "sobhard" / "benchmark.yaml").read_text(encoding="utf-8"))
BUILT = json.loads((ROOT / "tasks" / "sobhard" / "built.json").read_text(encoding="utf-8"))


def run(folder, cache, *arguments):
    """The command with a cache of its own."""
    return subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments, "--output-dir", str(folder / "out")],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def first_use(vllm_server, tmp_path_factory):
    """A run on the default of which nothing is there yet, with the small real model."""
    folder, cache = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("cache")
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    done = run(folder, cache, "--task", "sobhard:easy|8", *server, "--max-samples", "6", "--max-new-tokens", "64")
    return done, folder, cache


def test_the_first_use_builds_with_progress_and_goes_on(first_use):
    """What fits the model's window is asked, what does not is named and counted."""
    done, folder, _ = first_use
    assert done.returncode in (0, 4), done.stderr
    assert "building its dataset, once" in done.stderr
    assert "825/825" in done.stderr
    [run_dir] = (folder / "out").iterdir()
    row = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["tasks"]["sobhard:easy|8"]
    assert row["n_total"] == 6
    assert row["n_answered"] == len((run_dir / "responses.jsonl").read_text(encoding="utf-8").splitlines())


def test_the_built_set_is_the_recorded_one_and_is_built_once(first_use):
    """By its counts and digests; a second run finds it, and its own answers score 1.0 on everything."""
    _, folder, cache = first_use
    [built] = cache.glob("*/sobhard-*/build.json")
    assert json.loads(built.read_text(encoding="utf-8")) == BUILT
    assert BUILT["rows"] == FACTS["shipped"]["builtin"]["rows"] == {"test": 825, "shots": 203}
    answers = ["--responses", str(built.parent / "witnesses.jsonl"), "--fail-under", "sample_pass_rate=1.0"]
    done = run(folder, cache, "--task", "sobhard:all|0", "--full", *answers)
    assert done.returncode == 0, done.stderr
    assert "building" not in done.stderr


def test_one_file_carries_the_set_to_another_machine(first_use, tmp_path):
    """The zip file beside it holds the same questions and conversations."""
    _, folder, cache = first_use
    [packed] = cache.glob("*/sobhard-*/sobhard.zip")
    answers = ["--responses", str(packed.with_name("witnesses.jsonl")), "--fail-under", "sample_pass_rate=1.0"]
    done = run(folder, tmp_path, "--task", "sobhard:session|8", "--full", "--dataset", str(packed), *answers)
    assert done.returncode == 0, done.stderr


def test_two_benchmarks_run_together_on_their_defaults(first_use, vllm_server):
    """No option says which data."""
    _, folder, cache = first_use
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    size = ["--max-samples", "2", "--max-new-tokens", "32"]
    done = run(folder, cache, "--task", "ifhard:easy|0,sobhard:easy|0", *server, *size)
    assert done.returncode in (0, 4), done.stderr
    assert "ifhard:easy" in done.stdout
    assert "sobhard:easy" in done.stdout
