"""Graders from the checkers of other projects: LightEval's own copy, or any checkout with the same interface.

This is code of strangers. It runs in a process of its own, so what it imports, prints or breaks stays there: without
network where the system allows it, with a limit on memory and time. It is no sandbox: it runs as the user, files
included. An exception is a counted outcome (code ``crash``); a checker whose data or package is missing gives no
verdict at all, but :class:`NotGradableError`, and one that dies or goes over a limit :class:`GraderFailedError`.
"""

import atexit
import math
import subprocess
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.foreign_process import Worker, WorkerLostError
from metrics.reasons import failed, passed
from metrics.verdict import Verdict

__all__ = ["ForeignCheckers", "GraderFailedError", "NotGradableError", "Source", "lighteval_source", "source_at"]

_REGISTRY: Final = "instructions_registry.py"
# Where a registry stands in the checkouts that are known, the nearest place first.
_PLACES: Final = ("", "ifbench", "src/ifbench", "eval/chat_benchmarks/IFBench")
# What graders add to the name of their source.
_SUFFIXES: Final = ("_strict", "_loose")
_START_SECONDS: Final = 180.0
_VERDICT_SECONDS: Final = 60.0
_MEMORY: Final = 8 << 30  # bytes of address space: ten times what the known checkers take, libraries included
_GIB: Final = 1 << 30


class NotGradableError(RuntimeError):
    """A constraint that these checkers cannot judge here: no verdict, and no place in a denominator.

    Attributes:
        code: what stands for it in a record.
    """

    code = "not-gradable"


class GraderFailedError(NotGradableError):
    """A verdict that was not given: the checker's process died, or went over a limit, under this one answer."""

    code = "grader-failed"


class Source(NamedTuple):
    """A source of checkers: a checkout, or a registry file.

    Attributes:
        name: name of its graders, without ``_strict`` or ``_loose``.
        target: the module or file that the worker loads.
        identity: release or commit, which results record.
    """

    name: str
    target: str
    identity: str


def lighteval_source() -> Source | None:
    """The checkers that the installed LightEval ships, or None without LightEval."""
    if find_spec("lighteval") is None:
        return None
    try:
        return Source("lighteval", "lighteval", f"lighteval {version('lighteval')}")
    except PackageNotFoundError:
        return None


def _commit_of(file: Path) -> str:
    """The commit of a file's checkout, ``+changes`` behind it if files differ; "no commit" if none holds the file."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(file.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", file.name)  # an installed package may lie in a folder of another project
        return git("rev-parse", "HEAD") + ("+changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return "no commit"


def source_at(name: str, path: Path) -> Source:
    """The checkers of a checkout, or of a registry file itself.

    Raises:
        ValueError: a name that is no plain word or ends like a grader's, or a path without a registry of checkers.
    """
    if not name.isidentifier() or name.endswith(_SUFFIXES):
        raise ValueError(
            f"{name!r} is no name for a grader: a plain word that does not end in {' or '.join(_SUFFIXES)}"
        )
    places = [path] if path.is_file() else [path / place / _REGISTRY for place in _PLACES]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ValueError(f"no {_REGISTRY} in {path} or its known folders")
    return Source(name, str(found.resolve()), f"{path} at {_commit_of(found)}")


class ForeignCheckers:
    """A worker process for one source, started at the first question and again after it died; safe across threads.

    Checkers that cannot be loaded are asked for once; the answer stands.

    Args:
        source: where the checkers come from.
        seconds: most seconds of one verdict, by the clock and, rounded up, of processor time.
        memory: most bytes of address space of the process.
    """

    def __init__(self, source: Source, seconds: float = _VERDICT_SECONDS, memory: int = _MEMORY) -> None:
        self.source = source
        self._seconds = seconds
        self._memory = memory
        self._worker: Worker | None = None
        self._lock = threading.Lock()
        self._unloadable = ""
        self._absent: dict[str, str] = {}

    def judge(self, instruction_id: str, arguments: Arguments, texts: Sequence[str], prompt: str = "") -> Verdict:
        """Whether one of the texts passes; codes ``ok``, ``not-followed``, ``crash``.

        Raises:
            NotGradableError: the checkers cannot be loaded, have none for the id, or lack data that it needs.
            GraderFailedError: their process died or went over a limit; the next question goes to a new one.
        """
        request = {"id": instruction_id, "kwargs": dict(arguments), "texts": list(texts), "prompt": prompt}
        with self._lock:
            reply = self._ask(request)
        if "lost" in reply:
            raise GraderFailedError(f"{self.source.name}: {instruction_id}: grader failed: it {reply['lost']}")
        if "missing" in reply:
            raise NotGradableError(f"{self.source.name}: {instruction_id}: {reply['missing']}")
        if "crash" in reply:
            return failed("crash", f"the checker of {self.source.identity} raised {reply['crash']}", reply["crash"])
        if reply["passed"]:
            return passed(f"accepted by {self.source.identity}")
        return failed("not-followed", f"rejected by {self.source.identity}")

    def precautions(self) -> list[str]:
        """Under what the checkers run, a sentence a line, warnings first; known once a worker has started."""
        option = f"--grader {self.source.name}"
        warnings = {
            "network": f"warning: {option}: this system lets no code run without network "
            f"({self._absent.get('network')}): these checkers can reach the network",
            "memory": f"warning: {option}: this system sets no limit on memory ({self._absent.get('memory')})",
        }
        limits = {"network": "no network", "memory": f"at most {self._memory / _GIB:g} GiB of memory"}
        given = ", ".join(
            [text for what, text in limits.items() if what not in self._absent]
            + [f"at most {self._seconds:g} seconds a verdict"]
        )
        runs = f"{option} runs code of another project as you, with your files in its reach; it gets {given}"
        return [*(text for what, text in warnings.items() if what in self._absent), runs]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        worker = self._started()
        try:
            reply = worker.ask(request, self._seconds)
            if not ({"lost", "missing", "crash"} & reply.keys() or isinstance(reply.get("passed"), bool)):
                reply = {"lost": "gave an answer of no known form"}
        except WorkerLostError as error:
            reply = {"lost": str(error)}
        if "lost" in reply:
            self.close()
        return reply

    def _started(self) -> Worker:
        if self._worker is not None and self._worker.alive:
            return self._worker
        self.close()
        if self._unloadable:
            raise NotGradableError(self._unloadable)
        self._worker = Worker(self._memory, math.ceil(self._seconds))
        atexit.register(self.close)
        try:
            # What the system does not allow is said before any code of others runs, which could say otherwise.
            self._absent = self._worker.ask(None, _START_SECONDS)
            reply = self._worker.ask({"load": self.source.target}, _START_SECONDS)
        except WorkerLostError as error:
            reply = {"failed": f"their code {error}"}
        if "ready" not in reply:
            self.close()
            self._unloadable = f"{self.source.name}: the checkers cannot be loaded: {reply.get('failed')}"
            raise NotGradableError(self._unloadable)
        return self._worker

    def close(self) -> None:
        """End the worker, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            atexit.unregister(self.close)
            worker.end()
