"""Bets against hypothesised means of a finite set, whose wealth is evidence at any look; values that may be unknown."""

import copy
import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from metrics.stats import Interval

__all__ = ["LEVEL", "BetsBetween", "check_level", "difference_ends", "log_average", "value_ends"]

Floats = NDArray[np.float64]

LEVEL: Final = 0.05  # chance of an error at any look
_ROUNDING: Final = 1e-12
_GRID: Final = 1_000  # steps between the hypothesised means
_FRACTIONS: Final[Floats] = np.geomspace(0.01, 0.9, 10)  # of their wealth that gamblers can lose in one bet
_EVEN: Final[Floats] = np.full(len(_FRACTIONS), 1 / len(_FRACTIONS))


class BetsBetween:
    """Bets on values in [0, 1] of which some are known only to lie between two ends.

    Args:
        total: the number of values in the set.
        level: chance that the truth is ever outside.
    """

    def __init__(self, total: int, level: float) -> None:
        self._least = self._greatest = _Bets(total, level)

    def add(self, low: float, high: float) -> None:
        """Adds the next value, or its two ends."""
        if low != high and self._least is self._greatest:
            self._greatest = copy.deepcopy(self._least)
        self._least.add(low)
        if self._greatest is not self._least:
            self._greatest.add(high)

    def ends(self) -> Interval:
        """Ends of the mean: the low one as if each value were at its low end, the high one at its high end.

        Either is wrong with half of the level, so the interval holds whatever the values are.
        """
        if self._least is self._greatest:
            return self._least.ends()
        return Interval(self._least.ends().low, self._greatest.ends().high)


class _Bets:
    """Wealth of two gamblers against each hypothesised mean: one bets that it is too low, one that it is too high.

    Attributes:
        low: the highest mean of the grid that is refused as too low.
        high: the lowest that is refused as too high.
        means: those between, not refused yet.
    """

    def __init__(self, total: int, level: float) -> None:
        self.total, self.bound = total, math.log(2 / level)
        self.low, self.high = 0.0, 1.0
        self.means = np.linspace(0.0, 1.0, _GRID + 1)
        self.up, self.down = np.zeros((2, len(_FRACTIONS), _GRID + 1))  # logarithms, bets x means
        self.count, self.sum = 0, 0.0

    def add(self, x: float) -> None:
        # The mean of what is not drawn yet, if the whole has the hypothesised one. Beyond [0, 1] it is impossible.
        left = (self.total * self.means - self.sum) / (self.total - self.count)
        left = np.clip(left, _ROUNDING, 1 - _ROUNDING)
        self.up += np.log1p(np.outer(_FRACTIONS, (x - left) / left))
        self.down += np.log1p(np.outer(_FRACTIONS, (left - x) / (1 - left)))
        self.count += 1
        self.sum += x
        self._refuse()

    def _refuse(self) -> None:
        # The lower a mean is, the more was made by betting that it is too low: the refused ones lie at the two ends.
        too_low, too_high = (np.flatnonzero(log_average(logs, _EVEN) >= self.bound) for logs in (self.up, self.down))
        first, last = 0, len(self.means)
        if too_low.size:
            first = int(too_low[-1]) + 1
            self.low = float(self.means[first - 1])
        if too_high.size:
            last = int(too_high[0])
            self.high = float(self.means[last])
        kept = slice(first, max(first, last))
        self.means, self.up, self.down = self.means[kept], self.up[:, kept], self.down[:, kept]

    def ends(self) -> Interval:
        """Ends of the means not refused, rounded outwards to the grid, within what was drawn allows."""
        least, greatest = self.sum / self.total, 1 - (self.count - self.sum) / self.total
        # Both gamblers win against some mean only where the level is missed.
        low, high = min(self.low, self.high), max(self.low, self.high)
        return Interval(min(greatest, max(least, low)), max(least, min(greatest, high)))


def log_average(logs: Floats, shares: Floats) -> Floats:
    """Logarithm of what 1, spread over bets by ``shares``, has become; over the first axis."""
    top = logs.max(axis=0)
    return np.asarray(top + np.log(shares @ np.exp(logs - top)))


def check_level(level: float) -> None:
    """Refuse what is no level.

    Raises:
        ValueError: it is not in (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"a level between 0 and 1 is needed, got {level}")


def value_ends(value: float | None) -> tuple[float, float]:
    """The least and the greatest that a question's value can be; None for a failed one, which may have any in [0, 1].

    Raises:
        ValueError: it is not in [0, 1].
    """
    if value is None:
        return 0.0, 1.0
    if not 0 <= value <= 1:  # NaN compares false
        raise ValueError(f"a value in [0, 1] is needed, got {value}")
    return float(value), float(value)


def difference_ends(a: float | None, b: float | None) -> tuple[float, float]:
    """The least and the greatest that B minus A can be.

    Raises:
        ValueError: a value is not in [0, 1].
    """
    (a_low, a_high), (b_low, b_high) = value_ends(a), value_ends(b)
    return b_low - a_high, b_high - a_low
