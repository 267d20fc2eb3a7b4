"""A task's row in LightEval's results file, and the errors of a run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from metrics.record import Record
from metrics.summary import Headline, Summary

__all__ = ["error_counts", "generated_row", "results_row"]


_COUNTS = (
    *("total", "answered", "failed", "not_asked", "unscored", "unjudged"),
    *("empty", "truncated", "unclosed_reasoning"),
)


def generated_row(records: Sequence[Record]) -> dict[str, Any]:
    """The row of a task whose answers cannot be scored: how its samples ended, and no value that looks like a score."""
    ends = Counter(record["outcome"] for record in records)
    return {
        "generated_only": True,
        "n_total": len(records),
        "n_generated": ends["answered"] + ends["unscored"],
        "n_failed": ends["failed"],
        "n_not_asked": ends["not_asked"],
    }


def results_row(summary: Summary, records: Sequence[Record]) -> dict[str, Any]:
    """A task's row in LightEval's results JSON: flat names, None (with a reason) where undefined.

    Names: each headline with ``_ci_low``, ``_ci_high`` and, below full coverage, ``_lower_bound`` and
    ``_upper_bound``; counts as ``n_*``; breakdowns as ``axis/label/value``.
    """
    row: dict[str, Any] = {}
    for headline in summary.headlines:
        row |= _headline_row(headline)
    counts = summary.counts
    row["coverage"] = counts.answered / counts.total if counts.total else None
    for name in _COUNTS:
        row[f"n_{name}"] = getattr(counts, name)
    at_hand = counts.answered + counts.unjudged
    row["truncated_share"] = counts.truncated / at_hand if at_hand else None
    for axis, labels in summary.breakdowns.items():
        for label, values in labels.items():
            for name, value in values.items():
                row[f"{axis}/{label}/{name}"] = value
    unscored = [record["id"] for record in records if record["outcome"] == "unscored"]
    if unscored:
        row["unscored_ids"] = unscored
    return row


def _headline_row(headline: Headline) -> dict[str, Any]:
    name = headline.name
    low, high = headline.interval if headline.interval is not None else (None, None)
    row: dict[str, Any] = {name: headline.value, f"{name}_ci_low": low, f"{name}_ci_high": high}
    if headline.value is None:
        row[f"{name}_undefined_because"] = headline.note
    if headline.bounds is not None:
        row[f"{name}_lower_bound"], row[f"{name}_upper_bound"] = headline.bounds
    return row


def error_counts(records: Mapping[str, Sequence[Record]]) -> list[dict[str, Any]]:
    """The distinct errors of a run with how often they occurred and up to ten of their sample ids."""
    counts: Counter[tuple[str, str]] = Counter()
    ids: dict[tuple[str, str], list[str]] = {}
    for task, found in records.items():
        for record in found:
            if record["outcome"] != "answered":
                key = (record["outcome"], record["error"])
                counts[key] += 1
                ids.setdefault(key, []).append(f"{task} {record['id']}")
    return [
        {"outcome": outcome, "error": error, "samples": n, "ids": ids[outcome, error][:10]}
        for (outcome, error), n in counts.most_common(50)
    ]
