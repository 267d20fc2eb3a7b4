"""Section 5 of the SOBHard contract read a second time: how two values differ, by the wording alone."""

from typing import Any

__all__ = ["kinds_of_difference"]


def kinds_of_difference(pred: Any, gold: Any, coerce: bool) -> list[str]:
    """The kind of every difference, sorted.

    Raises:
        OverflowError: an integer beyond the range of floats is compared as a number.
    """
    return sorted(_kinds(pred, gold, coerce))


def _kinds(a: Any, b: Any, coerce: bool) -> list[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        if set(a) != set(b):
            return ["structure"]
        return [kind for key in b for kind in _kinds(a[key], b[key], coerce)]
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return ["structure"]
        return [kind for one, other in zip(a, b, strict=True) for kind in _kinds(one, other, coerce)]
    if isinstance(a, dict | list) or isinstance(b, dict | list):
        return ["structure"]
    if isinstance(a, bool) or isinstance(b, bool):
        return [] if isinstance(a, bool) and isinstance(b, bool) and a == b else ["structure"]
    if a is None or b is None:
        return [] if a is None and b is None else ["structure"]
    numbers = _number(a, coerce), _number(b, coerce)
    if None not in numbers:
        return [] if _close(*numbers) else ["numeric"]
    if isinstance(a, str) and isinstance(b, str):
        return [] if a == b else ["string"]
    return [] if a == b else ["structure"]


def _number(value: Any, coerce: bool) -> Any:
    if isinstance(value, int | float):
        return value
    if coerce and isinstance(value, str):
        try:
            return float(value.strip())
        except ValueError:
            return None
    return None


def _close(a: Any, b: Any) -> bool:
    x, y = float(a), float(b)
    both_nan = x != x and y != y
    return a == b or both_nan or abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1)
