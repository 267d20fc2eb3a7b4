"""Evidence that holds at every look: a run may be watched answer by answer and stopped the moment it is sure.

The level is for all looks together: the chance that the truth is ever outside an interval, or that a wrong decision is
ever made, is at most ``level``, whatever made one stop. The price is width: at the last look of a fixed number of
questions, the intervals of :mod:`metrics.stats` and :mod:`metrics.decision.paired` are narrower.

Two questions are kept apart. :class:`ShareOfSet`, :class:`MeanOfSet` and :class:`DifferenceOfSet` speak of *this* set
of questions: of a number that is known exactly when the last one is answered. :class:`PairedEvidence` speaks of the
population that the questions are a sample of.

All of them assume that the questions come in an order drawn at random before the run, and that nothing but the
completed prefix of that order is added: answers in order of arrival are another sample, since short ones come first.
A question that failed is added as None and stands for both of its possible values.
"""

import math
from collections import Counter
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from metrics.decision.betting import BetsBetween, log_average
from metrics.stats import Interval

__all__ = ["DifferenceOfSet", "MeanOfSet", "PairedEvidence", "ShareOfSet"]

Floats = NDArray[np.float64]

LEVEL: Final = 0.05
_NODES: Final = 256  # bets of PairedEvidence in each direction
_HALVINGS: Final = 20  # to within two millionths
_points, _weights = np.polynomial.legendre.leggauss(_NODES)
_BETS: Final[Floats] = (_points + 1) / 2  # what is put on a difference, and the share of wealth behind each
_SHARES: Final[Floats] = _weights / _weights.sum()


class ShareOfSet:
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
        _check(total, level)
        self.total, self.level = total, level
        self.answered = self.passed = self.failed = 0

    def add(self, passed: bool | None) -> None:
        """Adds the next question of the order: whether it passed; None if it failed and may be either.

        Raises:
            ValueError: the set has no further question.
        """
        _check_room(self.answered, self.total)
        self.answered += 1
        if passed is None:
            self.failed += 1
        elif passed:
            self.passed += 1

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


class MeanOfSet:
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

    def __init__(self, total: int, level: float = LEVEL) -> None:
        _check(total, level)
        self.total, self.level = total, level
        self.answered = self.failed = 0
        self._bets = BetsBetween(total, level)

    def add(self, value: float | None) -> None:
        """Adds the next question of the order: its score; None if it failed and may be anything from 0 to 1.

        Raises:
            ValueError: the set has no further question, or the value is not in [0, 1].
        """
        _check_room(self.answered, self.total)
        self._bets.add(*_ends(value))
        self.answered += 1
        self.failed += value is None

    @property
    def interval(self) -> Interval:
        """Ends of the whole set's mean; with failed questions the low end counts them as 0, the high end as 1."""
        return self._bets.ends()


class DifferenceOfSet:
    """The mean of B minus the mean of A over a whole set, from the prefix of its questions that is answered.

    It is :class:`MeanOfSet` of ``(1 + b - a) / 2``. It speaks of this set alone, and therefore holds however questions
    move together.

    Not to be used: to speak of other questions than this set's (:class:`PairedEvidence`).

    Args:
        total: the number of questions in the set.
        level: chance that the truth is ever outside.

    Raises:
        ValueError: no question, a level out of range.
    """

    def __init__(self, total: int, level: float = LEVEL) -> None:
        _check(total, level)
        self.total, self.level = total, level
        self.answered = self.failed = 0
        self._bets = BetsBetween(total, level)

    def add(self, a: float | None, b: float | None) -> None:
        """Adds the next question of the order: each run's value; None if it failed and may be anything from 0 to 1.

        Raises:
            ValueError: the set has no further question, or a value is not in [0, 1].
        """
        _check_room(self.answered, self.total)
        low, high = _difference(a, b)
        self._bets.add((1 + low) / 2, (1 + high) / 2)
        self.answered += 1
        self.failed += a is None or b is None

    @property
    def interval(self) -> Interval:
        """Ends of the whole set's difference, within [-1, 1]."""
        low, high = self._bets.ends()
        return Interval(2 * low - 1, 2 * high - 1)


class PairedEvidence:
    """Whether B is better than A on the population that the questions are drawn from, from pairs of values.

    The evidence against "no difference" is an E-value: the wealth of a gambler who spreads 1 evenly over all bets on
    the next difference ``d = b - a``, the average of ``prod(1 + x d)`` over x from -1 to 1. With w wins and l losses of
    all-or-nothing verdicts it is ``2**(w + l) * B(w + 1, l + 1)``; over bets on B alone (x from 0 to 1) it is
    ``2 * 2**(w + l) * B(w + 1, l + 1) * (1 - I(w + 1, l + 1))`` with the incomplete beta function I at 1/2, evidence
    against "B is not better" (J. Ville 1939; A. Ramdas et al., "Game-theoretic statistics and safe anytime-valid
    inference", Stat. Sci. 38 (2023) 576-601). The chance that an E-value ever reaches 1 / level while what it speaks
    against is true is at most ``level`` (Ville's inequality). Ties change nothing. The average is over 512 fixed bets,
    which is as valid as over all of them, and agrees with the formulas to 9 digits up to 10,000 disagreements.

    Partial scores, and means over a question's repeats, enter as they are: the claim is about the mean difference.

    Assumes that the questions come in random order and are a sample of those one wants to speak of, drawn one by one.

    Not to be used: after choosing between ``two_sided`` and ``better`` by the data; where clusters of questions were
    drawn, and move together (equal runs are then decided far too often, see ``docs/statistics.md``); to say how the
    difference over this set of questions will end. For both there is :class:`DifferenceOfSet`.

    Args:
        level: chance of a wrong decision, over all looks.

    Raises:
        ValueError: a level out of range.
    """

    def __init__(self, level: float = LEVEL) -> None:
        _check(1, level)
        self.level = level
        self.answered = self.failed = 0
        # The differences, lowest and highest possible: apart only where a question failed.
        self._lowest: Counter[float] = Counter()
        self._highest: Counter[float] = Counter()
        self._on_b, self._on_a = np.zeros(_NODES), np.zeros(_NODES)  # logarithms of what each bet has made of 1

    def add(self, a: float | None, b: float | None) -> None:
        """Adds the next question of the order: each run's value; None if it failed and may be anything from 0 to 1.

        Raises:
            ValueError: a value is not in [0, 1].
        """
        low, high = _difference(a, b)
        self.answered += 1
        self.failed += a is None or b is None
        self._lowest[low] += 1
        self._highest[high] += 1
        # Each side is counted where it has least to show for itself.
        if low:
            self._on_b += np.log1p(_BETS * low)
        if high:
            self._on_a += np.log1p(-_BETS * high)

    @property
    def two_sided(self) -> float:
        """The E-value against "no difference": at least this much, whatever the failed questions would have been."""
        return (_average(self._on_b) + _average(self._on_a)) / 2

    @property
    def better(self) -> float:
        """The E-value against "B is not better", the failed questions counting against B."""
        return _average(self._on_b)

    @property
    def beats(self) -> bool:
        """Whether the one-sided claim "B is better" is decided at this look."""
        return self.better >= 1 / self.level

    @property
    def decision(self) -> Literal["better", "worse"] | None:
        """What B is, where ``two_sided`` has reached 1 / level at this look; None while it has not."""
        if self.two_sided < 1 / self.level:
            return None
        return "better" if _average(self._on_b) > _average(self._on_a) else "worse"

    @property
    def interval(self) -> Interval:
        """Ends of the population's mean difference B - A: the means m that the same bets, on d - m, do not refuse.

        The bet x against m makes ``1 + x (d - m) / (1 + |m|)`` of 1, which cannot fall below 0. There is a ``decision``
        just when 0 lies outside, or at an end. Made when asked for: milliseconds for verdicts, a second or two for
        10,000 different partial scores.
        """
        low, high = _arrays(self._lowest), _arrays(self._highest)
        return Interval(self._end(low, high), -self._end((-high[0], high[1]), (-low[0], low[1])))

    def _end(self, low: tuple[Floats, Floats], high: tuple[Floats, Floats]) -> float:
        """The low end, of differences and how often each was seen; rounded outwards."""

        def kept(mean: float) -> bool:
            on_b = low[1] @ np.log1p(np.outer((low[0] - mean) / (1 + abs(mean)), _BETS))
            on_a = high[1] @ np.log1p(np.outer((mean - high[0]) / (1 + abs(mean)), _BETS))
            return (_average(on_b) + _average(on_a)) / 2 < 1 / self.level

        if not self.answered or kept(-1.0):
            return -1.0
        # At the mean seen no bet has gained. Below it those on B gain ever more, the further the mean is.
        out, inside = -1.0, float(low[0] @ low[1]) / self.answered
        middle = 0.0 if inside > 0 else (out + inside) / 2
        for _ in range(_HALVINGS):
            out, inside = (out, middle) if kept(middle) else (middle, inside)
            middle = (out + inside) / 2
        return out


def _check(total: int, level: float) -> None:
    if total < 1 or not 0 < level < 1:
        raise ValueError(f"at least 1 question and a level between 0 and 1 are needed, got {total} and {level}")


def _check_room(answered: int, total: int) -> None:
    if answered == total:
        raise ValueError(f"all {total} questions of the set were added already")


def _difference(a: float | None, b: float | None) -> tuple[float, float]:
    """The least and the greatest that B minus A can be."""
    (a_low, a_high), (b_low, b_high) = _ends(a), _ends(b)
    return b_low - a_high, b_high - a_low


def _ends(value: float | None) -> tuple[float, float]:
    if value is None:
        return 0.0, 1.0
    if not 0 <= value <= 1:  # NaN compares false
        raise ValueError(f"a value in [0, 1] is needed, got {value}")
    return float(value), float(value)


def _arrays(counts: Counter[float]) -> tuple[Floats, Floats]:
    return np.array([*counts], dtype=np.float64), np.array([*counts.values()], dtype=np.float64)


def _log_choose(n: int, k: int) -> float:
    """Logarithm of the number of ways to draw ``k`` of ``n``, 0 <= k <= n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _average(logs: Floats) -> float:
    """What 1, spread over the bets of PairedEvidence, has become; infinite beyond the largest number."""
    try:
        return math.exp(float(log_average(logs, _SHARES)))
    except OverflowError:
        return math.inf
