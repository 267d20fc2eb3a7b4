"""From one judged answer to one record."""

import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

from metrics.hardmultiqa.answers import answer_text, split_answer
from metrics.hardmultiqa.options_rule import decide
from metrics.hardmultiqa.scoring import Scored, score_verdict
from metrics.hardmultiqa.scoring_key import Key, parse_key
from metrics.record import Record, VerdictRecord, blank_record, pending_verdict, verdict_record
from metrics.verdict import Verdict

__all__ = ["JUDGE_ENTRY", "SCORES", "Judged", "answer_text", "score_judged", "unanswered_sample"]

# Per-sample values. Their means are headlines; the two shares are defined for open questions alone.
SCORES: Final = ("hardmultiqa_judge", "open_wrong_share", "open_not_attempted_share")
JUDGE_ENTRY: Final = "judge"  # id of the second entry of a record's verdicts: what judging took


class Judged(Protocol):
    """What is read of a judgement (judges.judgement.Judgement); metrics know no judge."""

    @property
    def status(self) -> str:
        """``judged``, ``unjudged`` (no readable reply) or ``failed`` (no reply at all)."""

    @property
    def verdict(self) -> Mapping[str, Any]:
        """Checked verdict (scoring); empty unless judged."""

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


def score_judged(specific: Mapping[str, Any], response: str | None, truncated: bool, judgement: Judged) -> Record:
    """Score one judged answer.

    The record's first verdict is the answer's, under the name of its type; the second, ``judge``, holds what judging
    took (``observed``: calls, tokens, status, and what the deterministic rule says of an options answer).

    Args:
        specific: of the document: ``id``, ``repeat``, ``scoring``, ``labels``.
        response: raw model text, reasoning included; None counts as empty.
        truncated: whether generation ended at the token cap.
        judgement: what became of judging it.

    Returns:
        The record; its outcome is ``unjudged`` where there is no verdict.

    Raises:
        ValueError: the scoring key cannot be read, or the verdict is none on this question.
    """
    key = parse_key(specific["scoring"])
    answer = split_answer(response, key.cut)
    known: Any = {"empty": not answer.text, "truncated": truncated, "unclosed_reasoning": answer.unclosed}
    if judgement.status != "judged":
        error = judgement.error or f"no verdict: {judgement.status}"
        entries = [pending_verdict(key.type, "answer"), _judge_entry(key, answer.text, judgement, None)]
        unjudged: Record = blank_record(specific, "unjudged", error, SCORES, entries) | known
        return unjudged
    scored = score_verdict(key, judgement.verdict)
    verdict = Verdict(scored.score == 1.0, scored.code, scored.reason, scored.observed, scored.wanted)
    entries = [verdict_record(key.type, "answer", verdict), _judge_entry(key, answer.text, judgement, scored)]
    scores = {
        "hardmultiqa_judge": scored.score,
        "open_wrong_share": float(scored.observed == -1) if key.type == "open" else None,
        "open_not_attempted_share": float(scored.observed == 0) if key.type == "open" else None,
    }
    judged: Record = blank_record(specific, "answered", "", SCORES, entries) | known | {"scores": scores}
    return judged


def unanswered_sample(specific: Mapping[str, Any], outcome: str, error: str) -> Record:
    """The record of a sample that has no valid answer or no verdict.

    Args:
        specific: of the document, as for score_judged.
        outcome: ``failed``, ``not_asked``, ``unscored`` or ``unjudged``.
        error: one line that says why.
    """
    # No check that could raise: a sample whose scoring failed is recorded through this path.
    kind = str(json.loads(specific["scoring"])["type"])
    return blank_record(
        specific, outcome, error, SCORES, [pending_verdict(kind, "answer"), pending_verdict(JUDGE_ENTRY, "judge")]
    )


def _judge_entry(key: Key, answer: str, judgement: Judged, scored: Scored | None) -> VerdictRecord:
    observed = {
        "status": judgement.status,
        "calls": judgement.calls,
        "prompt_tokens": judgement.prompt_tokens,
        "completion_tokens": judgement.completion_tokens,
        "rule": _rule(key, answer),
        "judge": None if scored is None else "right" if scored.score == 1.0 else "wrong",
    }
    if judgement.status != "judged":
        return verdict_record(
            JUDGE_ENTRY, "judge", Verdict(False, judgement.status, judgement.error or "no verdict", observed)
        )
    calls = judgement.calls
    reason = {0: "decided without the judge", 1: "judged at the first call"}.get(calls, f"judged at call {calls}")
    return verdict_record(JUDGE_ENTRY, "judge", Verdict(True, "ok", reason, observed))


def _rule(key: Key, answer: str) -> str | None:
    """What the deterministic rule says of an options answer: ``right``, ``wrong``, ``undecided``; None elsewhere."""
    if key.type != "one-option-many-options" or not answer:
        return None
    chosen = decide(answer, key.options)
    return "undecided" if chosen is None else "right" if chosen == key.right_options else "wrong"
