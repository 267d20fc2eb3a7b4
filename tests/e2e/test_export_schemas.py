"""Exports of real runs: Every Eval Ever's own schemas accept them, huggingface_hub reads them.

The schemas come out of the wheel of ``every-eval-ever``, which is downloaded once, checked and not installed: it needs
a later Python. Without the wheel these tests fail.
"""

import copy
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from jsonschema import Draft7Validator
from vllm_server import cache_folder

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENT = "every-eval-ever==0.3.0"
WHEEL = "every_eval_ever-0.3.0-py3-none-any.whl"
SHA256 = "564b8bc624c1f822f749a769dc69dc058a736e83d920cbeb147c3a30d3152317"
# What is asked of each benchmark. A session of SOBHard is a conversation; an answer of HardMultiQA is judged.
RUNS = {
    "ifhard": ("ifhard:all|0", "builtin"),
    "ifhard shots": ("ifhard:easy|2", "builtin"),
    "sobhard": ("sobhard:session|0", "builtin-small"),
    "ifbench": ("ifbench:all|0", "builtin"),
    "hardmultiqa": ("hardmultiqa:open:alignment|0", "builtin"),
}


def wheel():
    """The wheel in the tests' cache, downloaded at the first use."""
    folder = cache_folder() / "every-eval-ever"
    path = folder / WHEEL
    if not path.exists():
        options = ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--quiet", "--no-input"]
        command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), REQUIREMENT]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert path.exists(), f"{' '.join(command)} gave no {WHEEL}:\n{done.stderr}"
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found == SHA256, f"{path} is another file: sha256 {found}"
    return path


@pytest.fixture(scope="module")
def schemas():
    """Validators of an aggregate and of a sample."""
    with zipfile.ZipFile(wheel()) as archive:
        texts = [
            archive.read(f"every_eval_ever/schemas/{name}.schema.json") for name in ("eval", "instance_level_eval")
        ]
    contents = [json.loads(text) for text in texts]
    assert [content["version"] for content in contents] == ["0.3.0", "0.3.0"]
    return [Draft7Validator(content) for content in contents]


def command(*arguments):
    """A command of this project, which must succeed or (4) lack verdicts."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, *map(str, arguments)]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode in (0, 4), done.stderr


@pytest.fixture(scope="module", params=RUNS.values(), ids=RUNS)
def exported(request, vllm_server, tmp_path_factory):
    """The folder of a run's exports."""
    folder = tmp_path_factory.mktemp("export")
    task, dataset = request.param
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    judge = ["--judge-model", vllm_server.model, "--judge-base-url", vllm_server.base_url]
    size = ["--max-samples", "4", "--max-new-tokens", "48", "--output-dir", folder / "runs"]
    given = ["--task", task, "--dataset", dataset, *server, *size]
    command(ROOT / "run_lighteval.py", *given, *(judge if task.startswith("hardmultiqa") else []))
    (run,) = (folder / "runs").iterdir()
    for form in ("hub", "eee"):
        command("-m", "report", "export", run, "--form", form, "-o", folder / "out")
    return folder / "out"


def test_the_schemas_accept_both_files(exported, schemas):
    """Every line of the samples too; a field fewer is seen, so that accepting means something."""
    (samples,) = exported.glob("data/*/*/*/*_samples.jsonl")
    aggregate = json.loads(samples.with_name(samples.name.replace("_samples.jsonl", ".json")).read_text("utf-8"))
    lines = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    assert aggregate["detailed_evaluation_results"]["total_rows"] == len(lines) > 0
    for validator, values in zip(schemas, ([aggregate], lines), strict=True):
        for value in values:
            assert [error.message for error in validator.iter_errors(value)] == []
            damaged = copy.deepcopy(value)
            del damaged["evaluation_id"]
            assert not validator.is_valid(damaged)


def test_the_hubs_library_reads_the_entries(exported):
    """With its required fields; no other file is written."""
    (path,) = (exported / ".eval_results").iterdir()
    (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text("utf-8")))
    assert 0 <= entry.value <= 1
    assert "95% interval" in entry.notes
    assert "coverage" in entry.notes
    assert sorted(found.name for found in exported.iterdir()) == [".eval_results", "data"]
