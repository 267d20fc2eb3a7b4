"""``--serve``: starts the servers that a serving file describes, for the length of a run."""

import contextlib
import dataclasses
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from endpoints.serving.commands import base_url
from endpoints.serving.plan import ServingPlan
from endpoints.serving.reading import ServingFileError, parse_serving, read_serving
from runner.console import say, show
from runner.exits import Exit, UsageError
from runner.run_file import RunFile
from runner.settings import AUTO, EMBEDDED, Settings, option_of
from runs.files import write_text

__all__ = [
    "check_choosing",
    "check_only",
    "decide_servers",
    "file_of",
    "planned_window",
    "serving",
    "show_chosen",
]

# What --serve auto reads besides the models.
_CHOOSING = ("gpus", "gpu_memory", "vllm_python")
# Settings that the file decides, by the argument that would contradict it.
_DECIDED = {"base_url": "--base-url", "judge_base_url": "--judge-base-url"}


def decide_servers(given: dict[str, Any], known: Mapping[str, Any], *, planned: bool = True) -> None:
    """Fill in what the servers of ``--serve`` decide, and take out what is for choosing them.

    Args:
        given: what was given, changed in place.
        known: the same, and what a resumed run had.
        planned: whether servers are going to be started.

    Raises:
        UsageError: an argument contradicts the servers, or has no effect without ``--serve auto``.
        EndpointError: the servers cannot be chosen.
    """
    check_choosing(given)
    if "serve" in given and (planned or given["serve"] != AUTO):
        given |= _decided(known)
    for name in _CHOOSING:
        given.pop(name, None)


def check_choosing(given: Mapping[str, Any]) -> None:
    """Check that nothing says how to choose servers where none are chosen.

    Raises:
        UsageError: something does.
    """
    unused = [name for name in _CHOOSING if given.get("serve") != AUTO and name in given]
    if unused:
        raise UsageError(f"{option_of(unused[0])} is for --serve auto only")


def _decided(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that ``--serve`` decides: URLs and names of the model and the judge, and the plan if it is chosen.

    Args:
        given: the settings of the command line, by name.

    Raises:
        UsageError: the file cannot be used, or the command line contradicts it.
        EndpointError: no plan can be chosen.
    """
    if given["serve"] == AUTO:
        from runner.auto_serving import choose_servers

        chosen = choose_servers(given)
        say("chosen by --serve auto:\n" + chosen.text.rstrip())
        return {**_addresses(chosen.plan, given), "serve_plan": chosen.text}
    return {**_addresses(_plan(Path(given["serve"])), given), "serve_plan": None}


def _addresses(plan: ServingPlan, given: Mapping[str, Any]) -> dict[str, str]:
    path = plan.path
    found: dict[str, str] = {}
    if plan.model is not None and "responses" not in given and given.get("model") != EMBEDDED:
        found |= {"base_url": base_url(plan.model), "model": plan.model.served_name}
    if plan.judge is not None:
        found |= {"judge_base_url": base_url(plan.judge), "judge_model": plan.judge.served_name}
    for name, argument in _DECIDED.items():
        if name in given and name in found:
            raise UsageError(f"{argument} and --serve exclude each other: {path} says where the server is")
    for name in ("model", "judge_model"):
        if name in given and given[name] != found.get(name, given[name]):
            raise UsageError(f"--{name.replace('_', '-')} is {given[name]}, but {path} serves {found[name]}")
    return found


def _plan(path: Path) -> ServingPlan:
    try:
        return read_serving(path)
    except ServingFileError as error:
        raise UsageError(str(error)) from error


def planned_window(settings: Settings) -> int | None:
    """The context length in tokens that ``--serve`` sets for the model; None if the file leaves that to vLLM.

    Raises:
        UsageError: the file cannot be used.
    """
    auto, path = settings.serve == AUTO, Path(settings.serve or "")
    model = (parse_serving(settings.serve_plan or "", Path("serving.yaml")) if auto else _plan(path)).model
    return None if model is None else model.max_model_len


def check_only(path: Path) -> Exit:
    """``--dry-run``: print the commands of a file and what is wrong with it; nothing is started.

    Raises:
        UsageError: the file cannot be used.
    """
    from endpoints.serving.dry_run import dry_run

    return Exit.COMPLETE if dry_run(_plan(path), lambda line: show(line + "\n")) else Exit.UNAVAILABLE


def show_chosen(given: Mapping[str, Any]) -> Exit:
    """``--dry-run --serve auto``: print the serving file that would be run; nothing is started.

    Raises:
        UsageError, EndpointError: as :func:`decide_servers`.
    """
    from runner.auto_serving import choose_servers

    chosen = choose_servers(given)
    _addresses(chosen.plan, given)
    show(chosen.text)
    return Exit.COMPLETE


def file_of(settings: Settings, folder: Path, before: str | None) -> Path:
    """The serving file of a run.

    Args:
        settings: of the run.
        folder: of the run; a plan that was chosen is written there, unless its user has had time to edit it.
        before: the plan that the run had when it was started; None for a new run.
    """
    if settings.serve != AUTO:
        return Path(settings.serve or "")
    path = (folder / "serving.yaml").absolute()
    if not path.exists() or settings.serve_plan != before:
        write_text(path, settings.serve_plan or "")
    return path


@contextlib.contextmanager
def serving(file: RunFile, path: Path, *, asked: bool, judged: bool) -> Iterator[None]:
    """Start the servers of a serving file, and stop them when the block ends.

    ``run.json`` describes them as ``serving``. Its ``events`` are written as they happen; each has the number of the
    run's session, and those of earlier sessions are kept.

    Args:
        file: of the run, in whose folder the servers' logs go.
        path: the serving file.
        asked: whether the run needs the model's server; a server that is not needed is not started.
        judged: whether the run needs the judge's server.

    Raises:
        EndpointError: a server cannot be started, or is not ready in time; the others are stopped then.
    """
    plan = _plan(path)
    plan = dataclasses.replace(plan, model=plan.model if asked else None, judge=plan.judge if judged else None)
    from endpoints.serving.running import serve

    session, before = len(file.content["sessions"]), (file.content.get("serving") or {}).get("events", [])
    known: Mapping[str, Any] = {}
    recording = threading.Lock()

    def record() -> None:
        with recording:
            events = [{"session": session, **event} for event in known.get("events", ())]
            file.content["serving"] = {**known, "events": [*before, *events]}

    def on_event() -> None:
        record()
        with contextlib.suppress(OSError):  # the end of the run writes it again, and says what is wrong
            file.write()

    with serve(plan, file.path.with_name("logs"), say, on_event=on_event) as served:
        known = served.record
        try:
            on_event()
            yield
        finally:
            record()
