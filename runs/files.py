"""Reads and writes JSON and JSON Lines files; equal rows give equal bytes."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from endpoints.outcome import storable

__all__ = [
    "FileError",
    "parse_jsonl",
    "read_json",
    "read_jsonl",
    "sha256_of",
    "write_json",
    "write_jsonl",
    "write_text",
]


class FileError(Exception):
    """A file or folder cannot be read as what it should be; the message says which and why."""


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Read the objects of a JSON Lines file; blank lines are skipped.

    Raises:
        FileError: the file cannot be read, or a line is no JSON object; the message gives the line's number.
    """
    return parse_jsonl(_text(path), str(path))


def parse_jsonl(text: str, name: str) -> list[dict[str, Any]]:
    """Read the objects of a text in JSON Lines.

    Args:
        text: the lines.
        name: what error messages call the text.

    Raises:
        FileError: a line is no JSON object.
    """
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FileError(f"{name}: line {number} is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise FileError(f"{name}: line {number} is not a JSON object")
        rows.append(row)
    return rows


def read_json(path: Path) -> dict[str, Any]:
    """Read the object of a JSON file.

    Raises:
        FileError: the file cannot be read, or holds no JSON object.
    """
    try:
        found = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise FileError(f"{path} is not a JSON object")
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line, its fields in the order given. The file is replaced as a whole, or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write one JSON object, its keys sorted. The file is replaced as a whole, or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, lone surrogates replaced. The file is replaced as a whole, or not at all.

    A link stays, and the file that it names is replaced. What is no file, such as ``/dev/stdout``, is written to.

    Raises:
        OSError: the file cannot be written.
    """
    text = storable(text)  # a fixture may hold a lone surrogate, which has no UTF-8 form
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as device:
            device.write(text)
        return
    target = path.resolve()
    beside = target.with_name(target.name + ".tmp")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error  # a full disk's has no name


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
