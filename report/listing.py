"""The runs of a folder, newest first: what each says of itself in ``run.json``, which alone is read."""

import fcntl
import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from report.errors import ReportError
from report.printable import one_line
from report.results import value_of
from report.wording import aligned
from runs.files import FileError
from runs.folder import ENDED, OtherToolError, config_of, read_content
from tasks.names import TaskNameError, split_fewshot
from tasks.registry import benchmark

__all__ = ["Listed", "TaskResult", "list_runs", "listing_form", "listing_lines"]
_LONGEST = 48  # characters of a model's name and settings in the table; the JSON has all


class TaskResult(NamedTuple):
    """The headline of one task.

    Attributes:
        task: its name.
        metric: the benchmark's first headline; "" where nothing was scored.
        value: None where it is undefined.
        interval: its 95% interval; None without one.
        answered: samples with a valid answer and verdict (of a run that only generates: with an answer).
        total: samples asked for.
    """

    task: str
    metric: str
    value: float | None
    interval: tuple[float, float] | None
    answered: int
    total: int


class Listed(NamedTuple):
    """One run of the list.

    Attributes:
        folder: its folder.
        name: the name that ``--name`` gave it; "" without one.
        model: the model and its settings, see :func:`runs.folder.config_of`.
        started, ended: when it began, and when its last session ended, as ``run.json`` has it; "" if not known.
        state: ``complete``, ``incomplete``, ``stopped early``, ``interrupted``, ``failed``, ``stopped``, ``running``,
            or ``broken``: what it left cannot be read.
        why: what there is to know of that; "" for nothing.
        tasks: in the order of the run; empty before its first table. Those of a run that was resumed and has not come
            to its next table are of the sessions before.
    """

    folder: Path
    name: str
    model: str
    started: str
    ended: str
    state: str
    why: str
    tasks: tuple[TaskResult, ...]


def list_runs(folder: Path) -> list[Listed]:
    """The runs in a folder, or the one run that it is; folders that are no runs are passed over.

    Raises:
        ReportError: there is no such folder, or it cannot be read.
    """
    if not folder.is_dir():
        raise ReportError(
            f"{folder}: there is no such folder; runs lie in the folder of --output-dir (default: results)"
        )
    try:
        inside = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError as error:
        raise ReportError(f"{folder} cannot be read: {error.strerror or error}") from None
    found = [_listed(path) for path in [folder, *inside]]
    runs = [listed for listed in found if listed is not None]
    return sorted(runs, key=lambda listed: (listed.started, listed.folder.name), reverse=True)


def _listed(folder: Path) -> Listed | None:
    """What is said of a folder; None if it is no run."""
    try:
        content = read_content(folder)
    except OtherToolError:
        return None
    except FileError as error:
        ours = (folder / "run.json").exists() or (folder / "responses.jsonl").exists()
        return _broken(folder, str(error)) if ours else None
    try:
        return _of(folder, content)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return _broken(folder, f"run.json is not as run_lighteval.py writes it: {type(error).__name__}: {error}")


def _broken(folder: Path, why: str) -> Listed:
    # Its folder's name begins with the time, as every run's does.
    day, _, clock = folder.name[:19].partition("T")
    started = f"{day}T{clock.replace('-', ':')}" if day[:2] == "20" else ""
    return Listed(folder, "", "", started, "", "broken", why.replace(f"{folder}/", "").replace(f"{folder} ", ""), ())


def _of(folder: Path, content: Mapping[str, Any]) -> Listed:
    settings, rows = content["settings"], content.get("tasks") or {}
    sessions = content.get("sessions") or [{}]
    tasks = tuple(_task(name, rows[name]) for name in settings.get("tasks") or rows if name in rows)
    state, why = _state(folder, content)
    if tasks and content.get("status") not in ENDED:
        why = "; ".join(filter(None, [why, "the values are of its last table"]))
    times = str(sessions[0].get("started") or ""), str(sessions[-1].get("ended") or "")
    return Listed(folder, str(settings.get("name") or ""), config_of(content), *times, state, why, tasks)


def _state(folder: Path, content: Mapping[str, Any]) -> tuple[str, str]:
    """The state, and what there is to know of it."""
    status = str(content.get("status") or "unknown")
    if status == "running":
        return ("running", "") if _held(folder) else ("interrupted", "its process ended without a word")
    if status not in ENDED:
        return status, "" if status == "interrupted" else f"exit status {content.get('exit_status')}"
    if not (folder / "details").is_dir():
        return "broken", "its details are missing: copy the whole folder"
    if "tasks" not in content:
        return "broken", "run.json has no results"
    if stopped := content.get("stopped"):
        return status, f"{stopped['rule']} after {stopped.get('after', 'some')} answers"
    return status, ""


def _held(folder: Path) -> bool:
    """Whether a process works on the run now. The lock is shared, asked for and let go at once."""
    try:
        with (folder / ".lock").open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _task(name: str, row: Mapping[str, Any]) -> TaskResult:
    total = int(row["n_total"])
    if row.get("generated_only"):
        return TaskResult(name, "", None, None, int(row["n_generated"]), total)
    metric = _headline(name)
    told = value_of(row, metric) if metric in row else None
    value, interval = (None, None) if told is None else (told.value, told.interval)
    return TaskResult(name, metric, value, interval, int(row["n_answered"]), total)


@functools.cache
def _headline(task: str) -> str:
    """The first metric of a task's benchmark; "" for a benchmark that this version does not have."""
    try:
        return benchmark(split_fewshot(task)[0].partition(":")[0]).metrics[0].name
    except TaskNameError:
        return ""


def listing_form(folder: Path, runs: Sequence[Listed]) -> dict[str, Any]:
    """What ``report runs --json`` writes: the runs with the fields of :class:`Listed`, their tasks by name."""
    return {
        "folder": str(folder),
        "runs": [
            run._asdict() | {"folder": str(run.folder)} | {"tasks": {task.task: _task_form(task) for task in run.tasks}}
            for run in runs
        ],
    }


def _task_form(task: TaskResult) -> dict[str, Any]:
    form = task._asdict() | {"coverage": task.answered / task.total if task.total else None}
    del form["task"]
    return form


def listing_lines(folder: Path, runs: Sequence[Listed]) -> Iterator[str]:
    """The runs as a table, one line a task, and one on the state of each that is not complete."""
    if not runs:
        yield f"{folder} holds no runs"
        return
    rows: list[tuple[str, ...]] = [("run", "model", "task", "headline", "95% interval", "coverage", "state")]
    for run in runs:
        state = f"{run.state}: {run.why}" if run.why else run.state
        for number, cells in enumerate([_cells(task) for task in run.tasks] or [("",) * 4]):
            rows.append(("", "", *cells, "") if number else (run.folder.name, _cut(run.model), *cells, state))
    shown = [[one_line(cell) for cell in row] for row in rows]
    yield from (line[2:] for line in aligned(shown, left={0, 1, 2, 6}))
    metrics = {task.task.partition(":")[0]: task.metric for run in runs for task in run.tasks if task.metric}
    if metrics:
        yield "headlines: " + ", ".join(f"{metric} of {name}" for name, metric in sorted(metrics.items()))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _cells(task: TaskResult) -> tuple[str, ...]:
    value = "not scored" if not task.metric else "n/a" if task.value is None else f"{task.value:.4f}"
    interval = "" if task.interval is None else f"[{task.interval[0]:.4f}, {task.interval[1]:.4f}]"
    return (task.task, value, interval, f"{task.answered}/{task.total}")
