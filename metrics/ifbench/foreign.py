"""Graders from the checkers of other projects: LightEval's own copy, or any checkout with the same interface.

They run in a process of their own, so what they import, print, download or break stays there. An exception is a
counted outcome (code ``crash``); a checker whose data or package is missing gives no verdict at all, but
:class:`NotGradableError`.
"""

import atexit
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from metrics.ifbench.arguments import Arguments
from metrics.reasons import failed, passed
from metrics.verdict import Verdict

__all__ = ["ForeignCheckers", "NotGradableError", "Source", "lighteval_source", "source_at"]

_WORKER: Final = Path(__file__).with_name("foreign_worker.py")
_REGISTRY: Final = "instructions_registry.py"
# Where a registry stands in the checkouts that are known, the nearest place first.
_PLACES: Final = ("", "ifbench", "src/ifbench", "eval/chat_benchmarks/IFBench")
# What graders add to the name of their source.
_SUFFIXES: Final = ("_strict", "_loose")
_START_SECONDS: Final = 180.0
_VERDICT_SECONDS: Final = 60.0


class NotGradableError(RuntimeError):
    """A constraint that these checkers cannot judge here: no verdict, and no place in a denominator."""


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
        seconds: most seconds of one verdict; one that takes longer counts as a crash.
    """

    def __init__(self, source: Source, seconds: float = _VERDICT_SECONDS) -> None:
        self.source = source
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._unloadable = ""

    def judge(self, instruction_id: str, arguments: Arguments, texts: Sequence[str], prompt: str = "") -> Verdict:
        """Whether one of the texts passes; codes ``ok``, ``not-followed``, ``crash``.

        Raises:
            NotGradableError: the checkers cannot be loaded, have none for the id, or lack data that it needs.
        """
        request = {"id": instruction_id, "kwargs": dict(arguments), "texts": list(texts), "prompt": prompt}
        with self._lock:
            reply = self._ask(request)
        if "missing" in reply:
            raise NotGradableError(f"{self.source.name}: {instruction_id}: {reply['missing']}")
        if "crash" in reply:
            return failed("crash", f"the checker of {self.source.identity} raised {reply['crash']}", reply["crash"])
        if reply["passed"]:
            return passed(f"accepted by {self.source.identity}")
        return failed("not-followed", f"rejected by {self.source.identity}")

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            return self._reply(process, self._seconds)
        except TimeoutError:
            self.close()
            return {"crash": "TimeoutError"}
        except (OSError, ValueError):
            # The process ended under this question; a new one serves the next.
            self.close()
            return {"crash": "ProcessEnded"}

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if self._unloadable:
            raise NotGradableError(self._unloadable)
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": "0", "HF_HUB_OFFLINE": "1"}
        self._process = subprocess.Popen(
            # -P: else the worker's own folder comes first, and our emoji.py stands in for the package of that name.
            [sys.executable, "-P", "-u", str(_WORKER), self.source.target],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=environment,
        )
        atexit.register(self.close)
        try:
            reply = self._reply(self._process, _START_SECONDS)
        except (OSError, ValueError) as error:
            reply = {"failed": f"no answer from the worker ({type(error).__name__})"}
        if "ready" not in reply:
            self.close()
            self._unloadable = f"{self.source.name}: the checkers cannot be loaded: {reply.get('failed')}"
            raise NotGradableError(self._unloadable)
        return self._process

    @staticmethod
    def _reply(process: subprocess.Popen[str], seconds: float) -> dict[str, Any]:
        """The next line of the worker; TimeoutError if none comes in time, ValueError if it ended."""
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        if not ready:
            raise TimeoutError
        reply: dict[str, Any] = json.loads(process.stdout.readline())
        return reply

    def close(self) -> None:
        """End the worker, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
