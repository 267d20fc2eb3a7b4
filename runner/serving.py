"""``--serve``: the servers of a run, from the file that describes them."""

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

__all__ = ["addresses", "check_only", "serving"]

# Settings that the file decides, by the argument that would contradict it.
_DECIDED = {"base_url": "--base-url", "judge_base_url": "--judge-base-url"}


def addresses(path: Path, given: Mapping[str, Any]) -> dict[str, str]:
    """Settings that follow from a serving file: where model and judge answer, and under which names.

    Args:
        path: the file.
        given: settings that stood on the command line.

    Raises:
        UsageError: the file cannot be used, or the command line says otherwise.
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


def check_only(path: Path) -> Exit:
    """``--dry-run``: print the commands of a file and what is wrong with it; nothing is started.

    Raises:
        UsageError: the file cannot be used.
    """
    from endpoints.serving.parsers import dry_run

    return Exit.COMPLETE if dry_run(_plan(path), lambda line: show(line + "\n")) else Exit.UNAVAILABLE


@contextlib.contextmanager
def serving(path: Path, logs: Path, *, asked: bool, judged: bool) -> Iterator[Mapping[str, Any]]:
    """The servers of a file, up and ready for the length of the block.

    Args:
        path: the file.
        logs: folder for what they print.
        asked, judged: whether the run needs the model, the judge; what it does not need is not started.

    Yields:
        What ``run.json`` says of them.

    Raises:
        EndpointError: they cannot be started, or one is not ready in time; the others are stopped then.
    """
    plan = _plan(path)
    plan = dataclasses.replace(plan, model=plan.model if asked else None, judge=plan.judge if judged else None)
    from endpoints.serving.running import serve

    with serve(plan, logs, say) as served:
        yield served.record
