"""Finds the cause of a server's death in its log: vLLM writes the cause further up than the last lines."""

import os
import re
from pathlib import Path
from typing import Final

from endpoints.errors import one_line
from endpoints.process import tail

__all__ = ["cause", "causes", "last_line"]

_READ_BYTES: Final = 262_144
# What a server wrote before that was about single requests.
_END_BYTES: Final = 16_384
_SHOWN: Final = 3
_LINE: Final = 300
# The server notes that it was asked how it is.
_LOOKED_AT: Final = re.compile(r"\bGET /health\b")
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
    """The last of a log's last lines that tells something, without colour codes; empty if there is none."""
    telling = [line for line in _COLOUR.sub("", tail(log)).splitlines() if not _LOOKED_AT.search(line)]
    return one_line(telling[-1] if telling else "", limit)


def cause(log: Path) -> str:
    """Why a server that had served ended, as far as its log tells: the first exception near its end; empty if none."""
    return next(iter(causes(log, _END_BYTES)), "")


def causes(log: Path, most_bytes: int = _READ_BYTES) -> tuple[str, ...]:
    """Up to three exceptions in a log, the earliest first, without those that only report another process's death.

    Args:
        log: the log.
        most_bytes: how much of its end is read.
    """
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - most_bytes))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return ()
    found: dict[str, None] = {}
    for line in _COLOUR.sub("", text).splitlines():
        match = _EXCEPTION.search(line) or _SETTING.search(line)
        if match is not None and not _EMPTY_WORDS.search(line):
            found.setdefault(one_line(f"{match[1]}: {match[2]}", _LINE))
    return tuple(found)[:_SHOWN]
