"""The script that keeps one server on a Ray cluster, against a stand-in for Ray: every way in which it ends."""

import ast
import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from ray_fakes import SCRIPT, environment, ray_folder
from serving_fakes import PROGRAM, eventually, running

from endpoints.serving.ray_replica import filled, server_environment


@pytest.fixture
def ray(tmp_path):
    """The folder of the stand-in for Ray."""
    return ray_folder(tmp_path)


@pytest.fixture
def server(tmp_path):
    """A server with a child: the command's words. What is left of it is killed."""
    program, notes = tmp_path / "server.py", tmp_path / "notes"
    program.write_text(PROGRAM, encoding="utf-8")
    notes.mkdir()
    yield [sys.executable, str(program), "plain", str(notes), "--host={node-address}", "--port={free-port}"]
    for pid in pids(tmp_path):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def pids(folder: Path):
    """The server's process and its child."""
    starts = folder / "notes" / "starts"
    return json.loads(starts.read_text("utf-8").splitlines()[-1])[1] if starts.exists() else []


@contextlib.contextmanager
def script(ray, *arguments, **variables):
    """The script with the stand-in; its process."""
    process = subprocess.Popen(
        [sys.executable, "-P", SCRIPT, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(PYTHONPATH=str(ray.parent), **variables),
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def told(process):
    """The next thing that it tells."""
    return json.loads(process.stdout.readline())


class TestRun:
    """A server is kept until something ends."""

    @pytest.fixture
    def kept(self, ray, server, tmp_path):
        """A script whose server answers."""
        arguments = ("run", "--gpus=1", "--resource=own=0.5", "--env=X", "--env=GONE", "--", *server)
        with script(ray, *arguments, X="7", OMP_NUM_THREADS="1") as process:
            process.url = told(process)["url"]
            assert eventually(lambda: list((tmp_path / "notes").glob("*.json")))
            assert eventually(lambda: answers(process.url))
            yield process

    def ended(self, process, tmp_path):
        """The exit status and the last line, with nothing left."""
        status, (_, log) = None, process.communicate(timeout=60)
        status = process.returncode
        assert eventually(lambda: not any(map(running, pids(tmp_path))))
        return status, log.splitlines()

    def test_what_is_held(self, kept, ray):
        """Ray is asked for just that, and not to start the actor again by itself."""
        options = ast.literal_eval((ray / "options").read_text("utf-8"))
        assert options["num_gpus"] == 1
        assert options["num_cpus"] == 0
        assert options["resources"] == {"own": 0.5}
        assert options["max_restarts"] == 0

    def test_told_to_end(self, kept, ray, tmp_path):
        """SIGTERM ends the server, then the actor."""
        kept.terminate()
        status, log = self.ended(kept, tmp_path)
        assert status == 0
        assert "Loading weights" in log
        assert (ray / "killed").exists()

    def test_killed(self, kept, tmp_path):
        """With it here the actor is gone too; the server and its child end."""
        kept.kill()
        assert self.ended(kept, tmp_path)[0] == -signal.SIGKILL

    def test_server_ends(self, kept, tmp_path):
        """Its status is the script's."""
        with contextlib.suppress(OSError):
            urllib.request.urlopen(kept.url + "/x", b"die", timeout=60)
        status, log = self.ended(kept, tmp_path)
        assert status == 9
        assert log[-1] == f"[ray] the server at {kept.url} ended with status 9"

    def test_server_is_killed(self, kept, tmp_path):
        """As a shell words it; its child ends with it."""
        os.kill(pids(tmp_path)[0], signal.SIGKILL)
        status, log = self.ended(kept, tmp_path)
        assert status == 128 + signal.SIGKILL
        assert log[-1] == f"[ray] the server at {kept.url} was killed by SIGKILL"

    def test_its_supervisor_is_killed(self, kept, tmp_path):
        """The server ends with it."""
        parent = int(Path(f"/proc/{pids(tmp_path)[0]}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
        assert parent != kept.pid
        os.kill(parent, signal.SIGKILL)
        assert self.ended(kept, tmp_path)[0] == 127

    def test_actor_is_lost(self, kept, ray):
        """Why, in a line."""
        (ray / "lost").touch()
        _, log = kept.communicate(timeout=60)
        assert kept.returncode == 1
        assert log.splitlines()[-1] == f"[ray] the actor of the server at {kept.url} is lost: its node has died."


def answers(url):
    """Whether a server answers."""
    try:
        with urllib.request.urlopen(url + "/health", timeout=60):
            return True
    except OSError:
        return False


def test_no_room(ray, server, tmp_path):
    """It waits, says for what, and can be ended meanwhile."""
    (ray / "full").touch()
    with script(ray, "run", "--gpus=2", "--resource=own=1", "--", *server) as process:
        assert process.stderr.readline() == "[ray] waits for a node with room for GPU 2, own 1\n"
        process.terminate()
        assert process.wait(60) == 0
        assert eventually(lambda: not any(map(running, pids(tmp_path))))


def test_cannot_be_started(ray):
    """A program that is not there."""
    with script(ray, "run", "--", "/no/program") as process:
        _, log = process.communicate(timeout=60)
        assert process.returncode == 127
        assert "[ray] the server cannot be started: " in log
        assert "/no/program" in log


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:1"])
def test_no_cluster(ray, address):
    """Both commands say so; where nothing listens Ray is not asked, since it would try for minutes."""
    with script(ray, "look", f"--address={address}") as process:
        assert list(told(process)) == ["unreachable"]
        assert process.wait(60) == 0
    with script(ray, "run", f"--address={address}", "--", "true") as process:
        _, log = process.communicate(timeout=60)
        assert process.returncode == 1
        assert log.splitlines()[-1].startswith(f"[ray] the Ray cluster at {address} cannot be reached: ")


def test_look(ray):
    """Nodes that live, and what is free."""
    with script(ray, "look") as process:
        assert told(process) == {"nodes": [{"address": "10.0.0.1", "total": {"GPU": 4.0}, "free": {"GPU": 4.0}}]}


def test_without_ray(ray, tmp_path):
    """An environment that has none."""
    (ray / "__init__.py").unlink()
    ray.rmdir()
    with script(ray, "look") as process:
        assert told(process) == {"missing": "ray"}


def test_filled():
    """The words, wherever they stand; other braces stay."""
    assert filled(["{node-address}:{free-port}", '{"a": "{host}"}'], "::1", 5) == ["::1:5", '{"a": "{host}"}']


def test_environment():
    """The node's variables without what Ray and we have for ourselves; what the file says is laid over them."""
    node = {"PATH": "/bin", "OMP_NUM_THREADS": "1", "PYTHONPATH": "/x", "HF_HOME": "/hf", "A": "1"}
    assert server_environment(node, {"A": None, "B": "2"}, "/venv/bin") == {
        "PATH": f"/venv/bin{os.pathsep}/bin",
        "HF_HOME": "/hf",
        "B": "2",
    }
    assert server_environment({}, {"OMP_NUM_THREADS": "4", "PATH": "/p"}, "/v") == {
        "OMP_NUM_THREADS": "4",
        "PATH": "/p",
    }


def test_it_needs_the_standard_library_alone():
    """It runs in environments that have none of this project's packages."""
    names = set()
    for found in ast.walk(ast.parse(Path(SCRIPT).read_text(encoding="utf-8"))):
        if isinstance(found, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in found.names}
        elif isinstance(found, ast.ImportFrom):
            names.add(found.module.partition(".")[0])
    assert names <= sys.stdlib_module_names
