"""What a command needs of its terminal: readers of its output may go away (``... | head``), letters are UTF-8.

The module lies here because every room with a command of its own may import ``endpoints``.
"""

import codecs
import contextlib
import io
import os
import sys
from pathlib import Path
from typing import Any

__all__ = ["speak_utf8", "survive_closed_pipes"]


def speak_utf8() -> None:
    """Start this process anew in Python's UTF-8 mode if its locale knows ASCII alone.

    A command calls this before anything else. Under ``LC_ALL=C PYTHONUTF8=0`` Python can neither read an argument with
    other letters nor name a file with them. Children inherit the mode. The process keeps its id, its streams and its
    arguments, byte for byte; other locales are left as they are.
    """
    if codecs.lookup(sys.getfilesystemencoding()).name == "ascii":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def survive_closed_pipes() -> None:
    """Make standard output and standard error drop what is written after their reader has gone.

    A command calls this first. The function replaces ``sys.stdout`` and ``sys.stderr``, so that nothing that writes
    there (argparse, progress bars, libraries, Python's flush at exit) raises ``BrokenPipeError``, and the exit status
    tells the result of the work. Other errors, such as a full disk, are raised as before. Characters that the encoding
    lacks are written as backslash escapes. Streams that are not files (a test's, a notebook's) are not replaced; those
    that the shell has closed (``>&-``) drop everything.
    """
    sys.stdout = _surviving(sys.stdout)
    sys.stderr = _surviving(sys.stderr)


def _surviving(stream: Any) -> Any:
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    buffer: Any = getattr(stream, "buffer", None)
    buffered = isinstance(buffer, io.BufferedWriter)  # not so under python -u
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(buffer.raw if buffered else buffer, io.FileIO):
        return stream
    with contextlib.suppress(BrokenPipeError):
        stream.flush()
    pipe = _Pipe(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(pipe) if buffered else pipe,
        encoding=stream.encoding,
        errors="backslashreplace",
        newline="\n",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class _Pipe(io.FileIO):
    """A file that drops what is written when it is a pipe without a reader."""

    def write(self, data: Any, /) -> int:
        """Write bytes, and return how many were written or dropped."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes
