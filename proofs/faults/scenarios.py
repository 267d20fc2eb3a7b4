"""The runs that are killed: their commands, and the servers that answer them."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from endpoints.process import reserved_port

__all__ = ["SCENARIOS", "Place", "Scenario", "answering_servers"]

_PROGRAM: Final = Path(__file__).with_name("answering.py")
_SAMPLED: Final = ("--temperature", "0.6", "--seed", "1")
_PATIENCE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a scenario happens: a folder for notes and runs, and an address of the model and the judge."""

    folder: Path
    ports: tuple[int, int]
    latency_ms: float = 10.0

    @property
    def notes(self) -> Path:
        """The servers' notes."""
        return self.folder / "notes"

    def command(self) -> list[str]:
        """How a server is started, without its port and name."""
        return [sys.executable, "-S", str(_PROGRAM), str(self.notes), str(self.latency_ms)]

    def url(self, role: str) -> str:
        """The base URL of ``model`` or ``judge``."""
        return f"http://127.0.0.1:{self.ports[('model', 'judge').index(role)]}/v1"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A command to be killed.

    Attributes:
        name: of the scenario.
        arguments: of the command, but for the output folder.
        serves: whether the run starts its servers itself.
        any_questions: whether a run may ask questions that the unbroken one did not: a rule ends it while some are
            in flight.
    """

    name: str
    arguments: Callable[[Place], list[str]]
    serves: bool = False
    any_questions: bool = False


def _repeated(place: Place) -> list[str]:
    return [
        *("--task", "ifhard:all|0", "--max-samples", "20", "--repeats", "2", *_SAMPLED),
        *("--model", "model", "--base-url", place.url("model"), "--concurrency", "4"),
    ]


def _judged(place: Place) -> list[str]:
    return [
        *("--task", "hardmultiqa:open:alignment|0", "--dataset", "builtin", "--full", "--repeats", "3", *_SAMPLED),
        *("--model", "model", "--base-url", place.url("model"), "--concurrency", "4"),
        *("--judge-model", "judge", "--judge-base-url", place.url("judge"), "--judge-concurrency", "2"),
    ]


def _served(place: Place) -> list[str]:
    entries = {
        role: {
            "model": f"org/{role}",
            "served_model_name": role,
            "port": port,
            "gpus": [],
            "command": place.command(),
            "deadline_s": _PATIENCE_S,
        }
        for role, port in zip(("model", "judge"), place.ports, strict=True)
    }
    path = place.folder / "serving.yaml"
    path.write_text(yaml.safe_dump(entries), encoding="utf-8")
    return [
        *("--task", "hardmultiqa:open:alignment|0", "--dataset", "builtin", "--full", "--repeats", "2", *_SAMPLED),
        *("--serve", str(path), "--concurrency", "4", "--judge-concurrency", "2"),
    ]


def _stopped(place: Place) -> list[str]:
    return [
        *("--task", "ifhard:all|0", "--max-samples", "120", "--stop-when", "below=0.3", *_SAMPLED),
        *("--model", "model", "--base-url", place.url("model"), "--concurrency", "4"),
    ]


SCENARIOS: Final = (
    Scenario("repeated", _repeated),
    Scenario("judged", _judged),
    Scenario("served", _served, serves=True),
    Scenario("stopped", _stopped, any_questions=True),
)


@contextlib.contextmanager
def answering_servers(folder: Path, scenario: Scenario, latency_ms: float) -> Iterator[Place]:
    """A place for a scenario, with running servers unless the run starts them itself."""
    with reserved_port() as first, reserved_port() as second:
        place = Place(folder, (first, second), latency_ms)
    place.notes.mkdir(parents=True)
    processes = []
    try:
        if not scenario.serves:
            for role, port in zip(("model", "judge"), place.ports, strict=True):
                command = [*place.command(), f"--port={port}", f"--served-model-name={role}"]
                processes.append(subprocess.Popen(command, start_new_session=True))
            for role in ("model", "judge"):
                _wait_for(place.url(role) + "/models")
        yield place
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(url: str) -> None:
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return
