"""The answers of a finished run, by the tasks that were asked for."""

import functools
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from metrics.headlines import MetricSpec
from metrics.reasoning import cut_reasoning
from metrics.record import Record
from report.errors import ReportError
from runs.folder import Run, Sample, count_samples, open_runs, samples
from runs.shape import record_damage
from tasks.names import TaskName, TaskNameError
from tasks.registry import answers_by_part, benchmark, parse_task

__all__ = [
    "Answer",
    "Loaded",
    "answer_name",
    "asked_tasks",
    "check_details",
    "check_not_stopped",
    "each_sample",
    "held_tasks",
    "known_task",
    "load_runs",
    "scored_samples",
    "spoken",
]

T = TypeVar("T")


class Answer(NamedTuple):
    """One answer of a run, or what stands for a missing one.

    Attributes:
        question: what tells its question from the others of the task.
        record: the scored record.
        prompt: the question as it was put, without a system prompt.
        text: what the model said, without its reasoning; "" for a missing answer.
    """

    question: Hashable
    record: Record
    prompt: str
    text: str


class Loaded(NamedTuple):
    """A run and its answers.

    Attributes:
        run: the folder.
        tasks: the answers of each task that was asked for, in the order of the run.
    """

    run: Run
    tasks: dict[TaskName, list[Answer]]


def load_runs(folders: Sequence[Path], names: Sequence[str] = ()) -> list[Loaded]:
    """Read runs with all their answers.

    Args:
        folders: the runs' folders.
        names: a name for each of them; empty for the runs' own.

    Raises:
        FileError: see :func:`runs.folder.open_runs` and :func:`runs.folder.samples`.
        ReportError: a run names a task that this version does not have, lacks details, was stopped early by a rule, or
            has two answers of one repeat to a question.
    """
    return [_load(run) for run in open_runs(folders, names, numbered=True)]


def _load(run: Run) -> Loaded:
    check_not_stopped(run)
    check_details(run)
    tasks = {}
    for task, sizes in held_tasks(run).items():
        tasks[task] = [
            answer for part, size in sizes.items() for answer in list(_answers(run.details[str(part)], part))[:size]
        ]
        _check_places(run, task, tasks[task])
    return Loaded(run, tasks)


def check_not_stopped(run: Run) -> None:
    """Check that no rule has stopped the run before its last question.

    Raises:
        ReportError: one has.
    """
    if stopped := run.content.get("stopped"):
        raise ReportError(
            f"{run.folder}: stopped early by {stopped['rule']} after {stopped.get('after', 'some')} answers, so that "
            "it also holds the quick answers of later questions; go on with --resume --full first"
        )


def asked_tasks(run: Run) -> dict[TaskName, dict[TaskName, int | None]]:
    """The tasks that were asked for, each with those that it was run as and how many of their first answers are its.

    Raises:
        ReportError: the run names a task that this version does not have.
    """
    settings = run.settings
    smoke = settings.get("max_samples") is None and not settings.get("full")
    repeats = int(settings.get("repeats", 1))
    try:
        asked = [parse_task(name) for name in settings.get("tasks") or run.details]
    except TaskNameError as error:
        raise ReportError(f"{run.folder}: {error}") from None
    return {task: answers_by_part(task, smoke, repeats) for task in asked}


def held_tasks(run: Run) -> dict[TaskName, dict[TaskName, int | None]]:
    """The same with the details files that there are: a part without a question in the run's dataset was not run.

    Raises:
        ReportError: see :func:`asked_tasks`; or a task has no details file at all.
    """
    found = {}
    for task, sizes in asked_tasks(run).items():
        found[task] = {part: size for part, size in sizes.items() if str(part) in run.details}
        if not found[task]:
            raise ReportError(f"{run.folder}: no details file of {task}; let the run end first (--resume)")
    return found


def known_task(name: str, where: Path) -> TaskName:
    """A task that a run's files name.

    Args:
        name: as it stands there.
        where: the file or folder.

    Raises:
        ReportError: this version does not have its benchmark.
    """
    try:
        task = TaskName.read(name)
        benchmark(task.benchmark)
    except TaskNameError as error:
        raise ReportError(f"{where}: {error}") from None
    return task


def _check_places(run: Run, task: TaskName, answers: Sequence[Answer]) -> None:
    seen = set()
    for answer in answers:
        place = answer.question, answer.record["repeat"]
        if place in seen:
            raise ReportError(f"{run.folder}: {task} has two answers to {spoken(answer.question)}: which one counts?")
        seen.add(place)


def spoken(question: Hashable) -> str:
    """A question's name in tables and files."""
    return "/".join(map(str, question)) if isinstance(question, tuple) else str(question)


def answer_name(record: Record) -> str:
    """An answer's name in texts: the question's id, with the number of the repeat from the second on."""
    return f"{record['id']}#{record['repeat']}" if record["repeat"] else str(record["id"])


def check_details(run: Run) -> None:
    """Check that the details are those of the run's last table: every task's, each with all its answers.

    Raises:
        ReportError: a file is missing or, where an older one lies beside it, the newest one is.
        FileError: a file cannot be read.
    """
    again = f"copy the whole folder, or write them again (python run_lighteval.py --resume {run.folder})"
    for name, row in (run.content.get("tasks") or {}).items():
        task = known_task(name, run.folder)
        if benchmark(task.benchmark).run_as(task) != (task,):
            continue
        path = run.details.get(name)
        if path is None:
            raise ReportError(f"{run.folder}: the details of {name} are missing: {again}")
        total, held = int((row or {}).get("n_total") or 0), count_samples(path)
        if held < total:
            raise ReportError(f"{path} holds {held} of {total} answers: newer details are missing: {again}")


def scored_samples(path: Path) -> Iterator[Sample]:
    """Read the answers of a details file whose records hold scores, in the file's order.

    Raises:
        FileError: see :func:`runs.folder.samples`.
        ReportError: a record holds no scores.
    """
    for sample in samples(path):
        if any(sample.record.get(name) is None for name in ("scores", "labels", "outcome")):
            raise ReportError(f"{path}: its records hold no scores")
        yield sample


def each_sample(run: Run, make: Callable[[TaskName, Sample], T]) -> Iterator[T]:
    """What is made of every answer that the details files hold, in their order.

    Args:
        run: the run.
        make: (task, sample) -> what is wanted of it.

    Raises:
        FileError: see :func:`runs.folder.samples`.
        ReportError: a details file is of a task that this version does not have, or an answer of it cannot be read.
    """
    for name, path in run.details.items():
        task = known_task(name, path)
        yield from _read(path, functools.partial(make, task), benchmark(task.benchmark).metrics[:1])


def _read(path: Path, make: Callable[[Sample], T], metrics: Sequence[MetricSpec]) -> Iterator[T]:
    """What is made of every answer of a details file, each with what the metrics need of its record."""
    for sample in scored_samples(path):
        try:
            _check_answer(sample, metrics)
            made = make(sample)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
            what = str(error) if isinstance(error, _DamageError) else f"{type(error).__name__}: {error}"
            told = f"question {sample.record.get('id')}: {what}; the file was changed, or is of another version"
            raise ReportError(f"{path}: {told}") from error
        yield made


class _DamageError(ValueError):
    """Says what is not as it must be."""


def _check_answer(sample: Sample, metrics: Sequence[MetricSpec]) -> None:
    if damage := record_damage(sample.record):
        raise _DamageError(f"its {damage}")
    texts = sample.response.get("text") or []
    if not isinstance(texts, list) or not all(isinstance(text, str | None) for text in texts):
        raise _DamageError("its answer is no list of texts")
    record = cast(Record, sample.record)
    for spec in metrics:
        hash(spec.question(record))
        if record["outcome"] in spec.outcomes and (spec.about is None or spec.about(record)) and spec.tally is None:
            spec.of(record)


def _answers(path: Path, task: TaskName) -> Iterator[Answer]:
    metrics = benchmark(task.benchmark).metrics
    return _read(path, functools.partial(_answer, key=metrics[0].question), metrics)


def _answer(sample: Sample, key: Callable[[Record], Hashable]) -> Answer:
    texts = sample.response.get("text") or [""]
    record = cast(Record, sample.record)
    return Answer(key(record), record, str(sample.doc["query"]), cut_reasoning(texts[0] or "").answer)
