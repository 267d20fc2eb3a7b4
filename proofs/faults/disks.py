"""Disks that are small, or cannot be written to."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["Skipped", "read_only", "small_disk"]

_DISK: Final = "16m"


class Skipped(Exception):  # noqa: N818 (it is no error)
    """This machine does not allow the trial; the message says why."""


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of some megabytes in a folder.

    Raises:
        Skipped: mounting is not permitted.
    """
    folder.mkdir(exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder on a read-only disk, for root too.

    Raises:
        Skipped: mounting is not permitted.
    """
    _mount("--bind", str(folder), str(folder))
    try:
        _mount("-o", "remount,ro,bind", str(folder))
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _mount(*arguments: str) -> None:
    try:
        subprocess.run(["mount", *arguments], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Skipped(f"nothing can be mounted here: {getattr(error, 'stderr', '') or error}") from error
