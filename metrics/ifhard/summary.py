"""IFHardBench over a run: headlines with intervals, and where the failures sit (contract, section 8.2)."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from metrics.ifhard.scoring import MIN_VERDICTS, aggregate, balance, tally
from metrics.record import Record
from metrics.stats import bootstrap_balance, bootstrap_ratio
from metrics.summary import Headline, Summary, count_outcomes, in_order

__all__ = ["HEADLINES", "SCORER_VERSION", "summarise"]

# N-X: N grows when old and new scores no longer compare, X when only the interface changed.
SCORER_VERSION = "1-0"
HEADLINES = ("sample_pass_rate", "constraint_pass_rate", "balance_score", "empty_share")
Sample = tuple[bool, list[tuple[str, bool]]]


def summarise(records: Sequence[Record]) -> Summary:
    """Headline values over the samples with a valid answer, with intervals, bounds and breakdowns.

    The resampling unit is the question: repeats of one question move together.

    Args:
        records: of one task, in any order.
    """
    records = in_order(records)
    valid = [record for record in records if record["outcome"] == "answered"]
    counts = count_outcomes(records)
    values = aggregate([_sample(record) for record in valid])
    rare = _rare_types(valid)
    bounds = _bounds(records, rare) if not counts.complete else {}
    headlines = (
        _mean_headline("sample_pass_rate", valid, values, bounds, "no sample has a valid answer"),
        _mean_headline("constraint_pass_rate", valid, values, bounds, "no answer with text"),
        _balance_headline(valid, bounds, rare),
        _empty_headline(valid, values, bounds),
    )
    notes = []
    if rare and headlines[2].value is not None:
        notes.append(
            f"balance_score leaves out {len(rare)} types with under {MIN_VERDICTS} verdicts: {', '.join(rare)}"
        )
    return Summary(headlines, counts, _breakdowns(valid), tuple(notes))


def _sample(record: Record, missing: bool | None = None) -> Sample:
    """A record as the contract's aggregate takes it; ``missing`` stands in for verdicts that are not there."""
    verdicts = [(v["id"], bool(missing if v["passed"] is None else v["passed"])) for v in record["verdicts"]]
    return bool(record["empty"]), verdicts


def _bounds(records: Sequence[Record], rare: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Each headline with every missing sample at its lowest and at its highest.

    ``balance_score`` keeps the types that its value keeps, so that the bounds hold the value.
    """
    low = aggregate([_sample(record, False) for record in records])
    high = aggregate([_sample(record, True) for record in records])
    missing = sum(record["outcome"] != "answered" for record in records) / len(records)
    bounds = {name: (low[name], high[name]) for name in HEADLINES}
    bounds["empty_share"] = (low["empty_share"], low["empty_share"] + missing)
    counted = [record for record in records if record["outcome"] == "answered" and not record["empty"]]
    kept = {verdict["id"] for record in counted for verdict in record["verdicts"]} - set(rare)
    ends = [_balance_of(records, kept, missing_pass) for missing_pass in (False, True)]
    del bounds["balance_score"]
    if ends[0] is not None and ends[1] is not None:
        bounds["balance_score"] = (ends[0], ends[1])
    return bounds


def _balance_of(records: Sequence[Record], types: set[str], missing_pass: bool) -> float | None:
    counts = tally([_sample(record, missing_pass) for record in records])
    return balance({name: count for name, count in counts.items() if name in types})


def _by_question(records: Sequence[Record], value: str) -> tuple[list[float], list[float]]:
    """Sum of a value over a question's repeats, and over how many of them it is defined."""
    groups: dict[str, list[float]] = defaultdict(list)
    for record in records:
        found = float(bool(record["empty"])) if value == "empty_share" else record["scores"][value]
        groups[record["id"]] += [] if found is None else [found]
    return [sum(group) for group in groups.values()], [float(len(group)) for group in groups.values()]


def _mean_headline(
    name: str, valid: Sequence[Record], values: dict[str, float], bounds: dict[str, tuple[float, float]], why_none: str
) -> Headline:
    n = sum(record["scores"][name] is not None for record in valid)
    if n == 0:
        return Headline(name, None, None, 0, bounds.get(name), why_none)
    return Headline(name, values[name], bootstrap_ratio(*_by_question(valid, name)), n, bounds.get(name))


def _empty_headline(
    valid: Sequence[Record], values: dict[str, float], bounds: dict[str, tuple[float, float]]
) -> Headline:
    name = "empty_share"
    if not valid:
        return Headline(name, None, None, 0, bounds.get(name), "no sample has a valid answer", higher_is_better=False)
    interval = bootstrap_ratio(*_by_question(valid, name))
    return Headline(name, values[name], interval, len(valid), bounds.get(name), higher_is_better=False)


def _balance_headline(valid: Sequence[Record], bounds: dict[str, tuple[float, float]], rare: Sequence[str]) -> Headline:
    name = "balance_score"
    seen_types = {verdict["id"] for record in valid if not record["empty"] for verdict in record["verdicts"]}
    n = sum(not record["empty"] and bool(record["verdicts"]) for record in valid)
    if seen_types <= set(rare):
        return Headline(name, None, None, n, bounds.get(name), f"no requirement type has {MIN_VERDICTS} verdicts yet")
    kept = sorted(seen_types - set(rare))
    passed, seen = _count_matrices(valid, kept)
    interval = bootstrap_balance(passed, seen, min_seen=MIN_VERDICTS)
    note = f"{len(seen_types) - len(rare)} of {len(seen_types)} types" if rare else ""
    return Headline(name, _balance_of(valid, set(kept), False), interval, n, bounds.get(name), note)


def _count_matrices(valid: Sequence[Record], types: Sequence[str]) -> tuple[Any, Any]:
    """Verdicts passed and seen, questions x types; other types are left out."""
    rows = {question: i for i, question in enumerate(dict.fromkeys(record["id"] for record in valid))}
    columns = {name: j for j, name in enumerate(types)}
    passed = np.zeros((len(rows), len(columns)))
    seen = np.zeros_like(passed)
    for record in valid:
        if record["empty"]:
            continue
        for verdict in record["verdicts"]:
            if verdict["id"] in columns:
                i, j = rows[record["id"]], columns[verdict["id"]]
                seen[i, j] += 1
                passed[i, j] += bool(verdict["passed"])
    return passed, seen


def _rare_types(valid: Sequence[Record]) -> list[str]:
    # Repeats of a question are no further evidence: each counts once, as in a run without repeats.
    first = {record["id"]: record for record in reversed(valid) if not record["empty"]}
    seen = Counter(verdict["id"] for record in first.values() for verdict in record["verdicts"])
    return sorted(name for name, count in seen.items() if count < MIN_VERDICTS)


def _breakdowns(valid: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Pass rates a requirement type and family (over verdicts) and a tier (over questions).

    Empty answers count as failed verdicts nowhere (contract: their share is undefined);
    they count in the tiers' sample_pass_rate, as in the headline.
    """
    answered = [record for record in valid if not record["empty"]]
    by_tier: dict[str, list[Record]] = defaultdict(list)
    for record in valid:
        by_tier[json.loads(record["labels"])["tier"]].append(record)
    order = ("easy", "medium", "hard", "expert")
    return {
        "type": _verdict_rates((v["id"], bool(v["passed"])) for r in answered for v in r["verdicts"]),
        "family": _verdict_rates((v["family"], bool(v["passed"])) for r in answered for v in r["verdicts"]),
        "tier": {tier: _tier_rates(by_tier[tier]) for tier in order if tier in by_tier},
    }


def _tier_rates(records: Sequence[Record]) -> dict[str, Any]:
    values = aggregate([_sample(record) for record in records])
    shares = [record["scores"]["constraint_pass_rate"] is not None for record in records]
    return {
        "n": len(records),
        "sample_pass_rate": values["sample_pass_rate"],
        "constraint_pass_rate": values["constraint_pass_rate"] if any(shares) else None,
    }


def _verdict_rates(verdicts: Iterable[tuple[str, bool]]) -> dict[str, dict[str, Any]]:
    seen: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for name, ok in verdicts:
        seen[name] += 1
        passed[name] += ok
    return {
        name: {"n": seen[name], "passed": passed[name], "pass_rate": passed[name] / seen[name]} for name in sorted(seen)
    }
