"""Writes to the terminal: results to stdout, everything else to stderr."""

import contextlib
import os
import sys
from pathlib import Path
from typing import TextIO

from endpoints.defaults import APP_NAME

__all__ = ["command_name", "on_terminal", "say", "show", "terminal_of_no_size"]


def command_name() -> str:
    """What the user typed to start this process: ``lighteval-hard`` or ``python run_lighteval.py``."""
    program = Path(sys.argv[0] if sys.argv else "").name
    return APP_NAME if program == APP_NAME else "python run_lighteval.py"


def on_terminal() -> bool:
    """Whether a person sees stderr change in place."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it is closed
        return False


def terminal_of_no_size() -> bool:
    """Whether the terminal at stderr says that it has no columns or no rows, as some in containers and CI do."""
    try:
        return min(os.get_terminal_size(sys.stderr.fileno())) == 0
    except (AttributeError, OSError, ValueError):
        return False


def say(message: str) -> None:
    """Write one line to stderr at once."""
    _write(sys.stderr, message + "\n")


def show(text: str) -> None:
    """Write results to stdout at once."""
    _write(sys.stdout, text)


def _write(stream: TextIO | None, text: str) -> None:
    """Write a text at once. An error of the stream is ignored: the run goes on, and its files hold the same words."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    with contextlib.suppress(OSError, ValueError):
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
