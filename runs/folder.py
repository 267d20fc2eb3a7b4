"""Reads the folder of one run: ``run.json`` and the newest details file of each task."""

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from runs.files import FileError, read_json
from runs.records import in_present_form
from runs.shape import first_damage

__all__ = [
    "ENDED",
    "OtherToolError",
    "Run",
    "Sample",
    "config_of",
    "count_samples",
    "open_run",
    "open_runs",
    "read_content",
    "samples",
]

# The ``status`` of a run that has come to its table; others end before: interrupted, failed, stopped, running.
ENDED: Final = ("complete", "incomplete", "stopped early")

# LightEval's name of a details file: the task, then when the results were written.
_DETAILS: Final = re.compile(r"details_(?P<task>.+)_(?P<stamp>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+)\.parquet")
_COLUMNS: Final = ("doc", "metric", "model_response")


class OtherToolError(FileError):
    """A folder's ``run.json`` is another tool's."""


class Run(NamedTuple):
    """A run folder.

    Attributes:
        folder: the run's folder.
        name: the name that ``--name`` gave it, or the folder's.
        config: the model and its settings, see :func:`config_of`.
        content: what ``run.json`` holds.
        details: the newest details file of each task, by the task's name in that file's name; sorted.
    """

    folder: Path
    name: str
    config: str
    content: Mapping[str, Any]
    details: Mapping[str, Path]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The ``settings`` of ``run.json``."""
        found: Mapping[str, Any] = self.content.get("settings", {})
        return found

    @property
    def judges(self) -> Sequence[Mapping[str, Any]]:
        """What ``run.json`` says of each judge: of one alone, of several in a list; empty where no model judged."""
        told = self.content.get("judge") or []
        return told if isinstance(told, list) else [told]

    @property
    def status(self) -> str:
        """The ``status`` of ``run.json``: ``complete``, or how the run ended otherwise."""
        return str(self.content.get("status", "unknown"))


class Sample(NamedTuple):
    """One answer of a run, as the details file has it.

    Attributes:
        doc: the question, LightEval's ``Doc``.
        record: the scored record, in the present form.
        response: the model's response.
    """

    doc: Mapping[str, Any]
    record: Mapping[str, Any]
    response: Mapping[str, Any]


def config_of(content: Mapping[str, Any]) -> str:
    """The model's name, followed in brackets by settings that change its answers: template, marks, system prompt.

    Saved answers have the name of their run.

    Args:
        content: content of ``run.json``.
    """
    settings = content.get("settings", {})
    saved = settings.get("name") if settings.get("responses") else None
    model = saved or content.get("model", {}).get("requested") or settings.get("model") or "unknown"
    told = [f"{name}={value}" for name, value in sorted((settings.get("chat_template_kwargs") or {}).items())]
    if settings.get("reasoning_marks"):
        told.append(f"reasoning marks {settings['reasoning_marks']} cut")
    if settings.get("system_prompt"):
        told.append(f"system prompt {settings['system_prompt'][:40]!r}")
    return f"{model} [{', '.join(told)}]" if told else str(model)


def read_content(folder: Path) -> dict[str, Any]:
    """Read the ``run.json`` of a run folder.

    Raises:
        OtherToolError: it is another tool's.
        FileError: there is none, it cannot be read, or it is damaged (:mod:`runs.shape`).
    """
    path = folder / "run.json"
    if not path.is_file():
        raise FileError(f"{folder} {_why_no_run(folder)}")
    content = read_json(path)
    settings, model = content.get("settings"), content.get("model") or {}
    if not isinstance(settings, dict) or not isinstance(model, dict) or not (settings or "sessions" in content):
        raise OtherToolError(f"{folder} is no run folder of run_lighteval.py: its run.json is another tool's")
    if damage := first_damage(content):
        raise FileError(f"{path} is damaged: its {damage}")
    return content


def _why_no_run(folder: Path) -> str:
    if not folder.exists():
        return "does not exist"
    if not folder.is_dir():
        return "is no folder; a run is named by its folder"
    if any((folder / name).exists() for name in ("responses.jsonl", "details")):
        return "has no run.json beside its other files: copy the whole folder"
    runs = sum(1 for path in folder.glob("*/run.json"))
    held = f", but holds folders that have ({runs} of them): name one" if runs else ""
    return f"is no run folder of run_lighteval.py: it has no run.json{held}"


def open_run(folder: Path, *, ended: bool = True) -> Run:
    """Find the files of a run folder and read its ``run.json``; the details files are not opened.

    Args:
        folder: the run's folder.
        ended: whether a run without details files, as one that has not ended is, is refused.

    Raises:
        FileError: the folder holds no run, or the run has no details files.
    """
    content = read_content(folder)
    newest: dict[str, tuple[str, Path]] = {}
    for found in sorted(folder.glob("details/**/details_*.parquet")):
        named = _DETAILS.fullmatch(found.name)
        if named is not None:
            newest[named["task"]] = max(newest.get(named["task"], ("", found)), (named["stamp"], found))
    if ended and not newest:
        status = content.get("status", "unknown")
        why = (
            "copy the whole folder, or write them again"
            if status in ENDED
            else f"it is {status}; let the run end first"
        )
        raise FileError(f"{folder} has no details files: {why} (python run_lighteval.py --resume {folder})")
    return Run(
        folder=folder,
        name=content.get("settings", {}).get("name") or folder.resolve().name,
        config=config_of(content),
        content=content,
        details={task: path for task, (_, path) in sorted(newest.items())},
    )


def open_runs(folders: Sequence[Path], names: Sequence[str] = (), *, numbered: bool = False) -> list[Run]:
    """Open several runs, each under a name of its own.

    Runs that share a name given by ``--name`` go by their folders' names.

    Args:
        folders: the runs' folders.
        names: a name for each of them; empty for the runs' own.
        numbered: whether runs that still share a name are numbered, as the same folder given twice.

    Raises:
        FileError: see :func:`open_run`; or two runs still share a name, or there are more or fewer names than runs.
    """
    runs = [open_run(folder) for folder in folders]
    if names:
        if len(names) != len(runs):
            raise FileError(f"{len(names)} names by --name for {len(runs)} runs: give one for each, in their order")
        runs = [run._replace(name=name) for run, name in zip(runs, names, strict=True)]
    else:
        times = Counter(run.name for run in runs)
        runs = [run._replace(name=run.folder.resolve().name) if times[run.name] > 1 else run for run in runs]
    if numbered:
        before = [Counter(run.name for run in runs[:i])[run.name] for i, run in enumerate(runs)]
        runs = [
            run._replace(name=f"{run.name} ({n + 1})" if n else run.name) for n, run in zip(before, runs, strict=True)
        ]
    for name, count in Counter(run.name for run in runs).items():
        if count > 1:
            raise FileError(
                f"{count} runs are named {name}: tell them apart by --name NAME, once for each run in order"
            )
    return runs


def samples(path: Path) -> Iterator[Sample]:
    """Read the answers of a details file, in the file's order.

    Raises:
        FileError: the file is none of LightEval's, or its task is none of this project's.
    """
    for row in _rows(path):
        doc, metric, response = (row[name] for name in _COLUMNS)
        if not all(isinstance(value, Mapping) for value in (doc, metric or {}, response)):
            raise FileError(f"{path} is no details file of LightEval")
        record = (metric or {}).get("record")
        if not isinstance(record, Mapping):
            raise FileError(f"{path} has no records: its task is none of this project's")
        benchmark = str(doc.get("task_name")).partition("|")[0].partition(":")[0]
        try:
            present = in_present_form(record, benchmark)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise FileError(f"{path}: question {record.get('id')}: a record of no version: {what}") from error
        yield Sample(doc, present, response)


def count_samples(path: Path) -> int:
    """How many answers a details file holds, by its own word.

    Raises:
        FileError: the file cannot be read.
    """
    with _named(path):
        return int(pq.read_metadata(path).num_rows)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with _named(path):
        file = pq.ParquetFile(path)
        if not set(_COLUMNS) <= set(file.schema_arrow.names):
            raise FileError(f"{path} is no details file of LightEval")
        # A damaged piece behind a whole footer shows only when it is read.
        for batch in file.iter_batches(batch_size=1_000, columns=list(_COLUMNS)):
            yield from batch.to_pylist()


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors of reading a file name it."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise FileError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
