"""From one answer to one record."""

from collections.abc import Mapping
from typing import Any, Final

from metrics.reasoning import cut_reasoning
from metrics.record import Answer, Record, Sample, Status, blank_record, pending_verdict, verdict_record
from metrics.sobhard.constraints import CONSTRAINTS
from metrics.sobhard.rows import question
from metrics.sobhard.scoring import METRICS, Verdicts, score_question

__all__ = ["BLANKED", "OFFICIAL", "score", "unanswered"]

_NAME: Final = "sobhard"
BLANKED: Final = "the row has no reference (the public copy blanks it): the answer is kept, not scored"
# Under these names stand the official scorer's values on the text as it came, reasoning uncut.
OFFICIAL: Final[Mapping[str, str]] = {name: f"official_{name}" for name in METRICS}
_SCORES: Final = tuple(name for metric in METRICS for name in (metric, OFFICIAL[metric]))
_PLACES: Final = {name: place for place, name in enumerate(CONSTRAINTS)}


def score(sample: Sample, answer: Answer, judgement: Any = None) -> Record:
    """Verify one answer, under the product's reasoning rule and under none.

    Args:
        sample: the question; its ``scoring`` is a key of rows.scoring_key.
        answer: what the model said.
        judgement: not read: no model judges.

    Returns:
        The record; its verdicts are those of the constraints that apply. A blanked row's record is ``unscored``.

    Raises:
        RowError: the row cannot be scored.
    """
    asked = question(sample.scoring)
    reasoning = cut_reasoning(answer.text)
    documents: dict[str, Verdicts] = {}
    cut = score_question(asked, reasoning.answer, known=documents)
    if cut.blanked:
        return unanswered(sample, "unscored", BLANKED)
    uncut = cut if reasoning.answer == (answer.text or "") else score_question(asked, answer.text, known=documents)
    verdicts = [
        verdict_record(name, CONSTRAINTS[name].layer, _NAME, _PLACES[name], verdict)
        for name, verdict in cut.constraints.items()
        if verdict is not None
    ]
    record = blank_record(sample, "answered", "", _SCORES, verdicts)
    record["empty"] = cut.empty
    record["truncated"] = answer.truncated
    record["unclosed_reasoning"] = reasoning.unclosed
    for metric in METRICS:
        record["scores"][metric] = cut.metrics[metric]
        record["scores"][OFFICIAL[metric]] = uncut.metrics[metric]
    return record


def unanswered(sample: Sample, outcome: Status, error: str) -> Record:
    """The record of a sample that has no valid answer or no verdict: how it ended, and one line that says why."""
    # Which constraints of the family would apply depends on the answer; the common ones always would.
    common = [c for c in CONSTRAINTS.values() if c.layer != "family"]
    pending = [pending_verdict(c.id, c.layer, _NAME, _PLACES[c.id]) for c in common]
    return blank_record(sample, outcome, error, _SCORES, pending)
