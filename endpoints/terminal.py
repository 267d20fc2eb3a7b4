"""Lets a command go on when the reader of its output goes away, as in ``... | head``.

The module lies here because every room with a command of its own may import ``endpoints``.
"""

import contextlib
import io
import sys
from typing import Any

__all__ = ["survive_closed_pipes"]


def survive_closed_pipes() -> None:
    """Make standard output and standard error drop what is written after their reader has gone.

    A command calls this first. The function replaces ``sys.stdout`` and ``sys.stderr``, so that nothing that writes
    there (argparse, progress bars, libraries, Python's flush at exit) raises ``BrokenPipeError``, and the exit status
    tells the result of the work. Other errors, such as a full disk, are raised as before. Characters that the encoding
    lacks are written as backslash escapes. Streams that are not files (a test's, a notebook's) are not replaced.
    """
    sys.stdout = _surviving(sys.stdout)
    sys.stderr = _surviving(sys.stderr)


def _surviving(stream: Any) -> Any:
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
