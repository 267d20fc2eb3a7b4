"""One worker of :mod:`metrics.ifbench.foreign`: its process, and questions with a deadline.

What a worker sends is as little trusted as the checkers in it: half a line, a flood, no line at all or a line of
another form end the worker, never the run.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["Worker", "WorkerLostError"]

_WORKER: Final = Path(__file__).with_name("foreign_worker.py")
_LONGEST_REPLY: Final = 1 << 20  # bytes
_CHUNK: Final = 1 << 16
_END_SECONDS: Final = 1.0
# Threads of libraries for arithmetic take address space by the number of cores; checkers need none of them.
_ONE_THREAD: Final = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_ENVIRONMENT: Final = {"PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": "0", "HF_HUB_OFFLINE": "1", **_ONE_THREAD}


class WorkerLostError(RuntimeError):
    """A worker that gave no answer and is of no further use: the message says why, in words for a reason."""


class Worker:
    """A process that loads one registry of checkers and answers one line for each line.

    Args:
        memory: most bytes of address space.
        cpu_seconds: most seconds of processor time for one answer.
    """

    def __init__(self, memory: int, cpu_seconds: int) -> None:
        self._cpu_seconds = cpu_seconds
        self._process = subprocess.Popen(
            # -P: else the worker's own folder comes first, and our emoji.py stands in for the package of that name.
            [sys.executable, "-P", "-u", str(_WORKER), str(memory), str(cpu_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, **_ENVIRONMENT},
            start_new_session=True,  # so that what the checkers start ends with it
        )
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def ask(self, request: Mapping[str, Any] | None, seconds: float) -> dict[str, Any]:
        """The answer to a request; to None, the line that the worker sends by itself.

        Raises:
            WorkerLostError: none came in time, the process ended, or what came is no answer.
        """
        pending = b"" if request is None else json.dumps(request).encode() + b"\n"
        line = self._exchange(pending, time.monotonic() + seconds, f"gave no answer within {seconds:g} seconds")
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise WorkerLostError("gave an answer that cannot be read")
        return reply

    def _exchange(self, pending: bytes, deadline: float, late: str) -> bytes:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        poll = select.poll()  # unlike select, it takes descriptors beyond 1,023: a run may hold that many sockets
        poll.register(process.stdout, select.POLLIN)
        if pending:
            poll.register(process.stdin, select.POLLOUT)
        received = b""
        while b"\n" not in received:
            left = deadline - time.monotonic()
            ready = poll.poll(left * 1000) if left > 0 else []
            if not ready:
                raise WorkerLostError(late)
            for descriptor, _ in ready:
                if descriptor == process.stdin.fileno():
                    try:
                        pending = pending[os.write(descriptor, pending[:_CHUNK]) :]
                    except BrokenPipeError:
                        raise WorkerLostError(self._why_ended()) from None
                    if not pending:
                        poll.unregister(descriptor)
                    continue
                chunk = os.read(descriptor, _CHUNK)
                if not chunk:
                    raise WorkerLostError(self._why_ended())
                received += chunk
                if len(received) > _LONGEST_REPLY:
                    raise WorkerLostError("gave an answer without an end")
        line, _, more = received.partition(b"\n")
        if more or pending:
            raise WorkerLostError("gave an answer that nobody asked for")
        return line

    def _why_ended(self) -> str:
        try:
            status = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its answers"
        if status == -signal.SIGXCPU:
            return f"took more than {self._cpu_seconds} seconds of processor time"
        if status >= 0:
            return f"ended its process with status {status}"
        try:
            return f"ended its process by {signal.Signals(-status).name}"
        except ValueError:
            return f"ended its process by signal {-status}"

    def end(self) -> None:
        """End the process, and those that it started and that stayed in its session."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
