"""What a judged benchmark says of its judge: coverage, effort, and agreement with a rule where there is one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from metrics.headlines import MetricSpec, answered, value
from metrics.record import Record
from metrics.summary import Headline

__all__ = ["COVERAGE", "JUDGEABLE", "agreement", "coverage", "effort", "judging_notes"]

JUDGEABLE: Final = ("answered", "unjudged")  # outcomes of samples that the judge was to decide
COVERAGE: Final = MetricSpec(
    "judge_coverage",
    part=lambda record: (float(record["outcome"] == "answered"), 1.0),
    outcomes=JUDGEABLE,
    by_question=False,
)
_RULE: Final = ("right", "wrong", "undecided")


def coverage(records: Sequence[Record]) -> Headline:
    """Share of the answers at hand that have a verdict: it is known exactly, so it has no interval and no bounds."""
    asked = [record for record in records if record["outcome"] in JUDGEABLE]
    note = "" if asked else "no answer came to the judge"
    return Headline(COVERAGE.name, value(COVERAGE, asked), None, len(asked), None, note)


def effort(records: Sequence[Record]) -> dict[str, Any]:
    """What judging took, over some records; ``n`` counts the answers that came to it."""
    judging = [record["judging"] for record in records if record["judging"] is not None]
    return {
        "n": len(judging),
        "without_a_call": sum(not entry["calls"] and entry["status"] == "judged" for entry in judging),
        "calls": sum(entry["calls"] for entry in judging),
        "asked_again": sum(max(entry["calls"] - 1, 0) for entry in judging),
        "unreadable": sum(entry["status"] == "unjudged" for entry in judging),
        "no_reply": sum(entry["status"] == "failed" for entry in judging),
        "prompt_tokens": sum(entry["prompt_tokens"] for entry in judging),
        "completion_tokens": sum(entry["completion_tokens"] for entry in judging),
    }


def agreement(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """Judged answers that a rule looks at: what the rule says (rows) against what the judge says (columns)."""
    judging = [record["judging"] for record in answered(records) if record["judging"] is not None]
    pairs = Counter((entry["rule"], entry["judge"]) for entry in judging if entry["rule"] is not None)
    if not pairs:
        return {}
    return {
        f"rule {rule}": {
            "n": pairs[rule, "right"] + pairs[rule, "wrong"],
            "judge_right": pairs[rule, "right"],
            "judge_wrong": pairs[rule, "wrong"],
        }
        for rule in _RULE
    }


def judging_notes(records: Sequence[Record]) -> Iterator[str]:
    """Sentences on how judging went."""
    took = effort(records)
    if took["n"]:
        yield (
            f"judge: {took['calls']} calls for {took['n']} answers ({took['asked_again']} of them asked again "
            f"after an unreadable reply; {took['without_a_call']} empty answers need no call), "
            f"{took['prompt_tokens']} prompt and {took['completion_tokens']} completion tokens"
        )
    if took["unreadable"] or took["no_reply"]:
        yield (
            f"judge: {took['unreadable']} answers have no readable verdict after all attempts, "
            f"{took['no_reply']} got no reply from its endpoint"
        )
    if table := agreement(records):
        yield _agreement_note(table)


def _agreement_note(table: Mapping[str, Mapping[str, Any]]) -> str:
    right, wrong, undecided = (table[f"rule {rule}"] for rule in _RULE)
    decided = right["n"] + wrong["n"]
    if not decided:
        return f"judge check: the rule for options decides none of {undecided['n']} answers"
    agreed = right["judge_right"] + wrong["judge_wrong"]
    return (
        f"judge check: on {decided} options answers that a rule can decide the judge agrees on {agreed} "
        f"({agreed / decided:.1%}); it took {wrong['judge_right']} wrong ones for right and {right['judge_wrong']} "
        f"right ones for wrong; {undecided['n']} are undecided"
    )
