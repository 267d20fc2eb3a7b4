"""A Ray cluster of two nodes on this machine, for tests; nothing of it touches a cluster of the user's own.

The second node is at 127.0.0.2. Each node has one ``gpu_slot``, so one replica. Ports, token and folder are its own.
"""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from endpoints.process import ChildServer, ServerCommand, reserved_port, tail
from endpoints.serving import ray_replica

__all__ = ["SECOND", "Cluster", "running_cluster"]

SECOND: Final = "127.0.0.2"
PATIENCE_S: Final = 120.0


class Cluster:
    """The cluster.

    Args:
        python: the interpreter of the serving environment.
        folder: for all that it writes; its path is short, since sockets lie in it.
        ports: of the head, its client server, and the agents of both nodes.

    Attributes:
        env: variables that every process of the cluster, and whoever uses it, needs.
        address: of the head.
    """

    def __init__(self, python: Path, folder: Path, ports: list[int]) -> None:
        self._python = python
        self._folder = folder
        self._ports = ports
        token = folder / "token"
        token.write_text("0123456789abcdef" * 2, encoding="ascii")
        self.env = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            "HOME": str(folder),
            "PYTHONPATH": None,
        }
        self.address = ""
        self._nodes: dict[str, ChildServer] = {}

    def start_head(self) -> None:
        """Start the first node."""
        port, clients, agent = self._ports[:3]
        own = ("--head", f"--port={port}", f"--ray-client-server-port={clients}", "--include-dashboard=false")
        self._start("head", *own, f"--dashboard-agent-listen-port={agent}", f"--temp-dir={self._folder / 'ray'}")
        self.address = f"127.0.0.1:{port}"

    def start_second(self) -> None:
        """Start the second node, for the first time or again."""
        (first,) = [node for node in self._look()["nodes"] if node["address"] != SECOND]
        head = f"{first['address']}:{self._ports[0]}"
        agent = f"--dashboard-agent-listen-port={self._ports[3]}"
        self._start("second", f"--address={head}", f"--node-ip-address={SECOND}", agent)

    def kill_second(self) -> None:
        """Kill the second node's raylet, as the loss of a machine would."""
        (raylet,) = [
            pid for pid in descendants(self._nodes["second"].pid) if words(pid).partition(" ")[0].endswith("/raylet")
        ]
        os.kill(raylet, signal.SIGKILL)
        self._nodes.pop("second").stop()

    def stop(self) -> None:
        """End all of it."""
        for node in self._nodes.values():
            node.kill()

    def wait(self, nodes: int) -> None:
        """Wait until so many nodes are alive."""
        deadline = time.monotonic() + PATIENCE_S
        while len(self._look().get("nodes", ())) != nodes:
            assert time.monotonic() < deadline, "\n".join(tail(path) for path in self._folder.glob("*.log"))
            time.sleep(0.5)

    def _start(self, name: str, *options: str) -> None:
        resources = ("--num-cpus=2", "--num-gpus=0", '--resources={"gpu_slot": 1}', "--object-store-memory=100000000")
        workers = ("--min-worker-port=0", "--max-worker-port=0")
        program = str(self._python.with_name("ray"))
        node = ChildServer(
            ServerCommand(
                argv=(program, "start", "--block", *options, *resources, *workers),
                ready_url="",
                log_path=self._folder / f"{name}-{time.monotonic_ns()}.log",
                env=self.env,
                name=f"Ray's {name} node",
            )
        )
        node.start()
        self._nodes[name] = node

    def _look(self) -> dict[str, Any]:
        done = subprocess.run(
            [str(self._python), "-P", ray_replica.__file__, "look", f"--address={self.address}"],
            env={name: value for name, value in {**os.environ, **self.env}.items() if value is not None},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        return json.loads(done.stdout)


@contextlib.contextmanager
def running_cluster(python: Path) -> Iterator[Cluster]:
    """The cluster with both nodes, gone after the block."""
    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(reserved_port()) for _ in range(4)]
    with tempfile.TemporaryDirectory(prefix="lh-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        cluster = Cluster(python, Path(folder), ports)
        try:
            cluster.start_head()
            cluster.wait(1)
            cluster.start_second()
            cluster.wait(2)
            yield cluster
        finally:
            cluster.stop()


def words(pid: int) -> str:
    """A process's command line; empty if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    return ""


def status_of(pid: int) -> list[str]:
    """What /proc says of a process after its name: state, parent, group, ...; empty if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return []


def every_process() -> dict[int, list[str]]:
    """What /proc says of each process that is no zombie."""
    found = {int(path.name): status_of(int(path.name)) for path in Path("/proc").glob("[0-9]*")}
    return {pid: status for pid, status in found.items() if status and status[0] != "Z"}


def descendants(pid: int | None) -> set[int]:
    """The children of a process, theirs, and so on."""
    parents = {child: int(status[1]) for child, status in every_process().items()}
    found = {child for child, parent in parents.items() if parent == pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def group(leader: int) -> set[int]:
    """The processes of a group."""
    return {pid for pid, status in every_process().items() if int(status[2]) == leader}
