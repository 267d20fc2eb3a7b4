"""Makes a panel from runs: one row for each response, with every grader's verdict on each constraint."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from audit.errors import AuditError
from audit.wording import Constraint, Reader, reader_of
from metrics.ifbench.quality import is_degenerate, repeat_share
from runs.folder import Run, Sample, open_runs, samples

__all__ = ["CRASH", "NOT_GRADABLE", "Graded", "Panel", "Row", "build_panel", "panel_of", "row_of"]

CRASH: Final = "crash"
NOT_GRADABLE: Final = "not-gradable"


@dataclass(frozen=True, slots=True)
class Graded:
    """One constraint of one response.

    Attributes:
        instruction_id, kwargs_json, instruction: see :class:`audit.wording.Constraint`.
        verdicts: each grader's verdict, by the grader's name; None where it cannot judge or there is no answer.
        reasons: each grader's reason, one sentence, by the grader's name.
        crashed: names of the graders whose checker raised an exception; their verdict is a fail.
    """

    instruction_id: str
    kwargs_json: str
    instruction: str
    verdicts: Mapping[str, bool | None]
    reasons: Mapping[str, str]
    crashed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One response of the panel.

    Attributes:
        config: the model and its settings (:func:`runs.folder.config_of`).
        run: name of the run.
        repeat: number of the repeat within the run, from 0.
        benchmark: name of the question's benchmark.
        task: name of the question's task, without the number of shots.
        prompt_key: the question's id.
        prompt: what the model was asked; where there are several turns, each begins with its role in brackets.
        response: the graded answer, without the model's reasoning.
        response_sha256: SHA-256 of ``response`` in UTF-8, in hexadecimal.
        extraction: ``ok`` or ``reasoning_unclosed``.
        tokens: number of completion tokens that the server counted; None if it counted none.
        finish_reason: the server's reason for ending the response; None if it gave none.
        truncated: whether the token cap ended the response.
        repeat_share: share of the raw response's word 4-grams that are repeats, from 0 to 1.
        degenerate: whether ``repeat_share`` is at least 0.5.
        infrastructure: whether the answer or its verdicts are missing because something broke.
        error: what broke; "" if nothing did.
        constraints: the question's constraints, in its order.
    """

    config: str
    run: str
    repeat: int
    benchmark: str
    task: str
    prompt_key: str
    prompt: str
    response: str
    response_sha256: str
    extraction: str
    tokens: int | None
    finish_reason: str | None
    truncated: bool
    repeat_share: float
    degenerate: bool
    infrastructure: bool
    error: str
    constraints: tuple[Graded, ...]

    @property
    def place(self) -> tuple[str, str, str, str, int]:
        """The key of the row: no other row of the panel has it, and rows are ordered by it."""
        return (self.benchmark, self.config, self.run, self.prompt_key, self.repeat)


class Panel(NamedTuple):
    """Rows in the order of their places.

    Attributes:
        rows: the responses.
        graders: names of the graders, in the order of their first verdicts.
        notes: one sentence for each run that is incomplete or has rows left out.
    """

    rows: list[Row]
    graders: tuple[str, ...]
    notes: tuple[str, ...] = ()


def build_panel(folders: Sequence[Path], names: Sequence[str] = ()) -> Panel:
    """Read run folders into one panel; the order of the folders does not matter.

    Args:
        folders: the runs' folders.
        names: a name for each run; empty for the runs' own.

    Raises:
        FileError: see :func:`runs.folder.open_runs`.
        AuditError: see :func:`panel_of`.
    """
    return panel_of(open_runs(folders, names))


def panel_of(runs: Sequence[Run]) -> Panel:
    """Read runs into one panel.

    If two tasks of one run share a question (``ifhard:all`` and ``ifhard:easy``), one of its answers enters the
    panel, and a note counts the others.

    Raises:
        FileError: see :func:`runs.folder.samples`.
        AuditError: a record does not fit its question.
    """
    rows: dict[tuple[str, str, str, str, int], Row] = {}
    notes = []
    for run in runs:
        if run.status != "complete":
            notes.append(f"{run.name}: its run is {run.status}")
        shared = 0
        for row in _rows_of(run):
            shared += row.place in rows
            rows.setdefault(row.place, row)
        if shared:
            notes.append(f"{run.name}: {shared} answers to questions that another of its tasks holds are left out")
    ordered = [rows[place] for place in sorted(rows)]
    return Panel(ordered, graders_of(ordered), tuple(notes))


def graders_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """Names of the graders of some rows, in the order of their first verdicts."""
    return tuple(dict.fromkeys(name for row in rows for graded in row.constraints for name in graded.verdicts))


def _rows_of(run: Run) -> Iterable[Row]:
    for path in run.details.values():
        for sample in samples(path):
            try:
                yield row_of(sample, run.config, run.name)
            except (KeyError, TypeError, ValueError) as error:
                key = sample.record.get("id")
                raise AuditError(f"{path}: question {key}: {type(error).__name__}: {error}") from error


def row_of(sample: Sample, config: str, run: str) -> Row:
    """Make the row of one answer.

    Args:
        sample: the answer, as the details file has it.
        config: the model and its settings.
        run: name of the run.

    Raises:
        KeyError, TypeError, ValueError: the record does not fit its question.
    """
    doc, record, given = sample
    task = str(doc["task_name"]).partition("|")[0]
    benchmark = task.partition(":")[0]
    reader = reader_of(benchmark)
    scored = record["outcome"] == "answered"
    raw = (given["text"] or [""])[0] or ""
    answer, unclosed = reader.answer(raw)
    share = repeat_share(raw)
    finish = (given.get("finish_reasons") or [None])[0]
    return Row(
        config=config,
        run=run,
        repeat=int(record["repeat"] or 0),
        benchmark=benchmark,
        task=task,
        prompt_key=str(record["id"]),
        prompt=_prompt(doc, given),
        response=answer,
        response_sha256=hashlib.sha256(answer.encode("utf-8")).hexdigest(),
        extraction="reasoning_unclosed" if unclosed else "ok",
        tokens=given.get("completion_tokens"),
        finish_reason=finish,
        truncated=bool(given.get("truncated")),
        repeat_share=share,
        degenerate=is_degenerate(share),
        infrastructure=not scored,
        error=str(record["error"] or ""),
        constraints=tuple(_constraints(sample, reader, scored)),
    )


def _prompt(doc: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """What the model was asked: a single turn as it is; of several turns each begins with its role in brackets."""
    turns = given.get("input")
    if isinstance(turns, str):
        return turns
    if not turns:
        return str(doc["query"])
    if len(turns) == 1:
        return str(turns[0]["content"])
    return "\n\n".join(f"[{turn['role']}]\n{turn['content']}" for turn in turns)


def _constraints(sample: Sample, reader: Reader, scored: bool) -> Iterable[Graded]:
    by_grader: dict[str, list[Mapping[str, Any]]] = {}
    for verdict in sample.record["verdicts"]:
        by_grader.setdefault(verdict["grader"], []).append(verdict)
    if not by_grader:
        return
    ids = [verdict["id"] for verdict in next(iter(by_grader.values()))]
    for grader, verdicts in by_grader.items():
        if [verdict["id"] for verdict in verdicts] != ids:
            raise ValueError(f"the verdicts of {grader} are not on the question's constraints")
    constraints = reader.constraints(sample.doc["specific"]["scoring"], ids, str(sample.doc["query"]))
    if [constraint.instruction_id for constraint in constraints] != ids:
        raise ValueError("the verdicts are not on the constraints of the scoring key")
    for place, constraint in enumerate(constraints):
        yield _graded(constraint, {grader: verdicts[place] for grader, verdicts in by_grader.items()}, scored)


def _graded(constraint: Constraint, verdicts: Mapping[str, Mapping[str, Any]], scored: bool) -> Graded:
    judged = {
        grader: verdict["passed"] if scored and verdict["code"] != NOT_GRADABLE else None
        for grader, verdict in verdicts.items()
    }
    return Graded(
        *constraint,
        verdicts=judged,
        reasons={grader: str(verdict["reason"] or "") for grader, verdict in verdicts.items()},
        crashed=tuple(grader for grader, verdict in verdicts.items() if verdict["code"] == CRASH),
    )
