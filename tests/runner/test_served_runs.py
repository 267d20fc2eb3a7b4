"""Runs that start their own servers: complete, or stopped while they start, generate or judge."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import hardmultiqa_servers as servers
import pytest
import yaml
from fault_server import FaultServer
from serving_fakes import running

from endpoints.process import reserved_port
from runner.cli import main
from runner.exits import Exit

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("scripted_vllm.py")
TASK = "hardmultiqa:all:alignment|0"


class Served:
    """A serving file, and what its servers noted."""

    def __init__(self, folder, ports):
        self.folder = folder
        self.ports = ports
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.path = folder / "serving.yaml"

    def write(self, up_s=0.0, model_s=0.0, judge_s=0.0, **keys):
        """The file; the servers need that many seconds to start, and for each answer. Further keys are the model's."""
        entries = {}
        for port, role, answer_s in zip(self.ports, ("model", "judge"), (model_s, judge_s), strict=True):
            command = [sys.executable, str(SCRIPT), role, str(self.notes), str(up_s), str(answer_s)]
            entries[role] = {"model": f"org/{role}", "port": port, "gpus": [], "command": command, "deadline_s": 120}
            entries[role]["served_model_name"] = role
        entries["model"] |= keys
        self.path.write_text(yaml.safe_dump(entries), encoding="utf-8")

    def kill(self, role):
        """Kill a server, as a crash would end it."""
        os.kill(int((self.notes / f"{role}.pid").read_text("utf-8")), signal.SIGKILL)

    def start(self, *arguments):
        """The command line in a process of its own."""
        return subprocess.Popen(
            [sys.executable, str(ROOT / "run_lighteval.py"), *arguments],
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *more):
        """A whole run over the sample set."""
        return self.start("--serve", str(self.path), "--task", TASK, "--dataset", "builtin", "--full", *more)

    def pids(self):
        path = self.notes / "pids"
        return (
            [pid for line in path.read_text("utf-8").splitlines() for pid in json.loads(line)] if path.exists() else []
        )

    def given(self, role):
        """Answers that a server has given."""
        path = self.notes / role
        return path.stat().st_size if path.exists() else 0

    def folder_of_the_run(self):
        (folder,) = (self.folder / "results").iterdir()
        return folder

    def result(self):
        return json.loads((self.folder_of_the_run() / "run.json").read_text("utf-8"))

    def gone(self):
        """Whether no server, no child of one, is left a little later."""
        for _ in range(200):
            if not any(map(running, self.pids())):
                return True
            time.sleep(0.05)
        return False


@pytest.fixture
def served(tmp_path, monkeypatch):
    """Two free ports and a file for them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with reserved_port() as first, reserved_port() as second:
        ports = (first, second)
    made = Served(tmp_path, ports)
    yield made
    for pid in made.pids():
        if running(pid):
            os.kill(pid, signal.SIGKILL)


def test_a_run_with_its_servers(served):
    """Names and addresses come from the file; logs are kept; nothing is left; the score is exact."""
    served.write()
    process = served.run()
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert served.gone()
    assert len(served.pids()) == 4
    run = served.result()
    assert run["tasks"][TASK]["hardmultiqa_judge"] == pytest.approx(servers.expected())
    assert (run["model"]["served_as"], run["judge"]["model"]) == ("model", "judge")
    assert set(run["serving"]["commands"]) == {"model", "judge"}
    for port, role in zip(served.ports, ("model", "judge"), strict=True):
        assert run["serving"]["workers"][role] == [f"http://127.0.0.1:{port}"]
        assert run["server_load"][role]["metrics"] == [f"http://127.0.0.1:{port}/metrics"]
    assert {path.name for path in (served.folder_of_the_run() / "logs").iterdir()} == {"model.log", "judge.log"}
    assert "Judge: judge at" in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["ctrl-c", "sigterm", "kill-9"])
@pytest.mark.parametrize("stage", ["starting", "generating", "judging"])
def test_stopped_at_any_stage(served, stage, number):
    """No process is left, and a resume completes the run with the score of an unbroken one."""
    slow = {"starting": {"up_s": 60.0}, "generating": {"model_s": 0.5}, "judging": {"judge_s": 0.5}}[stage]
    served.write(**slow)
    process = served.run()
    reached = {
        "starting": lambda: len(served.pids()) == 4,
        "generating": lambda: served.given("model") >= 1,
        "judging": lambda: served.given("judge") >= 1,
    }[stage]
    while not reached() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[number], err
    assert served.gone()
    served.write()
    assert main(["--resume", str(served.folder_of_the_run())]) == Exit.COMPLETE
    assert served.gone()
    assert served.result()["tasks"][TASK]["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_a_server_that_does_not_start(served):
    """Exit 3 with the log's end; the other one is stopped."""
    served.write()
    text = served.path.read_text("utf-8").replace(str(SCRIPT), str(SCRIPT.with_name("no_such_script.py")), 1)
    served.path.write_text(text, encoding="utf-8")
    process = served.run()
    _, err = process.communicate()
    assert process.returncode == 3
    assert "no_such_script.py" in err
    assert served.gone()


def test_a_resume_takes_the_judge_from_its_file(served, capsys):
    """Another file's judge judges anew; a file whose model is elsewhere is refused before anything is started."""
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        first = served.start(
            *("--task", TASK, "--dataset", "builtin", "--full", "--model", "tiny", "--base-url", model.url),
            *("--judge-model", "tiny", "--judge-base-url", judge.url),
        )
        _, err = first.communicate()
        assert first.returncode == 0, err
    folder = str(served.folder_of_the_run())
    served.write()
    assert main(["--resume", folder, "--serve", str(served.path)]) == Exit.USAGE
    assert "serves model" in capsys.readouterr().err
    assert not served.pids()
    entries = yaml.safe_load(served.path.read_text(encoding="utf-8"))
    served.path.write_text(yaml.safe_dump({"judge": entries["judge"]}), encoding="utf-8")
    assert main(["--resume", folder, "--serve", str(served.path)]) == Exit.COMPLETE
    assert served.gone()
    run = served.result()
    assert run["judge"]["model"] == "judge"
    assert run["judge"]["base_url"].endswith(f":{served.ports[1]}/v1")
    assert run["tasks"][TASK]["hardmultiqa_judge"] == pytest.approx(servers.expected())


def events(run, server):
    """What happened to a server of a run."""
    return [event["event"] for event in run["serving"]["events"] if event["server"] == server]


def test_a_server_that_dies_comes_back(served):
    """The run waits for it: the score of an unbroken one, every question once in the journal, the judge untouched."""
    served.write(model_s=0.2, restart_wait_s=0.1)
    process = served.run("--concurrency", "2")  # so that questions are left when it dies
    while not served.given("model") and process.poll() is None:
        time.sleep(0.01)
    served.kill("model")
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert served.gone()
    run = served.result()
    assert run["tasks"][TASK]["hardmultiqa_judge"] == pytest.approx(servers.expected())
    assert events(run, "model") == ["died", "started again", "ready again"]
    assert events(run, "judge") == []
    assert {event["session"] for event in run["serving"]["events"]} == {1}
    assert "model: died (killed by SIGKILL)" in err
    logs = {path.name for path in (served.folder_of_the_run() / "logs").iterdir()}
    assert logs == {"model.log", "model.2.log", "judge.log"}
    lines = (served.folder_of_the_run() / "responses.jsonl").read_text("utf-8").splitlines()
    keys = [json.loads(line)["key"] for line in lines]
    assert len(keys) == len(set(keys)) == len(servers.QUESTIONS)


def test_a_server_that_does_not_come_back(served):
    """Without restarts the rest is not asked, exit 4; a resume keeps what happened and completes the run."""
    served.write(model_s=0.5, restarts=0)
    process = served.run("--concurrency", "2")
    while not served.given("model") and process.poll() is None:
        time.sleep(0.01)
    served.kill("model")
    _, err = process.communicate()
    assert process.returncode == 4, err
    assert served.gone()
    run = served.result()
    assert run["tasks"][TASK]["n_not_asked"] >= len(servers.QUESTIONS) - 8
    assert events(run, "model") == ["died", "given up"]
    assert "model: given up after 0 restarts; no server of the model is left" in err
    served.write()
    again = served.start("--resume", str(served.folder_of_the_run()))
    _, err = again.communicate()
    assert again.returncode == 0, err
    run = served.result()
    assert run["tasks"][TASK]["hardmultiqa_judge"] == pytest.approx(servers.expected())
    assert events(run, "model") == ["died", "given up"]
