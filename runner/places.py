"""Checks the paths of a command, before LightEval is imported: a slip of the keyboard costs no waiting."""

import os
from pathlib import Path

from runner.exits import UsageError
from runner.settings import AUTO, Settings
from tasks.benchmark import DatasetError
from tasks.registry import benchmark

__all__ = ["check_emitted", "check_places"]


def check_places(settings: Settings, *, resumed: bool) -> None:
    """Check that everything a run reads from or writes to can be there; nothing is opened or asked.

    Args:
        settings: of a new or a resumed run.
        resumed: the run has its folder already.

    Raises:
        UsageError: a path is wrong; the message names the option.
        DatasetError: the dataset is neither a known name nor a path.
    """
    if settings.responses is not None and not Path(settings.responses).is_file():
        raise UsageError(f"--responses {settings.responses}: no such file")
    for option, path in (
        ("--serve", None if settings.serve == AUTO else settings.serve),
        ("--judge-prompts", settings.judge_prompts),
        *(("--grader " + name + "=PATH:", path) for name, path in settings.options().graders),
    ):
        if path is not None and not Path(path).exists():
            raise UsageError(f"{option} {path}: no such file or folder")
    if not resumed:
        _check_output(Path(settings.output_dir))
    if settings.dataset is not None:
        benches = [benchmark(task.benchmark) for task in settings.tasks]
        names = list(dict.fromkeys(name for bench in benches for name in bench.datasets))
        if settings.dataset not in names and not Path(settings.dataset).exists():
            raise DatasetError(f"--dataset {settings.dataset}: no such file or folder; names: {', '.join(names)}")


def check_emitted(path: Path) -> None:
    """Check that requests can be written to a file that is not there yet.

    Raises:
        UsageError: they cannot; an existing file may hold what was paid for, and is never replaced.
    """
    if os.path.lexists(path):
        raise UsageError(f"--emit-requests {path}: it is there already; remove it or name another file")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--emit-requests {path}: there is no folder {path.parent}")
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise UsageError(f"--emit-requests {path}: {path.absolute().parent} cannot be written to")


def _check_output(folder: Path) -> None:
    """Run folders can be made in a folder that may not be there yet.

    Raises:
        UsageError: they cannot.
    """
    nearest = next(path for path in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise UsageError(f"--output-dir {folder}: {nearest} is no folder, so no run folder can be made there")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise UsageError(f"--output-dir {folder}: {nearest} cannot be written to")
