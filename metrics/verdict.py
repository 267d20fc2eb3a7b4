"""The one record every deterministic checker returns."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

from metrics.wording import Reason, worded

__all__ = ["Verdict"]


class _Kept(NamedTuple):
    """The values as they are kept; only the reason is not yet what is read."""

    passed: bool
    code: str
    told: Reason
    observed: Any = None
    wanted: Any = None


def _of_values(name: str) -> Any:
    """A tuple's own method, over the values that are read rather than those that are kept."""
    method: Callable[..., Any] = getattr(tuple, name)

    def call(self: "Verdict", *others: Any) -> Any:
        return method(tuple(self), *(tuple(other) if isinstance(other, Verdict) else other for other in others))

    return call


class Verdict(_Kept):
    """What a checker found, in a form a program and a person can both act on.

    A named tuple rather than a dataclass: it is immutable, it pickles, and building
    one costs a third of building a frozen dataclass, which matters at a few hundred
    thousand verdicts a run. The reason is put into words when it is read, each time into
    the same: most readers look at ``passed`` alone. Compared, copied, pickled, unpacked or
    shown, a verdict is the tuple of its five values.

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

    __slots__ = ()
    _fields = ("passed", "code", "reason", "observed", "wanted")
    __match_args__ = ("passed", "code", "reason", "observed", "wanted")

    def __new__(cls, passed: bool, code: str, reason: Reason, observed: Any = None, wanted: Any = None) -> Self:
        """The reason may be one that is yet to be put into words."""
        return tuple.__new__(cls, (passed, code, reason, observed, wanted))

    @property
    def reason(self) -> str:
        """The sentence."""
        return worded(self.told)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.passed, self.code, worded(self.told), self.observed, self.wanted))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    def _replace(self, **changes: Any) -> Self:
        unknown = changes.keys() - set(self._fields)
        if unknown:
            raise ValueError(f"Got unexpected field names: {sorted(unknown)}")
        return type(self)(**self._asdict() | changes)

    def __radd__(self, left: tuple[Any, ...]) -> tuple[Any, ...]:
        return left + tuple(self)

    __eq__ = _of_values("__eq__")
    __ne__ = _of_values("__ne__")
    __lt__ = _of_values("__lt__")
    __le__ = _of_values("__le__")
    __gt__ = _of_values("__gt__")
    __ge__ = _of_values("__ge__")
    __hash__ = _of_values("__hash__")
    __getitem__ = _of_values("__getitem__")
    __contains__ = _of_values("__contains__")
    __add__ = _of_values("__add__")
    __mul__ = _of_values("__mul__")
    __rmul__ = _of_values("__rmul__")
    index = _of_values("index")
    count = _of_values("count")
