"""From one answer to one record: the single verification pass that feeds every metric."""

import functools
import json
from collections.abc import Mapping
from typing import Any, Final

from metrics.ifhard.scoring import Score, score_constraints
from metrics.ifhard.scoring_key import Constraint, parse_constraints
from metrics.record import Record, blank_record, pending_verdict, verdict_record

__all__ = ["score_sample", "unanswered_sample"]

_SCORES: Final = ("sample_pass_rate", "constraint_pass_rate")


@functools.lru_cache(maxsize=4_096)
def _constraints(scoring: str) -> tuple[Constraint, ...]:
    return tuple(parse_constraints(scoring))


@functools.lru_cache(maxsize=32_768)
def _score(scoring: str, response: str | None) -> Score:
    """Pure, so remembering it is safe: the live pass rate and the metrics share one pass an answer."""
    return score_constraints(_constraints(scoring), response)


def score_sample(specific: Mapping[str, Any], response: str | None, truncated: bool) -> Record:
    """Verify one answer.

    Args:
        specific: of the document: ``id``, ``repeat``, ``scoring`` (the row's ``meta.constraints``), ``labels``.
        response: raw model text, reasoning included; None counts as empty.
        truncated: whether generation ended at the token cap.
    """
    constraints = _constraints(specific["scoring"])
    result = _score(specific["scoring"], response)
    verdicts = [
        verdict_record(constraint.category, constraint.family, verdict)
        for constraint, verdict in zip(constraints, result.verdicts, strict=True)
    ]
    return blank_record(specific, "answered", "", _SCORES, verdicts) | {
        "empty": result.empty,
        "truncated": truncated,
        "unclosed_reasoning": result.unclosed_reasoning,
        "scores": {"sample_pass_rate": result.sample_pass_rate, "constraint_pass_rate": result.constraint_pass_rate},
    }


def unanswered_sample(specific: Mapping[str, Any], outcome: str, error: str) -> Record:
    """The record of a sample that has no valid answer or no verdict.

    Args:
        specific: of the document, as for score_sample.
        outcome: ``failed``, ``not_asked`` or ``unscored``.
        error: one line that says why.
    """
    # No parsing here that could raise: a sample whose scoring failed is recorded through this path.
    entries = json.loads(specific["scoring"])
    return blank_record(
        specific, outcome, error, _SCORES, [pending_verdict(e["category"], e["family"]) for e in entries]
    )
