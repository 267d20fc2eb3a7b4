"""After the last answer: summaries, files, table, exit status."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from metrics.record import Record
from metrics.summary import Summary, flat
from runner.answer_source import AnswerSource, generation_phrase
from runner.composed import composed_notes
from runner.console import command_name, say, show
from runner.endings import TaskAnswers
from runner.exits import Exit
from runner.extra_body import extra_body_phrase
from runner.judging import RunJudges
from runner.lighteval_run import LightevalRun
from runner.load import RunLoads
from runner.question_order import question_of
from runner.reasoning import asked_for_none
from runner.run_file import RunFile
from runner.settings import Settings
from runner.stopping import Stopping
from runner.table import TaskResult, render_table
from runner.tokens import token_phrase, token_totals
from runner.unscored import error_counts, generated_row
from runs.files import write_text
from tasks.benchmark import Benchmark, DatasetHandle
from tasks.names import TaskName
from tasks.registry import answers_by_part

__all__ = ["reasoning_facts", "report"]

_SHOWN_ERRORS = 5
_GENERATED = ("answered", "unscored")  # an ungraded answer is there but cannot be scored


def report(
    run: LightevalRun,
    records: Mapping[TaskName, Sequence[Record]],
    *,
    settings: Settings,
    benchmarks: Mapping[str, Benchmark],
    handles: Mapping[str, DatasetHandle],
    server: AnswerSource,
    judges: RunJudges,
    file: RunFile,
    notes: Sequence[str],
    generated: tuple[int, float] | None,
    loads: RunLoads,
    stopping: Stopping | None = None,
) -> Exit:
    """Write the run folder, print the table, and say how the run ended.

    Args:
        run: the finished LightEval pass.
        records: the scored answers of each task that was run.
        settings: the settings of the run.
        benchmarks, handles: by benchmark name.
        server: what answered.
        judges: what judged, if anything did.
        file: ``run.json``; finished here.
        notes: warnings that belong under the table.
        generated: completion tokens that this session generated, and in how many seconds; None if it asked no server.
        loads: what the servers said of their load.
        stopping: the rule by which the run may have ended early. Nothing but the questions that decided is reported:
            what arrived besides is kept, but it is no random sample.
    """
    folder = file.path.parent
    kept = None if stopping is None else stopping.kept
    records = {
        task: [record for record in found if kept is None or (str(task), record["id"]) in kept]
        for task, found in records.items()
    }
    pairs = {
        task: [pair for pair in run.pairs(task) if kept is None or question_of(pair[0]) in kept] for task in records
    }
    scored, ungraded = _split(settings.tasks, records, handles)
    smoke = settings.max_samples is None and not settings.full
    # A part without a question in this dataset was not run.
    sizes = {task: answers_by_part(task, smoke, settings.repeats) for task in scored}
    parts = {task: {part: size for part, size in sizes[task].items() if part in records} for task in scored}
    whole = {task: [record for part, size in parts[task].items() for record in records[part][:size]] for task in scored}
    shown = {task: found for task, found in (whole | dict(records)).items() if handles[task.benchmark].graded}
    summaries = {task: benchmarks[task.benchmark].summarise(found) for task, found in shown.items()}
    rows = {task: flat(summary) for task, summary in summaries.items()}
    rows |= {task: generated_row(records[task]) for task in ungraded}
    answers = {
        task: TaskAnswers(
            [response for part, size in parts.get(task, {task: None}).items() for _, response in pairs[part][:size]]
        )
        for task in rows
    }
    composed = {task: found.composed for task, found in answers.items()}
    told = reasoning_facts(settings, folder)
    run.save(rows)
    results = [
        _task_result(
            task,
            summaries[task],
            whole[task],
            settings,
            benchmarks[task.benchmark],
            handles[task.benchmark],
            judges,
            answers[task].cut,
            tuple(answers[task].remarks(whole[task], told)),
            stopping,
        )
        for task in scored
    ]
    if settings.repeats > 1:
        notes = [*notes, *(_repeat_note(task, *run.repeat_check(parts[task])) for task in scored)]
    notes = [*notes, *composed_notes(composed), *(handle.note for handle in handles.values() if handle.note)]
    heading = {"Run": settings.name} if settings.name is not None else {}
    heading |= {"Model": server.label, "Generation": generation_phrase(settings, server)}
    tokens = token_totals((response for task in run.tasks for _, response in run.pairs(task)), generated)
    counted = token_phrase(tokens)
    if counted is not None:
        heading["Tokens"] = counted
    heading |= loads.heading()
    if judges.all:
        heading["Judge"] = "; ".join(judge.phrase() for judge in judges.all)
    remarks = {task: answers[task].remarks(records[task], told) for task in ungraded}
    exports = _export(run, remarks, benchmarks, folder)
    table = render_table(heading, results, exports, [f"note: {note}" for note in notes])
    write_text(folder / "table.txt", table)
    file.content["judge"] = judges.record()  # once more: which form of output its server takes is known by now
    file.content["tasks"] = {str(task): row for task, row in rows.items()}
    file.content["tokens"] = tokens
    file.content["server_load"] = loads.record() or file.content.get("server_load", {})
    file.content |= {"stopped": None} if stopping is None else stopping.record()
    file.content["finish_reasons"] = {str(task): found.reasons for task, found in answers.items()}
    file.content["blocked"] = {str(task): found.blocked for task, found in answers.items()}
    file.content["marked_reasoning"] = {str(task): dict(found.reasoning.marked) for task, found in answers.items()}
    file.content["not_composed"] = {str(task): found for task, (found, _) in composed.items()}
    file.content["errors"] = error_counts(_with_trouble(records, ungraded))
    # Without its server the run sent nothing: what it counted before stands.
    file.content["retried"] = run.retried if server.kept is None else file.content.get("retried", 0)
    complete = all(summaries[task].counts.complete for task in scored) and all(
        record["outcome"] in _GENERATED for task in ungraded for record in records[task]
    )
    misses = _misses(settings.fail_under, {task: summaries.get(task) for task in settings.tasks}, benchmarks)
    exit_status = Exit.INCOMPLETE if not complete else Exit.FAIL_UNDER if misses else Exit.COMPLETE
    file.finish("stopped early" if kept is not None else "complete" if complete else "incomplete", exit_status)
    show("\n" + table)
    for miss in misses:
        say(miss)
    _say_errors(file, folder, asked=server.base_url is not None)
    say(f"results: {folder}")
    return exit_status


def _split(
    tasks: Sequence[TaskName], records: Mapping[TaskName, Sequence[Record]], handles: Mapping[str, DatasetHandle]
) -> tuple[list[TaskName], list[TaskName]]:
    """Tasks to be scored, as asked for, and tasks run on data without references."""
    scored = [task for task in tasks if handles[task.benchmark].graded]
    return scored, [task for task in records if not handles[task.benchmark].graded]


def _with_trouble(
    records: Mapping[TaskName, Sequence[Record]], ungraded: Sequence[TaskName]
) -> dict[TaskName, Sequence[Record]]:
    """The records whose outcomes are worth a line: without references no answer has a score, which is no error."""
    return {
        task: [record for record in found if task not in ungraded or record["outcome"] not in _GENERATED]
        for task, found in records.items()
    }


def _export(
    run: LightevalRun, remarks: Mapping[TaskName, list[str]], benchmarks: Mapping[str, Benchmark], folder: Path
) -> list[str]:
    """Write the answers of ungraded tasks in the official form; lines for the table, each task's remarks among them."""
    lines = []
    for task, more in remarks.items():
        pairs = run.pairs(task)
        export = benchmarks[task.benchmark].export
        kept = export(folder, pairs) if export is not None else folder / "responses.jsonl"
        answered = sum(getattr(response, "outcome", "answered") == "answered" for _, response in pairs)
        lines += [
            f"{task} | GENERATED ONLY: this dataset's references are withheld, so there is no score",
            f"  {answered} of {len(pairs)} questions answered; answers for the official scorer: {kept}",
            *more,
        ]
    return lines


def _repeat_note(task: TaskName, several: int, texts: int, scores: int) -> str:
    return (
        f"repeat check of {task}: of {several} questions answered more than once, {texts} got unlike answers "
        f"and {scores} unlike scores in one metric or more"
    )


def _task_result(
    task: TaskName,
    summary: Summary,
    records: Sequence[Record],
    settings: Settings,
    bench: Benchmark,
    handle: DatasetHandle,
    judges: RunJudges,
    cut: str,
    remarks: tuple[str, ...],
    stopping: Stopping | None,
) -> TaskResult:
    judge = judges.of(task.benchmark)
    marks = f"; reasoning in the marks of {settings.reasoning_marks} cut" if settings.reasoning_marks else ""
    asked = extra_body_phrase(settings.extra_body) if settings.responses is None else ""
    if judge is not None and bench.judging:
        asked += f"; judge {judge.model}, {bench.judging.identity}{extra_body_phrase(settings.judge_extra_body)}"
    return TaskResult(
        name=task,
        summary=summary,
        available=handle.questions[task.plain],
        questions=len({record["id"] for record in records}),
        repeats=settings.repeats,
        smoke=settings.max_samples is None and not settings.full,
        dataset=handle.identity(task.fewshot),
        scorer=bench.scorer_version + asked + marks,
        axis=bench.table_axis,
        cut=cut,
        remarks=remarks,
        stopped=stopping is not None and stopping.kept is not None,
        looks=tuple(stopping.lines()) if stopping is not None else (),
    )


def reasoning_facts(settings: Settings, folder: Path) -> tuple[str | None, str, str]:
    """The arguments of :meth:`runner.reasoning.ReasoningCounts.lines` for a run."""
    saved = settings.responses
    given = {"--chat-template-kwargs": settings.chat_template_kwargs, "--extra-body": settings.extra_body}
    off = asked_for_none(given) if saved is None else ""
    return settings.reasoning_marks, off, saved or str(folder / "responses.jsonl")


def _misses(
    bounds: Mapping[str, float], summaries: Mapping[TaskName, Summary | None], benchmarks: Mapping[str, Benchmark]
) -> list[str]:
    """Every ``--fail-under`` bound that a task does not meet; an undefined value meets none.

    A bound is for the tasks that have its metric; that one has it was checked at the start.
    """
    misses = []
    for metric, bound in bounds.items():
        for task, summary in summaries.items():
            if metric not in benchmarks[task.benchmark].metric_names:
                continue
            headlines = summary.headlines if summary is not None else ()
            value = next((headline.value for headline in headlines if headline.name == metric), None)
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
        say(f"what is missing (answers, verdicts) is asked for by: {command_name()} --resume {run_dir}")
