"""From one answer to one record."""

import functools
import json
from typing import Any, Final

from metrics.ifhard.scoring import score_constraints
from metrics.ifhard.scoring_key import Constraint, parse_constraints
from metrics.record import Answer, Record, Sample, Status, blank_record, pending_verdict, verdict_record

__all__ = ["score", "unanswered"]

_NAME: Final = "ifhard"
_SCORES: Final = ("sample_pass_rate", "constraint_pass_rate")


@functools.lru_cache(maxsize=4_096)
def _constraints(scoring: str) -> tuple[Constraint, ...]:
    return tuple(parse_constraints(scoring))


def score(sample: Sample, answer: Answer, judgement: Any = None) -> Record:
    """Verify one answer.

    Args:
        sample: the question; its ``scoring`` is the row's ``meta.constraints``.
        answer: what the model said.
        judgement: not read: no model judges.
    """
    constraints = _constraints(sample.scoring)
    result = score_constraints(constraints, answer.text)
    verdicts = [
        verdict_record(constraint.category, constraint.family, _NAME, place, verdict)
        for place, (constraint, verdict) in enumerate(zip(constraints, result.verdicts, strict=True))
    ]
    record = blank_record(sample, "answered", "", _SCORES, verdicts)
    record["empty"] = result.empty
    record["truncated"] = answer.truncated
    record["unclosed_reasoning"] = result.unclosed_reasoning
    record["scores"] = {
        "sample_pass_rate": result.sample_pass_rate,
        "constraint_pass_rate": result.constraint_pass_rate,
    }
    return record


def unanswered(sample: Sample, outcome: Status, error: str) -> Record:
    """The record of a sample that has no valid answer or no verdict: how it ended, and one line that says why."""
    # No parsing here that could raise: a sample whose scoring failed is recorded through this path.
    entries = json.loads(sample.scoring)
    pending = [pending_verdict(e["category"], e["family"], _NAME, place) for place, e in enumerate(entries)]
    return blank_record(sample, outcome, error, _SCORES, pending)
