"""``--serve``: starts the servers that a serving file describes, for the length of a run."""

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from endpoints.serving.commands import base_url
from endpoints.serving.plan import ServingPlan
from endpoints.serving.reading import ServingFileError, read_serving
from runner.console import say, show
from runner.exits import Exit, UsageError
from runner.settings import EMBEDDED

__all__ = ["addresses", "check_only", "planned_window", "serving"]

# Settings that the file decides, by the argument that would contradict it.
_DECIDED = {"base_url": "--base-url", "judge_base_url": "--judge-base-url"}


def addresses(path: Path, given: Mapping[str, Any]) -> dict[str, str]:
    """The settings that a serving file decides: the URLs and names of the model and the judge.

    Args:
        path: the serving file.
        given: the settings of the command line, by name.

    Raises:
        UsageError: the file cannot be used, or the command line contradicts it.
    """
    plan = _plan(path)
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


def planned_window(path: Path) -> int | None:
    """The context length in tokens that a serving file sets for the model; None if it leaves that to vLLM.

    Raises:
        UsageError: the file cannot be used.
    """
    model = _plan(path).model
    return None if model is None else model.max_model_len


def check_only(path: Path) -> Exit:
    """``--dry-run``: print the commands of a file and what is wrong with it; nothing is started.

    Raises:
        UsageError: the file cannot be used.
    """
    from endpoints.serving.dry_run import dry_run

    return Exit.COMPLETE if dry_run(_plan(path), lambda line: show(line + "\n")) else Exit.UNAVAILABLE


@contextlib.contextmanager
def serving(path: Path, logs: Path, *, asked: bool, judged: bool) -> Iterator[Mapping[str, Any]]:
    """Start the servers of a serving file, and stop them when the block ends.

    Args:
        path: the serving file.
        logs: folder for the servers' logs.
        asked: whether the run needs the model's server; a server that is not needed is not started.
        judged: whether the run needs the judge's server.

    Yields:
        The description of the servers for ``run.json``, once all are ready.

    Raises:
        EndpointError: a server cannot be started, or is not ready in time; the others are stopped then.
    """
    plan = _plan(path)
    plan = dataclasses.replace(plan, model=plan.model if asked else None, judge=plan.judge if judged else None)
    from endpoints.serving.running import serve

    with serve(plan, logs, say) as served:
        yield served.record
