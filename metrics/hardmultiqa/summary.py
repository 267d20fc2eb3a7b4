"""HardMultiQA over a run: the judged score with interval and bounds, how judging went, and where the failures sit."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from metrics.hardmultiqa.records import JUDGE_ENTRY, SCORES
from metrics.hardmultiqa.scoring_key import TYPES
from metrics.record import Record
from metrics.stats import bootstrap_ratio
from metrics.summary import Headline, Summary, count_outcomes

__all__ = ["HEADLINES", "LOWER_IS_BETTER", "SCORER_VERSION", "summarise"]

# N-X: N grows when old and new scores no longer compare, X when only the interface changed.
SCORER_VERSION: Final = "1-0"
HEADLINES: Final = (*SCORES, "judge_coverage", "empty_share")
LOWER_IS_BETTER: Final = ("open_wrong_share", "open_not_attempted_share", "empty_share")
_JUDGEABLE: Final = ("answered", "unjudged")  # outcomes of samples that the judge was to decide
_RULE: Final = ("right", "wrong", "undecided")


def summarise(records: Sequence[Record]) -> Summary:
    """Headline values over the judged samples, with intervals, bounds and breakdowns.

    The resampling unit is the question: repeats of one question move together. The two shares of open questions are
    there only where open questions are.

    Args:
        records: of one task, in any order; for ``all`` the union over the five types.
    """
    counts = count_outcomes(records)
    open_ones = [record for record in records if _type(record) == "open"]
    headlines = [
        _mean("hardmultiqa_judge", records),
        *(_mean(name, open_ones) for name in SCORES[1:] if open_ones),
        _coverage(records),
        _empty_share(records),
    ]
    return Summary(tuple(headlines), counts, _breakdowns(records), tuple(_notes(records)))


def _type(record: Record) -> str:
    return record["verdicts"][0]["id"]


def _judging(record: Record) -> dict[str, Any]:
    """What judging took; empty for a sample that never came to it."""
    entry = next(verdict for verdict in record["verdicts"] if verdict["id"] == JUDGE_ENTRY)
    found: dict[str, Any] | None = json.loads(entry["observed"])
    return found or {}


def _valid(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record["outcome"] == "answered"]


def _value(record: Record, name: str) -> float:
    value = float(bool(record["empty"])) if name == "empty_share" else record["scores"][name]
    assert value is not None  # of judged samples of the types that have it, see samples.score_judged
    return value


def _mean(name: str, records: Sequence[Record], outcomes: Sequence[str] = ("answered",)) -> Headline:
    """A mean over the samples of some outcomes; the others are missing."""
    valid = [record for record in records if record["outcome"] in outcomes]
    better = name not in LOWER_IS_BETTER
    total = sum(_value(record, name) for record in valid)
    missing = len(records) - len(valid)
    bounds = (total / len(records), (total + missing) / len(records)) if missing else None
    coverage = len(valid), len(records)
    if not valid:
        why = "no sample has a valid answer and verdict"
        return Headline(name, None, None, 0, bounds, why, better, coverage)
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in valid:
        groups[_type(record), record["id"]].append(_value(record, name))
    # In an order of its own: the same records in any order give the same interval.
    values = [groups[question] for question in sorted(groups)]
    interval = bootstrap_ratio([sum(group) for group in values], [len(group) for group in values])
    return Headline(name, total / len(valid), interval, len(valid), bounds, "", better, coverage)


def _coverage(records: Sequence[Record]) -> Headline:
    """Share of the answers at hand that have a verdict: it is known exactly, so it has no interval and no bounds."""
    asked = [record for record in records if record["outcome"] in _JUDGEABLE]
    if not asked:
        return Headline("judge_coverage", None, None, 0, None, "no answer came to the judge")
    return Headline("judge_coverage", len(_valid(asked)) / len(asked), None, len(asked))


def _empty_share(records: Sequence[Record]) -> Headline:
    """Over the answers at hand, judged or not: whether one is empty needs no judge."""
    return _mean("empty_share", records, _JUDGEABLE)


def _breakdowns(records: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Values by type (and topic, where rows have one), what judging took, and the judge against the rule."""
    by_type: dict[str, list[Record]] = defaultdict(list)
    by_topic: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_type[_type(record)].append(record)
        topic = json.loads(record["labels"]).get("topic")
        if topic:
            by_topic[topic].append(record)
    breakdowns: dict[str, dict[str, dict[str, Any]]] = {
        "type": {kind: _rates(by_type[kind]) for kind in TYPES if kind in by_type},
        "judging": {kind: _effort(by_type[kind]) for kind in TYPES if kind in by_type},
    }
    if by_topic:
        breakdowns["topic"] = {topic: _rates(by_topic[topic]) for topic in sorted(by_topic)}
    confusion = _confusion(records)
    if confusion:
        breakdowns["agreement"] = confusion
    return breakdowns


def _rates(records: Sequence[Record]) -> dict[str, Any]:
    valid = _valid(records)
    score = sum(_value(record, "hardmultiqa_judge") for record in valid) / len(valid) if valid else None
    full = sum(_value(record, "hardmultiqa_judge") == 1.0 for record in valid) / len(valid) if valid else None
    # Under the headlines' own names, so that the table can show them.
    return {"n": len(valid), "hardmultiqa_judge": score, "full_marks": full, "unjudged": _count(records, "unjudged")}


def _count(records: Sequence[Record], outcome: str) -> int:
    return sum(record["outcome"] == outcome for record in records)


def _effort(records: Sequence[Record]) -> dict[str, Any]:
    judging = [found for record in records if (found := _judging(record))]
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


def _confusion(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """Judged options answers: what the rule says (rows) against what the judge says (columns)."""
    pairs: Counter[tuple[str, str]] = Counter()
    for record in _valid(records):
        entry = _judging(record)
        if entry["rule"] is not None:
            pairs[entry["rule"], entry["judge"]] += 1
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


def _notes(records: Sequence[Record]) -> list[str]:
    effort = _effort(records)
    notes = []
    if effort["n"]:
        notes.append(
            f"judge: {effort['calls']} calls for {effort['n']} answers ({effort['asked_again']} of them asked again "
            f"after an unreadable reply; {effort['without_a_call']} empty answers need no call), "
            f"{effort['prompt_tokens']} prompt and {effort['completion_tokens']} completion tokens"
        )
    if effort["unreadable"] or effort["no_reply"]:
        notes.append(
            f"judge: {effort['unreadable']} answers have no readable verdict after all attempts, "
            f"{effort['no_reply']} got no reply from its endpoint"
        )
    notes += _agreement_note(_confusion(records))
    notes.append("the judge's prompts are not the benchmark authors', so scores do not compare with published ones")
    return notes


def _agreement_note(confusion: Mapping[str, Mapping[str, Any]]) -> list[str]:
    if not confusion:
        return []
    right, wrong, undecided = (confusion[f"rule {rule}"] for rule in _RULE)
    decided = right["n"] + wrong["n"]
    if not decided:
        return [f"judge check: the rule for options decides none of {undecided['n']} answers"]
    agreed = right["judge_right"] + wrong["judge_wrong"]
    return [
        f"judge check: on {decided} options answers that a rule can decide the judge agrees on {agreed} "
        f"({agreed / decided:.1%}); it took {wrong['judge_right']} wrong ones for right and {right['judge_wrong']} "
        f"right ones for wrong; {undecided['n']} are undecided"
    ]
