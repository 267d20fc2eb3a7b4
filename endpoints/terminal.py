"""Standard output and standard error of a command, made to survive a reader that goes away (``... | head``).

It lies here because every room with a command of its own may import ``endpoints``.
"""

import contextlib
import io
import sys
from typing import Any

__all__ = ["survive_closed_pipes"]


def survive_closed_pipes() -> None:
    """From now on, what is written to a pipe that nobody reads any more is dropped.

    Call it first in a command's own process. It replaces ``sys.stdout`` and ``sys.stderr``, so that whatever writes
    there (argparse, progress bars, libraries, Python's flush at exit) meets no ``BrokenPipeError``, and the exit
    status says what came of the work. Other errors, such as a full disk, are raised as before. Characters that the
    encoding lacks are written as backslash escapes. Streams that are not files (a test's, a notebook's) stay.
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
    """A file that takes everything when nobody reads."""

    def write(self, data: Any, /) -> int:
        """As ``FileIO.write``: the number of bytes taken."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes
