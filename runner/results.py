"""A run's folder: ``run.json``, and the rows of LightEval's results file."""

import importlib.metadata
import json
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from metrics.record import Record
from metrics.summary import Headline, Summary
from runner.settings import Settings

__all__ = ["RunFile", "new_run_dir", "results_row", "versions"]

_PACKAGES = ("lighteval", "openai", "datasets", "transformers", "torch", "numpy", "huggingface_hub")


def new_run_dir(output_dir: Path, model: str, tasks: Sequence[str]) -> Path:
    """Make a fresh folder for one run, named after the time, the model and the tasks."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    label = "_".join([model.strip("/").rpartition("/")[2], *dict.fromkeys(task.partition(":")[0] for task in tasks)])
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


class RunFile:
    """``run.json``: what was run, on what, and how it ended. Always a whole file: written beside, then renamed.

    Args:
        run_dir: the run's folder.
        content: what is known at the start, or the file's content when a run is resumed.
    """

    def __init__(self, run_dir: Path, content: dict[str, Any]) -> None:
        self.path = run_dir / "run.json"
        self.content = content

    @classmethod
    def start(cls, run_dir: Path, settings: Settings, command: Sequence[str]) -> "RunFile":
        """Begin or go on with the record of a run and write it."""
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
        """Write how this session ended."""
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


def results_row(summary: Summary, records: Sequence[Record]) -> dict[str, Any]:
    """A task's row in LightEval's results JSON: flat names, None (with a reason) where undefined.

    Names: each headline with ``_ci_low``, ``_ci_high`` and, below full coverage, ``_if_missing_fail``,
    ``_if_missing_pass``; counts as ``n_*``; breakdowns as ``axis/label/value``.
    """
    row: dict[str, Any] = {}
    for headline in summary.headlines:
        row |= _headline_row(headline)
    counts = summary.counts
    row["coverage"] = counts.answered / counts.total if counts.total else None
    for name in ("total", "answered", "failed", "not_asked", "unscored", "empty", "truncated", "unclosed_reasoning"):
        row[f"n_{name}"] = getattr(counts, name)
    row["truncated_share"] = counts.truncated / counts.answered if counts.answered else None
    for axis, labels in summary.breakdowns.items():
        for label, values in labels.items():
            for name, value in values.items():
                row[f"{axis}/{label}/{name}"] = value
    unscored = [record["id"] for record in records if record["outcome"] == "unscored"]
    if unscored:
        row["unscored_ids"] = unscored
    return row


def _headline_row(headline: Headline) -> dict[str, Any]:
    name = headline.name
    low, high = headline.interval if headline.interval is not None else (None, None)
    row: dict[str, Any] = {name: headline.value, f"{name}_ci_low": low, f"{name}_ci_high": high}
    if headline.value is None:
        row[f"{name}_undefined_because"] = headline.note
    if headline.bounds is not None:
        row[f"{name}_if_missing_fail"], row[f"{name}_if_missing_pass"] = headline.bounds
    return row


def error_counts(records: Mapping[str, Sequence[Record]]) -> list[dict[str, Any]]:
    """The distinct errors of a run with how often they occurred and up to ten of their sample ids."""
    counts: Counter[tuple[str, str]] = Counter()
    ids: dict[tuple[str, str], list[str]] = {}
    for task, found in records.items():
        for record in found:
            if record["outcome"] != "answered":
                key = (record["outcome"], record["error"])
                counts[key] += 1
                ids.setdefault(key, []).append(f"{task} {record['id']}")
    return [
        {"outcome": outcome, "error": error, "samples": n, "ids": ids[outcome, error][:10]}
        for (outcome, error), n in counts.most_common(50)
    ]


def versions() -> dict[str, str | None]:
    """Versions of Python, of this package and of what it stands on; None for a package that is absent."""
    found: dict[str, str | None] = {"python": platform.python_version(), "commit": _commit()}
    for name in ("lighteval-hard", *_PACKAGES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def _commit() -> str | None:
    """Commit of the checkout with a mark for uncommitted changes; None outside one."""
    here = Path(__file__).resolve().parent.parent
    try:
        return subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=here, capture_output=True, text=True, timeout=10, check=True,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
