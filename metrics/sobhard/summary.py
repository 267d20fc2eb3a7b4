"""SOBHard over a run: six metrics with intervals, and where the failures sit (SOBHard contract, 9.2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from metrics.headlines import (
    EMPTY,
    TRUNCATED,
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
from metrics.record import Record, labels_of
from metrics.sobhard.constraints import CONSTRAINTS
from metrics.sobhard.question import FAMILIES
from metrics.sobhard.records import OFFICIAL
from metrics.sobhard.row_checks import DIFFICULTIES
from metrics.sobhard.scoring import BALANCE_FLOOR, balance_score
from metrics.summary import Headline, Summary, count_outcomes, in_order

__all__ = ["CELLS", "GROUPS", "METRICS", "summarise"]


def _cell(record: Record) -> str:
    labels = labels_of(record)
    return f"{labels['family']}/{labels['difficulty']}"


def _tally(record: Record) -> Iterator[tuple[str, float | None]]:
    yield _cell(record), record["scores"]["sample_pass_rate"]


def _by_label(record: Record, name: str) -> Iterator[tuple[str, float | None]]:
    yield labels_of(record)[name], record["scores"]["sample_pass_rate"]


_SAMPLE: Final = MetricSpec("sample_pass_rate", per_sample=True)
_BALANCE: Final = MetricSpec("balance_score", unit="balance", tally=_tally, floor=BALANCE_FLOOR)
_RATES: Final = (
    _SAMPLE,
    MetricSpec("constraint_pass_rate", made_of=verdict_count, per_sample=True),
    *(MetricSpec(f"{layer}_pass_rate", per_sample=True) for layer in ("format", "content", "task")),
)
METRICS: Final = (_SAMPLE, _BALANCE, *_RATES[1:], EMPTY, TRUNCATED)
CELLS: Final = tuple(f"{family}/{difficulty}" for family in FAMILIES for difficulty in DIFFICULTIES)
GROUPS: Final[Mapping[str, Tally]] = {
    "cell": _tally,
    "family": lambda record: _by_label(record, "family"),
    "difficulty": lambda record: _by_label(record, "difficulty"),
}
# Axis of the breakdown -> label of the row, and the order of its values where they have one.
_AXES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "family": ("family", FAMILIES),
    "difficulty": ("difficulty", DIFFICULTIES),
    "target_notation": ("target_format", ()),
    "source_notation": ("source_format", ()),
    "length_tier": ("length_tier", ("short", "medium", "long")),
    "prompt_style": ("prompt_style", ()),
}


def summarise(records: Sequence[Record]) -> Summary:
    """Headline values over the samples with a valid answer, with intervals, bounds and breakdowns.

    Args:
        records: of one task, in any order.
    """
    records = in_order(records)
    valid = answered(records)
    cells = len({_cell(record) for record in valid})
    note = "" if cells == len(CELLS) else f"{cells} of {len(CELLS)} cells"

    def headline(spec: MetricSpec) -> Headline:
        if spec.unit == "balance":
            return balance(spec, records, note=note)
        return ratio(spec, records)

    headlines = tuple(map(headline, METRICS))
    return Summary(headlines, count_outcomes(records), _breakdowns(valid), tuple(_notes(valid)))


def _six(valid: Sequence[Record], names: Mapping[str, str] | None = None) -> dict[str, float | None]:
    """The contract's six values; ``names`` maps the five rates to other keys of the scores."""
    keys = names or {spec.name: spec.name for spec in _RATES}
    specs = [replace(spec, name=keys[spec.name]) for spec in _RATES]
    found = dict(zip(keys, values(specs, valid).values(), strict=True))
    passes = [(_cell(record), record["scores"][keys["sample_pass_rate"]]) for record in valid]
    found["balance_score"] = balance_score(passes)
    return {spec.name: found[spec.name] for spec in METRICS if spec.name in found}


def _notes(valid: Sequence[Record]) -> Iterator[str]:
    for flag, what in (
        ("truncated", "ended at the token cap, so their documents are cut"),
        ("empty", "are empty (is the token budget spent on reasoning?)"),
    ):
        count = sum(bool(record[flag]) for record in valid)  # type: ignore[literal-required]  # two of its keys
        if count:
            yield f"{count} of {len(valid)} answers ({count / len(valid):.0%}) {what}"
    differing = sum(any(r["scores"][name] != r["scores"][OFFICIAL[name]] for name in OFFICIAL) for r in valid)
    if differing:
        official = _six(valid, OFFICIAL)
        listed = ", ".join(f"{name} {official[name]:.4f}" for name in ("sample_pass_rate", "balance_score"))
        yield (
            f"{differing} of {len(valid)} answers score otherwise if reasoning before </think> is kept, as the "
            f"official scorer keeps it: {listed}"
        )


def _breakdowns(valid: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Rates by each axis of the grid, the dead and live cells, each constraint, and under the official rule."""
    axes = {
        axis: grouped(valid, lambda record, name=label: labels_of(record).get(name, "?"), order)  # type: ignore[misc]
        for axis, (label, order) in _AXES.items()
    }
    axes["cell"] = grouped(valid, _cell, CELLS)
    shown = (*_RATES, EMPTY, TRUNCATED)
    breakdowns: dict[str, dict[str, dict[str, Any]]] = {
        axis: {label: {"n": len(of), **values(shown, of)} for label, of in groups.items()}
        for axis, groups in axes.items()
    }
    breakdowns["constraint"] = verdict_rates(valid, lambda verdict: verdict["id"], tuple(CONSTRAINTS))
    if valid:
        breakdowns["reasoning_rule"] = {
            "everything before </think> cut": {"n": len(valid), **_six(valid)},
            "official, nothing cut": {"n": len(valid), **_six(valid, OFFICIAL)},
        }
    return breakdowns
