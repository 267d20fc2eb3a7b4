"""Where lines go: through the user's pager on a terminal, plain to a pipe or file."""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

__all__ = ["Page", "paged"]

_NARROWEST: Final = 20  # columns
_LONGEST_WRAPPED: Final = 20_000  # characters of a line; a longer one is left to the terminal, at once


class Page:
    """Takes lines.

    Args:
        stream: where they go.
        terminal: whether a person reads them there: long lines are then wrapped at words.
        styled: whether the terminal takes colours.
    """

    def __init__(self, stream: Any, *, terminal: bool, styled: bool) -> None:
        self._stream = stream
        # It only renders: written to the stream itself, it would end the process when the reader has gone.
        self._console = Console(
            file=io.StringIO(), force_terminal=styled, highlight=False, markup=False, emoji=False, soft_wrap=True
        )
        self._styled = styled
        self._console.width = max(self._console.width, _NARROWEST)  # COLUMNS=0 would print nothing
        self._width = self._console.width if terminal else None

    def line(self, line: Text | str = "") -> None:
        """Write one line; of a text, with its styles where there are any."""
        text = Text(line) if isinstance(line, str) else line
        if self._styled:
            with self._console.capture() as written:
                self._console.print(text)
            self._stream.write(written.get())
        else:
            self._stream.write(text.plain + "\n")

    def quoted(self, text: str, mark: re.Pattern[str] | None = None) -> None:
        """Write a text of others: a bar stands before each line, so that nothing in it passes for ours.

        Args:
            text: see :func:`report.printable.printable`.
            mark: what is marked in it on a terminal.
        """
        bar = self._with_style("│ ", "dim")
        for line in text.split("\n"):
            for part in self._wrapped(line):
                marked = part if mark is None else mark.sub(lambda found: self._with_style(found[0], "reverse"), part)
                self._stream.write(f"{bar}{marked}\n")

    def _wrapped(self, line: str) -> Iterable[str]:
        if self._width is None or len(line) > _LONGEST_WRAPPED:
            return [line]
        if "\t" not in line and cell_len(line) <= self._width - 2:
            return [line]
        return [part.plain for part in Text(line).wrap(self._console, self._width - 2, overflow="fold")]

    def _with_style(self, text: str, style: str) -> str:
        return Style.parse(style).render(text) if self._styled else text


@contextlib.contextmanager
def paged() -> Iterator[Page]:
    """A page on standard output: through a pager where that is a terminal, as it comes elsewhere.

    The pager is ``$PAGER``, or ``less`` where there is one; ``PAGER=cat`` pages nothing. A reader who leaves it early
    ends the page; of a pager that fails a line on standard error says so. There are no escapes outside a terminal, nor
    where ``NO_COLOR`` is set or ``TERM`` is ``dumb``.
    """
    terminal = sys.stdout.isatty()
    dumb = os.environ.get("TERM", "dumb") == "dumb"
    styled = terminal and not dumb and not os.environ.get("NO_COLOR")
    command = _pager() if terminal and not dumb and sys.stdin.isatty() else None
    if command is None:
        yield Page(sys.stdout, terminal=terminal, styled=styled)
        return
    with _reader(command) as stream:
        yield Page(stream or sys.stdout, terminal=True, styled=styled)


def _pager() -> list[str] | None:
    """The pager's command line; None where there is none, or the user wants none."""
    try:
        command = shlex.split(os.environ.get("PAGER", "less"))
    except ValueError:
        return None
    return command if command and command[0] != "cat" and shutil.which(command[0]) else None


@contextlib.contextmanager
def _reader(command: list[str]) -> Iterator[Any]:
    # Ours unless the user has chosen: short pages end at once, colours pass, the text stays on the screen.
    environment = {"LESS": "FRX", "LV": "-c"} | os.environ
    try:
        pager = subprocess.Popen(
            command, stdin=subprocess.PIPE, env=environment, encoding="utf-8", errors="backslashreplace"
        )
    except OSError:  # no program, such as a script that names none
        yield None
        return
    with pager:
        try:
            yield pager.stdin
        except (BrokenPipeError, KeyboardInterrupt):
            pass  # the reader has seen enough
        finally:
            with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
                if pager.stdin is not None:
                    pager.stdin.close()
            while pager.poll() is None:
                with contextlib.suppress(KeyboardInterrupt):  # it is the pager's, which stays
                    pager.wait()
    if pager.returncode > 0:
        sys.stderr.write(f"note: the pager {command[0]} ended with status {pager.returncode}; PAGER=cat shows all\n")
