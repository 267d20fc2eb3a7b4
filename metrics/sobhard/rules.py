"""The sixteen rewrite rules as properties of an answer (SOBHard contract, 6.1): no rule is run again.

A property returns "" where it holds, or one sentence that says where it does not. A missing parameter raises, which
fails the constraint. The string form of a value is Python's (``True``, ``None``, ``1.0``).
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from metrics.sobhard.values import CONTAINERS, MAX_NODES, TooLargeError, canonical, is_number, too_large_to_walk, walk
from metrics.sobhard.wording import quoted, shown

__all__ = ["RULES", "SHARING_SAFE", "WALKING", "broken_rule", "start_index"]

Params = Mapping[str, Any]
Record = dict[Any, Any]

_flat_key = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])*").fullmatch
_integer = re.compile(r"-?[0-9]+\n?").fullmatch
_NO_RECORDS: Final = "the answer is no list of records, nor an object of such lists"
_RESHAPING: Final = ("count_by", "melt")  # what earlier rules promised no longer shows after these


def start_index(program: Sequence[Mapping[str, Any]]) -> int:
    """The first step whose property the answer must have: the last reshaping one, by first occurrences."""
    names = [step["rule"] for step in program]
    return max((names.index(name) for name in _RESHAPING if name in names), default=0)


def broken_rule(program: Sequence[Mapping[str, Any]], answer: Any) -> tuple[int, str, str] | None:
    """The first step whose property fails: its number from 1, its rule, and why; None if all hold.

    Raises:
        KeyError, TypeError, ...: a step lacks a field that its rule needs.
    """
    for number, step in enumerate(program[start_index(program) :], start_index(program) + 1):
        rule = RULES.get(step["rule"])
        problem = rule(answer, step.get("params") or {}) if rule else "no such rule"
        if problem:
            return number, str(step["rule"]), problem
    return None


def _records(answer: Any) -> list[Record] | None:
    """The records of an answer: a list of objects, or all lists of an object that holds nothing else."""
    if _is_records(answer):
        return list(answer)
    if isinstance(answer, dict) and answer and all(map(_is_records, answer.values())):
        return [record for group in answer.values() for record in group]
    return None


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _disorder(mapping: Record) -> str:
    """The first two keys of an object that are not in order, as a sentence, or ""."""
    names = [str(key) for key in mapping]
    for before, after in pairwise(names):
        if after < before:
            return f"the key {quoted(after)} stands after {quoted(before)}"
    return ""


def _sort_keys(answer: Any, params: Params) -> str:
    return next((problem for node in walk(answer) if isinstance(node, dict) and (problem := _disorder(node))), "")


def _flatten(answer: Any, params: Params) -> str:
    if not isinstance(answer, dict):
        return f"an object required, found {shown(answer)}"
    for key, value in answer.items():
        if isinstance(value, dict | list):
            return f"under {quoted(str(key))} stands {shown(value)}"
        if not _flat_key(str(key)):
            return f"the key {quoted(str(key))} is no path"
    return ""


def _bad_key(answer: Any, marks: str) -> str:
    keys = (str(key) for node in walk(answer) if isinstance(node, dict) for key in node)
    return next((f"the key {quoted(key)} holds '{mark}'" for key in keys for mark in marks if mark in key), "")


def _unflatten(answer: Any, params: Params) -> str:
    return _bad_key(answer, ".[")


def _camel_keys(answer: Any, params: Params) -> str:
    return _bad_key(answer, "_")


def _above(value: Any, limit: Any) -> bool:
    return is_number(value) and bool(value > limit)


def _below(value: Any, limit: Any) -> bool:
    return is_number(value) and bool(value < limit)


def _filter_records(answer: Any, params: Params) -> str:
    field, op, limit = params["field"], params["op"], params["value"]
    records = _records(answer)
    if records is None:
        return _NO_RECORDS
    if not any(field in record for record in records):
        return ""
    for number, record in enumerate(records, 1):
        value = record.get(field)
        if op == "gt":
            holds = _above(value, limit)
        elif op == "lt":
            holds = _below(value, limit)
        else:
            holds = bool(value == limit) == (op == "eq")
        if not holds:
            return f"record {number} has {shown(value)} in {quoted(str(field))}, against {op} {shown(limit)}"
    return ""


def _sort_records(answer: Any, params: Params) -> str:
    field, numeric = params["field"], params["numeric"]
    if isinstance(answer, list):
        lists = [answer]
    else:
        lists = [v for v in answer.values() if isinstance(v, list)] if isinstance(answer, dict) else []
    if not lists:
        return "there is no list of records"
    is_large: bool | None = None  # measured once, where it matters
    if sum(map(len, lists)) > MAX_NODES:
        raise TooLargeError(f"more than {MAX_NODES} records")
    for entries in lists:
        values = []
        for entry in entries:
            if not isinstance(entry, dict) or field not in entry:
                return ""  # so the contract has it
            values.append(entry[field])
        if numeric and not all(map(is_number, values)):
            return f"{quoted(str(field))} holds {shown(next(v for v in values if not is_number(v)))}, no number"
        if not numeric and any(isinstance(value, CONTAINERS) for value in values):
            is_large = too_large_to_walk(answer) if is_large is None else is_large
            if is_large:
                raise TooLargeError("aliases make the sorted values too large to be written out")
        keys = values if numeric else [str(value) for value in values]
        for number, (before, after) in enumerate(pairwise(keys), 2):
            if after < before:
                return f"record {number} has {shown(after)} in {quoted(str(field))} after {shown(before)}"
    return ""


def _group_records(answer: Any, params: Params) -> str:
    field = params["field"]
    if not isinstance(answer, dict):
        return f"an object required, found {shown(answer)}"
    for key, group in answer.items():
        if not _is_records(group) or not group:
            return f"the group {quoted(str(key))} is no list of records that holds one"
        for record in group:
            if field in record and str(record[field]) != str(key):
                return f"the group {quoted(str(key))} holds a record with {shown(record[field])}"
    return _disorder(answer)


def _project_fields(answer: Any, params: Params) -> str:
    fields = set(params["fields"])
    records = _records(answer)
    if records is None:
        return _NO_RECORDS
    for number, record in enumerate(records, 1):
        if record.keys() != fields:
            return f"record {number} has other fields than [{', '.join(map(str, params['fields']))}]"
    return ""


def _numbers_from_strings(answer: Any, params: Params) -> str:
    found = next((node for node in walk(answer) if isinstance(node, str) and _integer(node)), None)
    return "" if found is None else f"the string {shown(found)} is an integer"


def _drop_empty(answer: Any, params: Params) -> str:
    entries = ((k, v) for node in walk(answer) if isinstance(node, dict) for k, v in node.items())
    return next((f"{quoted(str(key))} holds {shown(value)}" for key, value in entries if value in ("", [], {})), "")


def _dedup_records(answer: Any, params: Params) -> str:
    field = params["field"]
    records = _records(answer)
    if records is None:
        return _NO_RECORDS
    if not any(field in record for record in records):
        return ""
    seen: set[str] = set()
    for number, record in enumerate(records, 1):
        text = canonical(record.get(field))
        if text in seen:
            return f"record {number} repeats {shown(record.get(field))} in {quoted(str(field))}"
        seen.add(text)
    return ""


def _renumber(answer: Any, params: Params) -> str:
    field = params["field"]
    records = _records(answer)
    if records is None:
        return _NO_RECORDS
    for number, record in enumerate(records, 1):
        if not is_number(record.get(field)) or record[field] != number:
            return f"record {number} carries {shown(record.get(field))} in {quoted(str(field))}"
    return ""


def _count_by(answer: Any, params: Params) -> str:
    if not isinstance(answer, dict):
        return f"an object required, found {shown(answer)}"
    for key, value in answer.items():
        if type(value) is not int or value < 1:
            return f"{quoted(str(key))} holds {shown(value)}, no count"
    return _disorder(answer)


def _top_n_per_group(answer: Any, params: Params) -> str:
    field, most = params["field"], params["n"]
    records = _records(answer)
    if records is None:
        return _NO_RECORDS
    if not any(field in record for record in records):
        return ""
    counts = Counter(str(record.get(field)) for record in records)
    for name, count in counts.items():
        if count > most:
            return f"{count} records have {quoted(name)} in {quoted(str(field))}, at most {most} allowed"
    return ""


def _pivot_levels(answer: Any, params: Params) -> str:
    if not isinstance(answer, dict):
        return f"an object required, found {shown(answer)}"
    for key, inner in answer.items():
        if not isinstance(inner, dict):
            return f"under {quoted(str(key))} an object required, found {shown(inner)}"
        for name, value in inner.items():
            if isinstance(value, dict | list):
                return f"under {quoted(str(key))}, {quoted(str(name))} stands {shown(value)}"
        problem = _disorder(inner)
        if problem:
            return f"under {quoted(str(key))}: {problem}"
    return _disorder(answer)


def _melt(answer: Any, params: Params) -> str:
    fields = params["fields"]
    records = _records(answer)
    if records is None:
        return _NO_RECORDS
    if len(records) % len(fields):
        return f"{len(records)} records are no multiple of {len(fields)} fields"
    for index, record in enumerate(records):
        wanted = fields[index % len(fields)]
        if "metric" not in record or "value" not in record:
            return f"record {index + 1} has no metric or no value"
        if record["metric"] != wanted:
            return f"record {index + 1} has the metric {shown(record['metric'])}, not {shown(wanted)}"
    return ""


RULES: Final[Mapping[str, Callable[[Any, Params], str]]] = MappingProxyType(
    {
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
)

# Rules that visit the whole answer; those, and whatever else meets shared parts without multiplying them.
WALKING: Final = frozenset({"sort_keys", "unflatten", "camel_keys", "numbers_from_strings", "drop_empty"})
SHARING_SAFE: Final = WALKING | {"sort_records"}
