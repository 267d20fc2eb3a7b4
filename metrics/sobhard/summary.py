"""SOBHard over a run: six metrics with intervals, and where the failures sit (SOBHard contract, 9.2)."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from metrics.record import Record
from metrics.sobhard.checking import DIFFICULTIES
from metrics.sobhard.constraints import CONSTRAINTS
from metrics.sobhard.question import FAMILIES
from metrics.sobhard.records import OFFICIAL
from metrics.sobhard.scoring import BALANCE_FLOOR, METRICS, aggregate
from metrics.stats import bootstrap_balance, bootstrap_mean
from metrics.summary import Headline, Summary, count_outcomes, in_order

__all__ = ["CELLS", "HEADLINES", "LOWER_IS_BETTER", "SCORER_VERSION", "summarise"]

# N-X: N grows when old and new scores no longer compare, X when only the interface changed.
SCORER_VERSION: Final = "1-0"
HEADLINES: Final = (
    "sample_pass_rate",
    "balance_score",
    "constraint_pass_rate",
    "format_pass_rate",
    "content_pass_rate",
    "task_pass_rate",
    "empty_share",
    "truncated_share",
)
LOWER_IS_BETTER: Final = ("empty_share", "truncated_share")
CELLS: Final = tuple(f"{family}/{difficulty}" for family in FAMILIES for difficulty in DIFFICULTIES)
_NO_ANSWER: Final = "no sample has a valid answer"
_TIERS: Final = ("short", "medium", "long")
# Axis of the breakdown -> label of the row, and the order of its values where they have one.
_AXES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "family": ("family", FAMILIES),
    "difficulty": ("difficulty", DIFFICULTIES),
    "target_notation": ("target_format", ()),
    "source_notation": ("source_format", ()),
    "length_tier": ("length_tier", _TIERS),
    "prompt_style": ("prompt_style", ()),
}


def summarise(records: Sequence[Record]) -> Summary:
    """Headline values over the samples with a valid answer, with intervals, bounds and breakdowns.

    The resampling unit is the question: repeats of one question move together.

    Args:
        records: of one task, in any order.
    """
    records = in_order(records)
    valid = [record for record in records if record["outcome"] == "answered"]
    counts = count_outcomes(records)
    values = _values(valid)
    bounds = {} if counts.complete else _bounds(records)
    headlines = tuple(
        _balance_headline(valid, values, bounds) if name == "balance_score" else _mean(name, valid, values, bounds)
        for name in HEADLINES
    )
    return Summary(headlines, counts, _breakdowns(valid), tuple(_notes(valid)))


def _labels(record: Record) -> dict[str, str]:
    found: dict[str, str] = json.loads(record["labels"])
    return found


def _cell(record: Record) -> str:
    labels = _labels(record)
    return f"{labels['family']}/{labels['difficulty']}"


def _score(record: Record, name: str) -> float:
    """A per-sample value of a record with a valid answer."""
    if name in LOWER_IS_BETTER:
        return float(bool(record["empty" if name == "empty_share" else "truncated"]))
    value = record["scores"][name]
    assert value is not None  # of answered samples, see samples.score_sample
    return value


def _values(valid: Sequence[Record], names: Mapping[str, str] | None = None) -> dict[str, float]:
    """Every headline over records with valid answers; ``names`` maps metrics to other keys of the scores."""
    keys = names or {name: name for name in METRICS}
    values = aggregate((_cell(record), {m: _score(record, key) for m, key in keys.items()}) for record in valid)
    shares = {name: sum(_score(record, name) for record in valid) / max(len(valid), 1) for name in LOWER_IS_BETTER}
    return {**values, **shares}


def _bounds(records: Sequence[Record]) -> dict[str, tuple[float, float]]:
    """Each headline with every missing sample at the worst and at the best."""
    ends = []
    for worst in (0.0, 1.0):
        rates = aggregate(
            (
                _cell(record),
                {name: worst if record["outcome"] != "answered" else _score(record, name) for name in METRICS},
            )
            for record in records
        )
        ends.append(rates)
    low, high = ends
    bounds = {name: (low[name], high[name]) for name in low}
    missing = sum(record["outcome"] != "answered" for record in records)
    for name in LOWER_IS_BETTER:
        seen = sum(_score(record, name) for record in records if record["outcome"] == "answered")
        bounds[name] = (seen / len(records), (seen + missing) / len(records))
    return bounds


def _mean(
    name: str, valid: Sequence[Record], values: Mapping[str, float], bounds: Mapping[str, tuple[float, float]]
) -> Headline:
    better = name not in LOWER_IS_BETTER
    if not valid:
        return Headline(name, None, None, 0, bounds.get(name), _NO_ANSWER, better)
    groups: dict[str, list[float]] = defaultdict(list)
    for record in valid:
        groups[record["id"]].append(_score(record, name))
    interval = bootstrap_mean([sum(group) / len(group) for group in groups.values()])
    return Headline(name, values[name], interval, len(valid), bounds.get(name), "", better)


def _balance_headline(
    valid: Sequence[Record], values: Mapping[str, float], bounds: Mapping[str, tuple[float, float]]
) -> Headline:
    name = "balance_score"
    if not valid:
        return Headline(name, None, None, 0, bounds.get(name), _NO_ANSWER)
    cells = sorted({_cell(record) for record in valid})
    rows = {question: i for i, question in enumerate(dict.fromkeys(record["id"] for record in valid))}
    passed, seen = np.zeros((len(rows), len(cells))), np.zeros((len(rows), len(cells)))
    for record in valid:
        at = rows[record["id"]], cells.index(_cell(record))
        seen[at] += 1
        passed[at] += _score(record, "sample_pass_rate")
    interval = bootstrap_balance(passed, seen, min_seen=1, floor=BALANCE_FLOOR)
    note = "" if len(cells) == len(CELLS) else f"{len(cells)} of {len(CELLS)} cells"
    return Headline(name, values[name], interval, len(valid), bounds.get(name), note)


def _notes(valid: Sequence[Record]) -> list[str]:
    notes = []
    for count, what in (
        (sum(bool(record["truncated"]) for record in valid), "ended at the token cap, so their documents are cut"),
        (sum(bool(record["empty"]) for record in valid), "are empty (is the token budget spent on reasoning?)"),
    ):
        if count:
            notes.append(f"{count} of {len(valid)} answers ({count / len(valid):.0%}) {what}")
    differing = sum(any(_score(r, name) != _score(r, OFFICIAL[name]) for name in METRICS) for r in valid)
    if differing:
        official = _values(valid, OFFICIAL)
        listed = ", ".join(f"{name} {official[name]:.4f}" for name in ("sample_pass_rate", "balance_score"))
        notes.append(
            f"{differing} of {len(valid)} answers score otherwise if reasoning before </think> is kept, as the "
            f"official scorer keeps it: {listed}"
        )
    return notes


def _breakdowns(valid: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Rates by each axis of the grid, the dead and live cells, each constraint, and under the official rule."""
    labelled = [(record, _labels(record)) for record in valid]
    breakdowns: dict[str, dict[str, dict[str, Any]]] = {}
    for axis, (label, order) in _AXES.items():
        breakdowns[axis] = _grouped(labelled, lambda labels, name=label: labels.get(name, "?"), order)  # type: ignore[misc]
    breakdowns["cell"] = _grouped(labelled, lambda labels: f"{labels['family']}/{labels['difficulty']}", CELLS)
    breakdowns["constraint"] = _verdict_rates((v["id"], bool(v["passed"])) for r in valid for v in r["verdicts"])
    if valid:
        breakdowns["reasoning_rule"] = {
            "everything before </think> cut": {"n": len(valid), **_six(_values(valid))},
            "official, nothing cut": {"n": len(valid), **_six(_values(valid, OFFICIAL))},
        }
    return breakdowns


def _six(values: Mapping[str, float]) -> dict[str, float]:
    return {name: values[name] for name in HEADLINES if name not in LOWER_IS_BETTER}


def _grouped(
    labelled: Iterable[tuple[Record, dict[str, str]]], key: Callable[[dict[str, str]], str], order: Sequence[str]
) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Record]] = defaultdict(list)
    for record, labels in labelled:
        groups[key(labels)].append(record)
    names = [name for name in order if name in groups] + sorted(set(groups) - set(order))
    return {name: {"n": len(groups[name]), **_rates(groups[name])} for name in names}


def _rates(records: Sequence[Record]) -> dict[str, float]:
    values = _values(records)
    return {name: values[name] for name in (*METRICS, *LOWER_IS_BETTER)}


def _verdict_rates(verdicts: Iterable[tuple[str, bool]]) -> dict[str, dict[str, Any]]:
    """Pass rates by constraint, over the answers it applies to, in the contract's order."""
    seen: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for name, ok in verdicts:
        seen[name] += 1
        passed[name] += ok
    return {
        name: {"n": seen[name], "passed": passed[name], "pass_rate": passed[name] / seen[name]}
        for name in CONSTRAINTS
        if seen[name]
    }
