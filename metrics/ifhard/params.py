"""Reading a requirement's parameters: one reader for each kind of value, used by verifiers and schemas alike.

The kinds and what they accept are the IFHardBench contract's, sections 5 and 6. A reader either returns a
value that the verifiers can use without further care, or raises :class:`ParamsError`.
"""

from collections.abc import Mapping
from typing import Any, Final

from metrics.ifhard.text import fold

__all__ = [
    "LIMIT",
    "MAX_DIGITS",
    "Choice",
    "Folded",
    "Params",
    "ParamsError",
    "int_or_none",
    "read_all_folded",
    "read_folded",
    "read_int",
    "read_letters",
    "read_string",
    "read_strings",
    "value_of",
]

Params = Mapping[str, Any]
Folded = tuple[str, str]  # a word, a stem or a phrase: as it is written, and folded
Choice = tuple[str, Any]  # of alternative parameters the one that is read: its name, and its value

# Python refuses to turn more digits than this into an integer; fixed here so that no environment changes a verdict.
MAX_DIGITS: Final = 4300
# No text has so many of anything: integers beyond compare like these, and stay printable and storable.
LIMIT: Final = 10**15


class ParamsError(ValueError):
    """The parameters or the scoring key have no meaning in the contract.

    Attributes:
        problem: what is wrong; the other attributes say where.
        parameter: name of the parameter, or "" if it is not one parameter's fault.
        category: category id, or "" until it is known.
        row: id of the dataset row, or "" outside a dataset.
    """

    def __init__(self, problem: str, parameter: str = "", category: str = "", row: str = "") -> None:
        self.problem = problem
        self.parameter = parameter
        self.category = category
        self.row = row
        super().__init__(problem, parameter, category, row)

    def __str__(self) -> str:
        row = f"row {self.row}" if self.row else ""
        parameter = f"parameter {self.parameter!r}" if self.parameter else ""
        return ": ".join(part for part in (row, self.category, parameter, self.problem) if part)

    def within(self, *, category: str = "", row: str = "", parent: str = "") -> "ParamsError":
        """The same error with its place filled in where it was open; ``parent`` is put before the parameter."""
        parameter = ".".join(part for part in (parent, self.parameter) if part)
        return ParamsError(self.problem, parameter, self.category or category, self.row or row)


def value_of(params: Params, name: str) -> Any:
    """The value under ``name``; ParamsError if the key is absent."""
    try:
        return params[name]
    except KeyError:
        raise ParamsError("is missing", name) from None


def clamp(number: int) -> int:
    """Bring an integer into a range in which it still compares with any count as before."""
    return max(-LIMIT, min(LIMIT, number))


def read_int(params: Params, name: str, default: int | None = None) -> int:
    """An integer (contract, section 5): numeric strings count, fractions are cut, booleans are 0 and 1.

    The default, if any, stands for an absent key alone, not for null.
    """
    value = params.get(name, default)
    if type(value) is int and -LIMIT <= value <= LIMIT:
        return value
    if default is None:
        value = value_of(params, name)  # absent, if anything
    if isinstance(value, int | float | str) and not (isinstance(value, str) and len(value) > MAX_DIGITS):
        try:
            return clamp(int(value))
        except (ValueError, OverflowError):
            pass
    raise ParamsError(f"is not an integer: {_shown(value)}", name)


def int_or_none(params: Params, name: str) -> int | None:
    """An integer, or None where the key is absent or null."""
    return None if params.get(name) is None else read_int(params, name)


def read_string(params: Params, name: str) -> str:
    """A string, which may be empty."""
    value = params.get(name)
    if isinstance(value, str):
        return value
    raise ParamsError(f"is not a string: {_shown(value_of(params, name))}", name)


def read_strings(params: Params, name: str) -> list[str]:
    """A list of strings, which may be empty."""
    value = params.get(name)
    if isinstance(value, (list, tuple)):  # a union takes twice the time
        for entry in value:
            if not isinstance(entry, str):
                raise ParamsError(f"holds something that is not a string: {_shown(entry)}", name)
        return list(value)
    raise ParamsError(f"is not a list of strings: {_shown(value_of(params, name))}", name)


def read_folded(params: Params, name: str) -> Folded:
    """A string, with its folding."""
    value = read_string(params, name)
    return value, fold(value)


def read_all_folded(params: Params, name: str) -> list[Folded]:
    """A list of strings, each with its folding."""
    return [(value, fold(value)) for value in read_strings(params, name)]


def read_letters(params: Params, name: str) -> list[str]:
    """A list of strings, or one string taken character by character (``style:forbid_letters``)."""
    value = value_of(params, name)
    return list(value) if isinstance(value, str) else read_strings(params, name)


def _shown(value: object) -> str:
    """A value for an error message: its JSON-like form cut short, or its type where that form is unbounded."""
    if isinstance(value, str):
        return ascii(value[:40])
    if value is None or isinstance(value, bool | float):
        return repr(value)
    return type(value).__name__
