"""Answers of a run as a person reads them: what was asked, what was said, what was found, and why."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from metrics.record import Record, VerdictRecord, labels_of
from report.loading import answer_name, check_details, each_sample
from runs.folder import Run, Sample
from tasks.benchmark import Benchmark
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["Shown", "failed", "main_verdicts", "right", "shown_answers"]


class Shown(NamedTuple):
    """One answer of a run.

    Attributes:
        task: the task that it was asked for, a part where the task is run in parts (``hardmultiqa:open:pretrain|0``).
        place: 0-based place among the run's answers.
        record: the scored record; its ``id`` and ``repeat`` tell the answer from the others of the task.
        labels: the question's categories (tier, family, topic...).
        messages: what was sent, (role, text) in order; a plain prompt has the role ``prompt``.
        scoring: what the answer is checked against, in the benchmark's own form.
        text: the very text that is scored: what the model said, without its reasoning. "" for a missing answer; of a
            blocked one what the server let through.
        reasoning: its reasoning, apart from the text or cut from it; "" for none.
        finish_reason: the server's reason for ending the answer; "" where it gave none.
        tokens: (prompt, completion) as the server counted them; None where it gave none.
        judgement: the judge's work in the judge's own form; empty without one.
        rest: what the model went on with behind the text, not scored: a base model's next question; "" for nothing.
        raw: all of it as it came, with any reasoning that stood in it.
        number: of the question in its dataset, by which a submission names it; None where it has none.
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
    rest: str = ""
    raw: str = ""
    number: int | None = None

    @property
    def name(self) -> str:
        """The question's id, with the number of the repeat from the second on: ``0220376fd335#1``."""
        return answer_name(self.record)

    @property
    def references(self) -> list[str]:
        """What a right answer says, or each part of it, where the question has it in words; empty elsewhere."""
        try:
            found = json.loads(self.scoring or "{}")
        except ValueError:
            return []
        reference = found.get("reference") if isinstance(found, dict) else None
        parts = reference if isinstance(reference, list) else [] if reference is None else [reference]
        return [
            part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, sort_keys=True) for part in parts
        ]


def failed(shown: Shown) -> bool:
    """Whether the answer is known to be less than right, see :func:`right`."""
    return right(shown) is False


def right(shown: Shown) -> bool | None:
    """Whether the answer has full marks in the benchmark's first metric.

    The first metric is the headline (of IFBench the prompt-level loose one); of those where lower is better any value
    above 0 is a failure. None for a missing answer, or one without a verdict: nothing is known of it.
    """
    spec = next(spec for spec in benchmark(shown.task.benchmark).metrics if spec.unit != "balance")
    record = shown.record
    if record["outcome"] not in spec.outcomes or (spec.about is not None and not spec.about(record)):
        return None
    if spec.part is None and record["scores"].get(spec.name) is None:
        return None
    met, of = spec.of(record)
    return (met >= of if spec.higher_is_better else met <= 0) if of else None


def main_verdicts(bench: Benchmark, record: Record) -> list[VerdictRecord]:
    """The verdicts of the grader that the first metric is by, one a requirement."""
    return [
        verdict for verdict in record["verdicts"] if verdict["grader"] == bench.main_grader or not bench.main_grader
    ]


def shown_answers(run: Run) -> Iterator[Shown]:
    """Read every answer that the details files hold, in their order.

    Raises:
        FileError, ReportError: see :func:`report.loading.check_details` and :func:`report.loading.each_sample`.
    """
    check_details(run)
    places = itertools.count()
    return each_sample(run, lambda task, sample: _shown(task, next(places), sample))


def _shown(task: TaskName, place: int, sample: Sample) -> Shown:
    response, record = sample.response, cast(Record, sample.record)
    specific, raw = sample.doc.get("specific") or {}, _first(response, "text")
    scoring = str(specific.get("scoring") or "")
    parted = benchmark(task.benchmark).part_answer(scoring or "{}", raw)
    return Shown(
        task=task,
        place=place,
        record=record,
        labels=labels_of(record),
        messages=_messages(sample),
        scoring=scoring,
        text=parted.answer,
        reasoning="\n\n".join(filter(None, (_first(response, "reasonings"), parted.trace))),
        finish_reason=_first(response, "finish_reasons"),
        tokens=(response.get("prompt_tokens"), response.get("completion_tokens")),
        judgement=_json_object(response.get("judgement")),
        rest=parted.rest,
        raw=raw,
        number=specific.get("number"),
    )


def _first(response: Mapping[str, Any], name: str) -> str:
    """What the response has for its one text."""
    return str((response.get(name) or [""])[0] or "")


def _messages(sample: Sample) -> list[tuple[str, str]]:
    """What was sent; the question alone where the request was never made."""
    sent = sample.response.get("input")
    if isinstance(sent, list):
        return [(str(message["role"]), str(message["content"])) for message in sent]
    return [("prompt", str(sent or sample.doc["query"]))]


def _json_object(text: str | None) -> Mapping[str, Any]:
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
