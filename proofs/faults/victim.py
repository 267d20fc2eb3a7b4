"""The real command, which notes what it does to its run folder, and kills itself there at a given moment.

::

    python -m proofs.faults.victim PLAN.json ARGUMENTS...

A *step* is one change of the run folder, named after the file and what is done to it: ``run.json open``,
``run.json rename``, ``responses.jsonl write``, ``details rename``. Python's audit events tell of files that are opened
for writing, renamed and made; appending to a journal is one ``os.write``. SIGKILL is sent by the process to itself
just before the step, or within a write, after a part of its bytes, or some milliseconds later: for the kernel and for
the files that is a kill from outside at exactly this moment. Instead of dying it can fill the disk at the step, or
forbid itself files over a size.
"""

import datetime
import json
import os
import resource
import runpy
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["Plan", "fill", "run"]

_COMMAND = Path(__file__).resolve().parents[2] / "run_lighteval.py"
_FILE_LIMIT = 1_024
_WRITES = os.O_WRONLY | os.O_RDWR
_EVENTS = {"open": "open", "os.rename": "rename", "os.mkdir": "make", "os.truncate": "truncate"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a victim does besides its work.

    Attributes:
        output_dir: where run folders are made.
        record: file to which each step is appended; empty for none.
        step: the step at which it kills itself; empty for none.
        turn: which of the steps of this name it is, from 0.
        part: the share of a write's bytes that is still written.
        delay_s: how much later the kill comes.
        then: what happens at the step: ``kill``, ``fill`` (nothing more fits on the disk of the run folders) or
            ``limit`` (no file grows beyond 1,024 bytes).
        clock_s: by how many seconds the clock is wrong.
        number: of the signal that it sends itself.
    """

    output_dir: str
    record: str = ""
    step: str = ""
    turn: int = 0
    part: float = 0.0
    delay_s: float = 0.0
    then: str = "kill"
    clock_s: float = 0.0
    number: int = signal.SIGKILL

    def write(self, path: Path) -> Path:
        """Write the plan to a file; returns its path."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")
        return path


class _Watch:
    """Counts the steps of this process and kills it at the planned one."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._root = Path(plan.output_dir).absolute()
        self._turns: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._write = os.write

    def start(self) -> None:
        """Begin; there is no end but the process's."""
        sys.addaudithook(self._on_audit)
        os.write = self._on_write

    def _on_audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        done = _EVENTS.get(event)
        if done is None:
            return
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & _WRITES):
            return
        path = arguments[1] if event == "os.rename" else arguments[0]
        name = self._name_of(path)
        if name is not None and self._is_the_moment(f"{name} {done}"):
            self._act()

    def _on_write(self, descriptor: int, data: Any, /) -> int:
        name = self._name_of(Path(f"/proc/self/fd/{descriptor}").readlink())
        if name is not None and name.endswith(".jsonl") and self._is_the_moment(f"{name} write"):
            whole = bytes(data)
            if self._plan.delay_s or self._plan.then != "kill" or self._plan.number != signal.SIGKILL:
                self._act()
                return self._write(descriptor, whole)
            self._write(descriptor, whole[: int(len(whole) * self._plan.part)])
            self._act()
        return self._write(descriptor, data)

    def _name_of(self, path: Any) -> str | None:
        """The first name within a run folder, without what makes it temporary; ``folder`` for the folder itself."""
        if not isinstance(path, str | os.PathLike):
            return None
        place = Path(path).absolute()
        if not place.is_relative_to(self._root):
            return None
        parts = place.relative_to(self._root).parts
        return parts[1].removesuffix(".tmp") if len(parts) > 1 else "folder"

    def _is_the_moment(self, step: str) -> bool:
        with self._lock:
            turn = self._turns[step]
            self._turns[step] += 1
        if self._plan.record:
            descriptor = os.open(self._plan.record, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            self._write(descriptor, f"{step}\n".encode())
            os.close(descriptor)
        return step == self._plan.step and turn == self._plan.turn

    def _act(self) -> None:
        if self._plan.then == "fill":
            fill(Path(self._plan.output_dir))
        elif self._plan.then == "limit":
            resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_LIMIT, resource.RLIM_INFINITY))
        elif self._plan.delay_s:
            threading.Thread(target=self._die_later, daemon=True).start()
        else:
            os.kill(os.getpid(), self._plan.number)

    def _die_later(self) -> None:
        time.sleep(self._plan.delay_s)
        os.kill(os.getpid(), self._plan.number)


def fill(folder: Path) -> None:
    """Write a file ``filler`` to a folder until nothing more fits on its disk."""
    with (folder / "filler").open("ab", buffering=0) as filler:
        for size in (2**16, 2**12, 1):
            try:
                while True:
                    filler.write(bytes(size))
            except OSError:
                pass


def _set_clock(seconds: float) -> None:
    """Make the clock of this process wrong, wherever the run asks for the date."""
    import runner.folder
    import runner.run_file
    import runner.tracker

    class Wrong(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Wrong":
            return cls.fromtimestamp(time.time(), tz)

    right = time.time
    time.time = lambda: right() + seconds
    for module in (runner.folder, runner.run_file, runner.tracker):
        module.datetime = Wrong  # type: ignore[attr-defined]  # they import it by name


def run(plan: Plan, arguments: Sequence[str], said: str | None) -> None:
    """Run the command in this process, and end it with the command's exit status.

    Args:
        plan: what else is done.
        arguments: of the command.
        said: file that its standard streams go to; None for those of this process.
    """
    if said is not None:
        with Path(said).open("ab") as out:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
    if plan.clock_s:
        _set_clock(plan.clock_s)
    _Watch(plan).start()
    sys.argv = [str(_COMMAND), *arguments]
    runpy.run_path(str(_COMMAND), run_name="__main__")


if __name__ == "__main__":
    run(Plan(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), sys.argv[2:], None)
