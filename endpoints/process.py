"""Starts servers as child processes, waits until they are ready, and ends them however the run ends.

Each server has a supervisor process (:mod:`endpoints.supervisor`) between the run and itself. The supervisor reads a
pipe from the run, which closes when the run ends in any way, ``kill -9`` included; it then ends the server's whole
process group. Success, an error, Ctrl-C and SIGTERM end the server in the same way. If the supervisor is killed, the
run ends the group. Only if both are killed at once can a child of the server stay (Linux ends the server itself even
then).

    command = ServerCommand(argv=(...), ready_url="http://127.0.0.1:8001/v1/models", log_path=Path("vllm.log"))
    with ChildServer(command) as server:
        ...

To start several servers at once, call :meth:`ChildServer.start` of each before the first
:meth:`ChildServer.wait_ready`.

POSIX systems only.
"""

import contextlib
import errno
import http
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from endpoints.errors import EndpointError
from endpoints.health import exit_words, health_status

__all__ = ["ChildServer", "ServerCommand", "ServerFailed", "on_free_port", "reserved_port", "tail"]

_SUPERVISOR: Final = Path(__file__).with_name("supervisor.py")
_PROBE_S: Final = 2.0
_PROBE_PAUSE_S: Final = 0.2
_STOP_SLACK_S: Final = 10.0
_TAIL_LINES: Final = 20
_TAIL_BYTES: Final = 16_384
# Below the range from which Linux (32768) and macOS (49152) take the local ports of outgoing connections.
_PORTS: Final = range(20_000, 32_000)
_BIND_TRIES: Final = 100


class ServerFailed(EndpointError):  # noqa: N818 (the name says what happened)
    """A child server could not be started, did not become ready in time, or died.

    Attributes:
        address_in_use: whether the server's log says that its port was taken.
    """

    def __init__(self, message: str, *, address_in_use: bool = False) -> None:
        self.address_in_use = address_in_use
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How to start one server, and how to find out that it is ready.

    Attributes:
        argv: the program and its arguments; no shell reads them.
        ready_url: URL that answers GET with status 200 once the server takes requests (``/health``, ``/v1/models``);
            None if the command tells the server's URL without a path itself, by a line ``{"url": ...}`` on its standard
            output, and has such a ``/health``.
        log_path: file for both output streams; its folder is made, an older file is replaced.
        env: variables that are added to this process's environment; None removes a variable.
        cwd: working folder; None for that of this process.
        deadline_s: most seconds from the start until the server is ready.
        grace_s: most seconds from SIGTERM to SIGKILL when the server is stopped.
        name: the server's name in messages.
    """

    argv: Sequence[str]
    ready_url: str | None
    log_path: Path
    env: Mapping[str, str | None] = field(default_factory=dict)
    cwd: Path | None = None
    deadline_s: float = 600.0
    grace_s: float = 10.0
    name: str = "server"

    def environment(self) -> dict[str, str]:
        """The complete environment of the server."""
        merged: dict[str, str | None] = {**os.environ, **self.env}
        return {name: value for name, value in merged.items() if value is not None}


def tail(path: Path, lines: int = _TAIL_LINES) -> str:
    """The last lines of a log, 16 KiB at most; empty if there is no log. Carriage returns count as line ends."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _TAIL_BYTES))
            text = log.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join([line for line in text.splitlines() if line.strip()][-lines:])


class ChildServer:
    """One server process and its children, for the length of a ``with`` block.

    Entering the block starts the server and waits until it is ready; leaving the block ends it. :meth:`start`,
    :meth:`wait_ready` and :meth:`stop` do the same without a block.

    Args:
        command: how to start the server.

    Attributes:
        command: as given.
        pid: of its process; None before it is started.
        url: what it told of its address.
        exit_code: how it ended; a negative one is a signal.
    """

    def __init__(self, command: ServerCommand) -> None:
        self.command = command
        self.pid: int | None = None
        self.url: str | None = None
        self.exit_code: int | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self._watch: threading.Thread | None = None
        self._error: str | None = None
        self._began = 0.0
        self._started = threading.Event()
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        try:
            self.start()
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def ready_url(self) -> str | None:
        """URL that answers with status 200 once the server is ready; None while the server has not told its own."""
        return self.command.ready_url or (None if self.url is None else f"{self.url}/health")

    @property
    def alive(self) -> bool:
        """Whether the server was started and has not ended."""
        return self._started.is_set() and not self._ended.is_set()

    @property
    def fell(self) -> bool:
        """Whether the server has ended, though children of it may still be ending."""
        return self.exit_code is not None or self._ended.is_set()

    def start(self) -> None:
        """Start the server without waiting until it is ready.

        Raises:
            ServerFailed: the program cannot be run.
            RuntimeError: this object has started its server before.
        """
        if self._keeper is not None:
            raise RuntimeError(f"{self.command.name} has been started before")
        command = self.command
        command.log_path.parent.mkdir(parents=True, exist_ok=True)
        self._began = time.monotonic()
        speaks = ["--speaks"] if command.ready_url is None else []
        with command.log_path.open("wb") as log:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SUPERVISOR), *speaks, str(command.grace_s), *command.argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=command.environment(),
                cwd=command.cwd,
                start_new_session=True,
            )
        self._watch = threading.Thread(target=self._follow, name=f"watch {command.name}", daemon=True)
        self._watch.start()
        self._started.wait()
        if self.pid is None:
            self.stop()
            raise ServerFailed(f"{command.name} cannot be started: {self._error or tail(command.log_path)}")

    def wait_ready(self) -> float:
        """Wait until the ready URL answers with status 200.

        Returns:
            The number of seconds since the server was started.

        Raises:
            ServerFailed: the server died, or the deadline passed; the message ends with the last lines of its log.
        """
        deadline = self._began + self.command.deadline_s
        while self.alive:
            # The flag is read again after the answer: a dead server's port may belong to somebody else by now.
            url = self.ready_url
            if url is not None and health_status(url, _PROBE_S) == http.HTTPStatus.OK and self.alive:
                return time.monotonic() - self._began
            if time.monotonic() > deadline:
                raise self._failure(f"was not ready within {self.command.deadline_s:g} s")
            self._ended.wait(_PROBE_PAUSE_S)
        raise self._failure(f"ended before it was ready ({exit_words(self.exit_code)})")

    def kill(self) -> None:
        """End a server that hangs, and its children, without a time of grace; return when they are gone."""
        if self.pid is not None and self.alive:
            _kill_group(self.pid)
        self.stop()

    def stop(self) -> None:
        """End the server and its children, and return when they are gone. A server that does not run is no error."""
        keeper = self._keeper
        if keeper is None or keeper.stdin is None or keeper.stdout is None:
            return
        with contextlib.suppress(OSError, ValueError):  # the supervisor is gone, or this is the second call
            # A byte, not only the end of file: a process forked meanwhile may keep the pipe open.
            keeper.stdin.write(b"\n")
            keeper.stdin.close()
        try:
            keeper.wait(self.command.grace_s + _STOP_SLACK_S)
        except subprocess.TimeoutExpired:
            keeper.kill()
            keeper.wait()
        if self._watch is not None:
            self._watch.join()
        keeper.stdout.close()

    def _follow(self) -> None:
        """Read the supervisor's reports until the supervisor ends; this runs in a thread of its own."""
        assert self._keeper is not None
        assert self._keeper.stdout is not None
        nothing_left = False
        for line in self._keeper.stdout:
            told = json.loads(line)
            self.pid = told.get("pid", self.pid)
            self.url = told.get("url", self.url)
            self.exit_code = told.get("exit", told.get("fell", self.exit_code))
            self._error = told.get("error")
            nothing_left = "exit" in told
            self._started.set()
        if self.pid is not None and not nothing_left:
            # The supervisor was killed. Linux has killed the server with it; its children are left to us.
            _kill_group(self.pid)
            self.exit_code = -signal.SIGKILL if self.exit_code is None else self.exit_code
        self._ended.set()
        self._started.set()

    def _failure(self, what: str) -> ServerFailed:
        last = tail(self.command.log_path)
        shown = f"The last lines of {self.command.log_path}:\n{last}" if last else f"{self.command.log_path} is empty."
        return ServerFailed(f"{self.command.name} {what}. {shown}", address_in_use=_says_in_use(last))


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _says_in_use(log: str) -> bool:
    return os.strerror(errno.EADDRINUSE).lower() in log.lower()


@contextlib.contextmanager
def reserved_port(host: str = "127.0.0.1") -> Iterator[int]:
    """Reserve a free port for a server until the block ends.

    A server may take minutes from its start until it binds its port. On Linux a socket that is bound but does not
    listen keeps the port from other programs meanwhile, but not from a server that sets ``SO_REUSEADDR``, as HTTP
    servers do. Elsewhere nothing is reserved: the port was free a moment ago (see :func:`on_free_port`).

    Yields:
        The port.

    Raises:
        EndpointError: no port could be bound.
    """
    with socket.socket() as holder:
        port = _bind_any(holder, host)
        if sys.platform.startswith("linux"):
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        else:
            holder.close()
        yield port


def _bind_any(holder: socket.socket, host: str) -> int:
    chooser = random.SystemRandom()
    for _ in range(_BIND_TRIES):
        port = chooser.choice(_PORTS)
        with contextlib.suppress(OSError):
            holder.bind((host, port))
            return port
    raise EndpointError(f"no free port from {_PORTS.start} to {_PORTS.stop - 1} on {host}")


@contextlib.contextmanager
def on_free_port(command: Callable[[int], ServerCommand], *, attempts: int = 3) -> Iterator[tuple[ChildServer, int]]:
    """Start a server on a free port; if another program takes the port meanwhile, the next attempt uses another port.

    Args:
        command: makes the server's command, given a port.
        attempts: most ports to try.

    Yields:
        The server and its port.

    Raises:
        ServerFailed: see :meth:`ChildServer.wait_ready`; if the port was taken, only after the last attempt.
    """
    for left in range(attempts - 1, -1, -1):
        with contextlib.ExitStack() as stack:
            port = stack.enter_context(reserved_port())
            server = ChildServer(command(port))
            try:
                stack.enter_context(server)
            except ServerFailed as failure:
                if failure.address_in_use and left:
                    continue
                raise
            yield server, port
            return
