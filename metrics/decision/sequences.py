"""Intervals of a whole set of questions that hold at every look: a run may be stopped the moment it is sure.

The level is for all looks together: the chance that the truth is ever outside an interval is at most ``level``,
whatever made one stop. The price is width: at the last look of a fixed number of questions, the intervals of
:mod:`metrics.stats` and :mod:`metrics.decision.paired` are narrower.

All of them speak of *this* set of questions: of a number that is known exactly when the last one is answered. Of the
population that the questions are a sample of, :mod:`metrics.decision.evidence` speaks.

All of them assume that the questions come in an order drawn at random before the run, and that nothing but the
completed prefix of that order is added: answers in order of arrival are another sample, since short ones come first.
A question that failed is added as None and stands for both of its possible values.
"""

import math

from metrics.decision.betting import LEVEL, BetsBetween, check_level, difference_ends, value_ends
from metrics.stats import Interval

__all__ = ["DifferenceOfSet", "MeanOfSet", "ShareOfSet"]


class _OfSet:
    """The questions of a set, added one by one."""

    def __init__(self, total: int, level: float = LEVEL) -> None:
        if total < 1:
            raise ValueError(f"at least 1 question is needed, got {total}")
        check_level(level)
        self.total, self.level = total, level
        self.answered = self.failed = 0

    def _count(self, failed: bool) -> None:
        if self.answered == self.total:
            raise ValueError(f"all {self.total} questions of the set were added already")
        self.answered += 1
        self.failed += failed


class ShareOfSet(_OfSet):
    """The share of passes over a whole set, from the prefix of its questions that is answered.

    Prior-posterior ratio (I. Waudby-Smith, A. Ramdas, "Confidence sequences for sampling without replacement", NeurIPS
    2020, arXiv 2006.04347): of N questions t are answered, s of them passed. A total K of passes is kept while
    ``BetaBin(K; N, 1, 1) / BetaBin(K - s; N - t, 1 + s, 1 + t - s) < 1 / level``, which is the same as: while
    ``P(s passes in t draws without replacement | K) > level / (t + 1)``. It depends on s and t alone, not on the path.

    Not to be used: for partial scores (:class:`MeanOfSet`); where repeats of a question are added one by one, which are
    no draws without replacement; to speak of other questions than this set's.

    Args:
        total: N, the number of questions in the set.
        level: chance that the truth is ever outside.

    Raises:
        ValueError: no question, a level out of range.
    """

    def __init__(self, total: int, level: float = LEVEL) -> None:
        super().__init__(total, level)
        self.passed = 0

    def add(self, passed: bool | None) -> None:
        """Adds the next question of the order: whether it passed; None if it failed and may be either.

        Raises:
            ValueError: the set has no further question.
        """
        self._count(failed=passed is None)
        self.passed += bool(passed)

    @property
    def interval(self) -> Interval:
        """Ends of the whole set's share; with failed questions from the lowest low end to the highest high end."""
        return Interval(self._kept(self.passed)[0] / self.total, self._kept(self.passed + self.failed)[1] / self.total)

    def _kept(self, passed: int) -> tuple[int, int]:
        """The least and the greatest total that are kept, if so many passed."""
        drawn, total = self.answered, self.total
        least, greatest = passed, total - drawn + passed
        if not drawn:
            return least, greatest
        bound = math.log(self.level / (drawn + 1)) + _log_choose(total, drawn)

        def kept(whole: int) -> bool:
            return _log_choose(whole, passed) + _log_choose(total - whole, drawn - passed) > bound

        # The likelihood has one peak, here; the total there is always kept.
        peak = min(greatest, max(least, passed * (total + 1) // drawn))
        low, high = peak, peak
        while least < low:
            middle = (least + low) // 2
            least, low = (least, middle) if kept(middle) else (middle + 1, low)
        while high < greatest:
            middle = (high + greatest + 1) // 2
            high, greatest = (middle, greatest) if kept(middle) else (high, middle - 1)
        return low, high


class _MeanOfSet(_OfSet):
    """The mean of values in [0, 1] of which some are known only to lie between two ends."""

    def __init__(self, total: int, level: float = LEVEL) -> None:
        super().__init__(total, level)
        self._bets = BetsBetween(total, level)

    def _bet(self, low: float, high: float) -> None:
        self._count(failed=low != high)
        self._bets.add(low, high)


class MeanOfSet(_MeanOfSet):
    """The mean over a whole set of a score in [0, 1], from the prefix of its questions that is answered.

    Hedged betting (I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting", J. Royal
    Stat. Soc. B 86 (2024) 1-27, arXiv 2010.09686): against each mean m two gamblers bet on the next value, which under
    m has the expectation ``m_i = (N m - sum of earlier values) / (N - i + 1)``, and m is dropped once one of them has
    made ``2 / level`` of 1. Each spreads what is owned over ten bets, which lose 1% to 90% of it at most and which are
    never changed: with the paper's single bet, which shrinks as ``1 / sqrt(t log t)``, a run of 1,260 needs half as
    many answers again. What is dropped stays dropped. Means are 1/1,000 apart, and the ends are rounded outwards.

    Not to be used: for values outside [0, 1]; for all-or-nothing verdicts, where :class:`ShareOfSet` is exact; where
    repeats of a question are added one by one (add their mean); for a geometric mean or a ratio of sums.

    Args:
        total: the number of questions in the set.
        level: chance that the truth is ever outside.

    Raises:
        ValueError: no question, a level out of range.
    """

    def add(self, value: float | None) -> None:
        """Adds the next question of the order: its score; None if it failed and may be anything from 0 to 1.

        Raises:
            ValueError: the set has no further question, or the value is not in [0, 1].
        """
        self._bet(*value_ends(value))

    @property
    def interval(self) -> Interval:
        """Ends of the whole set's mean; with failed questions the low end counts them as 0, the high end as 1."""
        return self._bets.ends()


class DifferenceOfSet(_MeanOfSet):
    """The mean of B minus the mean of A over a whole set, from the prefix of its questions that is answered.

    It is :class:`MeanOfSet` of ``(1 + b - a) / 2``. It speaks of this set alone, and therefore holds however questions
    move together.

    Not to be used: to speak of other questions than this set's (:class:`metrics.decision.evidence.PairedEvidence`).

    Args:
        total: the number of questions in the set.
        level: chance that the truth is ever outside.

    Raises:
        ValueError: no question, a level out of range.
    """

    def add(self, a: float | None, b: float | None) -> None:
        """Adds the next question of the order: each run's value; None if it failed and may be anything from 0 to 1.

        Raises:
            ValueError: the set has no further question, or a value is not in [0, 1].
        """
        low, high = difference_ends(a, b)
        self._bet((1 + low) / 2, (1 + high) / 2)

    @property
    def interval(self) -> Interval:
        """Ends of the whole set's difference, within [-1, 1]."""
        low, high = self._bets.ends()
        return Interval(2 * low - 1, 2 * high - 1)


def _log_choose(n: int, k: int) -> float:
    """Logarithm of the number of ways to draw ``k`` of ``n``, 0 <= k <= n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
