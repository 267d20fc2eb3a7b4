"""Stand-ins for vLLM and its router, and serving files that start them."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from endpoints.process import reserved_port
from endpoints.serving import ServerPlan, ServingPlan, read_serving

PATIENCE_S = 60.0
READY = Path(__file__).resolve().parents[2] / "serving"

PROGRAM = '''
"""A server with vLLM's options (and vllm-router's): argument 1 is how it behaves, 2 where it notes its processes."""
import argparse, http.server, itertools, json, os, subprocess, sys, time, urllib.request

mode, notes = sys.argv[1:3]
parser = argparse.ArgumentParser()
parser.add_argument("--host"); parser.add_argument("--port", type=int)
parser.add_argument("--worker-urls", nargs="*", default=[])
options, _ = parser.parse_known_args(sys.argv[3:])
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
path = f"{notes}/{options.port}"
with open(path + ".part", "w") as out:
    gpus = os.environ.get("CUDA_VISIBLE_DEVICES")
    json.dump({"pids": [os.getpid(), child.pid], "argv": sys.argv[3:], "gpus": gpus}, out)
os.rename(path + ".part", path + ".json")
print("Loading weights", flush=True)
if mode == "die":
    print("ValueError: the model has no weights", flush=True)
    print("RuntimeError: Engine core initialization failed. See root cause above.", flush=True)
    sys.exit(7)
workers = itertools.cycle(options.worker_urls)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(503 if mode == "slow" else 200, b"{}")
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if body == b"die":
            os._exit(9)
        if options.worker_urls:
            with urllib.request.urlopen(urllib.request.Request(next(workers) + self.path, body)) as reply:
                body = reply.read()
        else:
            body = str(options.port).encode()
        self.answer(200, body)
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer((options.host, options.port), Handler).serve_forever()
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

    def pids(self) -> list[int]:
        """Every process of every server, children included."""
        return [pid for port in self.started() for pid in self.told(port)["pids"]]

    def gone(self) -> bool:
        """Whether nothing of what was started runs, and no process group of a server has a member."""
        groups = [self.told(port)["pids"][0] for port in self.started()]
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
