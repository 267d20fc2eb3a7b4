"""The benchmarks of this package and the tasks they have."""

import dataclasses
import difflib
import importlib
from collections.abc import Sequence

from tasks.benchmark import Benchmark
from tasks.names import TaskName, TaskNameError, split_fewshot

__all__ = ["BENCHMARK_NAMES", "answers_by_part", "benchmark", "parse_task", "run_as", "smoke_samples"]

# A benchmark drops in with one folder under tasks/ and one name here.
BENCHMARK_NAMES: tuple[str, ...] = ("ifhard", "sobhard", "hardmultiqa", "ifbench")


def benchmark(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises:
        TaskNameError: there is no such benchmark.
    """
    if name not in BENCHMARK_NAMES:
        raise TaskNameError(f"unknown benchmark {name!r}; there are: {', '.join(BENCHMARK_NAMES)}")
    module = importlib.import_module(f"tasks.{name}.benchmark")
    bench: Benchmark = module.BENCHMARK
    return bench


def parse_task(text: str) -> TaskName:
    """Read ``benchmark[:subset[:mode]][|fewshot]``; the bare benchmark means its first subset.

    Raises:
        TaskNameError: unknown name or few-shot number; the message names the nearest legal ones.
    """
    stem, fewshot = split_fewshot(text)
    legal = {task.plain: task for name in BENCHMARK_NAMES for task in benchmark(name).tasks()}
    bare = {name: benchmark(name).tasks()[0] for name in BENCHMARK_NAMES}
    usual = _usual_spelling(text)
    task = bare.get(stem) or legal.get(usual)
    if task is None:
        if whole := [f"{name}|{fewshot}" for name in legal if name.startswith(f"{usual}:")]:
            raise TaskNameError(f"task {text!r}: the mode is missing; write {' or '.join(whole)}")
        near = difflib.get_close_matches(stem, [*legal, *bare], n=3, cutoff=0.4) or sorted(legal)[:5]
        raise TaskNameError(f"unknown task {text!r}; nearest: {', '.join(near)} (--list-tasks shows all)")
    offered = benchmark(task.benchmark).fewshots
    if fewshot not in offered:
        numbers = ", ".join(map(str, offered))
        raise TaskNameError(f"task {text!r}: {fewshot} few-shot examples are not offered; legal: {numbers}")
    return dataclasses.replace(task, fewshot=fewshot)


def _usual_spelling(text: str) -> str:
    """The plain name with its subset as the benchmark itself spells it; empty for what has not the form of a name."""
    try:
        task = TaskName.read(text)
        aliases = benchmark(task.benchmark).subset_aliases
    except TaskNameError:
        return ""
    return dataclasses.replace(task, subset=aliases.get(task.subset.strip().lower(), task.subset)).plain


def run_as(tasks: Sequence[TaskName]) -> list[TaskName]:
    """The tasks that tasks are run as, each once: a task of several parts is run part by part."""
    return list(dict.fromkeys(part for task in tasks for part in benchmark(task.benchmark).run_as(task)))


def smoke_samples(tasks: Sequence[TaskName]) -> dict[TaskName, int]:
    """Samples of a run that names no number, by the tasks that the tasks are run as.

    Of a task that stands alone and is part of another one too, the larger number.
    """
    samples: dict[TaskName, int] = {}
    for task in tasks:
        wanted = benchmark(task.benchmark).smoke_samples_of(task)
        samples |= {part: max(wanted, samples.get(part, 0)) for part in run_as([task])}
    return samples


def answers_by_part(task: TaskName, smoke: bool, repeats: int) -> dict[TaskName, int | None]:
    """How many of the first answers of each task that a task is run as are its own; None for all there are.

    A task that stands alone in a smoke run may have more questions than it has as a part of another.

    Args:
        task: a task that was asked for.
        smoke: whether the run names no number of samples.
        repeats: answers a question.
    """
    if not smoke:
        return dict.fromkeys(run_as([task]))
    return {part: size * repeats for part, size in smoke_samples([task]).items()}
