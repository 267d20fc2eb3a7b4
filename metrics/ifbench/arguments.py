"""Reading a constraint's arguments (IFBench notes, 6.3): nothing is guessed, and nothing is drawn at random.

A dataset row holds every argument name there is, the unused ones as null, and counts as floats with whole values.
:func:`read_arguments` turns that into exactly the arguments that one instruction takes, or says what is wrong.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from metrics.ifbench.words import visible

__all__ = ["COUNT", "PERCENT", "PLACE", "TEXT", "Arguments", "ArgumentsError", "Kind", "read_arguments", "shown"]

Arguments = Mapping[str, Any]

# No text has so many of anything; a larger number in a row is a mistake and must not reach a checker.
_LIMIT: Final = 10**9


class ArgumentsError(ValueError):
    """An instruction that does not exist, or arguments that it does not take.

    Attributes:
        problem: what is wrong; the other attributes say where.
        argument: name of the argument, or "" if it is not one argument's fault.
        instruction_id: the instruction, or "" until it is known.
        key: key of the dataset row, or "" outside a dataset.
    """

    def __init__(self, problem: str, argument: str = "", instruction_id: str = "", key: str = "") -> None:
        self.problem = problem
        self.argument = argument
        self.instruction_id = instruction_id
        self.key = key
        super().__init__(problem, argument, instruction_id, key)

    def __str__(self) -> str:
        key = f"row {self.key}" if self.key else ""
        argument = f"argument {self.argument!r}" if self.argument else ""
        return ": ".join(part for part in (key, self.instruction_id, argument, self.problem) if part)

    def within(self, *, instruction_id: str = "", key: str = "") -> "ArgumentsError":
        """The same error with its place filled in where it was open."""
        return ArgumentsError(self.problem, self.argument, self.instruction_id or instruction_id, self.key or key)


class Kind(NamedTuple):
    """A kind of argument values.

    Attributes:
        name: description of the values, in words.
        read: returns a value as the checkers use it, or None if the value is not of the kind.
    """

    name: str
    read: Callable[[Any], Any]


def _whole(value: Any, least: int, most: int) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():  # infinities and NaN are no integers either
        return None
    return int(value) if least <= value <= most else None


# The last texts are kept: an argument may be as long as an answer.
shown = lru_cache(maxsize=64)(visible)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and shown(value).strip() else None


COUNT: Final = Kind("a whole number of at least 0", lambda value: _whole(value, 0, _LIMIT))
PLACE: Final = Kind("a whole number of at least 1", lambda value: _whole(value, 1, _LIMIT))
PERCENT: Final = Kind("a whole number from 0 to 100", lambda value: _whole(value, 0, 100))
TEXT: Final = Kind("a text that is not blank", _text)


def read_arguments(kinds: Mapping[str, Kind], kwargs: Any) -> Arguments:
    """Read exactly the arguments that ``kinds`` names, in its order; the caller's data is not changed.

    Nulls count as absent, whole-number floats become integers (6.3).

    Raises:
        ArgumentsError: the arguments are no mapping, or one is missing, unknown or of a wrong type.
    """
    if kwargs is None:
        kwargs = {}
    if not isinstance(kwargs, Mapping):
        raise ArgumentsError(f"the arguments are no object but {type(kwargs).__name__}")
    unknown = [name for name, value in kwargs.items() if value is not None and name not in kinds]
    if unknown:
        raise ArgumentsError("is not an argument of this instruction", str(unknown[0]))
    read: dict[str, Any] = {}
    for name, kind in kinds.items():
        given = kwargs.get(name)
        if given is None:
            raise ArgumentsError("is missing", name)
        value = kind.read(given)
        if value is None:
            raise ArgumentsError(f"is not {kind.name}: {ascii(given)[:60]}", name)
        read[name] = value
    return read
