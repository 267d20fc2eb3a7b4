"""Comparison of two values under the type-strict table (SOBHard contract, section 5).

Key order is never looked at, list order is. No descent below a difference of structure.
"""

import datetime
from collections.abc import Hashable, Sequence
from typing import Any, Final, Literal, NamedTuple

from metrics.sobhard.wording import clip, nouns, place, shown

__all__ = [
    "KINDS",
    "Comparison",
    "Kind",
    "Mismatch",
    "NotComparable",
    "compare",
    "numeric_reading",
]

Kind = Literal["structure", "numeric", "string"]
KINDS: Final[tuple[Kind, ...]] = ("structure", "numeric", "string")
_TOLERANCE: Final = 1e-6
_SAFE: Final = 2**53  # integers below are in the range of floats
_MAX_PAIRS: Final = 2_000_000  # only a reference with aliases can hold so many
_MAX_QUOTED_KEYS: Final = 3


class NotComparable(ArithmeticError):  # noqa: N818 - the contract's "raises", an outcome and no fault
    """A number beyond the range of floats was met, or two values that contain themselves; the constraint then fails."""


class Mismatch(NamedTuple):
    """One difference.

    Attributes:
        kind: structure, numeric or string.
        path: from the root, as wording.place takes it.
        reason: place, expected and found, in one line.
        observed, wanted: both sides, cut for display.
    """

    kind: Kind
    path: tuple[Hashable, ...]
    reason: str
    observed: str
    wanted: str


class Comparison(NamedTuple):
    """All differences: how many of each kind, and the first of each in document order."""

    counts: dict[Kind, int]
    firsts: dict[Kind, Mismatch]

    @property
    def equal(self) -> bool:
        """Whether there is no difference at all."""
        return not self.counts

    @property
    def first(self) -> Mismatch | None:
        """One difference, of structure rather than of numbers, of numbers rather than of strings."""
        return next((self.firsts[kind] for kind in KINDS if kind in self.firsts), None)


def numeric_reading(value: Any) -> float | None:
    """The number that a value is read as where types are not kept: numbers, and strings in Python's float grammar.

    Raises:
        NotComparable: an integer beyond the range of floats.
    """
    if type(value) is str:
        try:
            return float(value.strip())
        except ValueError:
            return None
    return _as_float(value) if type(value) in (int, float) else None


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise NotComparable("an integer beyond the range of floats cannot be compared") from None


def _close(a: float, b: float) -> bool:
    return a == b or (a != a and b != b) or abs(a - b) <= _TOLERANCE * max(abs(a), abs(b), 1.0)


def _scalar_kind(pred: Any, gold: Any, coerce: bool) -> Kind | None:
    """Rules 3 to 8: the kind of difference between two values of which at most one is a container."""
    if isinstance(pred, bool) or isinstance(gold, bool):
        return None if isinstance(pred, bool) and isinstance(gold, bool) and pred is gold else "structure"
    if pred is None or gold is None:
        return None if pred is gold else "structure"
    numbers = isinstance(pred, int | float) and isinstance(gold, int | float)
    if numbers or coerce:
        a, b = numeric_reading(pred), numeric_reading(gold)
        if a is not None and b is not None:
            return None if _close(a, b) else "numeric"
    if type(pred) is str and type(gold) is str:
        return None if pred == gold else "string"
    return None if _odd_equal(pred, gold) else "structure"


def _odd_equal(pred: Any, gold: Any) -> bool:
    """Equality of what JSON cannot hold; tuples of containers count as different, which bounds the walk."""
    plain = (datetime.date, datetime.time, bytes, set)
    return isinstance(pred, plain) and isinstance(gold, plain) and bool(pred == gold)


def compare(pred: Any, gold: Any, coerce: bool) -> Comparison:
    """All differences between an answer and what is expected.

    Args:
        pred: the answer; may share parts, even with itself.
        gold: a tree.
        coerce: whether strings that read as numbers are numbers (typeless notations).

    Raises:
        NotComparable: the values cannot be compared.
    """
    counts: dict[Kind, int] = {}
    firsts: dict[Kind, Mismatch] = {}
    # A place is a linked list (parent's place, step), spelled out for the first differences alone.
    stack: list[tuple[Any, Any, Any]] = [(pred, gold, None)]
    pop, push = stack.pop, stack.append
    left = _MAX_PAIRS
    while stack:
        a, b, where = pop()
        kind_a, kind_b = type(a), type(b)
        kind: Kind | None
        if kind_a is kind_b and (kind_a is float or (kind_a is int and -_SAFE < a < _SAFE)) and a == b:
            continue
        if kind_a is str and kind_b is str and not coerce:
            kind = None if a == b else "string"
        elif kind_a is dict and kind_b is dict:
            if a.keys() == b.keys():
                left -= len(b)
                for key in reversed(b):
                    x, y = a[key], b[key]
                    if not (type(x) is str and type(y) is str and x == y):
                        push((x, y, (where, key if type(key) is str else (key,))))
                if left < 0:
                    raise NotComparable(f"more than {_MAX_PAIRS} pairs to compare")
                continue
            kind = "structure"
        elif kind_a is list and kind_b is list:
            if len(a) == len(b):
                left -= len(b)
                for index in range(len(b) - 1, -1, -1):
                    x, y = a[index], b[index]
                    if not (type(x) is str and type(y) is str and x == y):
                        push((x, y, (where, index)))
                if left < 0:
                    raise NotComparable(f"more than {_MAX_PAIRS} pairs to compare")
                continue
            kind = "structure"
        elif (kind_a is dict or kind_a is list) != (kind_b is dict or kind_b is list):
            kind = "structure"
        else:
            kind = _scalar_kind(a, b, coerce)
        if kind is None:
            continue
        counts[kind] = counts.get(kind, 0) + 1
        if kind not in firsts:
            firsts[kind] = _mismatch(kind, _path(where), a, b)
    return Comparison(counts, firsts)


def _path(where: Any) -> tuple[Hashable, ...]:
    steps: list[Hashable] = []
    while where is not None:
        where, step = where
        steps.append(step)
    return tuple(reversed(steps))


def _mismatch(kind: Kind, path: tuple[Hashable, ...], pred: Any, gold: Any) -> Mismatch:
    at = place(path)
    if isinstance(pred, dict) and isinstance(gold, dict):
        missing = [key for key in gold if key not in pred]
        extra = [key for key in pred if key not in gold]
        parts = [f"{word} {_keys(keys)}" for word, keys in (("missing", missing), ("extra", extra)) if keys]
        return Mismatch(kind, path, f"{at}: {' and '.join(parts)}", shown(pred), shown(gold))
    if isinstance(pred, list) and isinstance(gold, list):
        reason = f"{at}: {nouns(len(gold), 'element')} expected, {len(pred)} found"
        return Mismatch(kind, path, reason, shown(pred), shown(gold))
    observed, wanted = _apart(pred, gold)
    return Mismatch(kind, path, f"{at}: {wanted} expected, {observed} found", observed, wanted)


def _keys(keys: Sequence[Any]) -> str:
    listed = ", ".join(shown(key) for key in keys[:_MAX_QUOTED_KEYS])
    rest = len(keys) - _MAX_QUOTED_KEYS
    return f"{'key' if len(keys) == 1 else 'keys'} {listed}{f' and {rest} more' if rest > 0 else ''}"


def _apart(pred: Any, gold: Any) -> tuple[str, str]:
    """Both values for display; long strings are shown from shortly before they part."""
    if isinstance(pred, str) and isinstance(gold, str) and max(len(pred), len(gold)) > len(clip("x" * 200)):
        at = next((i for i, (a, b) in enumerate(zip(pred, gold, strict=False)) if a != b), min(len(pred), len(gold)))
        start = max(0, at - 15)
        if start:
            return f"{shown(pred[start:])} from character {start + 1} on", f"{shown(gold[start:])}"
    return shown(pred), shown(gold)
