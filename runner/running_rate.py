"""The running value of a run's first metric, with its interval, over the answers scored so far."""

from collections.abc import Hashable, Mapping

from metrics.headlines import MetricSpec
from metrics.record import Record
from metrics.stats import share_interval
from tasks.benchmark import Benchmark

__all__ = ["RunningRate"]


class RunningRate:
    """The mean of each benchmark's first metric.

    Answers that arrive first are the short ones: the interval is of what was scored, no forecast of the table. Where
    the questions with long answers are asked first, which are harder, it is not even that before the last answer.

    Args:
        benchmarks: of the run, by name.

    Attributes:
        longest_first: whether they are; the value then says so, and has no interval, while answers are to come.
    """

    def __init__(self, benchmarks: Mapping[str, Benchmark]) -> None:
        self.longest_first = False
        self._shares = all(map(_all_or_nothing, map(_first, benchmarks.values())))
        self._questions: dict[Hashable, tuple[float, int]] = {}  # what was met, and of how many answers

    def add(self, bench: Benchmark, record: Record) -> None:
        """Take in a scored answer, unless the metric is not known of it."""
        value = record["scores"].get(_first(bench).name)
        if value is not None:
            met, seen = self._questions.get((bench.name, record["id"]), (0.0, 0))
            self._questions[bench.name, record["id"]] = (met + value, seen + 1)

    def phrase(self, *, whole: bool = False) -> str:
        """In words: ``pass rate 0.714 [0.359, 0.918]``; empty before the first value. Only shares have an interval.

        Args:
            whole: whether no answer is to come.
        """
        if not self._questions:
            return ""
        met, seen = zip(*self._questions.values(), strict=True)
        mean = sum(met) / sum(seen)
        noun = "pass rate" if self._shares else "mean score"
        if self.longest_first and not whole:
            return f"{noun} {mean:.3f} (long answers first)"
        if not self._shares:
            return f"{noun} {mean:.3f}"
        interval = share_interval(met, seen)
        return f"{noun} {mean:.3f}" + (f" [{interval.low:.3f}, {interval.high:.3f}]" if interval is not None else "")


def _first(bench: Benchmark) -> MetricSpec:
    return next(spec for spec in bench.metrics if spec.name == bench.metric_names[0])


def _all_or_nothing(spec: MetricSpec) -> bool:
    return spec.unit == "share" and spec.by_question and spec.made_of is None
