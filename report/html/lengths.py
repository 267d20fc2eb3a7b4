"""Pass rate against the length of answers."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from metrics.stats import Interval, share_interval
from report.answers import Shown, main_verdicts, right
from report.html.view import TaskView

__all__ = ["Bin", "LengthRates", "length_rates"]

_BINS: Final = 8
_SMALLEST: Final = 5  # answers, where there are enough for two bins

# An answer's length with what was met in it, out of how much.
_Point = tuple[int, float, float]


class Bin(NamedTuple):
    """Answers of about one length.

    Attributes:
        low, high: the shortest and the longest, in characters.
        answers: how many.
        rate: what was met in them.
        interval: 95%, over answers.
    """

    low: int
    high: int
    answers: int
    rate: float
    interval: Interval


class LengthRates(NamedTuple):
    """A task's rates by length.

    Attributes:
        whole: share of answers that are right.
        single: share of requirements met; empty where an answer has one verdict.
    """

    whole: list[Bin]
    single: list[Bin]


def length_rates(task: TaskView) -> LengthRates:
    """Of the answers with text and a verdict, in bins of about equal numbers; answers of one length share a bin."""
    shown = [one for one in task.answers if one.text and one.record["outcome"] == "answered"]
    single = [len(main_verdicts(task.bench, one.record)) for one in shown]
    return LengthRates(
        _bins(shown, _whole),
        _bins(shown, lambda one: _met(task, one)) if max(single, default=0) > 1 else [],
    )


def _whole(shown: Shown) -> tuple[float, float]:
    passed = right(shown)
    return (0.0, 0.0) if passed is None else (float(passed), 1.0)


def _met(task: TaskView, shown: Shown) -> tuple[float, float]:
    passed = [verdict["passed"] for verdict in main_verdicts(task.bench, shown.record)]
    return float(sum(map(bool, passed))), float(sum(one is not None for one in passed))


def _bins(answers: Sequence[Shown], part: Callable[[Shown], tuple[float, float]]) -> list[Bin]:
    points = sorted((len(one.text), *part(one)) for one in answers)
    points = [point for point in points if point[2]]
    return [_bin(points[start:end]) for start, end in _cuts([length for length, _, _ in points])]


def _cuts(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Where bins begin and end; equal lengths stay together."""
    wanted = max(1, min(_BINS, len(lengths) // _SMALLEST))
    ends: list[int] = []
    for number in range(1, wanted + 1):
        end = round(number * len(lengths) / wanted)
        while 0 < end < len(lengths) and lengths[end] == lengths[end - 1]:
            end += 1
        if end > (ends[-1] if ends else 0):
            ends.append(end)
    return list(zip([0, *ends], ends, strict=False))


def _bin(points: Sequence[_Point]) -> Bin:
    met, seen = [point[1] for point in points], [point[2] for point in points]
    interval = share_interval(met, seen)
    assert interval is not None  # every point has seen something
    return Bin(points[0][0], points[-1][0], len(points), sum(met) / sum(seen), interval)
