"""The one record every deterministic checker returns."""

from typing import Any, NamedTuple

__all__ = ["Verdict"]


class Verdict(NamedTuple):
    """What a checker found, in a form a program and a person can both act on.

    A named tuple rather than a dataclass: it is immutable, it pickles, and building
    one costs a third of building a frozen dataclass, which matters at a few hundred
    thousand verdicts a run.

    Attributes:
        passed: whether the requirement is met.
        code: stable machine name of the outcome, kebab-case (``"ok"``, ``"too-few"``);
            comparing codes across versions is safe, comparing reasons is not.
        reason: one English sentence that says what was wanted and what was found
            (``"492 characters required, 487 found"``).
        observed: the counted or quoted value, or None where nothing is counted.
        wanted: the value asked for, or None where nothing is counted. Both are small JSON values (a number, a
            short string, a list of numbers), so that a verdict can be stored whatever the answer held.
    """

    passed: bool
    code: str
    reason: str
    observed: Any = None
    wanted: Any = None
