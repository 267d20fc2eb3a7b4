"""What one scored sample leaves behind: the same shape for every benchmark.

LightEval turns these records into Arrow structs, which want one type per key over all
samples; so every key is always present and whatever is free-form is a JSON string.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from metrics.verdict import Verdict

__all__ = ["OUTCOMES", "Record", "VerdictRecord", "blank_record", "pending_verdict", "verdict_record"]

Status = Literal["answered", "failed", "not_asked", "unscored", "unjudged"]
OUTCOMES: tuple[Status, ...] = ("answered", "failed", "not_asked", "unscored", "unjudged")


class VerdictRecord(TypedDict):
    """One verdict as the details file stores it.

    ``passed`` is None when the sample has no valid answer: the requirement was set but
    nothing could be checked. ``observed`` and ``wanted`` are JSON texts.
    """

    id: str
    family: str
    passed: bool | None
    code: str
    reason: str
    observed: str
    wanted: str


class Record(TypedDict):
    """One sample of one task after scoring.

    Attributes:
        id: the question's stable id; repeats of one question share it.
        repeat: 0-based number of the repeat.
        outcome: ``answered`` (scored), ``failed`` (the endpoint gave no answer),
            ``not_asked`` (the run ended first, or the question does not fit the window),
            ``unscored`` (the answer is there but the scorer raised), ``unjudged`` (the answer is there but the judge
            gave no readable verdict).
        error: one line for every outcome but ``answered``, else empty.
        empty, truncated, unclosed_reasoning: what the answer looked like; None without one.
        scores: per-sample metric values by name; None where a metric is undefined.
        verdicts: one entry a requirement, in the question's order.
        labels: JSON object of the question's categories (tier, topic...).
    """

    id: str
    repeat: int
    outcome: Status
    error: str
    empty: bool | None
    truncated: bool | None
    unclosed_reasoning: bool | None
    scores: dict[str, float | None]
    verdicts: list[VerdictRecord]
    labels: str


def verdict_record(check_id: str, family: str, verdict: Verdict) -> VerdictRecord:
    """Flatten a verdict for storage.

    Args:
        check_id: id of the check, such as ``structure:word_count``.
        family: the group it is reported under.
        verdict: what the check returned.
    """
    return {
        "id": check_id,
        "family": family,
        "passed": verdict.passed,
        "code": verdict.code,
        "reason": verdict.reason,
        "observed": _compact(verdict.observed),
        "wanted": _compact(verdict.wanted),
    }


def pending_verdict(check_id: str, family: str) -> VerdictRecord:
    """The entry of a requirement that could not be checked because there is no answer."""
    return {
        "id": check_id,
        "family": family,
        "passed": None,
        "code": "not-checked",
        "reason": "no valid answer to check",
        "observed": "null",
        "wanted": "null",
    }


def blank_record(
    specific: Mapping[str, Any], outcome: Any, error: str, score_names: Iterable[str], verdicts: list[VerdictRecord]
) -> Record:
    """A record in which nothing is known of the answer yet.

    Args:
        specific: of the document: ``id``, ``repeat``, ``labels``.
        outcome, error: how the sample ended.
        score_names: keys of the per-sample values, all undefined.
        verdicts: one entry a requirement.
    """
    return {
        "id": specific["id"],
        "repeat": specific["repeat"],
        "outcome": outcome,
        "error": error,
        "empty": None,
        "truncated": None,
        "unclosed_reasoning": None,
        "scores": dict.fromkeys(score_names),
        "verdicts": verdicts,
        "labels": specific["labels"],
    }


def _compact(value: Any) -> str:
    if isinstance(value, Mapping):
        value = dict(value)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        value = list(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
