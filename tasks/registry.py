"""The benchmarks of this package and the names of their tasks."""

import difflib
import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.benchmark import Benchmark

__all__ = [
    "BENCHMARK_NAMES",
    "TaskName",
    "TaskNameError",
    "benchmark",
    "parse_task",
    "run_as",
    "smoke_samples",
    "split_task_list",
]

# A benchmark drops in with one folder under tasks/ and one name here.
BENCHMARK_NAMES: tuple[str, ...] = ("ifhard", "sobhard", "hardmultiqa", "ifbench")


class TaskNameError(ValueError):
    """A task name that does not exist; the message holds the nearest legal names."""


@dataclass(frozen=True, slots=True)
class TaskName:
    """A task as asked for: ``benchmark:subset[:mode]|fewshot``."""

    benchmark: str
    task: str
    fewshot: int

    def __str__(self) -> str:
        return f"{self.task}|{self.fewshot}"


def benchmark(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises:
        TaskNameError: there is none.
    """
    if name not in BENCHMARK_NAMES:
        raise TaskNameError(f"unknown benchmark {name!r}; there are: {', '.join(BENCHMARK_NAMES)}")
    module = importlib.import_module(f"tasks.{name}.benchmark")
    found: Benchmark = module.BENCHMARK
    return found


def split_task_list(text: str) -> list[str]:
    """Split a comma-separated list of tasks.

    A comma separates only after ``|number``: a type name of one benchmark holds commas.
    """
    return [part.strip() for part in re.split(r"(?<=\|\d)\s*,|(?<=\|\d\d)\s*,", text) if part.strip()]


def parse_task(text: str) -> TaskName:
    """Read ``benchmark[:subset[:mode]][|fewshot]``; the bare benchmark means its first subset.

    Raises:
        TaskNameError: unknown name or few-shot number; the message names the nearest legal ones.
    """
    name, bar, shots_text = text.strip().rpartition("|")
    if not bar:
        name, shots_text = shots_text, "0"
    if not shots_text.isascii() or not shots_text.isdigit():
        raise TaskNameError(
            f"task {text!r}: the part behind '|' must be a number of few-shot examples, as in 'ifhard:all|0'"
        )
    every = {task: found for bench in BENCHMARK_NAMES for found in [benchmark(bench)] for task in found.task_names()}
    aliases = {bench: benchmark(bench).task_names()[0] for bench in BENCHMARK_NAMES}
    task = aliases.get(name) or _canonical(name)
    if task not in every:
        near = difflib.get_close_matches(name, [*every, *aliases], n=3, cutoff=0.4) or sorted(every)[:5]
        raise TaskNameError(f"unknown task {text!r}; nearest: {', '.join(near)} (--list-tasks shows all)")
    found, fewshot = every[task], int(shots_text)
    if fewshot not in found.fewshots:
        legal = ", ".join(map(str, found.fewshots))
        raise TaskNameError(f"task {text!r}: {fewshot} few-shot examples are not offered; legal: {legal}")
    return TaskName(found.name, task, fewshot)


def run_as(tasks: Sequence[str]) -> list[str]:
    """The full names that tasks are run as, each once: a task of several parts is run part by part."""
    names = []
    for task in tasks:
        plain, bar, fewshot = task.partition("|")
        parts = benchmark(plain.partition(":")[0]).run_as(plain)
        names += [f"{part}{bar}{fewshot}" for part in parts]
    return list(dict.fromkeys(names))


def smoke_samples(tasks: Sequence[str]) -> dict[str, int]:
    """Samples of a run that names no number, by the full names that the tasks are run as.

    Of a task that stands alone and is part of another one too, the larger number.
    """
    samples: dict[str, int] = {}
    for task in tasks:
        plain = task.partition("|")[0]
        wanted = benchmark(plain.partition(":")[0]).smoke_samples_of(plain)
        samples |= {name: max(wanted, samples.get(name, 0)) for name in run_as([task])}
    return samples


def _canonical(name: str) -> str:
    """The name with its subset in the usual spelling."""
    bench, *rest = name.split(":")
    if bench not in BENCHMARK_NAMES or not rest:
        return name
    return ":".join((bench, benchmark(bench).subset_aliases.get(rest[0].strip().lower(), rest[0]), *rest[1:]))
