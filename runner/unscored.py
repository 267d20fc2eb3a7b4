"""The row of a task without a score, and the errors of a run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from metrics.record import Record
from tasks.names import TaskName

__all__ = ["error_counts", "generated_row"]


def generated_row(records: Sequence[Record]) -> dict[str, Any]:
    """The row of a task whose answers cannot be scored: how its samples ended, and no value that looks like a score."""
    ends = Counter(record["outcome"] for record in records)
    return {
        "generated_only": True,
        "n_total": len(records),
        "n_generated": ends["answered"] + ends["unscored"],
        "n_blocked": ends["blocked"],
        "n_failed": ends["failed"],
        "n_not_asked": ends["not_asked"],
    }


def error_counts(records: Mapping[TaskName, Sequence[Record]]) -> list[dict[str, Any]]:
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
