"""Evaluation results of the Hugging Face Hub: a file for the folder ``.eval_results`` of a model's repository.

The form is huggingface_hub's own (``EvalResultEntry``). An entry's number appears on the page of the dataset that it
names, so a set that is not the official one goes by a name of its own, which is on no Hub.
"""

from collections.abc import Iterator
from typing import Final

import yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

from report.errors import ReportError
from report.export.files import Export
from report.results import (
    Questions,
    Value,
    asked_of,
    ended,
    finished_tasks,
    generation_facts,
    judge_of,
    questions_of,
    row_of,
    software,
    values,
    why_no_score,
)
from runs.folder import Run
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["hub_export"]

# Ours are on no Hub: an id there is said to be a set of this package.
_OWN: Final = "lighteval-hard"
# Where the number comes from, as far as a run can tell: the harness.
_SOURCE: Final = "https://github.com/huggingface/lighteval"


def hub_export(run: Run) -> Export:
    """A file a benchmark, with one entry for each task that was asked for: the task's first metric.

    A task without a score has no entry, and a note says so.

    Raises:
        ReportError: no task has a score.
    """
    entries: dict[str, list[EvalResultEntry]] = {}
    notes: list[str] = []
    for task in finished_tasks(run):
        if why := why_no_score(run, task):
            notes.append(f"no entry: {why}")
            continue
        found = questions_of(run, task.benchmark)
        entries.setdefault(found.label, []).append(_entry(run, task, found))
        notes += _warnings(run, task, found)
    if not entries:
        raise ReportError(f"{run.folder}: {'; '.join(notes)}")
    files = {f".eval_results/{label}.yaml": _text(of).encode() for label, of in entries.items()}
    return Export(files, tuple(notes))


def _entry(run: Run, task: TaskName, found: Questions) -> EvalResultEntry:
    first, *others = values(row_of(run, task), benchmark(task.benchmark))
    date = ended(run)
    return EvalResultEntry(
        dataset_id=found.official or f"{_OWN}/{found.label}",
        task_id=task.plain if _alone(run, task) else str(task),
        value=first.value,
        dataset_revision=found.revision,
        date=None if date is None else date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        source_url=_SOURCE,
        source_name=software(run) or None,
        notes="; ".join(_notes(run, task, found, first, others)),
    )


def _alone(run: Run, task: TaskName) -> bool:
    """Whether its name without the few-shot part is one task's."""
    return sum(other.plain == task.plain for other in finished_tasks(run)) == 1


def _text(entries: list[EvalResultEntry]) -> str:
    return yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True, width=100)


def _notes(run: Run, task: TaskName, found: Questions, first: Value, others: list[Value]) -> Iterator[str]:
    row = row_of(run, task)
    yield f"{_with_interval(first)}, a share of 1"
    answered, total = row["n_answered"], row["n_total"]
    told = f"coverage {answered}/{total} answers ({row['coverage']:.1%})"
    if first.bounds is not None:
        told += f", INCOMPLETE: {first.bounds[0]:.4f} to {first.bounds[1]:.4f} by what the missing ones would be"
    yield told
    yield _size(run, task)
    yield f"questions: {found.words}"
    yield f"scorer {run.content.get('datasets', {}).get(task.benchmark, {}).get('scorer_version', '?')}"
    yield f"few shot: {task.fewshot}"
    yield from (f"{name.replace('_', ' ')}: {value}" for name, value in generation_facts(run))
    judge = judge_of(run, task.benchmark)
    if judge is not None:
        yield f"judge {judge.model}, {judge.prompts}"
    further = [f"{other.name} {other.value:.4f}" for other in others if other.value is not None]
    if further:
        yield f"besides: {', '.join(further)}"


def _with_interval(value: Value) -> str:
    if value.interval is None:
        return f"{value.name}, no interval"
    return f"{value.name}, 95% interval {value.interval[0]:.4f} to {value.interval[1]:.4f} ({value.made_by})"


def _size(run: Run, task: TaskName) -> str:
    asked, whole = asked_of(run, task)
    return f"{asked} questions" if whole in (None, asked) else f"A SAMPLE: {asked} of {whole} questions"


def _warnings(run: Run, task: TaskName, found: Questions) -> Iterator[str]:
    if found.official is None:
        yield (
            f"{task}: its questions are {found.words}; the entry names {_OWN}/{found.label}, which is on no Hub: if "
            "you have published the set, put its id there"
        )
    if _size(run, task).startswith("A SAMPLE"):
        yield f"{task}: {_size(run, task)}, as its entry's notes say"
    row = row_of(run, task)
    if row["n_answered"] < row["n_total"]:
        yield f"{task}: INCOMPLETE, {row['n_answered']} of {row['n_total']} answers are known, as its entry's notes say"
