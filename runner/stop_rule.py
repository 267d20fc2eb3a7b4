"""Reads ``--stop-when``: the rule by which a run ends as soon as its answer is certain."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from metrics.headlines import MetricSpec
from runner.exits import UsageError
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["ORDER_SEED", "StopRule", "read_rule"]

Kind = Literal["halfwidth", "above", "below", "beats", "differs"]
_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
ORDER_SEED: Final = 0  # of the order of questions, where --shuffle-seed gives none
_WIDEST: Final = 0.5  # half-width at which nothing is known


@dataclass(frozen=True, slots=True)
class StopRule:
    """When a run may end.

    Attributes:
        text: as ``run.json`` has it; a path in it is absolute.
        kind: ``halfwidth``: the score of the whole set is known to within ``value``; ``above``, ``below``: it is
            certain on which side of ``value`` that score lies; ``beats``, ``differs``: it is certain that the model is
            better than that of ``baseline``, or that one of them is better.
        spec: the metric that is looked at.
        value: a share; 0 where there is a baseline.
        baseline: folder of a finished run; None where there is a value.
    """

    text: str
    kind: Kind
    spec: MetricSpec
    value: float = 0.0
    baseline: Path | None = None


def read_rule(text: str, tasks: Sequence[TaskName]) -> StopRule:
    """Read a rule.

    Args:
        text: as on the command line.
        tasks: of the run.

    Raises:
        UsageError: there is no such rule or metric, the metric has no formula that holds at every look, or the run has
            several tasks.
    """
    kind = next((name for name in _KINDS if text.startswith(f"{name}=")), None)
    if kind is None:
        forms = "halfwidth=0.05[:METRIC], above=V[:METRIC], below=V[:METRIC], beats=RUN_DIR or differs=RUN_DIR"
        raise UsageError(f"--stop-when {text!r}: expected {forms}")
    if len(tasks) > 1:
        named = ", ".join(map(str, tasks))
        raise UsageError(f"--stop-when is for a run of one task, this one has {named}: give each a command of its own")
    specs = benchmark(tasks[0].benchmark).metrics
    given = text.partition("=")[2]
    if kind in ("beats", "differs"):
        if not given:
            raise UsageError(f"--stop-when {text!r}: the folder of a finished run is missing")
        folder = Path(given).absolute()  # a resume may start elsewhere
        return StopRule(f"{kind}={folder}", kind, specs[0], baseline=folder)
    number, colon, metric = given.partition(":")
    return StopRule(text, kind, _spec(text, metric, specs) if colon else specs[0], _value(text, kind, number))


def _value(text: str, kind: Kind, number: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if kind == "halfwidth" and not 0 < value < _WIDEST:
        raise UsageError(f"--stop-when {text!r}: a half-width lies between 0 and 0.5 (5 points are 0.05)")
    if not 0 <= value <= 1:
        raise UsageError(f"--stop-when {text!r}: a score lies between 0 and 1 (40% is 0.4)")
    if (kind, value) in (("above", 1), ("below", 0)):
        raise UsageError(f"--stop-when {text!r}: no score is {kind} {value:g}, which is known without a question")
    return value


def _spec(text: str, metric: str, specs: Sequence[MetricSpec]) -> MetricSpec:
    usable = [spec.name for spec in specs if spec.mean_of_questions]
    found = next((spec for spec in specs if spec.name == metric), None)
    if found is None:
        raise UsageError(f"--stop-when {text!r}: no metric {metric!r}; there are {', '.join(usable)}")
    if not found.mean_of_questions:
        what = "a geometric mean over groups" if found.unit == "balance" else "no mean over the questions"
        raise UsageError(
            f"--stop-when {text!r}: {metric} is {what}, for which no interval is known that holds at every look; "
            f"there are {', '.join(usable)}"
        )
    return found
