"""What the person at the terminal reads: results on stdout, everything else on stderr."""

import contextlib
import sys
from typing import TextIO

__all__ = ["say", "show"]


def say(message: str) -> None:
    """Write one line to stderr at once."""
    _write(sys.stderr, message + "\n")


def show(text: str) -> None:
    """Write results to stdout at once."""
    _write(sys.stdout, text)


def _write(stream: TextIO | None, text: str) -> None:
    """A closed pipe or a narrow encoding costs the words, never the run: the files have them too."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    with contextlib.suppress(OSError, ValueError):
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
