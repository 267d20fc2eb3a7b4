"""One server on a Ray cluster: an actor holds its GPUs or other resources and runs the server on the actor's node.

This file is run by its path in the serving environment, which has ``ray``; it needs the standard library besides.
Every node needs that environment, at the same path. Two commands:

``python -P ray_replica.py run [--gpus N] [--cpus N] [--resource NAME=AMOUNT]... [--env NAME]... -- COMMAND...``
    starts the command on a node, with ``HOST_WORD`` and ``PORT_WORD`` in it replaced by the node's address and a free
    port there. It prints ``{"url": "http://10.0.0.2:41837"}`` on standard output when the command has been started,
    and what the command prints on standard error. A variable that ``--env`` names is set for the command as it is set
    here, or removed if it is not. It ends when the command ends, with the command's status (128 and the signal if one
    killed it), or with 1 when the actor is lost. SIGTERM ends the command in order.

``python -P ray_replica.py look``
    prints one line: ``{"missing": "ray"}``, ``{"unreachable": why}`` or ``{"nodes": [{"address": "10.0.0.1", "total":
    {"GPU": 8.0}, "free": {"GPU": 2.0}}, ...]}``, with all that Ray knows a node to have.

Both take ``--address``: of the cluster, as ``ray.init`` takes it.

Whatever ends the actor (this process is killed, the worker is, the node's raylet is) ends the server: between the two
is the supervisor of :mod:`endpoints.supervisor`, as the servers of this machine have it. Ray kills an actor's own
children with it, so the supervisor is started as a child of nobody.
"""

import argparse
import collections
import contextlib
import importlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final

__all__ = ["HOST_WORD", "PORT_WORD", "filled", "main", "server_environment"]

HOST_WORD: Final = "{node-address}"
PORT_WORD: Final = "{free-port}"

_GRACE_S: Final = 10.0  # the server's, from SIGTERM to SIGKILL
_END_S: Final = 20.0
_FOLLOW_S: Final = 1.0
_WAITING_S: Final = 30.0
_REACH_S: Final = 5.0
_MOST_LINES: Final = 10_000
_SUPERVISOR: Final = Path(__file__).resolve().parents[1] / "supervisor.py"
_SOURCE_VARIABLE: Final = "LIGHTEVAL_HARD_SUPERVISOR"
# Makes itself the child of nobody, then becomes the supervisor, whose text it was handed.
_GUARDIAN: Final = f"""
import os, sys, time
actor = os.getpid()
if os.fork():
    os._exit(0)
os.setsid()
while os.getppid() == actor:
    time.sleep(0.01)
exec(compile(os.environ.pop({_SOURCE_VARIABLE!r}), "supervisor.py", "exec"))
"""


def filled(command: Sequence[str], host: str, port: int) -> list[str]:
    """The command with the node's address and the port in their places."""
    return [part.replace(HOST_WORD, host).replace(PORT_WORD, str(port)) for part in command]


def server_environment(node: Mapping[str, str], given: Mapping[str, str | None], folder: str) -> dict[str, str]:
    """The environment of a server on a node.

    Args:
        node: the environment of the actor.
        given: variables to set, or to remove (None).
        folder: of the programs of the serving environment there; it comes first on PATH.
    """
    # Ray sets the first for its workers, to the number of CPUs that they hold; the others are about its own modules.
    own = dict.fromkeys(("OMP_NUM_THREADS", "PYTHONPATH", "PYTHONHOME"))
    path = os.pathsep.join(filter(None, [folder, node.get("PATH")]))
    merged: dict[str, str | None] = {**node, **own, "PATH": path, **given}
    return {name: value for name, value in merged.items() if value is not None}


class Replica:
    """What the actor does on its node. It is sent there by value, since this file may not be there."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._lines: collections.deque[str] = collections.deque()
        self._dropped = 0
        self._status: int | None = None
        self._group: int | None = None
        self._over = False
        self._guardian: subprocess.Popen[bytes] | None = None

    def start(self, command: Sequence[str], env: Mapping[str, str | None], supervisor: str) -> str:
        """Start the server without waiting until it is ready; returns its URL.

        Args:
            command: the command, see :func:`filled`.
            env: variables to set, or to remove (None).
            supervisor: the text of the program between this process and the server.
        """
        host = str(importlib.import_module("ray").util.get_node_ip_address())
        # A socket that is bound but does not listen keeps the port from others until the server listens there.
        self._holder = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self._holder.bind((host, 0))
        self._holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port = self._holder.getsockname()[1]
        environment = server_environment(os.environ, env, str(Path(sys.executable).parent))
        self._guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _GUARDIAN, str(_GRACE_S), *filled(command, host, port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, _SOURCE_VARIABLE: supervisor},
        )
        self._guardian.wait()
        reading = threading.Thread(target=self._read_log, daemon=True)
        reading.start()
        threading.Thread(target=self._read_reports, args=(reading,), daemon=True).start()
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def follow(self, wait_s: float) -> tuple[list[str], int | None]:
        """Lines that the server has printed since the last call, and its exit status once it has ended.

        Args:
            wait_s: most seconds to wait for either.
        """
        with self._news:
            self._news.wait_for(lambda: self._lines or self._over, wait_s)
            lines, dropped = list(self._lines), self._dropped
            self._lines.clear()
            self._dropped = 0
            told = [f"[ray] {dropped} lines were dropped", *lines] if dropped else lines
            return told, self._status if self._over else None

    def stop(self, limit_s: float) -> None:
        """End the server in order, and return when nothing of it is left."""
        if self._guardian is not None and self._guardian.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                self._guardian.stdin.write(b"\n")
                self._guardian.stdin.close()
            with self._news:
                self._news.wait_for(lambda: self._over, limit_s)

    def _read_reports(self, reading: threading.Thread) -> None:
        """Read what the supervisor reports, until it ends; ``reading`` then takes the last of the log."""
        assert self._guardian is not None
        assert self._guardian.stdout is not None
        finished = False
        for line in self._guardian.stdout:
            told = json.loads(line)
            self._group = told.get("pid", self._group)
            if "error" in told:
                self._add(f"[ray] the server cannot be started: {told['error']}")
            self._status = told.get("exit", told.get("fell", self._status))
            finished = "exit" in told or "error" in told
        if not finished and self._group is not None:
            # The supervisor was killed. Linux has killed the server with it; its children are left to us.
            with contextlib.suppress(OSError):
                os.killpg(self._group, signal.SIGKILL)
        reading.join(_FOLLOW_S)
        with self._news:
            self._status = 127 if self._status is None else self._status
            self._over = True
            self._news.notify_all()

    def _read_log(self) -> None:
        assert self._guardian is not None
        assert self._guardian.stderr is not None
        for line in self._guardian.stderr:
            self._add(line.decode("utf-8", "replace").rstrip("\r\n"))

    def _add(self, line: str) -> None:
        with self._news:
            if len(self._lines) == _MOST_LINES:
                self._lines.popleft()
                self._dropped += 1
            self._lines.append(line)
            self._news.notify_all()


class _Teller:
    """Standard output for what is told, one JSON object a line.

    What Ray's core prints goes to standard error, and what its Python prints nowhere: it copies other programs' logs.
    """

    def __init__(self) -> None:
        self._out = os.dup(1)  # not inherited by children
        os.dup2(2, 1)
        sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")

    def tell(self, **facts: object) -> None:
        with contextlib.suppress(OSError):
            os.write(self._out, (json.dumps(facts) + "\n").encode("ascii"))


def _say(words: str) -> None:
    _print([f"[ray] {words}"])


def _print(lines: Sequence[str]) -> None:
    left = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    while left:
        left = left[os.write(2, left) :]


def _one_line(error: object) -> str:
    """An error in a line; of Ray's many words about a lost actor those that tell why."""
    text = " ".join(str(getattr(error, "cause", None) or error).split())
    return text.rpartition("The actor is dead because ")[2].partition(" class_name:")[0][:300] or type(error).__name__


def _connected(address: str) -> Any:
    """The module ``ray``, connected to a running cluster; it never starts one.

    Raises:
        OSError: nothing listens at the address.
    """
    host, _, port = address.rpartition(":")
    if port.isdecimal():  # Ray itself would try for ten minutes
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_S).close()
    ray = importlib.import_module("ray")
    ray.init(address=address, log_to_driver=False, logging_level="error")
    return ray


def _run(options: argparse.Namespace, teller: _Teller) -> int:
    try:
        ray = _connected(options.address)
    except Exception as error:  # whatever it raises says why
        _say(f"the Ray cluster at {options.address} cannot be reached: {_one_line(error)}")
        return 1
    stops: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        stops.append(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):  # Ray has set handlers of its own
        signal.signal(number, stop)
    resources = dict(_amount(text) for text in options.resource)
    actor = (
        ray.remote(Replica)
        .options(num_gpus=options.gpus, num_cpus=options.cpus, resources=resources, max_restarts=0, max_concurrency=2)
        .remote()
    )
    env = {name: os.environ.get(name) for name in options.env}
    where = ""
    try:
        started = actor.start.remote(options.command, env, _SUPERVISOR.read_text(encoding="utf-8"))
        told = 0.0
        while not stops and not ray.wait([started], timeout=_FOLLOW_S)[0]:
            if time.monotonic() - told > _WAITING_S:
                told = time.monotonic()
                _say(f"waits for a node with room for {_shown(options, resources)}")
        if stops:
            return 0
        url = ray.get(started)
        where = f" at {url}"
        _say(f"the server is started{where}")
        teller.tell(url=url)
        return _follow(ray, actor, url, stops)
    except ray.exceptions.RayError as error:
        _say(f"the actor of the server{where} is lost: {_one_line(error)}")
        return 1
    except Exception:  # a bug of ours
        _print(traceback.format_exc().splitlines())
        return 1
    finally:
        with contextlib.suppress(Exception):  # it may be gone
            ray.kill(actor)


def _follow(ray: Any, actor: Any, url: str, stops: Sequence[int]) -> int:
    """Print what the server prints until it ends or is to be ended; returns its exit status as a shell has it."""
    status = None
    while status is None and not stops:
        lines, status = ray.get(actor.follow.remote(_FOLLOW_S))
        _print(lines)
    if status is None:
        ray.get(actor.stop.remote(_END_S), timeout=_END_S + _FOLLOW_S)
        _print(ray.get(actor.follow.remote(0.0))[0])
        return 0
    how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    _say(f"the server at {url} {how}")
    return 128 - status if status < 0 else status or 1


def _shown(options: argparse.Namespace, resources: Mapping[str, float]) -> str:
    needs = {"GPU": options.gpus, "CPU": options.cpus, **resources}
    return ", ".join(f"{name} {amount:g}" for name, amount in needs.items() if amount)


def _amount(text: str) -> tuple[str, float]:
    name, _, amount = text.rpartition("=")
    return name, float(amount)


def _look(options: argparse.Namespace, teller: _Teller) -> int:
    if importlib.util.find_spec("ray") is None:
        teller.tell(missing="ray")
        return 0
    try:
        ray = _connected(options.address)
    except Exception as error:  # whatever it raises says why
        teller.tell(unreachable=_one_line(error))
        return 0
    free: Mapping[str, Mapping[str, float]] = {}
    with contextlib.suppress(ImportError, AttributeError):  # Ray has no public place for it
        free = importlib.import_module("ray._private.state").available_resources_per_node()
    teller.tell(
        nodes=[
            {
                "address": node["NodeManagerAddress"],
                "total": node["Resources"],
                "free": free.get(node["NodeID"], {}) if free else node["Resources"],
            }
            for node in ray.nodes()
            if node["Alive"]
        ]
    )
    return 0


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments say; see the head of this file."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("what", choices=["run", "look"])
    parser.add_argument("--address", default="auto")
    parser.add_argument("--gpus", type=float, default=0)
    parser.add_argument("--cpus", type=float, default=0)
    parser.add_argument("--resource", action="append", default=[])
    parser.add_argument("--env", action="append", default=[])
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:end])
    options.command = list(arguments[end + 1 :])
    return {"run": _run, "look": _look}[options.what](options, _Teller())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
