"""The most frequent reasons why answers fail, with examples."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from metrics.record import VerdictRecord
from report.answers import Shown, main_verdicts
from report.html.view import TaskView
from tasks.benchmark import Benchmark

__all__ = ["Failure", "failed_verdicts", "failures"]

SHOWN: Final = 12  # codes on the page; the samples can be filtered by all
_EXAMPLES: Final = 3
_IDS: Final = 3


class Failure(NamedTuple):
    """A code with which verdicts fail.

    Attributes:
        code: as the details have it.
        verdicts: with it.
        answers: that have at least one of them.
        share: of all verdicts that failed.
        checks: the checks that give it most often, with their counts.
        examples: (answer, check, reason), of different reasons while there are any.
    """

    code: str
    verdicts: int
    answers: int
    share: float
    checks: list[tuple[str, int]]
    examples: list[tuple[Shown, str, str]]


def failed_verdicts(bench: Benchmark, shown: Shown) -> list[VerdictRecord]:
    """The verdicts of the main grader that say no."""
    return [verdict for verdict in main_verdicts(bench, shown.record) if verdict["passed"] is False]


def failures(task: TaskView, most: int = SHOWN) -> list[Failure]:
    """The codes of failed verdicts, the most frequent first."""
    found: dict[str, list[tuple[Shown, str, str]]] = defaultdict(list)
    for shown in task.answers:
        for verdict in failed_verdicts(task.bench, shown):
            found[verdict["code"]].append((shown, verdict["id"], verdict["reason"]))
    total = sum(map(len, found.values()))
    order = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [_failure(code, cases, total) for code, cases in order[:most]]


def _failure(code: str, cases: Sequence[tuple[Shown, str, str]], total: int) -> Failure:
    checks = Counter(check for _, check, _ in cases)
    return Failure(
        code=code,
        verdicts=len(cases),
        answers=len({shown.place for shown, _, _ in cases}),
        share=len(cases) / total,
        checks=sorted(checks.items(), key=lambda item: (-item[1], item[0]))[:_IDS],
        examples=_examples(cases),
    )


def _examples(cases: Sequence[tuple[Shown, str, str]]) -> list[tuple[Shown, str, str]]:
    """The first ones of different checks, then the first of the rest; one an answer."""
    fresh: list[tuple[Shown, str, str]] = []
    rest: list[tuple[Shown, str, str]] = []
    for case in cases:
        seen = {check for _, check, _ in fresh}
        (rest if case[1] in seen else fresh).append(case)
    chosen: dict[int, tuple[Shown, str, str]] = {}
    for shown, check, reason in [*fresh, *rest]:
        if len(chosen) == _EXAMPLES:
            break
        chosen.setdefault(shown.place, (shown, check, reason))
    return list(chosen.values())
