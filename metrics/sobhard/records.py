"""From one answer to one record: the single verification pass that feeds every metric."""

import functools
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from metrics.reasoning import Reasoning, cut_reasoning
from metrics.record import Record, blank_record, pending_verdict, verdict_record
from metrics.sobhard.constraints import CONSTRAINTS
from metrics.sobhard.rows import question
from metrics.sobhard.scoring import METRICS, Score, score_question

__all__ = ["BLANKED", "OFFICIAL", "Graded", "grade", "score_sample", "unanswered_sample"]

BLANKED: Final = "the row has no reference (the public copy blanks it): the answer is kept, not scored"
# Under these names stand the official scorer's values on the text as it came, reasoning uncut.
OFFICIAL: Final[Mapping[str, str]] = {name: f"official_{name}" for name in METRICS}
_SCORES: Final = tuple(name for metric in METRICS for name in (metric, OFFICIAL[metric]))
_KEPT: Final = 1_024  # answers may be long; a run asks for each twice, close together


class Graded(NamedTuple):
    """An answer under the product's reasoning rule, and under none.

    Attributes:
        score: of the text after the first ``</think>``; this is what counts.
        official: of the uncut text; the same object where nothing was cut.
        reasoning: what was cut off.
    """

    score: Score
    official: Score
    reasoning: Reasoning


@functools.lru_cache(maxsize=_KEPT)
def grade(scoring: str, response: str | None) -> Graded:
    """Score a response to the question of a scoring key (rows.scoring_key).

    Raises:
        RowError: the key cannot be scored.
    """
    asked = question(scoring)
    reasoning = cut_reasoning(response)
    result = score_question(asked, reasoning.answer)
    uncut = result if reasoning.answer == (response or "") else score_question(asked, response)
    return Graded(result, uncut, reasoning)


def score_sample(specific: Mapping[str, Any], response: str | None, truncated: bool) -> Record:
    """Verify one answer.

    Args:
        specific: of the document: ``id``, ``repeat``, ``scoring`` (rows.scoring_key), ``labels`` (rows.labels).
        response: raw model text, reasoning included; None counts as empty.
        truncated: whether generation ended at the token cap.

    Returns:
        The record; its verdicts are those of the constraints that apply. A blanked row's record is ``unscored``.

    Raises:
        RowError: the row cannot be scored.
    """
    graded = grade(specific["scoring"], response)
    if graded.score.blanked:
        return unanswered_sample(specific, "unscored", BLANKED)
    verdicts = [
        verdict_record(name, CONSTRAINTS[name].layer, verdict)
        for name, verdict in graded.score.constraints.items()
        if verdict is not None
    ]
    return blank_record(specific, "answered", "", _SCORES, verdicts) | {
        "empty": graded.score.empty,
        "truncated": truncated,
        "unclosed_reasoning": graded.reasoning.unclosed,
        "scores": {
            name: value
            for metric in METRICS
            for name, value in (
                (metric, graded.score.metrics[metric]),
                (OFFICIAL[metric], graded.official.metrics[metric]),
            )
        },
    }


def unanswered_sample(specific: Mapping[str, Any], outcome: str, error: str) -> Record:
    """The record of a sample that has no valid answer or no verdict.

    Args:
        specific: of the document, as for score_sample.
        outcome: ``failed``, ``not_asked`` or ``unscored``.
        error: one line that says why.
    """
    # Which constraints of the family would apply depends on the answer; the common ones always would.
    common = [c for c in CONSTRAINTS.values() if c.layer != "family"]
    return blank_record(specific, outcome, error, _SCORES, [pending_verdict(c.id, c.layer) for c in common])
