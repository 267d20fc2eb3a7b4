"""The settings of one run, which ``run.json`` keeps, and those of them that a resume may change."""

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endpoints.defaults import JUDGE_BASE_URL
from runner.exits import UsageError
from tasks.benchmark import Options
from tasks.names import TaskName
from tasks.registry import parse_task

__all__ = ["AUTO", "EMBEDDED", "Settings", "merge_resumed", "option_of"]

EMBEDDED = "embedded"
AUTO = "auto"

# What may differ when a run is resumed: how much of it to do, how fast, and what to say of the result.
# Another judge judges the same answers anew; they are not asked for again.
_FREE_ON_RESUME = frozenset(
    {
        "name",
        "max_samples",
        "full",
        "concurrency",
        "api_key_env",
        "headers",
        "no_model_check",
        "request_timeout",
        "stream",
        "fail_under",
        "past_stop",
        "serve",
        "serve_plan",
        "judge_model",
        "judge_base_url",
        "judge_api_key_env",
        "judge_headers",
        "judge_concurrency",
        "judge_prompts",
        "judge_max_tokens",
        "judge_chat_template_kwargs",
        "judge_extra_body",
    }
)


@dataclass(frozen=True, slots=True)
class Settings:
    """One run's arguments with their defaults filled in.

    Attributes:
        tasks: in the order asked for; ``run.json`` names them as ``ifhard:all|0``.
        model: the model's name on its server, ``embedded``, or a label for saved answers.
        base_url: URL of the model's server; None for the embedded model and for saved answers.
        api_key_env: name of the environment variable with the key of the model's server.
        headers: names of environment variables with the values of further HTTP headers, by the headers' names.
        no_model_check: whether the servers' lists of models (the judge's too) need not name the model.
        request_timeout: most seconds of an attempt at a request, the judge's too; None for the usual number.
        stream: whether the servers, the judge's too, are asked to stream their answers.
        max_samples: number of samples of each task; None for the number of a smoke run (or all, with ``full``).
        full: whether every sample is asked.
        concurrency: number of requests to the model in flight; ``auto`` for one that follows what the server says of
            its load. None is ``auto`` for a server of the user's, and the embedded model's own number.
        dataset: name or path of the dataset; None for each benchmark's default.
        responses: path of a file of saved answers, or None.
        max_new_tokens: most new tokens of an answer; None for the task's own cap.
        temperature: sampling temperature; 0 is greedy.
        seed: sampling seed sent to the server, or None.
        repeats: number of answers to each question.
        shuffle_seed: seed of the order in which questions are sent; None for that of ``endpoints.sending_order``.
        system_prompt: system message, or None.
        chat_template_kwargs: further variables of the chat template, by name.
        extra_body: further fields of every request, by name.
        reasoning_marks: name of the marks behind which reasoning is cut off answers, or None.
        output_dir: folder in which run folders are made.
        fail_under: lower bounds of metrics, by the metric's name.
        judge_model: the judge's name on its server; None for the benchmark's own judge.
        judge_base_url: URL of the judge's server.
        judge_api_key_env: name of the environment variable with the key of the judge's server.
        judge_headers: the like for the judge's server.
        judge_concurrency: number of requests to the judge in flight; ``auto`` or None as for the model's server.
        judge_prompts: folder of judge prompts that replace this package's, or None.
        judge_max_tokens: most tokens of a judge's reply; None for the benchmark's own caps.
        judge_chat_template_kwargs: further variables of the judge's chat template, by name.
        judge_extra_body: further fields of every request to the judge, by name.
        column_map: names of the dataset's columns, by the benchmark's names of the fields.
        graders: further checkers, each ``NAME=PATH``.
        serve: path of the serving file whose servers are started, ``auto`` for the one that was chosen, or None.
        serve_plan: text of the serving file that was chosen, or None.
        name: what the user calls the run, in its table and in those of the audit; None for no name.
        stop_when: the rule by which the run ends as soon as its answer is certain, or None.
        past_stop: whether the run goes on when its rule is met.
    """

    tasks: tuple[TaskName, ...]
    model: str
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    no_model_check: bool = False
    request_timeout: float | None = None
    stream: bool = False
    max_samples: int | None = None
    full: bool = False
    concurrency: int | str | None = None
    dataset: str | None = None
    responses: str | None = None
    max_new_tokens: int | None = None
    temperature: float = 0.0
    seed: int | None = None
    repeats: int = 1
    shuffle_seed: int | None = None
    system_prompt: str | None = None
    chat_template_kwargs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    extra_body: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    reasoning_marks: str | None = None
    output_dir: str = "results"
    fail_under: Mapping[str, float] = dataclasses.field(default_factory=dict)
    judge_model: str | None = None
    judge_base_url: str = JUDGE_BASE_URL
    judge_api_key_env: str = "OPENAI_API_KEY"
    judge_headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    judge_concurrency: int | str | None = None
    judge_prompts: str | None = None
    judge_max_tokens: int | None = None
    judge_chat_template_kwargs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    judge_extra_body: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    column_map: Mapping[str, str] = dataclasses.field(default_factory=dict)
    graders: tuple[str, ...] = ()
    serve: str | None = None
    serve_plan: str | None = None
    name: str | None = None
    stop_when: str | None = None
    past_stop: bool = False

    def options(self) -> Options:
        """The options that benchmarks read before they load their data."""
        pairs = tuple(text.partition("=") for text in self.graders)
        return Options(tuple((name, path) for name, _, path in pairs), self.judge_prompts)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return _plain({field.name: getattr(self, field.name) for field in dataclasses.fields(self)})

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Settings":
        """Settings as ``to_json`` wrote them; an option that the run's version did not have yet has its default.

        Raises:
            UsageError: a field that has no default is missing, or a field is unknown (written by a newer version).
            TaskNameError: this version has no such task.
        """
        fields = dataclasses.fields(cls)
        needed = {
            field.name
            for field in fields
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        }
        odd = sorted((set(values) - {field.name for field in fields}) | (needed - set(values)))
        if odd:
            raise UsageError(
                f"run.json was written by another version of this package: its settings differ in {', '.join(odd)}"
            )
        tasks = values["tasks"]
        if not isinstance(tasks, list) or not tasks or not all(isinstance(task, str) for task in tasks):
            raise UsageError(f"run.json lists no tasks: {tasks!r}")
        return cls(**{**values, "tasks": tuple(map(parse_task, tasks)), "graders": tuple(values.get("graders", ()))})


def merge_resumed(recorded: Settings, given: Mapping[str, Any], run_dir: Path, smoke: int) -> Settings:
    """The settings of a resumed run: the recorded ones, and from the command line those that may change.

    Args:
        recorded: the settings in the run's ``run.json``.
        given: the settings of this command line, by name.
        run_dir: the run's folder, for messages.
        smoke: number of samples of each task in a run that names no number.

    Raises:
        UsageError: a setting that may not change differs from the recorded one (the message names every one), or the
            run would have fewer samples.
    """
    own = recorded.to_json()
    differences = [
        f"{option_of(name)}: the run has {own[name]!r}, the command line says {value!r}"
        for name, value in sorted(_plain(given).items())
        if name not in _FREE_ON_RESUME and not _same(value, own[name]) and not _lowers_the_cap(name, value, own[name])
    ]
    if differences:
        raise UsageError(f"cannot resume {run_dir}: " + "; ".join(differences))
    changes = {name: value for name, value in given.items() if name in _FREE_ON_RESUME or name == "max_new_tokens"}
    if "max_samples" in changes:
        changes.setdefault("full", False)
    if changes.get("full"):
        changes.setdefault("max_samples", None)
    resumed = dataclasses.replace(recorded, **changes)
    before, after = (math.inf if s.full else s.max_samples or smoke for s in (recorded, resumed))
    if after < before:
        size = "every sample" if before == math.inf else f"{before} samples"
        raise UsageError(f"cannot resume {run_dir} with {after} samples a task: the run has {size}, it can only grow")
    if resumed.stop_when is not None and not resumed.past_stop and after != before:
        raise UsageError(
            f"cannot resume {run_dir} with more samples: --stop-when looked at the run's own; --full goes on to all"
        )
    return resumed


def _same(now: Any, before: Any) -> bool:
    """Whether two settings, as JSON has them, are one: to a server true is not 1, and 1 is not 1.0."""
    return json.dumps(now, sort_keys=True) == json.dumps(before, sort_keys=True)


def _lowers_the_cap(name: str, now: Any, before: Any) -> bool:
    """Whether a setting is a lower cap on answers; None is the tasks' own caps, compared when they are known."""
    return name == "max_new_tokens" and (before is None or now < before)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as ``run.json`` holds them, task names in full."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(values), default=str))
    return plain


def option_of(name: str) -> str:
    """The argument that a setting is given by."""
    several = ("tasks", "graders", "headers", "judge_headers")
    return "--" + (name.removesuffix("s") if name in several else name).replace("_", "-")
