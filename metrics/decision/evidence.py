"""Evidence on which of two models is better that holds at every look: a run may be stopped the moment it is sure.

The level is for all looks together: the chance that a wrong decision is ever made is at most ``level``, whatever made
one stop. What is said of the order of the questions in :mod:`metrics.decision.sequences` is assumed here too.
"""

import math
from collections import Counter
from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from metrics.decision.betting import LEVEL, check_level, difference_ends, log_average
from metrics.stats import Interval

__all__ = ["PairedEvidence"]

Floats = NDArray[np.float64]

_NODES: Final = 256  # bets of PairedEvidence in each direction
_HALVINGS: Final = 20  # to within two millionths


@cache
def _bets() -> tuple[Floats, Floats]:
    """What is put on a difference, and the share of wealth behind each: a second's work, for runs that ask for it."""
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    return (points + 1) / 2, weights / weights.sum()


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
    difference over this set of questions will end. For both there is
    :class:`metrics.decision.sequences.DifferenceOfSet`.

    Args:
        level: chance of a wrong decision, over all looks.

    Raises:
        ValueError: a level out of range.
    """

    def __init__(self, level: float = LEVEL) -> None:
        check_level(level)
        self.level = level
        self.answered = self.failed = 0
        self._bets, self._shares = _bets()
        # The differences, lowest and highest possible: apart only where a question failed.
        self._lowest: Counter[float] = Counter()
        self._highest: Counter[float] = Counter()
        self._on_b, self._on_a = np.zeros(_NODES), np.zeros(_NODES)  # logarithms of what each bet has made of 1

    def add(self, a: float | None, b: float | None) -> None:
        """Adds the next question of the order: each run's value; None if it failed and may be anything from 0 to 1.

        Raises:
            ValueError: a value is not in [0, 1].
        """
        low, high = difference_ends(a, b)
        self.answered += 1
        self.failed += a is None or b is None
        self._lowest[low] += 1
        self._highest[high] += 1
        # Each side is counted where it has least to show for itself.
        if low:
            self._on_b += np.log1p(self._bets * low)
        if high:
            self._on_a += np.log1p(-self._bets * high)

    @property
    def two_sided(self) -> float:
        """The E-value against "no difference": at least this much, whatever the failed questions would have been."""
        return (self._average(self._on_b) + self._average(self._on_a)) / 2

    @property
    def better(self) -> float:
        """The E-value against "B is not better", the failed questions counting against B."""
        return self._average(self._on_b)

    @property
    def beats(self) -> bool:
        """Whether the one-sided claim "B is better" is decided at this look."""
        return self.better >= 1 / self.level

    @property
    def decision(self) -> Literal["better", "worse"] | None:
        """What B is, where ``two_sided`` has reached 1 / level at this look; None while it has not."""
        if self.two_sided < 1 / self.level:
            return None
        return "better" if self._average(self._on_b) > self._average(self._on_a) else "worse"

    @property
    def interval(self) -> Interval:
        """Ends of the population's mean difference B - A: the means m that the same bets, on d - m, do not refuse.

        The bet x against m makes ``1 + x (d - m) / (1 + |m|)`` of 1, which cannot fall below 0. There is a ``decision``
        just when 0 lies outside, or at an end. Made when asked for: milliseconds for verdicts, a second or two for
        10,000 different partial scores.
        """
        low, high = _arrays(self._lowest), _arrays(self._highest)
        return Interval(self._end(low, high), -self._end((-high[0], high[1]), (-low[0], low[1])))

    @property
    def one_sided(self) -> Interval:
        """Ends of the same for the claim "B is better" alone: what the bets on B do not refuse as too low, up to 1.

        B ``beats`` A just when 0 lies below, or at the low end. Made when asked for, as ``interval`` is.
        """
        return Interval(self._end(_arrays(self._lowest)), 1.0)

    def _end(self, low: tuple[Floats, Floats], high: tuple[Floats, Floats] | None = None) -> float:
        """The low end, of differences and how often each was seen; rounded outwards. Without ``high`` of bets on B."""

        def kept(mean: float) -> bool:
            made = self._average(low[1] @ np.log1p(np.outer((low[0] - mean) / (1 + abs(mean)), self._bets)))
            if high is not None:
                on_a = high[1] @ np.log1p(np.outer((mean - high[0]) / (1 + abs(mean)), self._bets))
                made = (made + self._average(on_a)) / 2
            return made < 1 / self.level

        if not self.answered or kept(-1.0):
            return -1.0
        # At the mean seen no bet has gained. Below it those on B gain ever more, the further the mean is.
        out, inside = -1.0, float(low[0] @ low[1]) / self.answered
        middle = 0.0 if inside > 0 else (out + inside) / 2
        for _ in range(_HALVINGS):
            out, inside = (out, middle) if kept(middle) else (middle, inside)
            middle = (out + inside) / 2
        return out

    def _average(self, logs: Floats) -> float:
        """What 1, spread over bets in one direction, has become; infinite beyond the largest number."""
        try:
            return math.exp(float(log_average(logs, self._shares)))
        except OverflowError:
            return math.inf


def _arrays(counts: Counter[float]) -> tuple[Floats, Floats]:
    return np.array([*counts], dtype=np.float64), np.array([*counts.values()], dtype=np.float64)
