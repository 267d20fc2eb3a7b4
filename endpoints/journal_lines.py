"""Writes and reads the lines of a journal.

Each line is a JSON object in UTF-8, ended by ``\\n``. Its fields are those of :data:`FIELDS`. Since ``task``, ``id``
and ``response`` are among them, a journal can be used as a file of saved answers.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from endpoints.errors import ERROR_CODES
from endpoints.outcome import Outcome, storable
from endpoints.request import Request

__all__ = [
    "FIELDS",
    "STATUSES",
    "JournalError",
    "JournalLine",
    "read_journal",
    "read_whole_lines",
    "records",
    "to_line",
]


class JournalError(Exception):
    """The journal cannot be read, written or locked; the message names the file, and the number of a bad line."""


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One line of a journal: a request and its outcome."""

    key: str
    task: str
    sample_id: str
    repeat: int
    outcome: Outcome


# In the order of a line; a reader accepts further fields.
_TYPES: Final[tuple[tuple[str, tuple[type, ...]], ...]] = (
    ("key", (str,)),
    ("task", (str,)),
    ("id", (str,)),
    ("repeat", (int,)),
    ("status", (str,)),
    ("response", (str,)),
    ("reasoning", (str, type(None))),
    ("finish_reason", (str, type(None))),
    ("prompt_tokens", (int, type(None))),
    ("completion_tokens", (int, type(None))),
    ("attempts", (int,)),
    ("error", (str, type(None))),
    ("error_code", (str, type(None))),
)
# Written only where the server gave it; journals of older versions have none.
_OPTIONAL: Final = "reasoning_tokens"
FIELDS: Final = tuple(name for name, _ in _TYPES)
_LINE_START: Final = b'{"key": "'
STATUSES: Final = ("answered", "failed", "blocked")


def to_line(request: Request, key: str, outcome: Outcome) -> bytes:
    """The line of one outcome, in bytes, with its line end; lone surrogates become U+FFFD."""
    values = (
        key,
        request.task,
        request.sample_id,
        request.repeat,
        outcome.status,
        outcome.text,
        outcome.reasoning,
        outcome.finish_reason,
        outcome.prompt_tokens,
        outcome.completion_tokens,
        outcome.attempts,
        outcome.error,
        outcome.error_code,
    )
    fields = dict(zip(FIELDS, values, strict=True))
    if outcome.reasoning_tokens is not None:
        fields[_OPTIONAL] = outcome.reasoning_tokens
    return storable(json.dumps(fields, ensure_ascii=False)).encode("utf-8") + b"\n"


def _record_of(line: bytes) -> JournalLine:
    """Read one line; ``from_journal`` of the outcome is true.

    Raises:
        ValueError: the line is no record; the message is a phrase that says why.
    """
    try:
        fields: Any = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from None
    if not isinstance(fields, dict):
        raise ValueError("not a JSON object")
    for name, types in _TYPES:
        if name not in fields:
            raise ValueError(f"no field {name!r}")
        if not isinstance(fields[name], types) or isinstance(fields[name], bool):
            raise ValueError(f"field {name!r} is of type {type(fields[name]).__name__}")
    thought = fields.get(_OPTIONAL)
    if not isinstance(thought, int | None) or isinstance(thought, bool):
        raise ValueError(f"field {_OPTIONAL!r} is of type {type(thought).__name__}")
    if fields["status"] not in STATUSES:
        raise ValueError(f"status {fields['status']!r} is neither answered nor failed nor blocked")
    if fields["error_code"] is not None and fields["error_code"] not in ERROR_CODES:
        raise ValueError(f"unknown error code {fields['error_code']!r}")
    outcome = Outcome(
        status=fields["status"],
        text=fields["response"],
        reasoning=fields["reasoning"],
        finish_reason=fields["finish_reason"],
        prompt_tokens=fields["prompt_tokens"],
        completion_tokens=fields["completion_tokens"],
        attempts=fields["attempts"],
        error=fields["error"],
        error_code=fields["error_code"],
        reasoning_tokens=thought,
        from_journal=True,
    )
    return JournalLine(fields["key"], fields["task"], fields["id"], fields["repeat"], outcome)


def records(file: BinaryIO, path: Path) -> Iterator[tuple[JournalLine, int, bool]]:
    """Read the records of a journal, from the start of the file.

    Args:
        file: the open file.
        path: path of the file, for messages.

    Yields:
        Each record, the offset of the byte behind its line, and whether the line has a line end. An incomplete last
        line is left out.

    Raises:
        JournalError: a line is no record; the message gives its number.
    """
    end = 0
    for number, line in enumerate(file, start=1):  # binary: split at b"\n" alone
        ended = line.endswith(b"\n")
        try:
            record = _record_of(line)
        except ValueError as error:
            if not ended and _is_torn(line):
                return
            raise JournalError(f"{path}: line {number} is broken: {error}") from None
        end += len(line)
        yield record, end, ended


def _is_torn(line: bytes) -> bool:
    """Whether bytes can be the start of a record's line; other bytes are not ours and must not be cut off."""
    start = line[: len(_LINE_START)]
    return start == _LINE_START[: len(start)] or not line.strip(b"\0")  # a power cut can leave zero bytes


def read_journal(path: Path) -> list[JournalLine]:
    """Read every record of a journal, in the order of the file; the file is neither locked nor changed.

    An incomplete last line is left out.

    Raises:
        JournalError: see :func:`read_whole_lines`.
    """
    return read_whole_lines(path)[0]


def read_whole_lines(path: Path) -> tuple[list[JournalLine], int]:
    """Read a journal as :func:`read_journal` does.

    Returns:
        Its records, and the number of bytes of an incomplete last line; 0 if there is none.

    Raises:
        JournalError: there is no such file, or a line is no record; the message gives its number.
    """
    try:
        with path.open("rb") as file:
            found, end = [], 0
            for record, behind, _ in records(file, path):
                found.append(record)
                end = behind
            return found, file.seek(0, os.SEEK_END) - end
    except OSError as error:
        raise JournalError(f"{path}: cannot be read: {error.strerror or error}") from error
