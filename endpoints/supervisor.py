"""The small process between a run and the server it started: it ends the server when the run is gone.

The command is ``python -I -S supervisor.py [--speaks] GRACE_SECONDS COMMAND...``. The file needs only the standard
library, so it starts within tens of milliseconds and no other module can break it. :mod:`endpoints.process` holds the
other ends of its pipes:

- standard input: a byte, or the end of file that follows the run's death, tells this process to end the server;
- standard output: one JSON object a line, ``{"pid": 17}`` when the server has started or ``{"error": "..."}`` if it
  cannot be started, ``{"fell": status}`` as soon as it has ended by itself, ``{"exit": status}`` when nothing of it is
  left (a negative status is a signal, as in :mod:`subprocess`);
- standard error: the server's log; the server writes both of its streams there. With ``--speaks`` its standard output
  is this process's own instead: what it prints there are JSON objects too, for the run.

The server leads a session of its own, so that Ctrl-C in the terminal reaches only the run. To end the server, this
process sends SIGTERM to the server's process group, SIGKILL after the grace period, and SIGKILL to every descendant
that left the group (on Linux ``PR_SET_CHILD_SUBREAPER`` makes orphans children of this process). If this process is
killed, Linux kills the server (``PR_SET_PDEATHSIG``), and the run ends the rest of the group.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_PARENT_CHECK_S: Final = 1.0
_POLL_S: Final = 0.05
_KILL_WAIT_S: Final = 5.0
_CANNOT_START: Final = 127


def prctl() -> Callable[[int, int], int] | None:
    """Linux's function ``prctl``, or None on another system. It is looked up before any fork."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        call = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None
    return lambda option, value: int(call(option, value, 0, 0, 0))


def report(**fields: object) -> None:
    """Write one line to the run; it is no error if the run is gone."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), (json.dumps(fields) + "\n").encode("ascii"))


def start(
    command: list[str], control: Callable[[int, int], int] | None, *, speaks: bool = False
) -> subprocess.Popen[bytes]:
    """Start the server in a session of its own; the system kills the server if this process dies.

    Its standard output is the log, or this process's standard output if it speaks.

    Raises:
        OSError: the program does not exist or may not be run.
    """
    keeper = os.getpid()

    def die_with_keeper() -> None:
        if control is not None:
            control(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != keeper:  # it died between fork and the call
                os._exit(_CANNOT_START)

    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=(sys.stdout if speaks else sys.stderr).fileno(),
        stderr=sys.stderr.fileno(),
        start_new_session=True,
        preexec_fn=die_with_keeper,  # this process has one thread
    )


def reap(leader: int) -> int | None:
    """Collect every dead child, and return the leader's exit status; None if the leader was not among them."""
    status = None
    while True:
        try:
            pid, raw = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == leader:
            status = os.waitstatus_to_exitcode(raw)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group (0 sends none), and return whether the group has a member."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS says so for a group of zombies
        return False
    return True


def children_of(parent: int) -> Iterator[int]:
    """Process ids of the direct children of ``parent`` (Linux's /proc; none elsewhere)."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # "pid (name) state ppid ...": the name may hold spaces and brackets.
            if int(entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]) == parent:
                yield int(entry.parent.name)


def end_group(group: int, status: int | None, grace_s: float) -> int | None:
    """End a process group and all its descendants, and return the leader's exit status; None if it is unknown."""
    deadline = time.monotonic() + grace_s
    alive = signal_group(group, signal.SIGTERM)
    while alive and time.monotonic() < deadline:
        time.sleep(_POLL_S)
        status = _first(status, reap(group))
        alive = signal_group(group, 0)
    deadline = time.monotonic() + _KILL_WAIT_S
    while time.monotonic() < deadline:
        alive = signal_group(group, signal.SIGKILL)
        status = _first(status, reap(group))
        strays = [pid for pid in children_of(os.getpid()) if pid != group]
        for pid in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not alive and not strays:
            break
        time.sleep(_POLL_S)
    return status


def _first(known: int | None, found: int | None) -> int | None:
    return found if known is None else known


def main(arguments: list[str]) -> int:
    """Start the command, wait until the command or the run ends, and end every process that is left."""
    speaks = arguments[0] == "--speaks"
    grace, *command = arguments[speaks:]
    grace_s = float(grace)
    run = os.getppid()
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    stops: list[int] = []
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: stops.append(got))

    control = prctl()
    if control is not None:
        control(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        server = start(command, control, speaks=speaks)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        report(error=str(error))
        return _CANNOT_START
    report(pid=server.pid)

    status = None
    while status is None and not stops and os.getppid() == run:
        # The parent is looked at too: a process that the run forked may keep the pipe open beyond the run's death.
        ready, _, _ = select.select([sys.stdin, wake_read], [], [], _PARENT_CHECK_S)
        if wake_read in ready:
            os.read(wake_read, 512)
        status = reap(server.pid)
        if sys.stdin in ready:
            break
    if status is not None:
        report(fell=status)  # at once: its children may take the whole time of grace to end
    status = end_group(server.pid, status, grace_s)
    server.returncode = status if status is not None else -signal.SIGKILL
    report(exit=server.returncode)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
