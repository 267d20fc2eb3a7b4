"""A scored answer: one value, made once, the same shape for every benchmark.

Progress, metric, details, summary and audit all read this record. LightEval turns records into Arrow structs, which
want one type per key over all samples; so every key is always present and whatever is free-form is a JSON string.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypedDict

from metrics.verdict import Verdict

__all__ = [
    "OUTCOMES",
    "Answer",
    "Judged",
    "JudgingEffort",
    "Record",
    "Sample",
    "VerdictRecord",
    "blank_record",
    "judging_of",
    "labels_of",
    "pending_verdict",
    "verdict_record",
]

Status = Literal["answered", "failed", "not_asked", "unscored", "unjudged", "blocked"]
OUTCOMES: tuple[Status, ...] = ("answered", "failed", "not_asked", "unscored", "unjudged", "blocked")


class Sample(NamedTuple):
    """What scoring needs to know of a question.

    Attributes:
        id: the question's stable id; repeats of one question share it.
        repeat: 0-based number of the repeat.
        scoring: the benchmark's own text of what the answer is checked against.
        labels: JSON object of the question's categories (tier, topic...).
    """

    id: str
    repeat: int
    scoring: str
    labels: str

    @classmethod
    def of(cls, specific: Mapping[str, Any]) -> "Sample":
        """Read from a LightEval document's ``specific``.

        Raises:
            KeyError: a field is missing.
        """
        return cls(specific["id"], specific["repeat"], specific["scoring"], specific["labels"])


class Answer(NamedTuple):
    """What a model said.

    Attributes:
        text: raw model text, reasoning included; None counts as empty.
        truncated: whether generation ended at the token cap.
    """

    text: str | None
    truncated: bool = False


class VerdictRecord(TypedDict):
    """One verdict as the details file stores it.

    Attributes:
        id: id of the check, such as ``structure:word_count``.
        group: what it is reported under: a family, a layer, a type of question.
        grader: who gave it: the benchmark's name, or one of several graders.
        place: 0-based place of the requirement in the question, so that two of one id can be told apart.
        passed: None when nothing could be checked: the sample has no valid answer, or the grader cannot judge it.
        code, reason: see :class:`metrics.verdict.Verdict`.
        observed, wanted: JSON texts of its values.
    """

    id: str
    group: str
    grader: str
    place: int
    passed: bool | None
    code: str
    reason: str
    observed: str
    wanted: str


class Judged(Protocol):
    """What is read of a judgement (judges.judgement.Judgement); metrics know no judge."""

    @property
    def status(self) -> str:
        """``judged``, ``unjudged`` (no readable reply) or ``failed`` (no reply at all)."""

    @property
    def verdict(self) -> Mapping[str, Any]:
        """Checked verdict, of the benchmark's own form; empty unless judged."""

    @property
    def error(self) -> str:
        """Why it is not judged."""

    @property
    def calls(self) -> int:
        """Requests that got a reply."""

    @property
    def prompt_tokens(self) -> int:
        """Over all calls."""

    @property
    def completion_tokens(self) -> int:
        """Over all calls."""


class JudgingEffort(TypedDict):
    """What judging an answer by another model took.

    Attributes:
        status: ``judged``, ``unjudged`` (no readable reply) or ``failed`` (no reply at all).
        calls: requests that got a reply.
        prompt_tokens, completion_tokens: over all calls.
        rule: what a deterministic rule says of the answer (``right``, ``wrong``, ``undecided``); None without one.
        judge: what the judge says in the same words; None without a verdict.
    """

    status: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    rule: str | None
    judge: str | None


class Record(TypedDict):
    """One sample of one task after scoring.

    Attributes:
        id, repeat, labels: the fields of the sample.
        outcome: ``answered`` (scored), ``failed`` (the endpoint gave no answer),
            ``not_asked`` (the run ended first, or the question does not fit the window),
            ``unscored`` (the answer is there but the scorer raised), ``unjudged`` (the answer is there but the judge
            gave no readable verdict), ``blocked`` (the server withheld the text).
        error: one line for every outcome but ``answered``, else empty.
        empty, truncated, unclosed_reasoning: what the answer looked like; None without one.
        with_reasoning, marked_reasoning: whether it came with reasoning, and whether known marks of it were left in the
            text; None without an answer, and where only LightEval's own command line looked at it.
        scores: per-sample metric values by name; None where a metric is undefined.
        verdicts: one entry a requirement and grader, in the question's order.
        judging: None where no other model judges, or the answer never came to it.
    """

    id: str
    repeat: int
    outcome: Status
    error: str
    empty: bool | None
    truncated: bool | None
    unclosed_reasoning: bool | None
    with_reasoning: bool | None
    marked_reasoning: bool | None
    scores: dict[str, float | None]
    verdicts: list[VerdictRecord]
    judging: JudgingEffort | None
    labels: str


def verdict_record(check_id: str, group: str, grader: str, place: int, verdict: Verdict) -> VerdictRecord:
    """Flatten a verdict for storage; the arguments are the record's fields."""
    return {
        "id": check_id,
        "group": group,
        "grader": grader,
        "place": place,
        "passed": verdict.passed,
        "code": verdict.code,
        "reason": verdict.reason,
        "observed": _compact(verdict.observed),
        "wanted": _compact(verdict.wanted),
    }


def pending_verdict(check_id: str, group: str, grader: str, place: int) -> VerdictRecord:
    """The entry of a requirement that could not be checked because there is no answer."""
    return {
        "id": check_id,
        "group": group,
        "grader": grader,
        "place": place,
        "passed": None,
        "code": "not-checked",
        "reason": "no valid answer to check",
        "observed": "null",
        "wanted": "null",
    }


def blank_record(
    sample: Sample, outcome: Status, error: str, score_names: Iterable[str], verdicts: list[VerdictRecord]
) -> Record:
    """A record in which nothing is known of the answer yet.

    Args:
        sample: the question.
        outcome, error: how the sample ended.
        score_names: keys of the per-sample values, all undefined.
        verdicts: one entry a requirement.
    """
    return {
        "id": sample.id,
        "repeat": sample.repeat,
        "outcome": outcome,
        # Its words may be an answer's; half a surrogate pair has no place in a file.
        "error": error.encode("utf-8", "backslashreplace").decode("utf-8"),
        "empty": None,
        "truncated": None,
        "unclosed_reasoning": None,
        "with_reasoning": None,
        "marked_reasoning": None,
        "scores": dict.fromkeys(score_names),
        "verdicts": verdicts,
        "judging": None,
        "labels": sample.labels,
    }


def judging_of(judgement: Judged, rule: str | None = None, judge: str | None = None) -> JudgingEffort:
    """What a judgement took; ``rule`` and ``judge`` as in :class:`JudgingEffort`."""
    return {
        "status": judgement.status,
        "calls": judgement.calls,
        "prompt_tokens": judgement.prompt_tokens,
        "completion_tokens": judgement.completion_tokens,
        "rule": rule,
        "judge": judge,
    }


def labels_of(record: Record) -> dict[str, Any]:
    """The categories of a record's question."""
    found: dict[str, Any] = json.loads(record["labels"])
    return found


# As json.dumps, which would make an encoder at each call.
_json: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=str).encode


def _compact(value: Any) -> str:
    if value is None:
        return "null"
    if type(value) is int:
        return str(value)
    if isinstance(value, Mapping):
        value = dict(value)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        value = list(value)
    return _json(value)
