"""Datasets that are built at their first use and kept in the user's cache."""

import shutil
import tempfile
from pathlib import Path
from typing import Final

from endpoints.user_cache import only_process, run_python, tell_stderr
from tasks.benchmark import DatasetError, DatasetRequest
from tasks.facts import Built
from tasks.folders import file_sha256

__all__ = ["built_folder"]

_NAMED: Final = 12  # characters of a digest in the folder's name


def built_folder(request: DatasetRequest, benchmark: str, built: Built) -> Path:
    """The folder of a built dataset, made if it is not there or was changed.

    The builder is a process of its own: it says what it does on standard error, and its memory goes with it.

    Raises:
        DatasetError: it cannot be built, or comes out otherwise than recorded.
    """
    name = f"{benchmark}-{built.sha256['test'][:_NAMED]}"
    folder = request.cache / name
    if _differing(folder, built) is None:
        return folder
    try:
        request.cache.mkdir(parents=True, exist_ok=True)
        with only_process(request.cache / f".{name}.lock", f"the dataset of {benchmark}", tell_stderr):
            if _differing(folder, built) is not None:
                _make(folder, benchmark, built)
    except OSError as error:
        raise DatasetError(f"--dataset {request.name}: cannot be kept in {request.cache}: {error}") from error
    return folder


def _make(folder: Path, benchmark: str, built: Built) -> None:
    command = ["-m", built.module, "--out"]
    for left in folder.parent.glob(f".{folder.name}-*"):  # of killed runs: the lock is ours
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as work:
        made = Path(work) / "made"
        tell_stderr(f"{benchmark}: building its dataset, once")
        done = run_python([*command, str(made)], show=True)
        if done.returncode != 0:
            raise DatasetError(
                f"the dataset of {benchmark} could not be built (why, it says above). On another machine, build it with"
                f"\n  python {' '.join(command)} DIR\nand bring the folder here: --dataset DIR"
            )
        if (differing := _differing(made, built)) is not None:
            raise DatasetError(
                f"the dataset of {benchmark} was built, and its {differing} is not the recorded one: scores over it "
                "would not compare. Are the pinned versions of requirements.txt installed?"
            )
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


def _differing(folder: Path, built: Built) -> str | None:
    """The first file that is missing or has another digest than the recorded one."""
    for split, wanted in built.sha256.items():
        file = folder / f"{split}.jsonl"
        if not file.is_file() or file_sha256(file) != wanted:
            return file.name
    return None
