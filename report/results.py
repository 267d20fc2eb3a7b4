"""What ``run.json`` says of a finished run: its numbers, over which questions, when, and how the answers were made."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from metrics.headlines import NO_SPREAD
from report.errors import ReportError
from report.loading import asked_tasks, check_not_stopped, known_task
from runs.folder import ENDED, Run
from tasks.benchmark import Benchmark
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = [
    "Judge",
    "Questions",
    "Value",
    "asked_of",
    "ended",
    "finished_tasks",
    "generation_facts",
    "judge_of",
    "public_name",
    "questions_of",
    "reported_tasks",
    "row_of",
    "software",
    "value_of",
    "values",
    "why_no_score",
]


class Value(NamedTuple):
    """One headline of a task.

    Attributes:
        name: of the metric.
        value: in [0, 1]; None where it is undefined.
        interval: 95%, or None.
        method: what made the interval; empty without one.
        bounds: the value with every missing answer at its lowest and highest; None at full coverage.
        why_none: why there is no value; empty where there is one.
        higher_is_better: direction of the metric.
    """

    name: str
    value: float | None
    interval: tuple[float, float] | None
    method: str
    bounds: tuple[float, float] | None
    why_none: str
    higher_is_better: bool

    @property
    def made_by(self) -> str:
        """The interval's method, and what is to be known of an interval that is a point; empty without one."""
        point = self.interval is not None and self.interval[0] == self.interval[1]
        return f"{self.method}: {NO_SPREAD}" if point else self.method


class Questions(NamedTuple):
    """The questions that a run asked.

    Attributes:
        official: id on the Hub where they are the benchmark's own; None for a set that is not the official one.
        revision: the Hub's, None where they are not of it.
        label: a name for files and ids that no official set has, unless they are official.
        words: one phrase that says what they are.
        sha256: of the test split; empty where the run does not tell.
    """

    official: str | None
    revision: str | None
    label: str
    words: str
    sha256: str


class Judge(NamedTuple):
    """The model that judged a benchmark's answers.

    Attributes:
        model: its name.
        prompts: one phrase that says which prompts it was given.
        entry: all that ``run.json`` says of it.
    """

    model: str
    prompts: str
    entry: Mapping[str, Any]


def finished_tasks(run: Run) -> list[TaskName]:
    """The tasks that were asked for, in order, of a run whose numbers are the last word on them.

    Raises:
        ReportError: the run has not ended, was stopped early, or has a task that this version does not have.
    """
    if run.status not in ENDED:
        raise ReportError(
            f"{run.folder} is {run.status}: the numbers in run.json may be of an earlier session; let it end first "
            "(--resume)"
        )
    check_not_stopped(run)
    return list(asked_tasks(run))


def reported_tasks(run: Run, name: str) -> list[TaskName]:
    """The tasks of one benchmark: those asked for first, then the parts that they were run in."""
    parts = [known_task(row, run.folder) for row in run.content.get("tasks", {})]
    return [task for task in dict.fromkeys([*finished_tasks(run), *parts]) if task.benchmark == name]


def row_of(run: Run, task: TaskName) -> Mapping[str, Any]:
    """The flat form of a task's summary.

    Raises:
        ReportError: there is none.
    """
    row: Mapping[str, Any] | None = run.content.get("tasks", {}).get(str(task))
    if row is None:
        raise ReportError(f"{run.folder}: run.json has no numbers of {task}; let the run end first (--resume)")
    return row


def why_no_score(run: Run, task: TaskName) -> str:
    """Why the task's first metric has no value, a sentence; empty where it has one."""
    row = row_of(run, task)
    if row.get("generated_only"):
        return f"{task} was generated only, since its dataset withholds the references; --form mera has its answers"
    first = values(row, benchmark(task.benchmark))[0]
    return f"{first.name} of {task} is undefined: {first.why_none}" if first.value is None else ""


def values(row: Mapping[str, Any], bench: Benchmark) -> list[Value]:
    """The headlines of a row: those that the benchmark always has in its order, then further graders'."""
    specs = {spec.name: spec for spec in bench.metrics}
    found = [name for name in row if f"{name}_ci_low" in row]
    ordered = [*(name for name in specs if name in found), *(name for name in found if name not in specs)]
    return [value_of(row, name, specs[name].higher_is_better if name in specs else True) for name in ordered]


def value_of(row: Mapping[str, Any], name: str, higher_is_better: bool = True) -> Value:
    """One headline of a row, whose form is that of :func:`metrics.summary.flat`.

    Raises:
        KeyError: the row has no such headline.
    """
    value = row[name]
    return Value(
        name=name,
        value=value,
        interval=_pair(row, f"{name}_ci_low", f"{name}_ci_high"),
        method=str(row.get(f"{name}_ci_method") or ""),
        bounds=_pair(row, f"{name}_lower_bound", f"{name}_upper_bound"),
        why_none=str(row.get(f"{name}_undefined_because") or "") if value is None else "",
        higher_is_better=higher_is_better,
    )


def _pair(row: Mapping[str, Any], low: str, high: str) -> tuple[float, float] | None:
    return None if row.get(low) is None or row.get(high) is None else (row[low], row[high])


def asked_of(run: Run, task: TaskName) -> tuple[int, int | None]:
    """How many questions of a task were asked, and how many its dataset has; None where the run does not tell.

    Raises:
        ReportError: see :func:`row_of`.
    """
    asked = int(row_of(run, task)["n_total"]) // int(run.settings.get("repeats") or 1)
    return asked, run.content.get("datasets", {}).get(task.benchmark, {}).get("questions", {}).get(task.plain)


def questions_of(run: Run, name: str) -> Questions:
    """The questions that a run asked of a benchmark. A path of this machine is not told."""
    entry = run.content.get("datasets", {}).get(name, {})
    facts, sha256 = benchmark(name).facts, str(entry.get("sha256") or "")
    which, digest = str(entry.get("name", "?")), f"test sha256 {sha256[:12]}"
    if which == "official":
        words = f"{facts.official.dataset}, {digest}"
        return Questions(facts.official.dataset, entry.get("revision"), facts.title, words, sha256)
    not_official = f"not the questions of {facts.official.dataset}"
    if which in facts.shipped:
        words = f"the set {which} of this project, {not_official}, {digest}"
        return Questions(None, None, f"{name}-{which}", words, sha256)
    words = f"a set of the evaluator's own, {digest}, not known to be {facts.official.dataset}"
    return Questions(None, None, f"{name}-{sha256[:12] or 'own'}", words, sha256)


def ended(run: Run) -> datetime | None:
    """When the run's last session ended, or began where it tells no end; None where it tells neither."""
    sessions = run.content.get("sessions") or [{}]
    told = sessions[-1].get("ended") or sessions[-1].get("started")
    return datetime.fromisoformat(told).astimezone(UTC) if told else None


def software(run: Run) -> str:
    """What asked and scored: ``lighteval-hard 0.1.0, LightEval 0.13.0``."""
    versions = run.content.get("versions", {})
    return ", ".join(
        f"{title} {versions[name]}"
        for title, name in (("lighteval-hard", "lighteval-hard"), ("LightEval", "lighteval"))
        if versions.get(name)
    )


def generation_facts(run: Run) -> Iterator[tuple[str, str]]:
    """How the answers were made, by name; nothing that names this machine."""
    settings, sampling = run.settings, run.content.get("sampling", {})
    if settings.get("repeats", 1) > 1:
        yield "answers_per_question", str(settings["repeats"])
    if settings.get("reasoning_marks"):
        yield "reasoning_cut_in_marks_of", settings["reasoning_marks"]
    if settings.get("responses"):
        yield "generation", "saved answers: how they were generated is not known"
        return
    yield "temperature", f"{sampling.get('temperature') or 0.0:g}"
    if sampling.get("seed") is not None:
        yield "seed", str(sampling["seed"])
    cap = sampling.get("max_new_tokens")
    yield "max_new_tokens", "the task's own" if cap is None else str(cap)
    if settings.get("system_prompt"):
        yield "system_prompt", settings["system_prompt"]
    for name in ("chat_template_kwargs", "extra_body"):
        if settings.get(name):
            yield name, json.dumps(settings[name], ensure_ascii=False, sort_keys=True)


def judge_of(run: Run, name: str) -> Judge | None:
    """The judge of a benchmark's answers; None where no model judged them."""
    for entry in run.judges:
        prompts = entry.get("prompts") or {}
        if name in prompts:
            words = re.sub(r"^prompts from .*(?= sha256 )", "prompts of the evaluator's own,", prompts[name])
            return Judge(public_name(str(entry.get("model", "unknown"))), words, entry)
    return None


def public_name(model: str) -> str:
    """A model's name without the folders of this machine: of a path its last part."""
    parts = [part for part in model.split("/") if part not in ("", ".", "..")]
    return "/".join(parts[-1:] if model.startswith((".", "/", "~")) else parts) or "model"
