"""Brings the records of earlier versions into the present form (:class:`metrics.record.Record`)."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["in_present_form"]

# Up to 0.1 its verdicts named their grader in ``family``; those of the other benchmarks have one grader.
_MANY_GRADERS: Final = "ifbench"
# Up to 0.1 what judging took was a verdict of this id.
_JUDGED: Final = ("hardmultiqa", "judge")


def in_present_form(record: Mapping[str, Any], benchmark: str) -> dict[str, Any]:
    """A record as this version writes it; one of this version comes back as it is.

    Versions up to 0.1 had ``family`` where ``group``, ``grader`` and ``place`` are now, and no ``judging``.

    Args:
        record: as a details file has it.
        benchmark: the benchmark of its task.

    Raises:
        KeyError, ValueError: it is a record of no version.
    """
    stored: Sequence[Mapping[str, Any]] = record["verdicts"] or ()
    places: Counter[str] = Counter()
    verdicts, judging = [], record.get("judging")
    for verdict in stored:
        if "grader" in verdict:
            verdicts.append(dict(verdict))
        elif (benchmark, verdict["id"]) == _JUDGED:
            judging = json.loads(verdict["observed"])
        else:
            found = _graded(verdict, benchmark, places)
            places[found["grader"]] += 1
            verdicts.append(found)
    return {**record, "verdicts": verdicts, "judging": judging}


def _graded(verdict: Mapping[str, Any], benchmark: str, places: Mapping[str, int]) -> dict[str, Any]:
    kept = {name: value for name, value in verdict.items() if name != "family"}
    many = benchmark == _MANY_GRADERS
    grader = verdict["family"] if many else benchmark
    group = verdict["id"].partition(":")[0] if many else verdict["family"]
    if benchmark == _JUDGED[0]:
        group = verdict["id"]
    return {**kept, "group": group, "grader": grader, "place": places[grader]}
