"""IFBench over a run: both levels under every grader with intervals, and where graders and answers part ways."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from metrics.headlines import EMPTY, TRUNCATED, UNCLOSED, MetricSpec, Part, Tally, answered, ratio, value
from metrics.ifbench.comparing import failed_by, grader_notes, pairs, tally, ungraded_by, verdicts_of
from metrics.ifbench.records import MAIN, first_tag_name, instruction_level, prompt_level
from metrics.reasons import clip
from metrics.record import Record, VerdictRecord
from metrics.summary import Summary, count_outcomes, in_order

__all__ = ["GROUPS", "METRICS", "metrics_of", "summarise"]

# The graders whose verdicts the breakdowns by instruction and family show.
_SHOWN: Final = ("proposed_loose", "proposed")
_PROMPT: Final = "prompt_level"


def _level(name: str, level: str, grader: str, per_sample: bool = False) -> MetricSpec:
    """A rate of one grader: over answers that it can judge whole, or over the constraints that it can judge."""

    def part(record: Record) -> Part:
        passed = [verdict["passed"] for verdict in verdicts_of(record, grader)]
        if level == _PROMPT:
            return (0.0, 0.0) if None in passed else (float(all(passed)), 1.0)
        return float(sum(map(bool, passed))), float(sum(ok is not None for ok in passed))

    def missing(record: Record) -> float:
        return 1.0 if level == _PROMPT else float(len(verdicts_of(record, grader)))

    return MetricSpec(name, part=part, missing=missing, by_question=level == _PROMPT, per_sample=per_sample)


def _levels(grader: str) -> dict[str, tuple[str, str]]:
    return {prompt_level(grader): (_PROMPT, grader), instruction_level(grader): ("instruction_level", grader)}


_SHARES: Final = (
    *(EMPTY, TRUNCATED, UNCLOSED),
    MetricSpec("degenerate_share", False, part=lambda record: (record["scores"]["degenerate"] or 0.0, 1.0)),
)
_MAIN: Final = tuple(_level(name, *of, per_sample=True) for name, of in MAIN.items())
_OFFICIAL: Final = tuple(
    _level(name, *of) for grader in ("fixes_only_loose", "fixes_only") for name, of in _levels(grader).items()
)
METRICS: Final = (*_MAIN, *_OFFICIAL, *_SHARES)


def _tally(record: Record, label: Literal["id", "group"]) -> Iterator[tuple[str, float | None]]:
    for verdict in verdicts_of(record, _SHOWN[0]):
        yield verdict[label], None if verdict["passed"] is None else float(verdict["passed"])


GROUPS: Final[Mapping[str, Tally]] = {
    "family": lambda record: _tally(record, "group"),
    "instruction": lambda record: _tally(record, "id"),
}


def summarise(records: Sequence[Record]) -> Summary:
    """Rates over the samples with a valid answer, with intervals, bounds and breakdowns.

    Prompt level is a mean over answers, instruction level one over constraints; what a grader cannot judge here is in
    neither.

    Args:
        records: of one task, in any order, all scored with the same graders.
    """
    records = in_order(records)
    valid = answered(records)
    graders = _graders(records)
    wanted = _wanted(graders)
    ungraded, lost = ungraded_by(valid), failed_by(valid)
    headlines = [
        _rate(name, level, grader, records, ungraded.get(grader, {}), lost.get(grader, []))
        for name, (level, grader) in wanted.items()
    ]
    headlines += [ratio(spec, records) for spec in _SHARES]
    breakdowns = _breakdowns(valid, graders)
    return Summary(
        tuple(headlines), count_outcomes(records), breakdowns, tuple(_notes(valid, ungraded, lost, breakdowns))
    )


def metrics_of(records: Sequence[Record]) -> tuple[MetricSpec, ...]:
    """What the headlines over these records are: the levels of every grader that judged them, and the shares."""
    return (*(_level(name, *of) for name, of in _wanted(_graders(records)).items()), *_SHARES)


def _graders(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(verdict["grader"] for record in records for verdict in record["verdicts"]))


def _wanted(graders: Sequence[str]) -> dict[str, tuple[str, str]]:
    wanted = dict(MAIN)
    # They come as strict and loose of one source after another; the loose one is shown first.
    for grader in (grader for pair in zip(graders[1::2], graders[::2], strict=True) for grader in pair):
        if grader not in _SHOWN:
            wanted |= _levels(grader)
    return wanted


def _rate(
    name: str,
    level: str,
    grader: str,
    records: Sequence[Record],
    ungraded: Mapping[str, str],
    lost: Sequence[str],
) -> Any:
    def missing(record: Record) -> float:
        verdicts = verdicts_of(record, grader)
        kept = [verdict for verdict in verdicts if verdict["id"] not in ungraded]
        return float(len(kept) == len(verdicts)) if level == _PROMPT else float(len(kept))

    unit = "prompts" if level == _PROMPT else "constraints"
    reasons = [*ungraded.values(), *lost]
    why = f"the {unit} cannot be graded: {clip(reasons[0])}" if reasons else ""
    note = f"{unit} it cannot grade left out" if reasons else ""
    return ratio(_level(name, level, grader), records, missing=missing, note=note, why_none=why)


def _breakdowns(valid: Sequence[Record], graders: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """By instruction and family under the proposed readings, by grader, by pair of graders, by truncation."""
    if not valid:
        return {}
    breakdowns = {
        "family": _by(valid, lambda verdict: verdict["group"]),
        "instruction": _by(valid, lambda verdict: verdict["id"]),
        "grader": {grader: tally(valid, grader) for grader in graders},
        "pair": pairs(valid, graders),
    }
    if any(record["truncated"] for record in valid):
        whole = [record for record in valid if not record["truncated"]]
        breakdowns["answers"] = {
            "all": {"n": len(valid), **_main_values(valid)},
            "not truncated": {"n": len(whole), **_main_values(whole)},
        }
    return breakdowns


def _by(valid: Sequence[Record], label: Callable[[VerdictRecord], str]) -> dict[str, dict[str, Any]]:
    """Constraints and their pass rates, loose and strict, by a label of the verdict."""
    rates: dict[str, dict[str, list[bool]]] = {}
    for grader in _SHOWN:
        rates[grader] = defaultdict(list)
        for verdict in (v for record in valid for v in verdicts_of(record, grader)):
            rates[grader][label(verdict)].append(bool(verdict["passed"]))
    loose, strict = (rates[grader] for grader in _SHOWN)
    return {
        name: {
            "n": len(strict[name]),
            "loose_acc": sum(loose[name]) / len(loose[name]),
            "strict_acc": sum(strict[name]) / len(strict[name]),
        }
        for name in sorted(strict)
    }


def _main_values(records: Sequence[Record], first_tag: bool = False) -> dict[str, float | None]:
    """The four main values; instruction level weighs an answer by its constraints."""
    found: dict[str, float | None] = {}
    for spec in _MAIN:
        level, grader = MAIN[spec.name]
        key = first_tag_name(spec.name) if first_tag else spec.name

        def part(record: Record, key: str = key, level: str = level, grader: str = grader) -> Part:
            weight = 1 if level == _PROMPT else len(verdicts_of(record, grader))
            return weight * (record["scores"][key] or 0.0), weight

        found[spec.name] = value(replace(spec, part=part), records)
    return found


def _notes(
    valid: Sequence[Record],
    ungraded: Mapping[str, Mapping[str, str]],
    lost: Mapping[str, Sequence[str]],
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> Iterator[str]:
    if truncated := sum(bool(record["truncated"]) for record in valid):
        whole = _main_values([record for record in valid if not record["truncated"]])["prompt_level_loose_acc"]
        without = "all of them" if whole is None else f"without them prompt_level_loose_acc is {whole:.4f}"
        yield f"{truncated} of {len(valid)} answers ended at the token cap; {without}"
    differing = sum(any(r["scores"][name] != r["scores"][first_tag_name(name)] for name in MAIN) for r in valid)
    if differing:
        other = _main_values(valid, first_tag=True)["prompt_level_loose_acc"]
        yield (
            f"{differing} of {len(valid)} answers score otherwise if unclosed reasoning is checked like an answer and "
            f"text behind the first </think> is kept up to a later one: prompt_level_loose_acc {other:.4f}"
        )
    yield from grader_notes(breakdowns, ungraded, lost)
