"""Makes and locks a run's folder."""

import contextlib
import fcntl
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from endpoints.journal import sync_folder
from runner.exits import UsageError
from tasks.names import TaskName

__all__ = ["filed_name", "lock_folder", "new_run_dir"]


def filed_name(model: str) -> str:
    """The model's name as a relative path for LightEval's files: no ``..``, six parts of 100 characters at most."""
    parts = [part[-100:] for part in model.split("/") if part not in ("", ".", "..")]
    return "/".join(parts[-6:]) or "model"


def new_run_dir(output_dir: Path, name: str, tasks: Sequence[TaskName]) -> Path:
    """Make a new folder for one run, named after the time (UTC), the run's name and the tasks.

    Args:
        output_dir: where it is made.
        name: what the user calls the run, or the model's name.
        tasks: what is asked.

    Raises:
        OSError: the folder cannot be made.
    """
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    label = "_".join([name.strip("/").rpartition("/")[2], *dict.fromkeys(task.benchmark for task in tasks)])
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in label)[:80]
    for number in range(1, 1000):
        suffix = "" if number == 1 else f"_{number}"
        folder = output_dir / f"{stamp}_{safe}{suffix}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        with contextlib.suppress(OSError):  # of a folder that may not be listed, for one
            sync_folder(output_dir)  # a power cut may take what a run wrote in its last second, not its folder
        return folder
    raise FileExistsError(f"{output_dir}: no free name for a run folder")


def lock_folder(run_dir: Path) -> TextIO:
    """Lock a run's folder against other processes, until the returned file is closed or this process ends.

    Raises:
        UsageError: another process holds the lock, or the folder cannot be written to.
    """
    try:
        file = (run_dir / ".lock").open("a", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{run_dir} cannot be written to: {error.strerror or error}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UsageError(f"another process is working on {run_dir}") from None
    except OSError as error:
        file.close()
        raise UsageError(f"{run_dir} cannot be locked: {error.strerror or error}") from error
    return file
