"""Makes, locks and describes a run's folder; ``run.json`` is the description."""

import fcntl
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from runner.exits import UsageError
from runner.settings import Settings
from runner.versions import versions
from tasks.names import TaskName

__all__ = ["RunFile", "filed_name", "lock_folder", "new_run_dir"]


def filed_name(model: str) -> str:
    """The model's name as a relative path for LightEval's files: no ``..``, six parts of 100 characters at most."""
    parts = [part[-100:] for part in model.split("/") if part not in ("", ".", "..")]
    return "/".join(parts[-6:]) or "model"


def new_run_dir(output_dir: Path, model: str, tasks: Sequence[TaskName]) -> Path:
    """Make a new folder for one run, named after the time (UTC), the model and the tasks.

    Raises:
        OSError: the folder cannot be made.
    """
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    label = "_".join([model.strip("/").rpartition("/")[2], *dict.fromkeys(task.benchmark for task in tasks)])
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in label)[:80]
    for number in range(1, 1000):
        suffix = "" if number == 1 else f"_{number}"
        folder = output_dir / f"{stamp}_{safe}{suffix}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{output_dir}: no free name for a run folder")


def lock_folder(run_dir: Path) -> TextIO:
    """Lock a run's folder against other processes, until the returned file is closed or this process ends.

    Raises:
        UsageError: another process holds the lock.
    """
    file = (run_dir / ".lock").open("a", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UsageError(f"another process is working on {run_dir}") from None
    return file


class RunFile:
    """The file ``run.json``: what was run, with which versions and data, and how it ended.

    Each write makes a file beside it and renames that, so that a reader never sees a part of one.

    Args:
        run_dir: the run's folder.
        content: what is known when a new run starts, or the file's content when a run is resumed.
    """

    def __init__(self, run_dir: Path, content: dict[str, Any]) -> None:
        self.path = run_dir / "run.json"
        self.content = content

    @classmethod
    def start(cls, run_dir: Path, settings: Settings, command: Sequence[str]) -> "RunFile":
        """Write the ``run.json`` of a new run, or add a session to that of a resumed one."""
        path = run_dir / "run.json"
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"sessions": []}
        run = cls(run_dir, content)
        content["settings"] = settings.to_json()
        content["versions"] = versions()
        content["status"] = "running"
        content["sessions"].append({"command": ["run_lighteval.py", *command], "started": _now()})
        run.write()
        return run

    def finish(self, status: str, exit_status: int) -> None:
        """Record and write how the current session of the run ended."""
        self.content["status"] = status
        self.content["exit_status"] = exit_status
        self.content["sessions"][-1] |= {"ended": _now(), "status": status, "exit_status": exit_status}
        self.write()

    def write(self) -> None:
        """Replace the file with the current content."""
        beside = self.path.with_suffix(".json.tmp")
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            json.dump(self.content, file, ensure_ascii=False, indent=2, sort_keys=True)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
