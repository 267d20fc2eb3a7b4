"""The arguments that were given, each checked by itself, by the names that settings have for them."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from endpoints.errors import EndpointError
from endpoints.headers import HeaderError, header_variables
from endpoints.url import checked_url
from runner.exits import UsageError
from runner.extra_body import check_extra_body
from runner.settings import AUTO, option_of
from tasks.names import TaskName, split_task_list
from tasks.registry import BENCHMARK_NAMES, benchmark, parse_task

__all__ = ["fail_under_bounds", "given_values", "serving_file"]


def given_values(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments that were given, checked, by the names that settings have for them.

    Paths that a resume needs again are absolute.

    Raises:
        UsageError, TaskNameError: one of them is wrong; the message names it.
    """
    values = {name: value for name, value in vars(arguments).items() if value is not None}
    for name, value in values.items():
        if value == "" and name not in ("system_prompt", "task"):
            raise UsageError(f"{option_of(name)} is empty")
    if not values.get("name", "x").isprintable() or not values.get("name", "x").strip():
        raise UsageError("--name has to be one line of visible characters")
    for name in ("resume", "show_prompt", "list_tasks", "dry_run", "emit_requests"):
        values.pop(name, None)
    if values.get("full") is False:
        del values["full"]
    if "task" in values:
        values["tasks"] = _tasks(values.pop("task"))
    if "fail_under" in values:
        values["fail_under"] = fail_under_bounds(values["fail_under"], values.get("tasks"))
    if values.get("serve", AUTO) != AUTO:
        values["serve"] = str(serving_file(values["serve"]))
    for name in ("responses", "serve", "judge_prompts", "dataset"):
        if (name, values.get(name)) == ("serve", AUTO):
            continue
        if name in values and (name != "dataset" or Path(values[name]).exists()):
            values[name] = str(Path(values[name]).absolute())  # a resume may start elsewhere
    for name in ("header", "judge_header"):
        if name in values:
            try:
                values[f"{name}s"] = header_variables(values.pop(name))
            except HeaderError as error:
                raise UsageError(f"{option_of(name)} {error}") from None
    if "grader" in values:
        graders = _pairs("--grader", "NAME=PATH", values.pop("grader"))
        values["graders"] = tuple(f"{name}={Path(path).absolute()}" for name, path in graders.items())
    if "column_map" in values:
        values["column_map"] = _pairs("--column-map", "FIELD=COLUMN", values["column_map"])
    for name in ("extra_body", "judge_extra_body"):
        if name in values:
            check_extra_body(option_of(name), values[name], judge=name.startswith("judge"))
    for name in ("base_url", "judge_base_url"):
        if name in values:
            try:
                checked_url(values[name])
            except EndpointError as error:
                raise UsageError(f"{option_of(name)}: {error}") from None
    if "max_samples" in values and "full" in values:
        raise UsageError("--max-samples and --full exclude each other")
    return values


def serving_file(given: str) -> Path:
    """The path of a serving file; ``serving/NAME`` may also be one that the package ships.

    Raises:
        UsageError: there is no such file.
    """
    from endpoints.serving.reading import find_serving

    path = find_serving(Path(given))
    if not path.is_file():
        raise UsageError(f"--serve {given}: no such file")
    return path


def _pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    """Split arguments ``NAME=VALUE``.

    Raises:
        UsageError: an argument has another form, or a name is given twice.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value or name in pairs:
            raise UsageError(f"{option} {text!r}: expected {form}, each name once")
        pairs[name] = value
    return pairs


def _tasks(lists: Sequence[str]) -> tuple[TaskName, ...]:
    tasks = [parse_task(text) for part in lists for text in split_task_list(part)]
    if not tasks:
        raise UsageError("--task is empty")
    for task in tasks:
        if tasks.count(task) > 1:
            raise UsageError(f"task {task} is given twice")
    return tuple(tasks)


def fail_under_bounds(texts: Sequence[str], tasks: Sequence[TaskName] | None) -> dict[str, float]:
    """Read the ``METRIC=VALUE`` arguments of ``--fail-under``.

    Raises:
        UsageError: an argument has another form, its value is no finite number, or no task of the run has the metric.
    """
    benches = {task.benchmark for task in tasks} if tasks else set(BENCHMARK_NAMES)
    known = sorted({metric for bench in benches for metric in benchmark(bench).metric_names})
    bounds: dict[str, float] = {}
    for text in texts:
        metric, equals, number = text.partition("=")
        try:
            bounds[metric] = float(number)
        except ValueError:
            equals = ""
        if equals and not math.isfinite(bounds[metric]):
            equals = ""
        if not equals or metric not in known:
            raise UsageError(f"--fail-under {text!r}: expected METRIC=VALUE with a metric among {', '.join(known)}")
    return bounds
