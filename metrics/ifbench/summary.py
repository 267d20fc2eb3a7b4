"""IFBench over a run: both levels under every grader with intervals, and where graders and answers part ways."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from metrics.ifbench.records import MAIN, NOT_GRADABLE, first_tag_name, instruction_level, prompt_level
from metrics.reasons import clip
from metrics.record import Record, VerdictRecord
from metrics.stats import bootstrap_ratio
from metrics.summary import Headline, Summary, count_outcomes, in_order

__all__ = ["FAIL_UNDER", "LOWER_IS_BETTER", "SCORER_VERSION", "summarise"]

# N-X: N grows when old and new scores no longer compare, X when only the interface changed.
SCORER_VERSION: Final = "1-0"
# The grader whose verdicts the breakdowns by instruction and family show.
_SHOWN: Final = ("proposed_loose", "proposed")
_SHARES: Final[Mapping[str, Callable[[Record], float]]] = {
    "empty_share": lambda record: float(bool(record["empty"])),
    "truncated_share": lambda record: float(bool(record["truncated"])),
    "unclosed_reasoning_share": lambda record: float(bool(record["unclosed_reasoning"])),
    "degenerate_share": lambda record: record["scores"]["degenerate"] or 0.0,
}
LOWER_IS_BETTER: Final = tuple(_SHARES)
FAIL_UNDER: Final = (
    *MAIN,
    *(level(grader) for grader in ("fixes_only_loose", "fixes_only") for level in (prompt_level, instruction_level)),
)
_NO_ANSWER: Final = "no sample has a valid answer"
# A record's part of a rate: how much was met, out of how much.
Part = tuple[float, float]


def summarise(records: Sequence[Record]) -> Summary:
    """Rates over the samples with a valid answer, with intervals, bounds and breakdowns.

    Prompt level is a mean over answers, instruction level one over constraints; what a grader cannot judge here is in
    neither. The resampling unit is the question at both levels: its constraints and its repeats move together.

    Args:
        records: of one task, in any order, all scored with the same graders.
    """
    records = in_order(records)
    valid = [record for record in records if record["outcome"] == "answered"]
    graders = list(dict.fromkeys(verdict["family"] for record in records for verdict in record["verdicts"]))
    wanted = dict(MAIN)
    for grader in _loose_first(graders):
        if grader not in _SHOWN:
            wanted[prompt_level(grader)] = ("prompt_level", grader)
            wanted[instruction_level(grader)] = ("instruction_level", grader)
    ungraded = _ungraded(valid)
    headlines = [
        _rate_headline(name, level, grader, records, ungraded.get(grader, {}))
        for name, (level, grader) in wanted.items()
    ]
    headlines += [_share_headline(name, share, records) for name, share in _SHARES.items()]
    breakdowns = _breakdowns(valid, graders)
    return Summary(tuple(headlines), count_outcomes(records), breakdowns, tuple(_notes(valid, ungraded, breakdowns)))


def _loose_first(graders: Sequence[str]) -> list[str]:
    """The graders, which come as strict and loose of one source after another, with the loose one first."""
    return [grader for pair in zip(graders[1::2], graders[::2], strict=True) for grader in pair]


def _of(record: Record, grader: str) -> list[VerdictRecord]:
    return [verdict for verdict in record["verdicts"] if verdict["family"] == grader]


def _ungraded(valid: Iterable[Record]) -> dict[str, dict[str, str]]:
    """For each grader the instructions that it could not judge, with the reason."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for record in valid:
        for verdict in record["verdicts"]:
            if verdict["code"] == NOT_GRADABLE:
                found[verdict["family"]].setdefault(verdict["id"], verdict["reason"])
    return found


def _prompt_part(verdicts: Sequence[VerdictRecord]) -> Part:
    if any(verdict["passed"] is None for verdict in verdicts):
        return 0.0, 0.0
    return float(all(verdict["passed"] for verdict in verdicts)), 1.0


def _instruction_part(verdicts: Sequence[VerdictRecord]) -> Part:
    passed = [verdict["passed"] for verdict in verdicts if verdict["passed"] is not None]
    return float(sum(passed)), float(len(passed))


_PARTS: Final[Mapping[str, Callable[[Sequence[VerdictRecord]], Part]]] = {
    "prompt_level": _prompt_part,
    "instruction_level": _instruction_part,
}


def _rate_headline(
    name: str, level: str, grader: str, records: Sequence[Record], ungraded: Mapping[str, str]
) -> Headline:
    parts: dict[str, list[Part]] = defaultdict(list)
    missing = 0.0
    for record in records:
        verdicts = _of(record, grader)
        if record["outcome"] == "answered":
            parts[record["id"]].append(_PARTS[level](verdicts))
        else:
            kept = [verdict for verdict in verdicts if verdict["id"] not in ungraded]
            missing += len(kept) if level == "instruction_level" else float(len(kept) == len(verdicts))
    unit = "prompts" if level == "prompt_level" else "constraints"
    why = f"the {unit} cannot be graded: {clip(next(iter(ungraded.values())))}" if ungraded else _NO_ANSWER
    note = f"{unit} it cannot grade left out" if ungraded else ""
    return _headline(name, list(parts.values()), missing, len(records), why, note, higher=True)


def _share_headline(name: str, share: Callable[[Record], float], records: Sequence[Record]) -> Headline:
    parts: dict[str, list[Part]] = defaultdict(list)
    for record in records:
        if record["outcome"] == "answered":
            parts[record["id"]].append((share(record), 1.0))
    answered = sum(map(len, parts.values()))
    return _headline(name, list(parts.values()), len(records) - answered, len(records), _NO_ANSWER, "", higher=False)


def _headline(
    name: str, parts: Sequence[Sequence[Part]], missing: float, total: int, why: str, note: str, *, higher: bool
) -> Headline:
    """A ratio over questions.

    Args:
        name: of the headline.
        parts: for each question the parts of its answers.
        missing: how much the samples without a valid answer would add to the denominator.
        total: samples asked for.
        why: reason for an undefined value.
        note: what was left out of a defined one.
        higher: direction of the metric.
    """
    met = [sum(part[0] for part in group) for group in parts]
    counted = [sum(part[1] for part in group) for group in parts]
    n, whole = int(sum(counted)), sum(counted) + missing
    bounds = None
    if sum(map(len, parts)) < total and whole:
        bounds = (sum(met) / whole, (sum(met) + missing) / whole)
    if not n:
        return Headline(name, None, None, 0, bounds, why, higher)
    return Headline(name, sum(met) / n, bootstrap_ratio(met, counted), n, bounds, note, higher)


def _breakdowns(valid: Sequence[Record], graders: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """By instruction and family under the proposed readings, by grader, by pair of graders, by truncation."""
    if not valid:
        return {}
    breakdowns = {
        "family": _by(valid, lambda name: name.partition(":")[0]),
        "instruction": _by(valid, lambda name: name),
        "grader": {grader: _tally([v for r in valid for v in _of(r, grader)]) for grader in graders},
        "pair": _pairs(valid, graders),
    }
    if any(record["truncated"] for record in valid):
        whole = [record for record in valid if not record["truncated"]]
        breakdowns["answers"] = {
            "all": {"n": len(valid), **_main_values(valid)},
            "not truncated": {"n": len(whole), **_main_values(whole)},
        }
    return breakdowns


def _by(valid: Sequence[Record], label: Callable[[str], str]) -> dict[str, dict[str, Any]]:
    """Constraints and their pass rates, loose and strict, by a label of the instruction."""
    rates = {}
    for grader in _SHOWN:
        seen: Counter[str] = Counter()
        passed: Counter[str] = Counter()
        for verdict in (v for record in valid for v in _of(record, grader)):
            seen[label(verdict["id"])] += 1
            passed[label(verdict["id"])] += bool(verdict["passed"])
        rates[grader] = {name: passed[name] / count for name, count in seen.items()}
    return {
        name: {"n": seen[name], "loose_acc": rates["proposed_loose"][name], "strict_acc": rates["proposed"][name]}
        for name in sorted(seen)
    }


def _tally(verdicts: Sequence[VerdictRecord]) -> dict[str, Any]:
    codes = Counter(verdict["code"] for verdict in verdicts)
    return {
        "n": len(verdicts),
        "passed": sum(bool(verdict["passed"]) for verdict in verdicts),
        "crashes": codes["crash"],
        "not_gradable": codes[NOT_GRADABLE],
    }


def _pairs(valid: Sequence[Record], graders: Sequence[str]) -> dict[str, dict[str, Any]]:
    """For each two graders of one kind: verdicts that both gave, how many differ, and which of the two passed it."""
    pairs = {}
    for kind in (True, False):
        for one, other in combinations([grader for grader in graders if grader.endswith("_loose") == kind], 2):
            both = [
                (a["passed"], b["passed"])
                for record in valid
                for a, b in zip(_of(record, one), _of(record, other), strict=True)
                if a["passed"] is not None and b["passed"] is not None
            ]
            pairs[f"{one} and {other}"] = {
                "n": len(both),
                "differ": sum(a != b for a, b in both),
                "first_alone_passes": sum(a and not b for a, b in both),
                "second_alone_passes": sum(b and not a for a, b in both),
            }
    return pairs


def _main_values(records: Sequence[Record], first_tag: bool = False) -> dict[str, float | None]:
    """The four main values; instruction level weighs an answer by its constraints."""
    values: dict[str, float | None] = {}
    for name, (level, grader) in MAIN.items():
        key = first_tag_name(name) if first_tag else name
        weights = [len(_of(record, grader)) if level == "instruction_level" else 1 for record in records]
        met = sum(weight * (record["scores"][key] or 0.0) for weight, record in zip(weights, records, strict=True))
        values[name] = met / sum(weights) if weights else None
    return values


def _notes(
    valid: Sequence[Record],
    ungraded: Mapping[str, Mapping[str, str]],
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> Iterable[str]:
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
    tallies = breakdowns.get("grader", {})
    if crashes := [f"{grader} {tally['crashes']}" for grader, tally in tallies.items() if tally["crashes"]]:
        yield f"checkers that raised, counted as not followed: {', '.join(crashes)}"
    for name in dict.fromkeys(grader.rpartition("_")[0] for grader in ungraded):
        of_it = {i: why for kind in ("strict", "loose") for i, why in ungraded.get(f"{name}_{kind}", {}).items()}
        listed = ", ".join(sorted(of_it)[:4]) + (", ..." if len(of_it) > 4 else "")
        first, why = next(iter(of_it.items()))
        why = why.removeprefix(f"{name}: ").removeprefix(f"{first}: ").removesuffix(".")
        yield f"instructions that {name} cannot grade here: {len(of_it)} ({listed}; {why})"
    pairs = breakdowns.get("pair", {})
    if split := [f"{pair} {counts['differ']} of {counts['n']}" for pair, counts in pairs.items() if counts["differ"]]:
        yield f"constraints on which graders differ: {'; '.join(split)}"
