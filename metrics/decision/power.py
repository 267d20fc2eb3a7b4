"""How many questions a comparison of two runs needs, and how small a difference it can show.

All of it is ``difference = (z(1 - level / 2) + z(power)) * sqrt(variance / questions)`` solved for one of its letters
(R. J. Connor, "Sample size for testing differences in proportions for the paired-sample design", Biometrics 43 (1987)
207-211, without the term that lowers the variance of large differences). At 5% and 80% the factor is 2.80. ``variance``
is that of one question's difference: for all-or-nothing verdicts the *discordance*, the share of questions on which the
runs disagree.

Assumes a two-sided test after a number of questions fixed in advance, questions that do not move together, and a
difference small beside the root of the discordance.

Not to be used: with the difference just observed in place of the one that matters ("observed power" says nothing
beyond the p value); for runs over different questions, which need several times as many; for clustered questions,
unless their number is divided by the design effect first; for a run stopped by a rule, which needs a third to a half
more.
"""

import math
from statistics import NormalDist
from typing import Final

__all__ = ["DISCORDANCE", "questions_needed", "repeats_needed", "smallest_difference"]

DISCORDANCE: Final = 0.3  # where none was observed: two models of near strength, in our trials
_ROUNDING: Final = 1e-9  # what a whole number of questions may come out above itself by


def smallest_difference(
    questions: int,
    discordance: float = DISCORDANCE,
    power: float = 0.8,
    level: float = 0.05,
    *,
    repeats: int = 1,
    within: float = 0.0,
) -> float:
    """The smallest true difference of two means that is found with probability ``power``.

    A value above ``discordance`` means that no difference can be shown: two runs cannot differ in the mean by more than
    the share of questions on which they disagree. Runs that never disagreed may still differ a little: the discordance
    counts as one question at least.

    Args:
        questions: how many both runs answered.
        discordance: the share of questions on which they disagree; for partial scores the variance of the difference.
        power: probability of finding it.
        level: level of the two-sided test.
        repeats: answers that each run gave to each question.
        within: the share of ``discordance`` that is one run disagreeing with its own repeats; only that part is
            divided by ``repeats``.

    Raises:
        ValueError: a number out of its range.
    """
    if questions < 1:
        raise ValueError(f"a number of questions is needed, got {questions}")
    variance = _variance(max(discordance, 1 / questions), repeats, within)
    return _factor(power, level) * math.sqrt(variance / questions)


def questions_needed(
    difference: float,
    discordance: float = DISCORDANCE,
    power: float = 0.8,
    level: float = 0.05,
    *,
    repeats: int = 1,
    within: float = 0.0,
) -> int:
    """How many questions show a true difference of this size, given as a share (0.03 for 3 points).

    Args as for :func:`smallest_difference`, but that a discordance of 0 is refused: then there is nothing to find.

    Raises:
        ValueError: a number out of its range.
    """
    if not discordance:
        raise ValueError("runs that never disagree do not differ: a discordance above 0 is needed")
    variance = _variance(discordance, repeats, within)
    return max(1, math.ceil(variance * (_factor(power, level) / _size(difference)) ** 2 - _ROUNDING))


def repeats_needed(
    difference: float,
    questions: int,
    discordance: float = DISCORDANCE,
    power: float = 0.8,
    level: float = 0.05,
    *,
    within: float,
) -> int | None:
    """How many answers a question show a true difference of this size; None if no number does, for want of questions.

    Args as for :func:`smallest_difference`.

    Raises:
        ValueError: a number out of its range.
    """
    if questions < 1:
        raise ValueError(f"a number of questions is needed, got {questions}")
    _variance(discordance, 1, within)
    allowed = questions * (_size(difference) / _factor(power, level)) ** 2
    left = allowed - discordance * (1 - within)
    if left <= 0:
        return None if discordance * within or left < 0 else 1
    return max(1, math.ceil(discordance * within / left - _ROUNDING))


def _factor(power: float, level: float) -> float:
    if not (0 < level < 1 and 0 < power < 1):
        raise ValueError(f"a power and a level between 0 and 1 are needed, got {power} and {level}")
    return NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(power)


def _variance(discordance: float, repeats: int, within: float) -> float:
    if not (0 <= discordance <= 1 and 0 <= within <= 1 and repeats >= 1):
        raise ValueError(f"shares in [0, 1] and a number of repeats are needed, got {discordance}, {within}, {repeats}")
    return discordance * (1 - within + within / repeats)


def _size(difference: float) -> float:
    if not 0 < abs(difference) <= 1:
        raise ValueError(f"a difference between 0 and 1 is needed, got {difference}")
    return abs(difference)
