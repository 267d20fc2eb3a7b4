"""What must be the same of two runs for their scores to compare."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Protocol

from runs.folder import Run

__all__ = ["Unlike", "unlike"]

# Settings of the judge that change no verdict.
_JUDGES_PLACE: Final = frozenset({"judge_base_url", "judge_api_key_env", "judge_headers", "judge_concurrency"})
# What the judge's own entry says.
_JUDGES_ENTRY: Final = frozenset({"judge_model", "judge_prompts"})
# What a run says of its requests. Seeds differ between repeats of one measurement.
_HOW: Final = (
    ("prompts", ("system_prompt", "chat_template_kwargs")),
    ("sampling", ("temperature", "max_new_tokens", "extra_body")),
    ("reasoning", ("reasoning_marks",)),
)


class Task(Protocol):
    """What is read of a task's name (tasks.names.TaskName)."""

    @property
    def benchmark(self) -> str:
        """Name of its benchmark."""

    @property
    def fewshot(self) -> int:
        """Number of few-shot examples."""


class Unlike(NamedTuple):
    """Something that differs between two runs.

    Attributes:
        what: ``dataset``, ``prompts``, ``scorer``, ``judge``, ``sampling`` or ``reasoning`` (what of an answer is cut).
        words: what it is in either run.
        curable: whether the questions that both asked in the same words still compare.
    """

    what: str
    words: str
    curable: bool

    def __str__(self) -> str:
        return f"{self.what}: {self.words}"


def unlike(first: Run, second: Run, task: Task) -> list[Unlike]:
    """What differs, of one task; what a run does not tell is taken to be the same."""
    return [
        *_data(first, second, task),
        *_scorer(first, second, task),
        *_judge(first, second, task),
        *_how(first, second),
    ]


def _data(first: Run, second: Run, task: Task) -> Iterator[Unlike]:
    a, b = (run.content.get("datasets", {}).get(task.benchmark, {}) for run in (first, second))
    for field, what in (("sha256", "dataset"), ("prompts_sha256", "prompts")):
        if _differ(a.get(field), b.get(field)):
            names = tuple(f"{entry.get('name', '?')} ({field} {str(entry[field])[:12]})" for entry in (a, b))
            yield Unlike(what, _versus(*names), True)
            return  # other questions have other prompts
    if task.fewshot and _differ(a.get("shots_sha256"), b.get("shots_sha256")):
        yield Unlike("prompts", "the few-shot examples differ", True)


def _scorer(first: Run, second: Run, task: Task) -> Iterator[Unlike]:
    a, b = (run.content.get("datasets", {}).get(task.benchmark, {}).get("scorer_version") for run in (first, second))
    # Of N-X a new N alone means that scores no longer compare.
    if _differ(*(None if version is None else str(version).partition("-")[0] for version in (a, b))):
        yield Unlike("scorer", _versus(a, b), False)
    ours, theirs = (_graders(run, task) for run in (first, second))
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name]:
            yield Unlike("scorer", f"grader {name} is {_versus(ours[name], theirs[name])}", False)


def _graders(run: Run, task: Task) -> dict[str, str]:
    options = run.content.get("options", {}).get(task.benchmark, {})
    return {entry["name"]: str(entry["identity"]) for entry in options.get("sources", [])}


def _judge(first: Run, second: Run, task: Task) -> Iterator[Unlike]:
    a, b = (_judge_of(run, task) for run in (first, second))
    if not a or not b:
        return
    for field in sorted(a.keys() | b.keys()):
        # An option that a version did not have yet is as good as not given.
        if a.get(field) != b.get(field) and (a.get(field) or b.get(field)):
            yield Unlike("judge", f"{field} {_versus(a.get(field), b.get(field))}", False)


def _judge_of(run: Run, task: Task) -> dict[str, Any]:
    """Which judge, by which prompts, under which settings; empty where no model judges."""
    for judge in run.judges:
        prompts = judge.get("prompts", {})
        if task.benchmark in prompts:
            own = {name: value for name, value in run.settings.items() if name.startswith("judge_")}
            kept = {name: value for name, value in own.items() if name not in _JUDGES_PLACE | _JUDGES_ENTRY}
            return {"model": judge.get("model"), "prompts": prompts[task.benchmark], **kept}
    return {}


def _how(first: Run, second: Run) -> Iterator[Unlike]:
    # What was sampled with, not what was asked for: a server's own cap is there alone.
    a, b = ({**run.settings, **run.content.get("sampling", {})} for run in (first, second))
    for what, fields in _HOW:
        for field in fields:
            if a.get(field) != b.get(field) and (a.get(field) or b.get(field)):
                yield Unlike(what, f"{field} {_versus(a.get(field), b.get(field))}", True)


def _differ(a: Any, b: Any) -> bool:
    return a is not None and b is not None and a != b


def _versus(a: Any, b: Any) -> str:
    return f"{'not given' if a is None else a} and {'not given' if b is None else b}"
