"""A task's answers by the run's verdicts and by the present ones: what changed, and how far the headlines moved."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from metrics.record import Record, VerdictRecord
from metrics.stats import LEVEL
from metrics.summary import Headline
from report.comparison.changes import Change, change
from report.comparison.comparing import metrics_of
from report.comparison.pairing import Pair, clusters_of
from report.loading import answer_name
from tasks.benchmark import Benchmark
from tasks.names import TaskName

__all__ = ["OutcomeChange", "RescoredTask", "Scored", "VerdictChange", "rescored_task"]

_SAME: Final = 1e-9  # values of one headline that differ by less are equal
_LOOKS: Final = ("empty", "truncated", "unclosed_reasoning")
_SAID: Final = ("passed", "code", "reason", "observed", "wanted")
_VERDICTS: Final[Mapping[bool | None, str]] = {True: "passed", False: "failed", None: "none"}
_Verdicts = dict[tuple[str, int, str], VerdictRecord]  # by grader, place and requirement


class VerdictChange(NamedTuple):
    """A verdict that is not what it was.

    Attributes:
        answer: the question's id, with the number of the repeat from the second on.
        requirement, grader, place: see :class:`metrics.record.VerdictRecord`.
        before, after: the run's verdict and the present one; None where there is none.
    """

    answer: str
    requirement: str
    grader: str
    place: int
    before: VerdictRecord | None
    after: VerdictRecord | None

    @property
    def kind(self) -> str:
        """What changed: the ``verdict``, only its ``code``, or only the ``words`` (reason and values)."""
        if self.before is None or self.after is None or self.before["passed"] is not self.after["passed"]:
            return "verdict"
        return "code" if self.before["code"] != self.after["code"] else "words"

    @property
    def move(self) -> str:
        """From which verdict to which: ``failed -> passed``."""
        return " -> ".join(_VERDICTS[None if one is None else one["passed"]] for one in (self.before, self.after))


class OutcomeChange(NamedTuple):
    """An answer that ends otherwise: without a verdict now, or with one.

    Attributes:
        answer: as in :class:`VerdictChange`.
        before, after: outcomes.
        error: why there is no verdict now; empty otherwise.
    """

    answer: str
    before: str
    after: str
    error: str


@dataclass(frozen=True, slots=True)
class RescoredTask:
    """A task's answers, scored again.

    Attributes:
        task: as it was asked for.
        answers: number of answers, and of those that are missing.
        verdicts: number of present verdicts, by grader and requirement.
        changes: the verdicts that changed.
        outcomes: the answers that end otherwise.
        unreadable: what today's scorer cannot read of a stored question, with the answers that are not scored for it.
        values: number of answers, ending as they did, of which another value changed, by its name.
        before, after: the headlines by the run's verdicts and by the present ones; ``before`` is empty if it has none.
        differences: how far each headline moved, paired.
        recorded: headlines by ``run.json`` that the stored verdicts do not give, with both values.
    """

    task: TaskName
    answers: tuple[int, int]
    verdicts: Mapping[tuple[str, str], int]
    changes: list[VerdictChange]
    outcomes: list[OutcomeChange]
    unreadable: Mapping[str, list[str]]
    values: Mapping[str, int]
    before: tuple[Headline, ...]
    after: tuple[Headline, ...]
    differences: list[Change]
    recorded: Mapping[str, tuple[float | None, float | None]]

    def of_kind(self, kind: str) -> list[VerdictChange]:
        """The changes of a kind."""
        return [one for one in self.changes if one.kind == kind]


class Scored(NamedTuple):
    """An answer: the run's record, the present one, and what of its question cannot be read today."""

    before: Record | None
    after: Record
    unreadable: str


def rescored_task(
    run: str, row: Mapping[str, Any], task: TaskName, bench: Benchmark, held: Sequence[Scored]
) -> RescoredTask:
    """What became of a task's answers.

    Args:
        run: the run's name.
        row: what ``run.json`` says of the task.
        task: as it was asked for.
        bench: its benchmark.
        held: its answers.
    """
    both = [(one.before, one.after) for one in held if one.before is not None]
    readable = [(a, b) for one in held if not one.unreadable and (a := one.before) is not None and (b := one.after)]
    unreadable: dict[str, list[str]] = defaultdict(list)
    for one in held:
        if one.unreadable:
            unreadable[one.unreadable].append(answer_name(one.after))
    before = bench.summarise([a for a, _ in both]).headlines if both else ()
    after = bench.summarise([one.after for one in held]).headlines
    return RescoredTask(
        task=task,
        answers=(len(held), sum(one.after["outcome"] in ("failed", "blocked", "not_asked") for one in held)),
        verdicts=Counter((v["grader"], v["id"]) for one in held for v in one.after["verdicts"]),
        changes=[moved for a, b in readable if b["outcome"] != "unscored" for moved in _changes(a, b)],
        outcomes=[
            OutcomeChange(answer_name(b), a["outcome"], b["outcome"], b["error"])
            for a, b in both
            if a["outcome"] != b["outcome"]
        ],
        unreadable=dict(unreadable),
        values=_values((a, b) for a, b in readable if a["outcome"] == b["outcome"]),
        before=before,
        after=after,
        differences=_differences(task, bench, run, both) if both else [],
        recorded=_recorded(before, row),
    )


def _changes(before: Record, after: Record) -> Iterator[VerdictChange]:
    then, now = _by_place(before), _by_place(after)
    for key in [*then, *(key for key in now if key not in then)]:
        a, b = then.get(key), now.get(key)
        grader, place, requirement = key
        if a is None or b is None or any(a[name] != b[name] for name in _SAID):
            yield VerdictChange(answer_name(after), requirement, grader, place, a, b)


def _by_place(record: Record) -> _Verdicts:
    return {(verdict["grader"], verdict["place"], verdict["id"]): verdict for verdict in record["verdicts"]}


def _values(pairs: Iterable[tuple[Record, Record]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for before, after in pairs:
        found.update(name for name in _LOOKS if before.get(name) != after[name])
        scores = before["scores"]
        found.update(name for name, value in after["scores"].items() if not _close(scores[name], value))
    return dict(sorted(found.items()))


def _close(a: float | None, b: float | None) -> bool:
    return a is b if a is None or b is None else math.isclose(a, b, abs_tol=_SAME)


def _differences(task: TaskName, bench: Benchmark, name: str, both: Collection[tuple[Record, Record]]) -> list[Change]:
    question = bench.metrics[0].question
    then: dict[Hashable, list[Record]] = defaultdict(list)
    now: dict[Hashable, list[Record]] = defaultdict(list)
    for a, b in both:
        then[question(a)].append(a)
        now[question(b)].append(b)
    questions = sorted(now)  # type: ignore[type-var]  # of one type each
    clusters = clusters_of(bench, questions, (then, now))
    pair = Pair(task, bench, (name, f"{name}, scored again"), questions, (then, now), clusters, [])
    return [moved for spec in metrics_of(pair) if (moved := change(spec, pair, LEVEL)) is not None]


def _recorded(before: Sequence[Headline], row: Mapping[str, Any]) -> dict[str, tuple[float | None, float | None]]:
    """Headlines of ``run.json`` that its verdicts do not give by the present formulas."""
    return {
        one.name: (row[one.name], one.value)
        for one in before
        if one.name in row and not _close(row[one.name], one.value)
    }
