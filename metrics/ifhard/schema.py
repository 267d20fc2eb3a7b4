"""Declaring what a verifier takes: parameters are read by their declaration, once a question, for all its answers."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifhard.counts import read_count, read_unit_count
from metrics.ifhard.data_formats import other_keys
from metrics.ifhard.logic import SHAPES, read_branch
from metrics.ifhard.params import (
    Choice,
    Params,
    ParamsError,
    int_or_none,
    read_all_folded,
    read_folded,
    read_int,
    read_letters,
    read_string,
    read_strings,
    value_of,
)
from metrics.ifhard.structure import CHECKSUM_KINDS

__all__ = ["FirstOf", "Kind", "Param", "Reader", "reader_of"]

Reader = Callable[[Params], tuple[Any, ...]]


class Kind(NamedTuple):
    """A kind of parameter value.

    Attributes:
        name: short name for documentation and other languages.
        accepts: description of the values that are accepted, in English.
        read: the value under a name, as the verifier takes it; ParamsError if it is not of the kind. The name is
            ignored by kinds that spread over the whole object.
    """

    name: str
    accepts: str
    read: Callable[[Params, str], Any]


class Param(NamedTuple):
    """One parameter of a category.

    Attributes:
        name: key in the parameter object; "" for a kind that spreads over the object.
        kind: the kind of values that are legal.
        optional: whether the key may be absent.
        default: what the verifier takes for an absent key.
        when: whether it is read at all, given the other parameters, or is None for the verifier; None is always.
    """

    name: str
    kind: Kind
    optional: bool = False
    default: Any = None
    when: Callable[[Params], bool] | None = None


class FirstOf(NamedTuple):
    """Parameters of which the first one whose key is there is read, with its name, and the later ones are ignored."""

    options: tuple[Param, ...]
    optional: bool = False


def reader_of(schema: Sequence[Param | FirstOf]) -> Reader:
    """What reads the declared parameters of a requirement, in order, as its verifier takes them behind the text.

    It raises ParamsError for the first that is missing or ill-typed, and reads nothing that is not declared.
    """
    entries = [_first_of(entry) if isinstance(entry, FirstOf) else (_read_of(entry), entry.name) for entry in schema]
    # Nearly all have two or fewer, and then a loop would take as long as the reading.
    match entries:
        case []:
            return lambda params: ()
        case [(read, name)]:
            return lambda params: (read(params, name),)
        case [(read, name), (read_next, next_name)]:
            return lambda params: (read(params, name), read_next(params, next_name))
    return lambda params: tuple([read(params, name) for read, name in entries])


def _read_of(param: Param) -> Callable[[Params, str], Any]:
    read, default, when = param.kind.read, param.default, param.when
    if when is not None:
        return lambda params, name: read(params, name) if when(params) else None
    if param.optional:
        return lambda params, name: read(params, name) if name in params else default
    return read


def _first_of(entry: FirstOf) -> tuple[Callable[[Params, str], Choice | None], str]:
    options = [(option.name, option.kind.read) for option in entry.options]

    def read_first(params: Params, names: str) -> Choice | None:
        for name, read in options:
            if name in params:
                return name, read(params, name)
        if entry.optional:
            return None
        raise ParamsError("one of them is required", names)

    return read_first, " or ".join(name for name, _ in options)


def _choice(choices: Sequence[str]) -> Callable[[Params, str], object]:
    def read(params: Params, name: str) -> str:
        value = read_string(params, name)
        if value not in choices:
            raise ParamsError(f"is none of {', '.join(choices)}", name)
        return value

    return read


COUNT: Final = Kind("count", "op and value, or op between with min and max", read_count)
UNIT_COUNT: Final = Kind("unit-count", "a count under each, or spread", read_unit_count)
INT: Final = Kind("int", "an integer, a number to cut, a numeric string, a boolean", read_int)
INT_OR_NULL: Final = Kind("int-or-null", "as int; null means absent", int_or_none)
STRING: Final = Kind("string", "a string", read_string)
STRINGS: Final = Kind("strings", "a list of strings", read_strings)
STRINGS_OR_NULL: Final = Kind(
    "strings-or-null",
    "a list of strings; null means absent",
    lambda params, name: None if params[name] is None else read_strings(params, name),
)
FOLDED: Final = Kind("string", "a string", read_folded)
ALL_FOLDED: Final = Kind("strings", "a list of strings", read_all_folded)
LETTERS: Final = Kind("letters", "a list of strings, or one string taken by character", read_letters)
ANY: Final = Kind("any", "anything; unknown values have a meaning too", value_of)
FLAG: Final = Kind("flag", "anything, by its truth value in Python", value_of)
CHECKSUM: Final = Kind("choice", f"one of {', '.join(CHECKSUM_KINDS)}", _choice(CHECKSUM_KINDS))
BRANCH: Final = Kind("branch", f"shape ({', '.join(SHAPES)}) and a count; strict for lists", read_branch)

KIND: Final = Param("kind", ANY, optional=True, default="any")
DIRECTION: Final = Param("direction", ANY, optional=True)
STRICT: Final = Param("strict", FLAG, optional=True, default=True)
REPLACEMENT: Final = FirstOf((Param("any_words", ALL_FOLDED), Param("any_stems", ALL_FOLDED)), optional=True)
COUNTED: Final = Param("", COUNT)
COUNTED_UNIT: Final = Param("", UNIT_COUNT)
HOLDS: Final = Param("holds", FLAG)
THEN: Final = Param("then", BRANCH, when=lambda params: bool(params["holds"]))
OTHERWISE: Final = Param("otherwise", BRANCH, when=lambda params: not params["holds"])
LETTER_OF_CHECKSUM: Final = Param("letter", STRING, when=lambda params: params["kind"] == "letter_words")
WORDS_OF_OTHER_KEYS: Final = Param("max_words", INT, when=other_keys)
