"""``--serve auto``: the plan alone, what it cannot be made of, and a whole run on servers that were chosen."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import hardmultiqa_servers as servers
import pytest
from serving_fakes import running
from sizing_cases import listing, recorded

from endpoints.serving.reading import read_serving
from runner.answer_source import unstarted_source
from runner.auto_serving import tokens_needed
from runner.cli import main, read_arguments
from runner.exits import Exit
from runner.parser import build_parser
from runner.settings import Settings
from tasks.registry import parse_task

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("scripted_vllm.py")
JUDGED = "hardmultiqa:all:alignment|0"


def model_folder(path, model):
    """A folder with a config and an index of weights."""
    path.mkdir()
    found = recorded(model)
    (path / "config.json").write_text(json.dumps(found["config"]), encoding="utf-8")
    index = {"metadata": {"total_size": found["total_size"]}}
    (path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    return str(path)


def program(path, text):
    """A program of the shell."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Makes this machine one with the GPUs of a listing."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    cat = shutil.which("cat", path="/usr/bin:/bin")

    def have(inventory):
        (tmp_path / "listing").write_text(listing(inventory), encoding="utf-8")
        program(programs / "nvidia-smi", f"{cat} {tmp_path / 'listing'}")

    return have


@pytest.fixture
def small(tmp_path):
    """The folder of a model of 0.1B."""
    return model_folder(tmp_path / "small", "smollm2-135m")


@pytest.fixture
def large(tmp_path):
    """The folder of a model of 235B."""
    return model_folder(tmp_path / "large", "qwen3-235b-a22b")


def test_the_plan_alone(machine, small, tmp_path, capsys):
    """It is all that stdout gets, and --serve takes it."""
    machine("4x80")
    arguments = ["--dry-run", "--serve", "auto", "--model", small, "--judge-model", small, "--task", JUDGED]
    assert main(arguments) == Exit.COMPLETE
    out, err = capsys.readouterr()
    assert err == ""
    path = tmp_path / "saved.yaml"
    path.write_text(out, encoding="utf-8")
    plan = read_serving(path)
    assert (plan.model.model, plan.model.gpus, plan.judge.gpus) == (small, (0, 1), (2, 3))
    assert plan.model.replicas == 2


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        (["--gpus", "2-3"], (2, 3)),
        (["--gpus", "0"], (0,)),
        (["--gpu-memory", "2x24"], (0, 1)),
        (["--gpu-memory", "80,80,80", "--gpus", "1-2"], (1, 2)),
    ],
)
def test_gpus_as_given(machine, small, tmp_path, capsys, arguments, numbers):
    """Named ones, and memory that is told instead of asked."""
    machine("2x24+2x80")
    assert main(["--dry-run", "--serve", "auto", "--model", small, *arguments]) == Exit.COMPLETE
    path = tmp_path / "saved.yaml"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    plan = read_serving(path)
    assert plan.model.gpus == numbers
    assert plan.judge is None


@pytest.mark.parametrize(
    ("arguments", "says", "status"),
    [
        (["--model", "LARGE", "--gpu-memory", "4x80"], "Would fit: 8 such GPUs; 4 x 141 GB; an FP8", Exit.UNAVAILABLE),
        (["--model", "SMALL"], "no nvidia-smi on this machine; say which GPUs there are", Exit.UNAVAILABLE),
        (["--model", "/no/such", "--gpu-memory", "80"], "/no/such: no such folder", Exit.UNAVAILABLE),
        (["--gpu-memory", "80"], "--serve auto needs --model NAME: a name on the Hub, or a folder", Exit.USAGE),
        (["--model", "embedded", "--gpu-memory", "80"], "--serve auto has nothing to serve", Exit.USAGE),
        (["--model", "m", "--base-url", "http://h/v1"], "--serve auto has nothing to serve", Exit.USAGE),
        (["--model", "SMALL", "--gpu-memory", "80GB"], "argument --gpu-memory: '80GB' is not the memory", Exit.USAGE),
        (["--model", "SMALL", "--gpus", "3-1"], "argument --gpus: '3-1' is no list of GPU numbers", Exit.USAGE),
        (["--model", "SMALL", "--gpus", "4", "--gpu-memory", "4x80"], "--gpus: there is no GPU 4", Exit.UNAVAILABLE),
        (["--model", "SMALL", "--gpu-memory", "8", "--vllm-python", "/no"], "--vllm-python /no: no such", Exit.USAGE),
        (["--model", "SMALL", "--judge-model", "x", "--gpus", "1"], "--judge-model is for tasks of", Exit.USAGE),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_what_no_plan_can_be_made_of(arguments, says, status, dry, small, large, monkeypatch, tmp_path, capsys):
    """The cause and the way out, before anything is imported or started; nothing on stdout."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    given = [text.replace("SMALL", small).replace("LARGE", large) for text in arguments]
    assert main([*dry, "--serve", "auto", "--task", "ifhard:all|0", *given]) == status
    out, err = capsys.readouterr()
    assert says in err
    assert out == ""


@pytest.mark.parametrize("option", [["--gpus", "0"], ["--gpu-memory", "80"], ["--vllm-python", sys.executable]])
@pytest.mark.parametrize("serve", [[], ["--serve", "serving/one-gpu.yaml"]])
def test_what_only_a_choice_reads(option, serve, capsys):
    """It would have no effect."""
    assert main(["--task", "ifhard:all|0", "--model", "m", *serve, *option]) == Exit.USAGE
    assert f"{option[0]} is for --serve auto only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("elsewhere", "served"),
    [
        ([], {"model", "judge"}),
        (["--base-url", "http://h/v1"], {"judge"}),
        (["--judge-base-url", "http://h/v1"], {"model"}),
        (["--responses", "FILE"], {"judge"}),
    ],
)
def test_what_is_elsewhere_is_not_served(elsewhere, served, small, tmp_path):
    """A URL or saved answers say where it is."""
    given = [text.replace("FILE", str(tmp_path / "answers.jsonl")) for text in elsewhere]
    common = ["--serve", "auto", "--gpu-memory", "4x80", "--task", JUDGED, "--model", small, "--judge-model", small]
    settings, _, _ = read_arguments(build_parser().parse_args([*common, *given]))
    (tmp_path / "serving.yaml").write_text(settings.serve_plan, encoding="utf-8")
    assert {entry.role for entry in read_serving(tmp_path / "serving.yaml").entries()} == served
    assert (settings.serve, settings.model, settings.judge_model) == ("auto", small, small)


def test_the_benchmarks_own_judge_is_served(small, monkeypatch):
    """Where no other is named."""
    asked = []

    def read(name):
        asked.append(name)
        return read_model(small)

    from endpoints.serving.model_files import read_model

    monkeypatch.setattr("runner.auto_serving.read_model", read)
    common = ["--serve", "auto", "--gpu-memory", "2x80", "--task", JUDGED, "--model", small]
    read_arguments(build_parser().parse_args(common))
    assert asked == [small, "Qwen/Qwen3.5-35B-A3B"]


def test_tokens_of_tasks():
    """The longest prompt and answer of all of them; a cap of the user's own counts instead of the task's."""
    tasks = [parse_task(name) for name in ("ifhard:all|0", JUDGED, "hardmultiqa:all:pretrain|5")]
    assert [tokens_needed([task], None) for task in tasks] == [20_480, 8192, 4352]
    assert tokens_needed(tasks, None) == 20_480
    assert tokens_needed(tasks, 1000) == 5096


def test_the_settings_of_older_runs_have_no_plan():
    """They resume as they were."""
    old = Settings((parse_task("ifhard:all|0"),), "m").to_json()
    del old["serve_plan"]
    assert Settings.from_json(old).serve_plan is None


def test_a_dry_run_of_a_resume_knows_the_window():
    """From the plan: the servers are not there to be asked."""
    plan = "model: {model: m, max_model_len: 4096}"
    settings = Settings((parse_task("ifhard:all|0"),), "m", serve="auto", serve_plan=plan)
    assert unstarted_source(settings).window == 4096


def gone(pids):
    """Whether none of the processes is left a little later."""
    for _ in range(200):
        if not any(map(running, pids)):
            return True
        time.sleep(0.05)
    return False


def test_a_run_on_servers_that_were_chosen(machine, small, tmp_path):
    """The plan is in the run folder; a resume takes it from there, with its user's changes."""
    machine("4x80")
    judge = model_folder(tmp_path / "judge", "qwen3-8b")
    notes = tmp_path / "notes"
    notes.mkdir()
    vllm = (
        f'case "$2" in *judge) role=judge;; *) role=model;; esac\nexec {sys.executable} {SCRIPT} $role {notes} 0 0 "$@"'
    )
    program(tmp_path / "programs" / "vllm", vllm)
    paths = os.pathsep.join([str(tmp_path / "programs"), "/usr/bin", "/bin"])
    environment = os.environ | {
        "PATH": paths,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HF_HOME": str(tmp_path / "hf"),
    }

    def run(*arguments):
        script = [sys.executable, str(ROOT / "run_lighteval.py")]
        return subprocess.run([*script, *arguments], cwd=tmp_path, env=environment, text=True, capture_output=True)

    try:
        # One GPU each: replicas would need a router.
        served = ["--serve", "auto", "--gpus", "1-2", "--model", small, "--judge-model", judge]
        done = run(*served, "--task", JUDGED, "--dataset", "builtin", "--full")
        assert done.returncode == 0, done.stderr
        (folder,) = (tmp_path / "results").iterdir()
        result = json.loads((folder / "run.json").read_text("utf-8"))
        assert result["tasks"][JUDGED]["hardmultiqa_judge"] == pytest.approx(servers.expected())
        plan = folder / "serving.yaml"
        assert plan.read_text("utf-8") == result["settings"]["serve_plan"]
        assert plan.read_text("utf-8").splitlines()[0] in done.stderr
        assert result["serving"]["file"] == str(plan)
        assert [entry.gpus for entry in read_serving(plan).entries()] == [(1,), (2,)]
        plan.write_text(plan.read_text("utf-8") + "  max_num_seqs: 7\n", encoding="utf-8")
        again = run("--resume", str(folder))
        assert again.returncode == 0, again.stderr
        commands = json.loads((folder / "run.json").read_text("utf-8"))["serving"]["commands"]
        assert "--max-num-seqs=7" in commands["judge"]
    finally:
        pids = [pid for line in (notes / "pids").read_text("utf-8").splitlines() for pid in json.loads(line)]
        left = not gone(pids)
        for pid in filter(running, pids):
            os.kill(pid, signal.SIGKILL)
    assert not left
