"""From one judged answer to one record."""

import json
from typing import Final

from metrics.hardmultiqa.answers import split_answer
from metrics.hardmultiqa.options_rule import decide
from metrics.hardmultiqa.scoring import score_verdict
from metrics.hardmultiqa.scoring_key import Key, parse_key
from metrics.record import (
    Answer,
    Judged,
    Record,
    Sample,
    Status,
    blank_record,
    judging_of,
    pending_verdict,
    verdict_record,
)
from metrics.verdict import Verdict

__all__ = ["SCORES", "score", "unanswered"]

_NAME: Final = "hardmultiqa"
# Per-sample values. Their means are headlines; the two shares are defined for open questions alone.
SCORES: Final = ("hardmultiqa_judge", "open_wrong_share", "open_not_attempted_share")


def score(sample: Sample, answer: Answer, judgement: Judged | None = None) -> Record:
    """Score one judged answer; its one verdict stands under the name of the question's type.

    Args:
        sample: the question; its ``scoring`` is a text of scoring_key.
        answer: what the model said.
        judgement: what became of judging it; without one the answer is never right or wrong.

    Returns:
        The record; its outcome is ``unjudged`` where there is no verdict.

    Raises:
        ValueError: the scoring key cannot be read, or the verdict is none on this question.
    """
    key = parse_key(sample.scoring)
    given = split_answer(answer.text, key.cut)
    rule = _rule(key, given.text)
    if judgement is None or judgement.status != "judged":
        error = "no judge was asked" if judgement is None else judgement.error or f"no verdict: {judgement.status}"
        record = unanswered(sample, "unjudged", error)
        record["judging"] = None if judgement is None else judging_of(judgement, rule)
    else:
        scored = score_verdict(key, judgement.verdict)
        verdict = Verdict(scored.score == 1.0, scored.code, scored.reason, scored.observed, scored.wanted)
        record = blank_record(sample, "answered", "", SCORES, [verdict_record(key.type, key.type, _NAME, 0, verdict)])
        record["judging"] = judging_of(judgement, rule, "right" if scored.score == 1.0 else "wrong")
        record["scores"]["hardmultiqa_judge"] = scored.score
        if key.type == "open":
            record["scores"]["open_wrong_share"] = float(scored.observed == -1)
            record["scores"]["open_not_attempted_share"] = float(scored.observed == 0)
    record["empty"] = not given.text
    record["truncated"] = answer.truncated
    record["unclosed_reasoning"] = given.unclosed
    return record


def unanswered(sample: Sample, outcome: Status, error: str) -> Record:
    """The record of a sample that has no valid answer or no verdict: how it ended, and one line that says why."""
    # No check that could raise: a sample whose scoring failed is recorded through this path.
    kind = str(json.loads(sample.scoring)["type"])
    return blank_record(sample, outcome, error, SCORES, [pending_verdict(kind, kind, _NAME, 0)])


def _rule(key: Key, answer: str) -> str | None:
    """What the deterministic rule says of an options answer: ``right``, ``wrong``, ``undecided``; None elsewhere."""
    if key.type != "one-option-many-options" or not answer:
        return None
    chosen = decide(answer, key.options)
    return "undecided" if chosen is None else "right" if chosen == key.right_options else "wrong"
