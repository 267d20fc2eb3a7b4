"""The count specification of the IFHardBench contract, section 5, and the verdicts over counts."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from metrics.ifhard.params import Params, ParamsError, read_int, value_of
from metrics.reasons import failed, nouns, passed
from metrics.verdict import Verdict
from metrics.wording import Reason

__all__ = [
    "Count",
    "count_verdict",
    "each_verdict",
    "meets",
    "read_count",
    "read_unit_count",
    "required",
    "too_few",
    "wanted",
]


class Count(NamedTuple):
    """A count specification that has been read.

    Attributes:
        op: ``eq``, ``ne``, ``le``, ``lt``, ``ge``, ``gt`` or ``between``.
        low: the value, or the lower end of ``between``.
        high: the upper end of ``between``, otherwise equal to ``low``.
    """

    op: str
    low: int
    high: int


_new: Final = tuple.__new__  # a third of the time of Count()


class _Op(NamedTuple):
    test: Callable[[int, int], bool]
    phrase: str  # how a requirement of n is worded before its noun
    sign: str  # how it is written in Verdict.wanted


_OPS: Final[Mapping[str, _Op]] = {
    "eq": _Op(operator.eq, "exactly", ""),
    "ne": _Op(operator.ne, "any number but", "!= "),
    "le": _Op(operator.le, "at most", "<= "),
    "lt": _Op(operator.lt, "fewer than", "< "),
    "ge": _Op(operator.ge, "at least", ">= "),
    "gt": _Op(operator.gt, "more than", "> "),
}


def read_count(params: Params, name: str = "") -> Count:
    """Read a count specification spread over an object that may hold other keys too; it has no name.

    Raises:
        ParamsError: ``op`` is unknown, or a number is missing or no number.
    """
    op = params.get("op", "eq")
    if isinstance(op, str):
        if op in _OPS:
            value = read_int(params, "value")
            return _new(Count, (op, value, value))
        if op == "between":
            return Count(op, read_int(params, "min"), read_int(params, "max"))
    raise ParamsError(f"is none of {', '.join(_OPS)}, between", "op")


def read_unit_count(params: Params, name: str = "") -> Count:
    """Read a per-unit specification: under ``each`` if that key exists, else the object itself (older spelling)."""
    if "each" not in params:
        return read_count(params)
    each = value_of(params, "each")
    if not isinstance(each, Mapping):
        raise ParamsError("is not an object", "each")
    try:
        return read_count(each)
    except ParamsError as error:
        raise error.within(parent="each") from None


def meets(observed: int, count: Count) -> bool:
    """Whether a number meets the specification; ``between`` includes its ends and is never met when low > high."""
    op, low, high = count
    return low <= observed <= high if op == "between" else _OPS[op].test(observed, low)


def wanted(count: Count) -> int | str:
    """The specification for ``Verdict.wanted``: an integer for ``eq``, else short text such as ``>= 3`` or ``2..4``."""
    op, low, high = count
    if op == "eq":
        return low
    return f"{low}..{high}" if op == "between" else f"{_OPS[op].sign}{low}"


def required(count: Count, noun: str) -> str:
    """The specification in words: ``exactly 5 words``, ``2 to 4 items``."""
    if count.op == "between":
        return f"{count.low} to {count.high} {noun}s"
    return f"{_OPS[count.op].phrase} {nouns(count.low, noun)}"


def _mismatch(observed: int, count: Count) -> str:
    """Code of a failed count: which way the text is off."""
    if count.low > count.high:
        return "impossible-range"
    if count.op == "ne":
        return "excluded-count"
    return "too-few" if observed < count.low or (count.op == "gt" and observed == count.low) else "too-many"


def count_verdict(noun: str, observed: int, count: Count) -> Verdict:
    """The verdict over one count.

    Codes: ``ok``, ``too-few``, ``too-many``, ``excluded-count`` (op ``ne``), ``impossible-range`` (min above max).
    """
    reason = ("{} required, {} found", (required, count, noun), observed)
    if meets(observed, count):
        return passed(reason, observed, wanted(count))
    return failed(_mismatch(observed, count), reason, observed, wanted(count))


def each_verdict(unit: str, noun: str, observed: Sequence[int], count: Count) -> Verdict:
    """The verdict over a count that every unit must meet; without any unit it fails.

    Codes: ``ok``, ``no-<unit>s``, and those of :func:`count_verdict` for the first unit that misses.
    ``observed`` is that unit's count, or the number of units that were checked.
    """
    for place, number in enumerate(observed, 1):
        if not meets(number, count):
            reason: Reason = ("{} {} has {}, {} required", unit, place, (nouns, number, noun), (required, count, noun))
            return failed(_mismatch(number, count), reason, number, wanted(count))
    if not observed:
        reason = ("no {} found, each must have {}", unit, (required, count, noun))
        return failed(f"no-{unit}s", reason, 0, wanted(count))
    reason = ("each of {} has {}", (nouns, len(observed), unit), (required, count, noun))
    return passed(reason, len(observed), wanted(count))


def too_few(unit: str, observed: int, least: int = 2) -> Verdict:
    """The failure of a rule that needs at least so many units to say anything; its code is ``too-few-<unit>s``."""
    reason = ("at least {} required, {} found", (nouns, least, unit), observed)
    return failed(f"too-few-{unit}s", reason, observed, f">= {least}")
