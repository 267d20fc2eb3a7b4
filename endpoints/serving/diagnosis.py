"""Finds the cause of a server's death in its log: vLLM writes the cause further up than the last lines."""

import os
import re
from pathlib import Path
from typing import Final

from endpoints.errors import one_line
from endpoints.process import tail

__all__ = ["causes", "last_line"]

_READ_BYTES: Final = 262_144
_SHOWN: Final = 3
_LINE: Final = 300
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_EXCEPTION: Final = re.compile(r"(?:^|[\s\])])((?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Interrupt)): +(\S.*)$")
# How pydantic words a wrong setting, on the line after its exception.
_SETTING: Final = re.compile(r"(?:^|\s)(Value error), (\S.*?)(?: \[type=.*)?$")
# Said by processes that saw another one fail, or introducing the line that says it.
_EMPTY_WORDS: Final = re.compile(
    r"Engine core initialization failed|Engine process failed|EngineDeadError|WorkerProc initialization failed|"
    r"See root cause|cancelled|CancelledError|validation errors? for "
)


def last_line(log: Path, limit: int = 160) -> str:
    """The last line of a log that has words, without colour codes; empty if there is none."""
    return one_line(_COLOUR.sub("", tail(log, 1)), limit)


def causes(log: Path) -> tuple[str, ...]:
    """Up to three exceptions in a log, the earliest first, without those that only report another process's death."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _READ_BYTES))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return ()
    found: dict[str, None] = {}
    for line in _COLOUR.sub("", text).splitlines():
        match = _EXCEPTION.search(line) or _SETTING.search(line)
        if match is not None and not _EMPTY_WORDS.search(line):
            found.setdefault(one_line(f"{match[1]}: {match[2]}", _LINE))
    return tuple(found)[:_SHOWN]
