"""Rewrite rules carried out, where the scorer only checks their properties (SOBHard contract, 6.1 and 7.3).

Each rule works on the previous one's result. What the contract leaves to whoever builds questions is decided here and
said in the Russian of ``wording``: sorting is stable, of equal records the first stays, leading zeros are dropped.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from metrics.sobhard.values import Step, parse_path

__all__ = ["EXECUTED", "ProgramError", "run_program"]

Params = Mapping[str, Any]
_integer = re.compile(r"-?[0-9]+").fullmatch
_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "gt": lambda value, limit: bool(value > limit),
    "lt": lambda value, limit: bool(value < limit),
    "eq": lambda value, limit: bool(value == limit),
    "ne": lambda value, limit: bool(value != limit),
}


class ProgramError(ValueError):
    """A rule that the document does not allow: the recipe is wrong."""


def run_program(document: Any, program: Sequence[Mapping[str, Any]]) -> Any:
    """The document after every step; the given one is not changed.

    Raises:
        ProgramError: with the number of the step, from 1.
    """
    for number, step in enumerate(program, 1):
        try:
            document = EXECUTED[step["rule"]](document, step.get("params", {}))
        except (LookupError, TypeError, AttributeError, ProgramError) as error:
            raise ProgramError(f"step {number}, {step.get('rule')}: {error}") from error
    return document


def _everywhere(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """The value with every object in it changed, inner ones first."""
    if isinstance(value, list):
        return [_everywhere(entry, change) for entry in value]
    if isinstance(value, dict):
        return change({key: _everywhere(entry, change) for key, entry in value.items()})
    return value


def _sort_keys(value: Any, params: Params) -> Any:
    return _everywhere(value, lambda entries: dict(sorted(entries.items())))


def _leaves(value: Any, path: str) -> dict[str, Any]:
    if isinstance(value, dict | list) and not value:
        raise ProgramError(f"an empty container at {path!r} has no leaf")
    if isinstance(value, dict):
        parts = [(f"{path}.{key}" if path else key, entry) for key, entry in value.items()]
    elif isinstance(value, list):
        parts = [(f"{path}[{index}]", entry) for index, entry in enumerate(value)]
    else:
        return {path: value}
    return {at: leaf for name, entry in parts for at, leaf in _leaves(entry, name).items()}


def _unflatten(value: Any, params: Params) -> Any:
    root: dict[str, Any] = {}
    for path, leaf in value.items():
        steps = parse_path(path)
        holder: Any = root
        for step, following in pairwise(steps):
            holder = _place(holder, step, [] if isinstance(following, int) else {})
        _place(holder, steps[-1], leaf)
    return root


def _place(holder: Any, step: Step, value: Any) -> Any:
    """What stands at a step, put there if nothing does; list places come in order."""
    if isinstance(holder, list):
        if step == len(holder):
            holder.append(value)
        return holder[step]  # type: ignore[index]  # a list is only made for an index
    return holder.setdefault(step, value)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    if not first or not all(rest):
        raise ProgramError(f"the key {name!r} has no camelCase form")
    return first + "".join(part[0].upper() + part[1:] for part in rest)


def _camel_keys(value: Any, params: Params) -> Any:
    return _everywhere(value, lambda entries: {_camel(key): entry for key, entry in entries.items()})


def _filter_records(value: Any, params: Params) -> Any:
    holds = _COMPARE[params["op"]]
    return [record for record in value if holds(record[params["field"]], params["value"])]


def _sort_records(value: Any, params: Params) -> Any:
    field = params["field"]
    if params["numeric"]:
        return sorted(value, key=lambda record: record[field])
    return sorted(value, key=lambda record: str(record[field]))


def _group_records(value: Any, params: Params) -> Any:
    groups: dict[str, list[Any]] = {}
    for record in value:
        groups.setdefault(str(record[params["field"]]), []).append(record)
    return dict(sorted(groups.items()))


def _project_fields(value: Any, params: Params) -> Any:
    return [{name: record[name] for name in params["fields"]} for record in value]


def _numbers_from_strings(value: Any, params: Params) -> Any:
    if isinstance(value, dict):
        return {key: _numbers_from_strings(entry, params) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers_from_strings(entry, params) for entry in value]
    return int(value) if isinstance(value, str) and _integer(value) else value


def _drop_empty(value: Any, params: Params) -> Any:
    # Inner objects come first, so one pass is a fixed point.
    return _everywhere(value, lambda entries: {key: e for key, e in entries.items() if e not in ("", [], {})})


def _dedup_records(value: Any, params: Params) -> Any:
    seen: dict[Any, Any] = {}
    for record in value:
        seen.setdefault(record[params["field"]], record)
    return list(seen.values())


def _renumber(value: Any, params: Params) -> Any:
    return [{**record, params["field"]: number} for number, record in enumerate(value, 1)]


def _count_by(value: Any, params: Params) -> Any:
    return {key: len(group) for key, group in _group_records(value, params).items()}


def _top_n_per_group(value: Any, params: Params) -> Any:
    kept: dict[str, int] = {}
    records = []
    for record in value:
        name = str(record[params["field"]])
        kept[name] = kept.get(name, 0) + 1
        if kept[name] <= params["n"]:
            records.append(record)
    return records


def _pivot_levels(value: Any, params: Params) -> Any:
    turned: dict[str, dict[str, Any]] = {}
    for outer, inner in value.items():
        for name, entry in inner.items():
            turned.setdefault(name, {})[outer] = entry
    return _sort_keys(turned, params)


def _melt(value: Any, params: Params) -> Any:
    fields = params["fields"]
    return [
        {**{name: cell for name, cell in record.items() if name not in fields}, "metric": field, "value": record[field]}
        for record in value
        for field in fields
    ]


EXECUTED: Final[Mapping[str, Callable[[Any, Params], Any]]] = {
    "sort_keys": _sort_keys,
    "flatten": lambda value, params: _leaves(value, ""),
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
