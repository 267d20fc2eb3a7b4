"""Lists of records: what every operation on them asks of a field, and the join of two (SOBHard contract, 7.7)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from builders.sobhard.operations.paths import OperationRefused

__all__ = ["Record", "cells", "join", "names", "records_of", "told_apart"]

Record: TypeAlias = dict[str, Any]
_FATES: Final = {"keep": True, "append": True, "drop": False}


def records_of(value: Any) -> list[Record]:
    """The value itself, once it is known to be a list of objects that is not empty.

    Raises:
        OperationRefused: it is something else.
    """
    if not isinstance(value, list) or not value or not all(isinstance(record, dict) for record in value):
        raise OperationRefused("no list of records")
    return value


def cells(records: Sequence[Record], field: str) -> list[Any]:
    """The scalar that each record has in a field.

    Raises:
        OperationRefused: a record without the field, or with a container in it.
    """
    found = []
    for number, record in enumerate(records, 1):
        if field not in record:
            raise OperationRefused(f"record {number} has no {field!r}")
        if isinstance(record[field], dict | list):
            raise OperationRefused(f"record {number} has a container in {field!r}")
        found.append(record[field])
    return found


def told_apart(values: Sequence[Any]) -> Sequence[Any]:
    """The scalars themselves, once none has its equal in another type: ``1``, ``1.0`` and ``true`` are not mixed.

    Raises:
        OperationRefused: two of them are.
    """
    kinds: dict[Any, type] = {}
    for value in values:
        if kinds.setdefault(value, type(value)) is not type(value):
            raise OperationRefused(f"{value!r} stands beside its equal of another type")
    return values


def names(records: Sequence[Record], field: str) -> list[str]:
    """The text of each record's value in a field: strings as they are, integers in digits.

    Raises:
        OperationRefused: as ``cells``; a value of which notations write the text in several ways; strings among
            integers.
    """
    found = cells(records, field)
    if {type(value) for value in found} not in ({str}, {int}):
        raise OperationRefused(f"the values of {field!r} are not all strings and not all integers")
    return [str(value) for value in found]


def join(left: Any, right: Any, rules: Mapping[str, Any]) -> list[Record]:
    """Records of A and B joined by a key.

    Raises:
        OperationRefused: a side without records, a record without the key, keys of mixed types, an unknown rule.
    """
    try:
        key, winner, order = rules["key"], rules["winner"], rules["order"]
        keep_a, keep_b = _FATES[rules["unmatched_a"]], _FATES[rules["unmatched_b"]]
    except LookupError as error:
        raise OperationRefused(f"no such rule of a join: {error}") from None
    if winner not in ("A", "B") or order not in ("A", "B"):
        raise OperationRefused(f"winner {winner!r} and order {order!r} are not both A or B")
    sides = {"A": records_of(left), "B": records_of(right)}
    keys = {name: cells(records, key) for name, records in sides.items()}
    told_apart([*keys["A"], *keys["B"]])
    other = "B" if order == "A" else "A"
    keep = {"A": keep_a, "B": keep_b}
    joined: list[Record] = []
    for record, value in zip(sides[order], keys[order], strict=True):
        if value in keys[other]:
            pair = {order: record, other: sides[other][keys[other].index(value)]}
            joined.append(_merged(pair["A"], pair["B"], winner))
        elif keep[order]:
            joined.append(record)
    if keep[other]:
        joined += [record for record, value in zip(sides[other], keys[other], strict=True) if value not in keys[order]]
    return joined


def _merged(a: Record, b: Record, winner: str) -> Record:
    """The fields of A in their order, then what only B has."""
    chosen = {"A": (b, a), "B": (a, b)}[winner]
    values = {**chosen[0], **chosen[1]}
    return {name: values[name] for name in [*a, *(name for name in b if name not in a)]}
