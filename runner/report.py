"""After the last answer: summaries, files, table, exit status."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from metrics.record import Record
from metrics.summary import Summary
from runner.console import say, show
from runner.exits import Exit
from runner.folder import RunFile
from runner.lighteval_run import LightevalRun
from runner.rows import error_counts, results_row
from runner.server import Server, generation_phrase
from runner.settings import Settings
from runner.table import TaskResult, render_table
from tasks.benchmark import Benchmark, DatasetHandle

__all__ = ["report"]

_SHOWN_ERRORS = 5


def report(
    run: LightevalRun,
    records: Mapping[str, Sequence[Record]],
    *,
    settings: Settings,
    benchmarks: Mapping[str, Benchmark],
    handles: Mapping[str, DatasetHandle],
    server: Server,
    file: RunFile,
    notes: Sequence[str],
) -> Exit:
    """Write the run folder, print the table, and say how the run ended.

    Args:
        run: the finished LightEval pass.
        records: by full task name.
        settings: of the run.
        benchmarks, handles: by benchmark name.
        server: what answered.
        file: ``run.json``; finished here.
        notes: warnings that belong under the table.
    """
    summaries = {task: benchmarks[_bench(task)].summarise(found) for task, found in records.items()}
    rows = {task: results_row(summary, records[task]) for task, summary in summaries.items()}
    run.save(rows)
    results = [
        _task_result(task, summary, records[task], settings, benchmarks[_bench(task)], handles[_bench(task)])
        for task, summary in summaries.items()
    ]
    if settings.repeats > 1:
        notes = [*notes, *(_repeat_note(task, *run.repeat_check(task)) for task in records)]
    table = render_table(
        server.label, generation_phrase(settings, server), results, [f"note: {note}" for note in notes]
    )
    (file.path.parent / "table.txt").write_text(table, encoding="utf-8", newline="\n")
    file.content["tasks"] = rows
    file.content["errors"] = error_counts(records)
    file.content["retried"] = run.retried
    complete = all(summary.counts.complete for summary in summaries.values())
    misses = _misses(settings.fail_under, summaries)
    exit_status = Exit.INCOMPLETE if not complete else Exit.FAIL_UNDER if misses else Exit.COMPLETE
    file.finish("complete" if complete else "incomplete", exit_status)
    show("\n" + table)
    for miss in misses:
        say(miss)
    _say_errors(file, file.path.parent, asked=server.base_url is not None)
    say(f"results: {file.path.parent}")
    return exit_status


def _repeat_note(task: str, several: int, texts: int, scores: int) -> str:
    return (
        f"repeat check of {task}: of {several} questions answered more than once, {texts} got unlike answers "
        f"and {scores} unlike scores"
    )


def _bench(task: str) -> str:
    return task.partition(":")[0]


def _task_result(
    task: str, summary: Summary, records: Sequence[Record], settings: Settings, found: Benchmark, handle: DatasetHandle
) -> TaskResult:
    return TaskResult(
        name=task,
        summary=summary,
        available=handle.questions[task.partition("|")[0]],
        questions=len({record["id"] for record in records}),
        repeats=settings.repeats,
        smoke=settings.max_samples is None and not settings.full,
        dataset=handle.identity(int(task.partition("|")[2])),
        scorer=found.scorer_version,
        axis=found.table_axis,
    )


def _misses(bounds: Mapping[str, float], summaries: Mapping[str, Summary]) -> list[str]:
    """Every ``--fail-under`` bound that a task does not meet; an undefined value meets none."""
    misses = []
    for metric, bound in bounds.items():
        for task, summary in summaries.items():
            value = next((headline.value for headline in summary.headlines if headline.name == metric), None)
            if value is None or value < bound:
                shown = "undefined" if value is None else f"{value:.4f}"
                misses.append(f"--fail-under: {metric} of {task} is {shown}, {bound:g} was asked for")
    return misses


def _say_errors(file: RunFile, run_dir: Path, asked: bool) -> None:
    errors = file.content["errors"]
    for entry in errors[:_SHOWN_ERRORS]:
        more = ", ..." if entry["samples"] > 3 else ""
        ended = entry["outcome"].replace("_", " ")
        say(f"{entry['samples']} {ended}: {entry['error']} ({', '.join(entry['ids'][:3])}{more})")
    if len(errors) > _SHOWN_ERRORS:
        say(f"{len(errors) - _SHOWN_ERRORS} further kinds of error: see {file.path}")
    if errors and asked:
        say(f"samples without a valid answer are asked again by: python run_lighteval.py --resume {run_dir}")
