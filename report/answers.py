"""Answers of a run as a person reads them: what was asked, what was said, what was found, and why."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from metrics.reasoning import cut_reasoning
from metrics.record import Record, labels_of
from report.errors import ReportError
from runs.folder import Run, Sample, samples
from tasks.names import TaskName, TaskNameError
from tasks.registry import benchmark

__all__ = ["Shown", "failed", "shown_answers"]


class Shown(NamedTuple):
    """One answer of a run.

    Attributes:
        task: the task that it was asked for, a part where the task is run in parts (``hardmultiqa:open:pretrain|0``).
        place: 0-based place among the run's answers.
        record: the scored record; its ``id`` and ``repeat`` tell the answer from the others of the task.
        labels: the question's categories (tier, family, topic...).
        messages: what was sent, (role, text) in order; a plain prompt has the role ``prompt``.
        scoring: what the answer is checked against, in the benchmark's own form.
        text: what the model said, without its reasoning; "" for a missing answer.
        reasoning: its reasoning, apart from the text or cut from it; "" for none.
        finish_reason: the server's reason for ending the answer; "" where it gave none.
        tokens: (prompt, completion) as the server counted them; None where it gave none.
        judgement: the judge's work in the judge's own form; empty without one.
    """

    task: TaskName
    place: int
    record: Record
    labels: Mapping[str, Any]
    messages: Sequence[tuple[str, str]]
    scoring: str
    text: str
    reasoning: str
    finish_reason: str
    tokens: tuple[int | None, int | None]
    judgement: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The question's id, with the number of the repeat from the second on: ``0220376fd335#1``."""
        repeat = self.record["repeat"]
        return f"{self.record['id']}#{repeat}" if repeat else str(self.record["id"])


def failed(shown: Shown) -> bool:
    """Whether there is a verdict, and it is not the best one: the benchmark's first metric is below 1."""
    metric = benchmark(shown.task.benchmark).metrics[0].name
    value = shown.record["scores"].get(metric)
    return value is not None and value < 1


def shown_answers(run: Run) -> Iterator[Shown]:
    """Read every answer that the details files hold, in their order.

    Raises:
        FileError: see :func:`runs.folder.samples`.
        ReportError: a details file is of a task that this version does not have.
    """
    place = 0
    for name, path in run.details.items():
        try:
            task = TaskName.read(name)
            benchmark(task.benchmark)
        except TaskNameError as error:
            raise ReportError(f"{path}: {error}") from None
        for sample in samples(path):
            yield _shown(task, place, sample)
            place += 1


def _shown(task: TaskName, place: int, sample: Sample) -> Shown:
    response, record = sample.response, cast(Record, sample.record)
    cut = cut_reasoning((response.get("text") or [""])[0])
    apart = (response.get("reasonings") or [None])[0] or ""
    return Shown(
        task=task,
        place=place,
        record=record,
        labels=labels_of(record),
        messages=_messages(sample),
        scoring=str((sample.doc.get("specific") or {}).get("scoring") or ""),
        text=cut.answer,
        reasoning="\n\n".join(filter(None, (apart, cut.trace))),
        finish_reason=(response.get("finish_reasons") or [None])[0] or "",
        tokens=(response.get("prompt_tokens"), response.get("completion_tokens")),
        judgement=_json_object(response.get("judgement")),
    )


def _messages(sample: Sample) -> list[tuple[str, str]]:
    """What was sent; the question alone where the request was never made."""
    sent = sample.response.get("input")
    if isinstance(sent, list):
        return [(str(message["role"]), str(message["content"])) for message in sent]
    return [("prompt", str(sent or sample.doc["query"]))]


def _json_object(text: str | None) -> Mapping[str, Any]:
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
