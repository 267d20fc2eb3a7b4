"""The datasets of a run: each is loaded and checked; a resumed run must find the ones that it began with."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from endpoints.user_cache import default_cache
from runner.console import say
from runner.doubts import doubts
from runner.exits import UsageError
from runner.settings import Settings
from tasks.benchmark import Benchmark, DatasetError, DatasetHandle, DatasetRequest

__all__ = ["configure", "dataset_records", "load_data"]

_UNCHANGED = (("sha256", "questions"), ("prompts_sha256", "prompts"))


def configure(
    benchmarks: Mapping[str, Benchmark], settings: Settings
) -> tuple[dict[str, Benchmark], dict[str, dict[str, Any]]]:
    """Hand the benchmarks their own options, and tell the user what they note of them.

    Returns:
        the benchmarks with the options taken, and what they say of them for ``run.json``, both by name.

    Raises:
        UsageError: an option cannot be used.
    """
    options = settings.options()
    configured, said = {}, {}
    for name, bench in benchmarks.items():
        configured[name] = bench
        if bench.configure is not None:
            try:
                configured[name], words = bench.configure(bench, options)
            except ValueError as error:
                raise UsageError(str(error)) from error
            said[name] = dict(words)
            for note in words.get("notes", ()):
                say(note)
    return configured, said


def load_data(
    benchmarks: Mapping[str, Benchmark], settings: Settings, recorded: Mapping[str, Any]
) -> dict[str, DatasetHandle]:
    """Every dataset of a run, by benchmark.

    Args:
        benchmarks: by name.
        settings: the settings of the run.
        recorded: ``run.json`` of the run that is resumed, empty for a new one.

    Raises:
        DatasetError: a dataset cannot be had, or is too small for a task.
        UsageError: a resumed run's questions or prompts have changed.
    """
    cache = default_cache()
    handles = {}
    for name, bench in benchmarks.items():
        before = recorded.get("datasets", {}).get(name, {})
        source = settings.dataset or bench.default_dataset
        try:
            handle = bench.load_dataset(DatasetRequest(source, cache, before.get("revision"), settings.column_map))
        except DatasetError as error:
            if len(benchmarks) == 1:
                raise
            alone = "; --dataset counts for every task of a command: run these in one of their own"
            raise DatasetError(f"{name}: {error}{alone if settings.dataset is not None else ''}") from error
        _check_size(name, handle, settings)
        _check_same(name, handle, before, settings)
        handles[name] = handle if source in bench.facts.shipped else _with_doubts(bench, handle)
    return handles


def _with_doubts(bench: Benchmark, handle: DatasetHandle) -> DatasetHandle:
    """The handle; rows of it that no answer can meet are said now, and once more under the table."""
    line = doubts(bench, handle)
    if line is None:
        return handle
    say(f"warning: {line}")
    return dataclasses.replace(handle, note="; ".join(filter(None, [handle.note, line])))


def _check_same(name: str, handle: DatasetHandle, before: Mapping[str, Any], settings: Settings) -> None:
    fields = list(_UNCHANGED)
    if any(task.fewshot for task in settings.tasks):
        fields.append(("shots_sha256", "few-shot examples"))
    for field, what in fields:
        now = getattr(handle, field)
        if before.get(field, now) != now:
            raise UsageError(
                f"cannot resume the run: the {what} of {name} have changed ({field} {before[field]} then, {now} now)"
            )


def _check_size(name: str, handle: DatasetHandle, settings: Settings) -> None:
    """Every task has questions, and as many few-shot examples as it asks for."""
    for task in settings.tasks:
        if task.benchmark != name:
            continue
        if not handle.questions[task.plain]:
            raise DatasetError(f"task {task}: --dataset {handle.name} has no question for it")
        if task.fewshot > handle.shots:
            lacks = f"has only {handle.shots} few-shot examples in its {handle.shots_file}"
            raise DatasetError(f"task {task}: --dataset {handle.name} {lacks}, {task.fewshot} are needed")


def dataset_records(
    handles: Mapping[str, DatasetHandle], benchmarks: Mapping[str, Benchmark]
) -> dict[str, dict[str, Any]]:
    """What ``run.json`` says of the datasets, by benchmark."""
    return {
        name: {
            "name": handle.name,
            "sha256": handle.sha256,
            "prompts_sha256": handle.prompts_sha256,
            "shots_sha256": handle.shots_sha256,
            "revision": handle.revision,
            "questions": dict(handle.questions),
            "scorer_version": benchmarks[name].scorer_version,
        }
        for name, handle in handles.items()
    }
