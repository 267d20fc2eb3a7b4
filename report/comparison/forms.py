"""The JSON of ``report compare``; its field names are a promise to scripts."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from report.comparison.changes import P_VALUES, Change
from report.comparison.comparing import Comparison
from report.forms import ends_form
from report.loading import spoken

__all__ = ["change_form", "comparison_form"]


def comparison_form(runs: Sequence[str], found: Sequence[Sequence[Comparison]]) -> dict[str, Any]:
    """What ``report compare`` writes.

    With two runs ``{"runs", "common", "metrics", "questions", "groups", ...}``; with more ``{"runs", "comparisons"}``,
    where each comparison is such an object. Of several tasks each metric and group has its task's name before its own,
    ``TASK METRIC``.

    Args:
        runs: their names, the baseline first.
        found: for each further run its comparisons, one a task.
    """
    forms = [_against(runs[0], name, of) for name, of in zip(runs[1:], found, strict=True)]
    return forms[0] if len(forms) == 1 else {"runs": list(runs), "comparisons": forms}


def _against(baseline: str, name: str, found: Sequence[Comparison]) -> dict[str, Any]:
    form: dict[str, Any] = {"runs": [baseline, name], "common": 0, "metrics": {}, "questions": {}, "groups": {}}
    form |= {"power": {}, "variance": {}, "tasks": [str(one.pair.task) for one in found], "notes": []}
    counts = form["questions"]
    for one in found:
        before = f"{one.pair.task} " if len(found) > 1 else ""
        form["common"] += len(one.pair.questions)
        for moved in one.changes:
            form["metrics"][before + moved.name] = change_form(moved, one.p_holm.get(moved.name))
        for kind in ("won", "lost", "tied", "missing"):
            ids = [before + spoken(question) for question in getattr(one.questions, kind)]
            counts[kind] = counts.get(kind, 0) + len(ids)
            if kind != "tied":
                counts[f"{kind}_ids"] = counts.get(f"{kind}_ids", []) + ids
        counts["metric"] = ", ".join([*filter(None, [counts.get("metric")]), before + one.questions.metric])
        for group in one.groups:
            form["groups"][before + group.name] = {
                "difference": group.difference,
                "p": group.p,
                "p_holm": group.p_holm,
                "p_clustered": group.p_clustered,
                "p_clustered_holm": group.p_clustered_holm,
                "questions": group.questions,
            }
        discordance, observed = one.discordance
        form["power"][str(one.pair.task)] = {
            "smallest_difference": one.smallest if math.isfinite(one.smallest) else None,
            "discordance": discordance,
            "observed": observed,
        }
        form["variance"] |= {before + run: split._asdict() for run, split in one.splits.items()}
        form["notes"] += one.pair.notes
    return form


def change_form(moved: Change, p_holm: Mapping[str, float] | None = None) -> dict[str, Any]:
    """How far one metric moved; ``p_holm`` as in a comparison."""
    found = moved.found
    form: dict[str, Any] = {
        "values": list(moved.values),
        "difference": None if found is None else found.value,
        "interval": None if found is None else ends_form(found.interval),
        "interval_clustered": None if found is None else ends_form(found.interval_clustered),
        **{which: getattr(moved, which) for which in P_VALUES},
        "higher_is_better": moved.higher_is_better,
        "questions": moved.questions,
        "method": moved.method,
        "bounds": None if moved.bounds is None else list(moved.bounds),
        "interval_at_bounds": ends_form(moved.outer),
    }
    return form | {f"{which}_holm": p for which, p in (p_holm or {}).items()}
