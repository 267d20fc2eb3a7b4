"""Where graders part ways: what each could not judge, how its verdicts came out, and how many differ by pair."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from metrics.ifbench.records import GRADER_FAILED, NOT_GRADABLE
from metrics.record import Record, VerdictRecord

__all__ = ["failed_by", "grader_notes", "pairs", "tally", "ungraded_by", "verdicts_of"]


def verdicts_of(record: Record, grader: str) -> list[VerdictRecord]:
    """The verdicts of one grader."""
    return [verdict for verdict in record["verdicts"] if verdict["grader"] == grader]


def ungraded_by(valid: Iterable[Record]) -> dict[str, dict[str, str]]:
    """For each grader the instructions that it could not judge, with the reason."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for record in valid:
        for verdict in record["verdicts"]:
            if verdict["code"] == NOT_GRADABLE:
                found[verdict["grader"]].setdefault(verdict["id"], verdict["reason"])
    return found


def failed_by(valid: Iterable[Record]) -> dict[str, list[str]]:
    """For each grader the verdicts that it failed to give: the reasons."""
    found: dict[str, list[str]] = defaultdict(list)
    for record in valid:
        for verdict in record["verdicts"]:
            if verdict["code"] == GRADER_FAILED:
                found[verdict["grader"]].append(verdict["reason"])
    return found


def tally(valid: Iterable[Record], grader: str) -> dict[str, Any]:
    """How the verdicts of one grader came out; ``grader_failed`` where it failed to give some."""
    verdicts = [verdict for record in valid for verdict in verdicts_of(record, grader)]
    codes = Counter(verdict["code"] for verdict in verdicts)
    return {
        "n": len(verdicts),
        "passed": sum(bool(verdict["passed"]) for verdict in verdicts),
        "crashes": codes["crash"],
        "not_gradable": codes[NOT_GRADABLE],
        **({"grader_failed": codes[GRADER_FAILED]} if codes[GRADER_FAILED] else {}),
    }


def pairs(valid: Sequence[Record], graders: Sequence[str]) -> dict[str, dict[str, Any]]:
    """For each two graders of one kind: verdicts that both gave, how many differ, and which of the two passed it."""
    found = {}
    for kind in (True, False):
        for one, other in combinations([grader for grader in graders if grader.endswith("_loose") == kind], 2):
            both = [
                (a["passed"], b["passed"])
                for record in valid
                for a, b in zip(verdicts_of(record, one), verdicts_of(record, other), strict=True)
                if a["passed"] is not None and b["passed"] is not None
            ]
            found[f"{one} and {other}"] = {
                "n": len(both),
                "differ": sum(a != b for a, b in both),
                "first_alone_passes": sum(a and not b for a, b in both),
                "second_alone_passes": sum(b and not a for a, b in both),
            }
    return found


def grader_notes(
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]],
    ungraded: Mapping[str, Mapping[str, str]],
    lost: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """Sentences on graders that crash, fail, cannot grade, or differ.

    Args:
        breakdowns: with those by ``grader`` and ``pair``.
        ungraded: see ungraded_by.
        lost: see failed_by.
    """
    tallies = breakdowns.get("grader", {})
    if crashes := [f"{grader} {tally['crashes']}" for grader, tally in tallies.items() if tally["crashes"]]:
        yield f"checkers that raised, counted as not followed: {', '.join(crashes)}"
    if lost:
        listed = ", ".join(f"{grader} {len(reasons)}" for grader, reasons in lost.items())
        yield f"verdicts that a grader failed to give, left out: {listed} ({next(iter(lost.values()))[0]})"
    for name in dict.fromkeys(grader.rpartition("_")[0] for grader in ungraded):
        of_it = {i: why for kind in ("strict", "loose") for i, why in ungraded.get(f"{name}_{kind}", {}).items()}
        listed = ", ".join(sorted(of_it)[:4]) + (", ..." if len(of_it) > 4 else "")
        first, why = next(iter(of_it.items()))
        why = why.removeprefix(f"{name}: ").removeprefix(f"{first}: ").removesuffix(".")
        yield f"instructions that {name} cannot grade here: {len(of_it)} ({listed}; {why})"
    if split := [
        f"{pair} {counts['differ']} of {counts['n']}"
        for pair, counts in breakdowns.get("pair", {}).items()
        if counts["differ"]
    ]:
        yield f"constraints on which graders differ: {'; '.join(split)}"
