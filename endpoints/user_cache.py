"""What is made once and kept in the user's cache: where that is, how one process at a time makes it, and with what."""

import contextlib
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from endpoints.defaults import APP_NAME

__all__ = ["Notify", "default_cache", "last_lines", "only_process", "run_python", "tell_stderr"]

Notify = Callable[[str], None]
_SHOWN_LINES: Final = 8


def default_cache() -> Path:
    """Path of this package's folder in the user's cache; the folder is not made."""
    import platformdirs

    return platformdirs.user_cache_path(APP_NAME)


@contextlib.contextmanager
def only_process(path: Path, what: str, tell: Notify) -> Iterator[None]:
    """Hold the lock of a lock file within the block; the system frees it if the process dies.

    Args:
        path: the file, made if absent; its folder exists.
        what: is made meanwhile, in words.
        tell: told when another process holds the lock, before waiting for it.
    """
    with path.open("a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"another run is preparing {what}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run_python(
    arguments: list[str], env: Mapping[str, str] | None = None, *, show: bool = False
) -> "subprocess.CompletedProcess[str]":
    """Run this interpreter on a module of this package, with its text as UTF-8; nothing is raised for its exit status.

    Args:
        arguments: after the interpreter's name.
        env: variables to add.
        show: let its standard error through instead of keeping it.
    """
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if show else subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": path, **(env or {})},
        check=False,
    )


def last_lines(text: str) -> str:
    """The end of what a program said, indented."""
    return "\n".join(f"  {line}" for line in text.splitlines()[-_SHOWN_LINES:])


def tell_stderr(message: str) -> None:
    """A line on standard error."""
    sys.stderr.write(message + "\n")
    sys.stderr.flush()
