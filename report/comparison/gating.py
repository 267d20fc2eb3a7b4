"""A gate: did a run drop below its baseline by more than is allowed, for sure?"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from metrics.stats import Interval
from report.comparison.changes import Change, change
from report.comparison.comparing import level_of, metrics_of
from report.comparison.pairing import Pair, pairs_of
from report.errors import ReportError
from report.loading import Loaded
from report.wording import interval_words, points

__all__ = ["Verdict", "gate", "gate_form", "write_junit"]

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate says of one metric of one task.

    Attributes:
        task, metric: which.
        drop: how far the run is below the baseline, for a metric where lower is better above it; negative for a gain.
        interval: of the drop, missing answers at both ends.
        allowed: the largest drop that passes.
        established: whether the drop is larger for sure: the whole interval lies above ``allowed``.
        smallest: the smallest drop beyond the allowed one that such a comparison finds at 80%.
        words: all of it in a sentence.
    """

    task: str
    metric: str
    drop: float
    interval: Interval
    allowed: float
    established: bool
    smallest: float
    words: str


def gate(
    run: Loaded, baseline: Loaded, allowed: float, metrics: Sequence[str] = (), common: bool = False
) -> tuple[list[Verdict], list[str]]:
    """Hold a run against its baseline.

    Args:
        run: what is to pass.
        baseline: what it is held against.
        allowed: the largest drop that passes, a share.
        metrics: which; empty for the first headline of each task. Several are corrected for their number (Bonferroni).
        common: as for :func:`report.comparison.pairing.pairs_of`.

    Returns:
        the verdicts, and what the reader must know of the comparison.

    Raises:
        ReportError: the runs do not compare, a metric that no task has, a metric without a value.
    """
    pairs = pairs_of(baseline, run, common)
    wanted = [(pair, spec) for pair in pairs for spec in metrics_of(pair) if spec.name in metrics]
    unknown = set(metrics) - {spec.name for _, spec in wanted}
    if unknown:
        there = ", ".join(dict.fromkeys(spec.name for pair in pairs for spec in metrics_of(pair)))
        raise ReportError(f"--metric {sorted(unknown)[0]}: there are {there}")
    wanted = wanted or [(pair, metrics_of(pair)[0]) for pair in pairs]
    level = level_of(len(wanted))
    verdicts = []
    for pair, spec in wanted:
        moved = change(spec, pair, level)
        if moved is None or moved.found is None or moved.widest is None:
            raise ReportError(f"{spec.name} of {pair.task} has no value in one of the runs: nothing to compare")
        verdicts.append(_verdict(pair, moved, moved.found.value, moved.widest, allowed))
    return verdicts, list(dict.fromkeys(note for pair in pairs for note in pair.notes))


def _verdict(pair: Pair, moved: Change, difference: float, ends: Interval, allowed: float) -> Verdict:
    drop, interval = difference, ends
    if moved.higher_is_better:
        drop, interval = -difference, Interval(-ends.high, -ends.low)
    established = interval.low > allowed
    first, second = (f"{value:.4f}" for value in moved.values if value is not None)
    ended = "a drop of more than" if established else "no drop of more than"
    words = (
        f"{pair.task} {moved.name}: {first} in {pair.names[0]}, {second} in {pair.names[1]}, difference "
        f"{difference:+.4f} {interval_words(ends)}: {ended} {points(allowed)} is established"
    )
    if moved.bounds is not None:
        words += f" (missing answers counted both ways: {moved.bounds[0]:+.4f} to {moved.bounds[1]:+.4f})"
    if not established:
        words += f"; {_could_have_seen(moved, allowed)}"
    return Verdict(str(pair.task), moved.name, drop, interval, allowed, established, moved.smallest, words)


def _could_have_seen(moved: Change, allowed: float) -> str:
    """What a gate that passes could have failed on."""
    before = moved.values[0]
    if before is not None and moved.bounds is None:
        room = before if moved.higher_is_better else 1 - before
        if room <= allowed + _ROUNDING:
            return f"from {before:.4f} no drop can be larger: such a gate never fails"
    if moved.smallest + allowed > 1:
        return f"{moved.questions} questions are too few to show any drop at 80%"
    return f"{moved.questions} questions would show, at 80%, a drop {points(moved.smallest)} larger than that"


def gate_form(names: tuple[str, str], verdicts: Sequence[Verdict], notes: Sequence[str]) -> dict[str, Any]:
    """What ``report gate --json`` writes.

    Args:
        names: of the baseline and of the run.
        verdicts, notes: of :func:`gate`.
    """
    baseline, run = names
    return {
        "run": run,
        "against": baseline,
        "established": any(verdict.established for verdict in verdicts),
        "notes": list(notes),
        "metrics": [
            {
                "task": verdict.task,
                "metric": verdict.metric,
                "drop": verdict.drop,
                "interval": list(verdict.interval),
                "max_drop": verdict.allowed,
                "established": verdict.established,
                "smallest_difference": verdict.smallest,
            }
            for verdict in verdicts
        ],
    }


def write_junit(path: Path, verdicts: Sequence[Verdict], refusal: str = "") -> None:
    """Write what a CI server shows: a test case a metric; one with an error where the runs do not compare.

    Args:
        path: of the file.
        verdicts: of :func:`gate`.
        refusal: why there are none.

    Raises:
        ReportError: the file cannot be written.
    """
    counts = {"tests": len(verdicts) + bool(refusal), "failures": sum(verdict.established for verdict in verdicts)}
    counts["errors"] = int(bool(refusal))
    attributes = {name: str(count) for name, count in counts.items()}
    suite = ElementTree.Element("testsuite", {"name": "report gate", **attributes})
    for verdict in verdicts:
        case = ElementTree.SubElement(suite, "testcase", {"classname": verdict.task, "name": verdict.metric})
        if verdict.established:
            ElementTree.SubElement(case, "failure", {"message": _plain(verdict.words)})
        else:
            ElementTree.SubElement(case, "system-out").text = _plain(verdict.words)
    if refusal:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "report gate", "name": "runs compare"})
        ElementTree.SubElement(case, "error", {"message": _plain(refusal)})
    try:
        ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ReportError(f"--junit {path}: {error.strerror or error}") from None


def _plain(text: str) -> str:
    """Without characters that no XML file may hold."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
