"""Headlines, outcomes and looks of answers, as ``run.json`` and the run's table have them."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from metrics.headlines import MetricSpec
from metrics.record import OUTCOMES
from metrics.summary import count_outcomes
from report.html.view import TaskView
from report.results import Value, value_of

__all__ = ["Headline", "Share", "fine_rates", "headlines", "looks", "outcomes"]

_LOOKS: Final = {
    "empty": "empty",
    "truncated": "truncated at a limit",
    "unclosed_reasoning": "with unclosed reasoning",
}
_OUTCOMES: Final = {
    "answered": "answered and scored",
    "failed": "failed: the server gave no answer",
    "not_asked": "not asked",
    "unscored": "not scored",
    "unjudged": "unjudged",
    "blocked": "blocked: the server withheld the text",
}


class Headline(NamedTuple):
    """One metric of one task.

    Attributes:
        told: what ``run.json`` has of it.
        known, asked: the answers that it is known of, and those it is about.
    """

    told: Value
    known: int
    asked: int


class Share(NamedTuple):
    """How many answers are of a kind.

    Attributes:
        name: of the kind.
        words: for people.
        number: the answers of it.
        whole: out of so many.
    """

    name: str
    words: str
    number: int
    whole: int

    @property
    def share(self) -> float | None:
        """None of nothing."""
        return self.number / self.whole if self.whole else None


def headlines(task: TaskView) -> Iterator[Headline]:
    """In the order of the table; the values are those of ``run.json``."""
    for spec in task.specs:
        if f"{spec.name}_ci_low" in task.row:
            yield _headline(spec, task)


def _headline(spec: MetricSpec, task: TaskView) -> Headline:
    asked = [record for record in task.records if spec.about is None or spec.about(record)]
    return Headline(
        told=value_of(task.row, spec.name, spec.higher_is_better),
        known=sum(record["outcome"] in spec.outcomes for record in asked),
        asked=len(asked),
    )


def outcomes(task: TaskView) -> list[Share]:
    """How the answers ended; kinds without one are left out."""
    counts = count_outcomes(task.records)
    return [Share(name, _OUTCOMES[name], count, counts.total) for name in OUTCOMES if (count := getattr(counts, name))]


def looks(task: TaskView) -> list[Share]:
    """Empty, truncated and unclosed answers, out of those that are at hand."""
    counts = count_outcomes(task.records)
    return [Share(name, words, getattr(counts, name), counts.at_hand) for name, words in _LOOKS.items()]


def fine_rates(task: TaskView) -> dict[str, dict[str, Any]]:
    """The breakdown by requirement: label -> ``n`` and the values that the benchmark's ``fine_axis`` names."""
    axis, names = task.bench.fine_axis
    found: dict[str, dict[str, Any]] = {}
    for key, value in task.row.items():
        if key.startswith(f"{axis}/") and (label := key.removeprefix(f"{axis}/")) != key:
            label, _, name = label.rpartition("/")
            if name in ("n", *names):
                found.setdefault(label, {})[name] = value
    return dict(sorted(found.items()))
