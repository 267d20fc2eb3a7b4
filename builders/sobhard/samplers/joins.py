"""Merges: two parts of one table, and how they are joined."""

import random
from typing import Any, Final

from builders.sobhard.operations import join as joined
from builders.sobhard.samplers.draw import Choice, Draw
from builders.sobhard.samplers.facts import common_fields, of_kind, records_of
from builders.sobhard.samplers.programs import Unsuitable

__all__ = ["merge"]

_DISTINCT: Final = 0.8  # share of records that a key must tell apart


def merge(draw: Draw) -> Choice:
    """Two parts of one table that share a key, some rows and one more column, in which B has other values in places."""
    rng = draw.rng
    records = records_of(draw.document.value)
    names = common_fields(records)
    keys = [name for name in names if _names_records([record[name] for record in records])]
    if len(records) < 6 or len(names) < 4 or not keys:
        raise Unsuitable("no table with a key")
    key = rng.choice(keys[:3])
    left, right = _parts(rng, records, key, [name for name in names if name != key])
    if draw.slot.difficulty == "hard":
        twin = {**rng.choice(right), **{name: cell for name, cell in rng.choice(right).items() if name != key}}
        right.insert(rng.randrange(len(right) + 1), twin)
    join = {"key": key, "winner": rng.choice("AB"), "order": rng.choice("AB"), **_leftovers(draw)}
    recipe = {"document": "left", "document_b": "right", "join": join}
    return recipe | draw.program(joined(left, right, join)), {"left": left, "right": right}


def _names_records(values: list[Any]) -> bool:
    """Whether values tell nearly all records apart."""
    plain = of_kind(values, str, int) and all(str(value).strip() for value in values)
    return plain and len(set(values)) >= _DISTINCT * len(values)


def _parts(
    rng: random.Random, records: list[dict[str, Any]], key: str, others: list[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The first and the last four fifths of the rows, with columns of their own; the second in another order."""
    cut = rng.randint(1, len(others) - 2)
    shared, fifth = others[cut], len(records) // 5
    left = [{name: record[name] for name in (key, *others[: cut + 1])} for record in records[: len(records) - fifth]]
    right = [{name: record[name] for name in (key, *others[cut:])} for record in records[fifth:]]
    rng.shuffle(right)
    for entry in rng.sample(right, max(2, len(right) // 4)):
        entry[shared] = rng.choice(right)[shared]
    return left, right


def _leftovers(draw: Draw) -> dict[str, str]:
    """What becomes of records without a pair: a table has no room for those with fewer columns."""
    if draw.slot.target == "sqlinsert":
        return {"unmatched_a": "drop", "unmatched_b": "drop"}
    return {"unmatched_a": draw.rng.choice(["keep", "drop"]), "unmatched_b": draw.rng.choice(["append", "drop"])}
