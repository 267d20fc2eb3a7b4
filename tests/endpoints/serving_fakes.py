"""Stand-ins for vLLM and its router, and serving files that start them."""

import contextlib
import json
import os
import signal
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from endpoints.process import reserved_port
from endpoints.serving import ServerPlan, ServingPlan, read_serving

PATIENCE_S = 60.0
READY = Path(__file__).resolve().parents[2] / "serving"

PROGRAM = '''
"""A server with vLLM's options (and vllm-router's): argument 1 is how it behaves, 2 where it notes its processes.

While the file ``down`` is among the notes no server becomes ready, while ``hold`` is no question is answered.
"""
import argparse, http.server, json, os, pathlib, subprocess, sys, time, urllib.error, urllib.parse, urllib.request

mode, notes = sys.argv[1], pathlib.Path(sys.argv[2])
parser = argparse.ArgumentParser()
parser.add_argument("--host"); parser.add_argument("--port", type=int)
parser.add_argument("--worker-urls", nargs="*", default=[])
options, _ = parser.parse_known_args(sys.argv[3:])
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pids = [os.getpid(), child.pid]
with open(notes / "starts", "a") as out:
    out.write(json.dumps([options.port, pids]) + "\\n")
starts = [json.loads(line)[0] for line in open(notes / "starts")].count(options.port)
part = notes / f"{options.port}.part"
part.write_text(json.dumps({"pids": pids, "argv": sys.argv[3:], "gpus": os.environ.get("CUDA_VISIBLE_DEVICES")}))
part.rename(notes / f"{options.port}.json")
print("Loading weights", flush=True)
if mode == "die" or mode == f"die at {starts}" or (mode == "die later" and starts > 1):
    print("ValueError: the model has no weights", flush=True)
    print("RuntimeError: Engine core initialization failed. See root cause above.", flush=True)
    sys.exit(7)
while (notes / "down").exists():
    time.sleep(0.02)
workers, turn, hangs = list(options.worker_urls), 0, False

def note(what):
    with open(notes / what, "a") as out:
        out.write(f"{options.port}\\n")

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        note("looks")
        while hangs:
            time.sleep(0.05)
        if self.path == "/list":
            self.answer(200, json.dumps(workers).encode())
        elif self.path == "/v1/models":
            self.answer(200, json.dumps({"data": [{"id": "m"}]}).encode())
        else:
            self.answer(503 if mode == "slow" else 200, b"{}")
    def do_POST(self):
        global hangs, turn
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("url")
        if mode == "deaf" and url:
            self.answer(404, b"no such path")
        elif url:
            workers.append(url[0]) if "/add_worker" in self.path else workers.remove(url[0])
            self.answer(200, b"done")
        elif body == b"die":
            os._exit(9)
        elif body == b"hang":
            hangs = True
            self.answer(200, b"")
        elif options.worker_urls:
            turn += 1
            try:
                to = workers[turn % len(workers)] + self.path
                with urllib.request.urlopen(urllib.request.Request(to, body)) as reply:
                    self.answer(200, reply.read())
            except (ZeroDivisionError, OSError):
                self.answer(502, b"no server")
        else:
            note("asked")
            while (notes / "hold").exists() or hangs:
                time.sleep(0.02)
            words = str(options.port)
            if b"messages" in body:
                message = {"role": "assistant", "content": words}
                words = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
            self.answer(200, words.encode())
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    def handle_error(self, *_):
        pass

Server((options.host, options.port), Handler).serve_forever()
'''


class Fakes:
    """A folder with the stand-in, free ports, and files made for them."""

    def __init__(self, folder: Path, ports: list[int]) -> None:
        self.folder = folder
        self.ports = ports
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.program = folder / "fake_vllm.py"
        self.program.write_text(PROGRAM, encoding="utf-8")

    def entry(self, number: int, mode: str = "plain", **keys: object) -> dict[str, object]:
        """An entry of a serving file at the ``number``-th port."""
        return {
            "model": f"org/model-{number}",
            "port": self.ports[number],
            "gpus": [],
            "deadline_s": PATIENCE_S,
            "command": self.command(mode),
            **keys,
        }

    def command(self, mode: str = "plain") -> list[str]:
        """How the stand-in is started."""
        return [sys.executable, str(self.program), mode, str(self.notes)]

    def write(self, **entries: object) -> Path:
        """A serving file."""
        path = self.folder / "serving.yaml"
        path.write_text(yaml.safe_dump(entries), encoding="utf-8")
        return path

    def plan(self, **entries: object) -> ServingPlan:
        """The same, read."""
        return read_serving(self.write(**entries))

    def told(self, port: int) -> dict:
        """What the server of a port noted."""
        return yaml.safe_load((self.notes / f"{port}.json").read_text(encoding="utf-8"))

    def started(self) -> list[int]:
        """Ports whose server has started."""
        return sorted(int(path.stem) for path in self.notes.glob("*.json"))

    def starts(self, port: int) -> int:
        """How many times the server of a port was started."""
        return [number for number, _ in self._starts()].count(port)

    def pids(self) -> list[int]:
        """Every process of every server that was ever started, children included."""
        return [pid for _, pids in self._starts() for pid in pids]

    def _starts(self) -> list[tuple[int, list[int]]]:
        path = self.notes / "starts"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def kill(self, port: int) -> int:
        """Kill the present server of a port, as a crash would end it; returns its process id."""
        pid = self.told(port)["pids"][0]
        os.kill(pid, signal.SIGKILL)
        return pid

    def noted(self, what: str, port: int | None = None) -> int:
        """How many ``looks``, or questions ``asked``, the servers or that of one port have had."""
        path = self.notes / what
        lines = path.read_text("utf-8").split() if path.exists() else []
        return len(lines) if port is None else lines.count(str(port))

    @contextlib.contextmanager
    def while_(self, what: str) -> Iterator[None]:
        """No server becomes ready (``down``), or none answers a question (``hold``), within the block."""
        path = self.notes / what
        path.touch()
        try:
            yield
        finally:
            path.unlink()

    def gone(self) -> bool:
        """Whether nothing of what was started runs, and no process group of a server has a member."""
        groups = [pids[0] for _, pids in self._starts()]
        return not any(map(running, self.pids())) and not any(map(_has_member, groups))


@contextlib.contextmanager
def fakes(folder: Path, ports: int = 6) -> Iterator[Fakes]:
    """Stand-ins on free ports; what a failed test leaves behind is killed."""
    with contextlib.ExitStack() as stack:
        numbers = [stack.enter_context(reserved_port()) for _ in range(ports)]
    made = Fakes(folder, numbers)
    try:
        yield made
    finally:
        for pid in made.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def post(base_url: str, body: bytes = b"{}") -> str:
    """The answer of a stand-in, which is its port."""
    with urllib.request.urlopen(base_url + "/chat/completions", body, timeout=PATIENCE_S) as reply:
        return reply.read().decode()


def running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _has_member(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether a condition becomes true within a generous time."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def every_port(_host: str, _port: int) -> bool:
    """All ports are free."""
    return True


def model(**keys) -> ServerPlan:
    """An entry ``model``."""
    return ServerPlan(role="model", **{"model": "org/m", "port": 8001, **keys})


def judge(**keys) -> ServerPlan:
    """An entry ``judge``."""
    return ServerPlan(role="judge", **{"model": "org/j", "port": 8002, **keys})
