"""The runs of a page with all their answers, by task."""

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.headlines import MetricSpec
from metrics.record import Record
from report.answers import Shown, shown_answers
from report.loading import held_tasks
from runs.folder import Run, open_runs
from tasks.benchmark import Benchmark
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["RunView", "TaskView", "views"]


@dataclass(frozen=True, slots=True)
class TaskView:
    """One task of one run.

    Attributes:
        name: as it was asked for.
        bench: its benchmark.
        row: what ``run.json`` says of it, in the flat form; empty where nothing was scored.
        answers: all of them, in the order of the details files.
    """

    name: TaskName
    bench: Benchmark
    row: Mapping[str, Any]
    answers: Sequence[Shown]

    @property
    def records(self) -> list[Record]:
        """The scored records of the answers."""
        return [shown.record for shown in self.answers]

    @property
    def specs(self) -> list[MetricSpec]:
        """The metrics of these very records, in the order of the table."""
        of = self.bench.metrics_of
        return list(self.bench.metrics if of is None else of(self.records))


@dataclass(frozen=True, slots=True)
class RunView:
    """One run.

    Attributes:
        run: its folder.
        number: its 0-based place on the page.
        tasks: those that were asked for, in order.
        answers: every answer once, whatever task it belongs to.
    """

    run: Run
    number: int
    tasks: Mapping[TaskName, TaskView]
    answers: Sequence[Shown]


def views(folders: Sequence[Path], names: Sequence[str] = ()) -> list[RunView]:
    """Read runs with all their answers; one that was stopped early is read too.

    Args:
        folders: the runs' folders.
        names: a name for each of them; empty for the runs' own.

    Raises:
        FileError: see :func:`runs.folder.open_runs` and :func:`runs.folder.samples`.
        ReportError: see :func:`report.answers.shown_answers` and :func:`report.loading.held_tasks`.
    """
    return [_view(run, number) for number, run in enumerate(open_runs(folders, names, numbered=True))]


def _view(run: Run, number: int) -> RunView:
    answers = list(shown_answers(run))
    by_part = defaultdict(list)
    for shown in answers:
        by_part[shown.task].append(shown)
    rows = run.content.get("tasks") or {}
    tasks = {}
    for task, sizes in held_tasks(run).items():
        own = itertools.chain.from_iterable(by_part[part][:size] for part, size in sizes.items())
        tasks[task] = TaskView(task, benchmark(task.benchmark), rows.get(str(task)) or {}, list(own))
    return RunView(run, number, tasks, answers)
