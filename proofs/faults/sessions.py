"""One session of a run: the command in a process of its own, which is killed or ends by itself."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from proofs.faults import victim
from proofs.faults.evidence import asked
from proofs.faults.moments import Moment
from proofs.faults.scenarios import Place

__all__ = ["Ended", "Starter", "fork", "run_session", "spawn"]

_TOKEN: Final = "PROOF_OF_FAULTS"
_STOPPED: Final = (128 + signal.SIGINT, 128 + signal.SIGTERM)
_PATIENCE_S: Final = 1_800.0
ROOT: Final = Path(__file__).resolve().parents[2]


class _Process(Protocol):
    """What both ways to start a process have in common."""

    @property
    def pid(self) -> int | None: ...

    def kill(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Started:
    process: _Process
    status: Callable[[], int | None]  # the exit status, negative for a signal; None while it runs


Starter = Callable[[victim.Plan | None, Sequence[str], Path, Mapping[str, str]], _Started]


def spawn(plan: victim.Plan | None, arguments: Sequence[str], said: Path, environment: Mapping[str, str]) -> _Started:
    """Start the command as a user does; with a plan, in the program that watches its steps."""
    program = [str(ROOT / "run_lighteval.py")]
    if plan is not None:
        program = ["-m", "proofs.faults.victim", str(plan.write(said.with_suffix(".plan.json")))]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with said.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            env={**os.environ, "PYTHONPATH": path, **environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    return _Started(process, process.poll)


def fork(plan: victim.Plan | None, arguments: Sequence[str], said: Path, environment: Mapping[str, str]) -> _Started:
    """Start the command in a process forked from one that has imported LightEval, which saves its seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["runner.assembly", "runner.report"])
    process = context.Process(target=_forked, args=(plan, list(arguments), str(said), dict(environment)))
    process.start()
    return _Started(process, lambda: process.exitcode)


def _forked(plan: victim.Plan | None, arguments: list[str], said: str, environment: dict[str, str]) -> None:
    os.environ.update(environment)
    victim.run(plan or victim.Plan(os.devnull), arguments, said)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session ended.

    Attributes:
        status: exit status; negative for a signal.
        token: stands in the environment of all its processes.
        said: what it printed.
    """

    status: int
    token: str
    said: str

    @property
    def killed(self) -> bool:
        """Whether a signal ended it, or it ended for a signal."""
        return self.status < 0 or self.status in _STOPPED


def run_session(
    start: Starter,
    place: Place,
    arguments: Sequence[str],
    moment: Moment | None,
    *,
    record: Path | None = None,
    then: str = "kill",
    clock_s: float = 0.0,
    number: signal.Signals = signal.SIGKILL,
    more: Mapping[str, str] | None = None,
) -> Ended:
    """Run one command to its end.

    Args:
        start: how its process is started.
        place: its servers and its output folder ``out``.
        arguments: of the command.
        moment: at which it is killed; None to let it end.
        record: file to which its steps are appended.
        then, clock_s: see :class:`proofs.faults.victim.Plan`.
        number: the signal that kills it.
        more: further variables of its environment.
    """
    token = uuid.uuid4().hex
    said = place.folder / f"said-{token[:8]}"
    plan = None
    if record is not None or clock_s or (moment is not None and moment.step):
        found: dict[str, Any] = {"output_dir": str(place.folder / "out"), "record": str(record or "")}
        found |= {"then": then, "clock_s": clock_s, "number": int(number)}
        if moment is not None:
            found |= {"step": moment.step, "turn": moment.turn, "part": moment.part, "delay_s": moment.after_s}
        plan = victim.Plan(**found)
    before = asked(place)
    started = start(plan, arguments, said, {_TOKEN: token, **(more or {})})
    begun = time.monotonic()
    due = begun + moment.after_s if moment is not None and not moment.step and not moment.answers else None
    sent = False
    while (status := started.status()) is None:
        now = time.monotonic()
        wanted = moment.answers if moment is not None and due is None else 0
        if moment is not None and wanted and asked(place).since(before).answered.total() >= wanted:
            due = now + moment.after_s
        if not sent and due is not None and now >= due:
            assert started.process.pid is not None
            os.kill(started.process.pid, number)
            sent = True
        if now > begun + _PATIENCE_S:
            started.process.kill()
            raise TimeoutError(f"the command did not end: {' '.join(arguments)}\n{said.read_text('utf-8')[-2000:]}")
        time.sleep(0.002)
    return Ended(status, token, said.read_text("utf-8", "replace"))
