"""The sixteen rewrite rules carried out, where the scorer only checks their properties (SOBHard contract, 6.1 and 7.3).

Each rule works on the previous one's result and changes nothing in place. What the contract leaves to whoever builds
questions is decided here and said in the Russian of the wordings; what two readers could do in two ways is refused.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from builders.sobhard.operations.paths import OperationRefused, Step, joined, steps_of
from builders.sobhard.operations.records import Record, cells, names, records_of, told_apart

__all__ = ["EXECUTED", "ORDERING", "results", "run_program"]

Params: TypeAlias = Mapping[str, Any]
# Rules after which the order of keys is graded.
ORDERING: Final = frozenset({"sort_keys", "group_records", "count_by", "pivot_levels"})

_integer = re.compile(r"-?[0-9]+").fullmatch
_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "gt": lambda value, limit: bool(value > limit),
    "lt": lambda value, limit: bool(value < limit),
}


def results(document: Any, program: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """The document after each step.

    Raises:
        OperationRefused: with the number of the step, from 1.
    """
    for number, step in enumerate(program, 1):
        try:
            document = EXECUTED[step["rule"]](document, step.get("params", {}))
        except LookupError as error:
            raise OperationRefused(f"step {number}: no such rule or parameter: {error}") from error
        except OperationRefused as error:
            raise OperationRefused(f"step {number}, {step['rule']}: {error}") from error
        yield document


def run_program(document: Any, program: Sequence[Mapping[str, Any]]) -> Any:
    """The document after every step.

    Raises:
        OperationRefused: as ``results``.
    """
    return [document, *results(document, program)][-1]


# Documents of any shape -----------------------------------------------------------------------------------------------


def _everywhere(value: Any, change: Callable[[Record], Record]) -> Any:
    """The value with every object in it changed, inner ones first."""
    if isinstance(value, list):
        return [_everywhere(entry, change) for entry in value]
    if isinstance(value, dict):
        return change({key: _everywhere(entry, change) for key, entry in value.items()})
    return value


def _in_order(entries: Record) -> Record:
    return dict(sorted(entries.items(), key=lambda entry: entry[0]))


def _sort_keys(value: Any, params: Params) -> Any:
    return _everywhere(value, _in_order)


def _flatten(value: Any, params: Params) -> Any:
    """Refused: a root that is no object, whose paths would start with an index, and keys that no path leads through."""
    if not isinstance(value, dict):
        raise OperationRefused("the document is no object")
    return dict(_leaves(value, ""))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict | list):
        yield path, value
        return
    if not value:
        raise OperationRefused(f"an empty container at {path!r} has no leaf")
    steps: Iterable[tuple[Step, Any]] = enumerate(value) if isinstance(value, list) else value.items()
    for step, entry in steps:
        yield from _leaves(entry, joined(path, step))


def _unflatten(value: Any, params: Params) -> Any:
    """Keys in the order of their first mention; the indices of a list may come in any order."""
    if not isinstance(value, dict) or not value:
        raise OperationRefused("the document is no object with entries")
    paths = {tuple(steps_of(path)): leaf for path, leaf in value.items()}
    if any(isinstance(leaf, dict | list) for leaf in paths.values()):
        raise OperationRefused("the object is not flat")
    if any(isinstance(path[0], int) for path in paths):
        raise OperationRefused("a path starts with an index")
    return _grown(paths)


def _grown(paths: Mapping[tuple[Step, ...], Any]) -> Any:
    """The value whose leaves stand at the paths."""
    if () in paths:
        if len(paths) > 1:
            raise OperationRefused("a path goes on where another ends")
        return paths[()]
    branches: dict[Step, dict[tuple[Step, ...], Any]] = {}
    for (step, *rest), leaf in paths.items():
        branches.setdefault(step, {})[tuple(rest)] = leaf
    kinds = {type(step) for step in branches}
    if len(kinds) > 1:
        raise OperationRefused("the same place is an object and a list")
    if kinds == {str}:
        return {step: _grown(inner) for step, inner in branches.items()}
    if set(branches) != set(range(len(branches))):
        raise OperationRefused("the indices of a list have gaps")
    return [_grown(branches[index]) for index in range(len(branches))]


def _camel_keys(value: Any, params: Params) -> Any:
    return _everywhere(value, _camel_named)


def _camel_named(entries: Record) -> Record:
    """Refused where two keys would become one."""
    renamed = {_camel(key): entry for key, entry in entries.items()}
    if len(renamed) != len(entries):
        raise OperationRefused(f"two of the keys {', '.join(entries)} have the same camelCase form")
    return renamed


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    if rest and not (first and all(rest)):
        raise OperationRefused(f"the key {name!r} has no camelCase form")
    if any(len(part[0].upper()) != 1 for part in rest):
        raise OperationRefused(f"a letter of the key {name!r} has no capital of its own")
    return first + "".join(part[0].upper() + part[1:] for part in rest)


def _numbers_from_strings(value: Any, params: Params) -> Any:
    if isinstance(value, dict):
        return {key: _numbers_from_strings(entry, params) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers_from_strings(entry, params) for entry in value]
    if not isinstance(value, str) or not _integer(value):
        return value
    if len(value) > len("-9223372036854775808"):
        raise OperationRefused(f"{value[:40]!r} is no integer of 64 bits")
    return int(value)


def _drop_empty(value: Any, params: Params) -> Any:
    """To a fixed point: inner objects come first. Refused where nothing of the document would be left."""
    left = _everywhere(value, lambda entries: {key: e for key, e in entries.items() if e not in ("", [], {})})
    if left in ({}, []):
        raise OperationRefused("nothing is left of the document")
    return left


def _pivot_levels(value: Any, params: Params) -> Any:
    """Absent cells stay absent."""
    if not isinstance(value, dict) or not value:
        raise OperationRefused("the document is no object with entries")
    turned: dict[str, Record] = {}
    for outer, inner in value.items():
        if not isinstance(inner, dict) or not inner:
            raise OperationRefused(f"under {outer!r} stands no object with entries")
        for name, entry in inner.items():
            if isinstance(entry, dict | list):
                raise OperationRefused(f"under {outer!r}, {name!r} stands a container")
            turned.setdefault(name, {})[outer] = entry
    return _sort_keys(turned, params)


# Lists of records -----------------------------------------------------------------------------------------------------


def _filter_records(value: Any, params: Params) -> Any:
    """Refused: values that the comparison is not made for, and a filter that leaves no record."""
    records, field, limit = records_of(value), params["field"], params["value"]
    found = [*cells(records, field), limit]
    if params["op"] in ("eq", "ne"):
        kept = [(cell == limit) == (params["op"] == "eq") for cell in told_apart(found)]
    else:
        compare = _ORDERS[params["op"]]
        kept = [compare(cell, limit) for cell in _numbers(found, field)]
    left = [record for record, stays in zip(records, kept, strict=False) if stays]  # the last of kept is the limit's
    if not left:
        raise OperationRefused("no record is left")
    return left


def _numbers(values: Sequence[Any], field: str) -> Sequence[Any]:
    for value in values:
        if type(value) is not int and type(value) is not float:
            raise OperationRefused(f"{value!r} in {field!r} is no number")
    return values


def _sort_records(value: Any, params: Params) -> Any:
    """Stable."""
    records, field = records_of(value), params["field"]
    keys = _numbers(cells(records, field), field) if params["numeric"] else names(records, field)
    return [records[place] for place in sorted(range(len(records)), key=keys.__getitem__)]


def _group_records(value: Any, params: Params) -> Any:
    records = records_of(value)
    groups: dict[str, list[Record]] = {}
    for record, name in zip(records, names(records, params["field"]), strict=True):
        groups.setdefault(name, []).append(record)
    return _in_order(groups)


def _count_by(value: Any, params: Params) -> Any:
    return {name: len(group) for name, group in _group_records(value, params).items()}


def _project_fields(value: Any, params: Params) -> Any:
    fields = _distinct(params["fields"])
    return [{name: _entry(record, name) for name in fields} for record in records_of(value)]


def _distinct(fields: Sequence[str]) -> Sequence[str]:
    if not fields or len(set(fields)) != len(fields):
        raise OperationRefused("the fields are none, or one is given twice")
    return fields


def _entry(record: Record, name: str) -> Any:
    if name not in record:
        raise OperationRefused(f"a record has no {name!r}")
    return record[name]


def _dedup_records(value: Any, params: Params) -> Any:
    """The first of equal ones stays."""
    records = records_of(value)
    found = told_apart(cells(records, params["field"]))
    return [record for place, record in enumerate(records) if found[place] not in found[:place]]


def _renumber(value: Any, params: Params) -> Any:
    return [{**record, params["field"]: number} for number, record in enumerate(records_of(value), 1)]


def _top_n_per_group(value: Any, params: Params) -> Any:
    records = records_of(value)
    found = names(records, params["field"])
    return [record for place, record in enumerate(records) if found[:place].count(found[place]) < params["n"]]


def _melt(value: Any, params: Params) -> Any:
    fields = _distinct(params["fields"])
    rows = []
    for record in records_of(value):
        others = {name: cell for name, cell in record.items() if name not in fields}
        if "metric" in others or "value" in others:
            raise OperationRefused("a record has a field called metric or value")
        rows += [{**others, "metric": field, "value": _entry(record, field)} for field in fields]
    return rows


EXECUTED: Final[Mapping[str, Callable[[Any, Params], Any]]] = {
    "sort_keys": _sort_keys,
    "flatten": _flatten,
    "unflatten": _unflatten,
    "camel_keys": _camel_keys,
    "filter_records": _filter_records,
    "sort_records": _sort_records,
    "group_records": _group_records,
    "project_fields": _project_fields,
    "numbers_from_strings": _numbers_from_strings,
    "drop_empty": _drop_empty,
    "dedup_records": _dedup_records,
    "renumber": _renumber,
    "count_by": _count_by,
    "top_n_per_group": _top_n_per_group,
    "pivot_levels": _pivot_levels,
    "melt": _melt,
}
