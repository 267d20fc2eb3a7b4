"""IFHardBench over a run: headlines with intervals, and where the failures sit (contract, section 8.2)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from metrics.headlines import (
    EMPTY,
    MetricSpec,
    Tally,
    answered,
    balance,
    grouped,
    ratio,
    values,
    verdict_count,
    verdict_rates,
)
from metrics.ifhard.scoring import BALANCE_FLOOR, MIN_VERDICTS
from metrics.record import Record, labels_of
from metrics.summary import Summary, count_outcomes, in_order

__all__ = ["GROUPS", "METRICS", "summarise"]

_TIERS: Final = ("easy", "medium", "hard", "expert")


def _tally(record: Record) -> Iterator[tuple[str, float | None]]:
    """Verdicts by type; an empty answer has none (contract: their share is undefined)."""
    return _verdicts(record, "id")


def _verdicts(record: Record, label: Literal["id", "group"]) -> Iterator[tuple[str, float | None]]:
    if not record["empty"]:
        for verdict in record["verdicts"]:
            yield verdict[label], None if verdict["passed"] is None else float(verdict["passed"])


def _types(records: Sequence[Record]) -> tuple[set[str], set[str]]:
    """Types with verdicts, and of them those with too few to count.

    Repeats of a question are no further evidence: each counts once, as in a run without repeats.
    """
    with_text = [record for record in answered(records) if not record["empty"]]
    first = {record["id"]: record for record in reversed(with_text)}
    seen = Counter(name for record in first.values() for name, _ in _tally(record))
    return set(seen), {name for name, count in seen.items() if count < MIN_VERDICTS}


def _kept(records: Sequence[Record]) -> set[str]:
    seen, rare = _types(records)
    return seen - rare


_SAMPLE: Final = MetricSpec("sample_pass_rate", per_sample=True)
_CONSTRAINT: Final = MetricSpec(
    "constraint_pass_rate", made_of=verdict_count, why_none="no answer with text", per_sample=True
)
_BALANCE: Final = MetricSpec(
    "balance_score",
    unit="balance",
    why_none=f"no requirement type has {MIN_VERDICTS} verdicts yet",
    tally=_tally,
    floor=BALANCE_FLOOR,
    kept=_kept,
)
METRICS: Final = (_SAMPLE, _CONSTRAINT, _BALANCE, EMPTY)
GROUPS: Final[Mapping[str, Tally]] = {"type": _tally, "family": lambda record: _verdicts(record, "group")}


def summarise(records: Sequence[Record]) -> Summary:
    """Headline values over the samples with a valid answer, with intervals, bounds and breakdowns.

    Args:
        records: of one task, in any order.
    """
    records = in_order(records)
    seen, rare = _types(records)
    note = f"{len(seen) - len(rare)} of {len(seen)} types" if rare else ""
    balanced = balance(_BALANCE, records, note=note)
    notes = []
    if rare and balanced.value is not None:
        listed = ", ".join(sorted(rare))
        notes.append(f"balance_score leaves out {len(rare)} types with under {MIN_VERDICTS} verdicts: {listed}")
    headlines = (ratio(_SAMPLE, records), ratio(_CONSTRAINT, records), balanced, ratio(EMPTY, records))
    return Summary(headlines, count_outcomes(records), _breakdowns(answered(records)), tuple(notes))


def _breakdowns(valid: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Pass rates by requirement type and family (over verdicts) and by tier (over questions).

    Empty answers count as failed verdicts nowhere; they count in the tiers' sample_pass_rate, as in the headline.
    """
    with_text = [record for record in valid if not record["empty"]]
    tiers = grouped(valid, lambda record: labels_of(record)["tier"], _TIERS)
    return {
        "type": verdict_rates(with_text, lambda verdict: verdict["id"]),
        "family": verdict_rates(with_text, lambda verdict: verdict["group"]),
        "tier": {tier: {"n": len(of), **values((_SAMPLE, _CONSTRAINT), of)} for tier, of in tiers.items()},
    }
