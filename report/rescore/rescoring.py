"""Scores a run's answers again with the present scorers, and holds the verdicts against those of the run.

No model, server or judge is asked, and nothing is written into the run. What the run stored of a question is what its
answer is scored against, so a dataset that has moved on changes nothing.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from endpoints.outcome import Outcome
from judges.judgement import Judgement
from metrics.record import Record
from report.errors import ReportError
from report.loading import asked_tasks, check_details
from report.rescore.rescored import RescoredTask, Scored, rescored_task
from report.rescore.stored import Stored, details_answers, journal_answers, note_of_journal
from runs.folder import Run, open_run
from tasks.benchmark import Benchmark, Options
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["Rescored", "rescore"]


@dataclass(frozen=True, slots=True)
class Rescored:
    """A run, scored again.

    Attributes:
        run: the run.
        source: ``details`` or ``journal``.
        scorers: (version then, version now) by benchmark; None where the run does not tell.
        tasks: in the order in which they were asked for.
        notes: what the reader must know.
    """

    run: Run
    source: str
    scorers: Mapping[str, tuple[str | None, str]]
    tasks: list[RescoredTask]
    notes: list[str] = field(default_factory=list)


def rescore(folder: Path) -> Rescored:
    """Score the answers of a run again.

    Args:
        folder: the run's folder; a run that has not ended is scored by its journal.

    Raises:
        FileError: the folder is no run's, or its files cannot be read.
        ReportError: its answers cannot be scored; the message says what to do.
    """
    run = open_run(folder, ended=False)
    source = "details" if run.details else "journal"
    if run.details:
        check_details(run)
        stored = list(details_answers(run))
        notes = note_of_journal(run, stored)
    else:
        stored, notes = journal_answers(run)
    if stopped := run.content.get("stopped"):
        notes.append(f"the run was stopped early by {stopped['rule']}: its values lean to where it stopped")
    names = dict.fromkeys(one.task.benchmark for one in stored)
    benches, scorers = {}, {}
    for name in names:
        benches[name], said = _configured(run, name)
        notes += said
        then = run.content.get("datasets", {}).get(name, {}).get("scorer_version")
        scorers[name] = (then, benches[name].scorer_version)
    by_task: dict[str, list[Scored]] = defaultdict(list)
    for one in stored:
        by_task[str(one.task)].append(_scored(benches[one.task.benchmark], one))
    for name in names:
        notes += _common_graders(
            [one for task, of in by_task.items() if TaskName.read(task).benchmark == name for one in of]
        )
    tasks = []
    for task, sizes in asked_tasks(run).items():
        questions = run.content.get("datasets", {}).get(task.benchmark, {}).get("questions", {})
        # A part without a question in the run's dataset was not run.
        absent = [str(part) for part in sizes if str(part) not in by_task and questions.get(part.plain, 1)]
        notes += [f"there is no answer of {part} in its {source}: it is left out" for part in absent]
        held = [one for part, size in sizes.items() for one in by_task.get(str(part), [])[:size]]
        if held:
            row = run.content.get("tasks", {}).get(str(task), {})
            tasks.append(rescored_task(run.name, row, task, benches[task.benchmark], held))
    if not tasks:
        raise ReportError(f"{folder} holds no answer yet to any of its tasks (its status is {run.status})")
    return Rescored(run, source, scorers, tasks, list(dict.fromkeys(notes)))


def _configured(run: Run, name: str) -> tuple[Benchmark, list[str]]:
    """The benchmark with the run's own options, and what of them is not here, or is another one now."""
    bench = benchmark(name)
    configure = bench.configure
    if configure is None:
        return bench, []
    notes: list[str] = []

    def usable(options: Options) -> bool:
        try:
            configure(bench, options)
        except ValueError as error:
            notes.append(f"{name}: {error}; the run is scored without it")
            return False
        return True

    given = [tuple(text.partition("=")[::2]) for text in run.settings.get("graders") or ()]
    graders = tuple((word, path) for word, path in given if usable(Options(graders=((word, path),))))
    prompts = run.settings.get("judge_prompts")
    if prompts is not None and not usable(Options(judge_prompts=prompts)):
        prompts = None
    configured, said = configure(bench, Options(graders, prompts))
    # The run's file names the graders, so whoever wrote it chose whose code runs here.
    notes += said.get("notes", ())
    then = run.content.get("options", {}).get(name, {})
    identities = [{one["name"]: one["identity"] for one in of.get("sources", [])} for of in (then, said)]
    for word in sorted(identities[0].keys() & identities[1].keys()):
        if identities[0][word] != identities[1][word]:
            notes.append(f"{name}: grader {word} is {identities[1][word]} now, {identities[0][word]} then")
    asked, now = then.get("judge_prompts"), said.get("judge_prompts")
    if asked and asked != now:
        notes.append(f"{name}: the judge's replies are to {asked}; they are read as replies to {now}")
    return configured, notes


# One answer


def _scored(bench: Benchmark, stored: Stored) -> Scored:
    before = stored.record
    if stored.answer is None:
        if before is not None:
            return Scored(before, before, "")
        missing = stored.outcome or Outcome.unasked("")
        return Scored(None, bench.unanswered(stored.sample, missing.status, missing.error or ""), "")
    try:
        bench.check_scoring(stored.sample.scoring)
    except Exception as error:
        problem = str(error) or type(error).__name__
        return Scored(
            before, _without_verdicts(bench, stored, f"the stored question cannot be read: {problem}"), problem
        )
    try:
        after = bench.score(stored.sample, stored.answer, _judgement(bench, stored))
    except Exception as error:
        after = _without_verdicts(bench, stored, f"scorer raised {type(error).__name__}: {error}")
    if before is not None:
        # Looked at by the run, not by a scorer; records of version 0.1 have neither.
        after["with_reasoning"], after["marked_reasoning"] = (
            before.get("with_reasoning"),
            before.get("marked_reasoning"),
        )
    return Scored(before, after, "")


def _judgement(bench: Benchmark, stored: Stored) -> Judgement | None:
    """What the judge's replies say by the present reading; the stored words where they say as little as then."""
    then = stored.judgement
    if bench.judging is None or bench.judging.read_again is None:
        return then
    if then is not None and then.status == "judged" and then.calls and not stored.replies:
        return then  # of a version that kept no replies
    assert stored.answer is not None
    now = bench.judging.read_again(stored.sample, stored.answer, stored.replies)
    return then if then is not None and then.status != "judged" and now.status != "judged" else now


def _without_verdicts(bench: Benchmark, stored: Stored, error: str) -> Record:
    before = stored.record
    if before is None:
        return bench.unanswered(stored.sample, "unscored", error)
    # The question itself may be what cannot be read.
    blank: dict[str, Any] = {
        "passed": None,
        "code": "not-checked",
        "reason": error,
        "observed": "null",
        "wanted": "null",
    }
    return {
        **before,
        "outcome": "unscored",
        "error": error,
        "scores": dict.fromkeys(before["scores"]),
        "verdicts": [{**verdict, **blank} for verdict in before["verdicts"]],  # type: ignore[typeddict-item]
    }


def _common_graders(held: Sequence[Scored]) -> list[str]:
    """Leave in all records what graders say that were there then and are here now.

    Returns:
        what was left out.
    """
    both = [one for one in held if one.before is not None]
    if not both:
        return []
    then, now = (
        {verdict["grader"] for one in both for verdict in (one.before or one.after)["verdicts"]},
        {verdict["grader"] for one in both for verdict in one.after["verdicts"]},
    )
    common = then & now
    for one in both:
        for record in (one.before, one.after):
            assert record is not None
            record["verdicts"] = [verdict for verdict in record["verdicts"] if verdict["grader"] in common]
        assert one.before is not None
        for name in one.after["scores"]:
            one.before["scores"].setdefault(name, None)  # a value that the run's version did not have
    notes = [f"grader {name} judged the run and is not here: its verdicts are left out" for name in sorted(then - now)]
    return notes + [f"grader {name} did not judge the run: left out" for name in sorted(now - then)]
