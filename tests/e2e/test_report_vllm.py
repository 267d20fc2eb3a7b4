"""Real runs of each benchmark, read by every command; Every Eval Ever's own schemas accept their exports.

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

from report.cli import main

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


def journal(run):
    """The lines of its journal."""
    return [json.loads(line) for line in (run / "responses.jsonl").read_text("utf-8").splitlines()]


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
def finished(request, vllm_server, tmp_path_factory):
    """The folder of a finished run, moved away from where it was made."""
    folder = tmp_path_factory.mktemp("reported")
    task, dataset = request.param
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url]
    judge = ["--judge-model", vllm_server.model, "--judge-base-url", vllm_server.base_url, "--judge-max-tokens", "200"]
    size = ["--max-samples", "4", "--max-new-tokens", "48", "--output-dir", folder / "made"]
    given = ["--task", task, "--dataset", dataset, *server, *size]
    command(ROOT / "run_lighteval.py", *given, *(judge if task.startswith("hardmultiqa") else []))
    (run,) = (folder / "made").iterdir()
    return run.rename(folder / "run")


@pytest.fixture(scope="module")
def exported(finished):
    """The folder of the run's exports."""
    out = finished.parent / "out"
    for form in ("hub", "eee"):
        assert main(["export", str(finished), "--form", form, "-o", str(out)]) == 0
    return out


def test_every_command_reads_the_run(finished, tmp_path, capsys):
    """What table and run.json say is what list, page and present scorers say; every answer is shown whole."""
    row = next(iter(json.loads((finished / "run.json").read_text("utf-8"))["tasks"].values()))
    assert main(["runs", str(finished.parent), "--json", "-"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["runs"]
    assert listed["folder"].endswith("run")
    for answer in journal(finished):
        assert main(["show", str(finished), "--id", answer["id"]]) == 0
        shown = capsys.readouterr().out
        assert all(line.strip() in shown for line in answer["response"].split("\n") if line.isprintable())
    page = tmp_path / "report.html"
    assert main(["html", str(finished), "-o", str(page)]) == 0
    text = page.read_text("utf-8")
    for name, value in row.items():
        if f"{name}_ci_low" in row and value is not None:
            assert f"{value:.4f}" in text, name
    capsys.readouterr()
    assert main(["rescore", str(finished), "--json", "-"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [sum(task["changed"].values()) for task in again["tasks"].values()] == [0]
    assert main(["compare", str(finished), str(finished), "--json", "-"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert (compared["questions"]["won"], compared["questions"]["lost"]) == (0, 0)


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
