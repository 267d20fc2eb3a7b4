"""``run.json``: what was run, with which versions and data, and how it ended."""

import json
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runner.settings import Settings
from runner.versions import versions
from runs.files import write_json

__all__ = ["RunFile"]


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
        self._writing = threading.Lock()

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
        """Replace the file with the current content; any thread may do so."""
        with self._writing:
            write_json(self.path, self.content)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
