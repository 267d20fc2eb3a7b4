"""Declaring what a verifier reads, so that a dataset's parameters can be refused before anything is scored."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifhard.counts import read_count, read_unit_count
from metrics.ifhard.data_formats import other_keys
from metrics.ifhard.logic import SHAPES, branch_of
from metrics.ifhard.params import (
    Params,
    ParamsError,
    int_or_none,
    read_int,
    read_letters,
    read_string,
    read_strings,
    value_of,
)
from metrics.ifhard.structure import CHECKSUM_KINDS

__all__ = ["FirstOf", "Kind", "Param", "check_schema"]


class Kind(NamedTuple):
    """A kind of parameter value.

    Attributes:
        name: short name for documentation and other languages.
        accepts: description of the values that are accepted, in English.
        check: reads the value under a name and raises ParamsError if it is not of the kind; the name is
            ignored by kinds that spread over the whole object.
    """

    name: str
    accepts: str
    check: Callable[[Params, str], object]


class Param(NamedTuple):
    """One parameter of a category.

    Attributes:
        name: key in the parameter object; "" for a kind that spreads over the object.
        kind: the kind of values that are legal.
        optional: whether the key may be absent.
        default: the meaning of an absent key, for documentation.
        when: whether the verifier reads it at all, given the other parameters; None is always.
    """

    name: str
    kind: Kind
    optional: bool = False
    default: Any = None
    when: Callable[[Params], bool] | None = None


class FirstOf(NamedTuple):
    """Parameters of which the first one whose key is there is read, and the later ones are ignored."""

    options: tuple[Param, ...]
    optional: bool = False


def check_schema(schema: Sequence[Param | FirstOf], params: Params) -> None:
    """Read every parameter as the verifier would; ParamsError for the first that it could not use."""
    for entry in schema:
        if isinstance(entry, FirstOf):
            found = next((option for option in entry.options if option.name in params), None)
            if found is not None:
                found.kind.check(params, found.name)
            elif not entry.optional:
                raise ParamsError("one of them is required", " or ".join(option.name for option in entry.options))
        elif not (entry.optional and entry.name not in params) and (entry.when is None or entry.when(params)):
            entry.kind.check(params, entry.name)


def _check_choice(choices: Sequence[str]) -> Callable[[Params, str], object]:
    def check(params: Params, name: str) -> str:
        value = read_string(params, name)
        if value not in choices:
            raise ParamsError(f"is none of {', '.join(choices)}", name)
        return value

    return check


def _check_branch(params: Params, name: str) -> None:
    picked, branch = branch_of(params)
    try:
        _check_choice(tuple(SHAPES))(branch, "shape")
        read_count(branch)
    except ParamsError as error:
        raise error.within(parent=picked) from None


def _check_winner(params: Params, name: str) -> None:
    winner = value_of(params, name)
    if not isinstance(winner, Mapping):
        raise ParamsError("is not an object", name)
    for key in ("category", "params"):
        if key not in winner:
            raise ParamsError("is missing", f"{name}.{key}")


COUNT: Final = Kind("count", "op and value, or op between with min and max", lambda params, _: read_count(params))
UNIT_COUNT: Final = Kind("unit-count", "a count under each, or spread", lambda params, _: read_unit_count(params))
INT: Final = Kind("int", "an integer, a number to cut, a numeric string, a boolean", read_int)
INT_OR_NULL: Final = Kind("int-or-null", "as int; null means absent", int_or_none)
STRING: Final = Kind("string", "a string", read_string)
STRINGS: Final = Kind("strings", "a list of strings", read_strings)
STRINGS_OR_NULL: Final = Kind(
    "strings-or-null",
    "a list of strings; null means absent",
    lambda params, name: None if params[name] is None else read_strings(params, name),
)
LETTERS: Final = Kind("letters", "a list of strings, or one string taken by character", read_letters)
ANY: Final = Kind("any", "anything; unknown values have a meaning too", value_of)
FLAG: Final = Kind("flag", "anything, by its truth value in Python", value_of)
CHECKSUM: Final = Kind("choice", f"one of {', '.join(CHECKSUM_KINDS)}", _check_choice(CHECKSUM_KINDS))
BRANCH: Final = Kind("branch", f"shape ({', '.join(SHAPES)}) and a count; strict for lists", _check_branch)
WINNER: Final = Kind("constraint", "an object with category and params", _check_winner)

KIND: Final = Param("kind", ANY, optional=True, default="any")
DIRECTION: Final = Param("direction", ANY, optional=True)
STRICT: Final = Param("strict", FLAG, optional=True, default=True)
REPLACEMENT: Final = FirstOf((Param("any_words", STRINGS), Param("any_stems", STRINGS)), optional=True)
COUNTED: Final = Param("", COUNT)
COUNTED_UNIT: Final = Param("", UNIT_COUNT)
HOLDS: Final = Param("holds", FLAG)
THEN: Final = Param("then", BRANCH, when=lambda params: bool(params["holds"]))
OTHERWISE: Final = Param("otherwise", BRANCH, when=lambda params: not params["holds"])
LETTER_OF_CHECKSUM: Final = Param("letter", STRING, when=lambda params: params["kind"] == "letter_words")
WORDS_OF_OTHER_KEYS: Final = Param("max_words", INT, when=other_keys)
