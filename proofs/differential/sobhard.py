"""SOBHard: the scorer's operations and properties against the builder's executor, over drawn documents.

The builder is stricter than the contract: what it refuses has no second reading. Where it comes to a value the scorer
has to come to the same one, in types and in the order of keys; what it makes by a rule has to have the rule's property;
and what a rule leaves as it is has the property, what it changes has not.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from builders.sobhard import operations as ours
from metrics.sobhard import operations as theirs
from metrics.sobhard import schemas
from metrics.sobhard.comparison import NotComparable, compare
from metrics.sobhard.rules import RULES
from metrics.sobhard.values import PathError, find
from proofs.differential.contract_comparison import kinds_of_difference
from proofs.differential.difference import Difference
from proofs.fuzz.documents import tree
from proofs.fuzz.values import spoiled

__all__ = ["OPERATIONS", "WITHOUT", "compared"]

_FIELDS: Final = ("id", "n", "имя", "dept", "a_b", "note")
_CELLS: Final = ("1", "2", "10", 1, 2, 3, 3, 1.5, True, None, "а", "б", "", "x_y", "007", -4)
_REFUSED: Final = object()
# Rules that leave alone what already has their property.
_SETTLED: Final = (
    *("sort_keys", "camel_keys", "numbers_from_strings", "drop_empty", "filter_records", "sort_records"),
    *("project_fields", "dedup_records", "renumber", "top_n_per_group", "flatten"),
)
# Operations without a second reading of answers that are not the builder's own, and why.
WITHOUT: Final[Mapping[str, str]] = dict.fromkeys(
    ("unflatten", "group_records", "count_by", "pivot_levels", "melt"),
    "the rule changes the shape of what it reads, so its own answers are no input of it; the builder's results alone "
    "are compared",
)


class _Compared(NamedTuple):
    """An input with two readings; either may refuse."""

    given: Mapping[str, Any]
    builder: Callable[[], Any]
    scorer: Callable[[], Any]


def _document(source: Random) -> Any:
    """A document with something in it, an object as a rule."""
    found = tree(source, 4)
    if isinstance(found, dict | list) and source.random() < 0.9:
        return found
    return {"a": found, "b": [copy.deepcopy(found), {"c": 1}]}  # JSON has no shared parts


def _records(source: Random) -> list[dict[str, Any]]:
    """Records whose fields hold cells of one kind, as a rule."""
    names = source.sample(_FIELDS, source.randrange(1, 5))
    kinds = {name: source.choice((("1", "2", "а", "б"), (1, 2, 3, 10), (1.5, 2, -4, 3), _CELLS)) for name in names}
    rows = [{name: source.choice(kinds[name]) for name in names} for _ in range(source.randrange(1, 7))]
    if source.random() < 0.1:
        source.choice(rows).pop(source.choice(names), None)
    return rows


def _paths(document: Any, path: str = "") -> Iterator[str]:
    """Paths of everything in a document."""
    if isinstance(document, dict | list):
        entries = document.items() if isinstance(document, dict) else enumerate(document)
        for step, inner in entries:
            below = f"{path}[{step}]" if isinstance(step, int) else f"{path}.{step}" if path else str(step)
            yield below
            yield from _paths(inner, below)


def _path(source: Random, document: Any) -> str:
    """A path of a document; one in five leads elsewhere, or is none."""
    known = list(_paths(document)) or ["a"]
    path = source.choice(known)
    if source.random() < 0.2:
        path = source.choice(
            (f"{path}.x", f"{path}[0]", f"{path}[1]", path[:-1] or "x", "a..b", "", f"{path}[x]", "x.y")
        )
    return path


def _value(source: Random) -> Any:
    return tree(source, 2)


def _find(source: Random) -> _Compared:
    document = _document(source)
    path = _path(source, document)

    def resolved() -> Any:
        found = ours.resolve(document, path)
        return [] if found is ours.ABSENT else [found]

    def looked_up() -> Any:
        try:
            return [find(document, path)]
        except PathError:
            return []

    return _Compared({"document": document, "path": path}, resolved, looked_up)


def _patch(source: Random) -> _Compared:
    document = _document(source)
    ops: list[dict[str, Any]] = []
    for _ in range(source.randrange(1, 4)):
        op = source.choice(("set", "delete", "insert"))
        ops.append({"op": op, "path": _path(source, document), **({} if op == "delete" else {"value": _value(source)})})
    given = {"document": document, "ops": ops}
    return _Compared(given, lambda: ours.patched(document, ops), lambda: theirs.apply_ops(document, ops))


def _versions(source: Random) -> tuple[Any, Any]:
    old = _document(source) if source.random() < 0.7 else {"r": _records(source)}
    return old, spoiled(source, old)


def _diff(source: Random) -> _Compared:
    old, new = _versions(source)
    given = {"old": old, "new": new}
    return _Compared(given, lambda: ours.difference(old, new), lambda: theirs.structural_diff(old, new))


def _apply(source: Random) -> _Compared:
    old, new = _versions(source)
    change: Any = theirs.structural_diff(old, new)
    if source.random() < 0.3:
        change = spoiled(source, change, ("added", "removed", "changed", "было", "стало"))
    given = {"document": old, "change": change}
    return _Compared(given, lambda: ours.applied(old, change), lambda: theirs.apply_changes(old, change))


def _join(source: Random) -> _Compared:
    left, right = _records(source), _records(source)
    rules = {
        "key": source.choice(_FIELDS[:3]),
        "winner": source.choice("AB"),
        "order": source.choice("AB"),
        "unmatched_a": source.choice(("keep", "drop")),
        "unmatched_b": source.choice(("append", "drop")),
    }
    for side in (left, right):
        for record in side:
            record.setdefault(rules["key"], source.choice((1, 2, 3)))
    given = {"left": left, "right": right, "rules": rules}
    return _Compared(given, lambda: ours.join(left, right, rules), lambda: theirs.join_records(left, right, rules))


def _template(source: Random) -> _Compared:
    record = _document(source)
    parts = []
    for _ in range(source.randrange(1, 6)):
        parts.append(
            source.choice(("${" + _path(source, record) + "}", "№", "$", "$${", "{", "}", "текст ", "${", "$$"))
        )
    template = "".join(parts)
    given = {"template": template, "record": record}
    return _Compared(given, lambda: ours.filled(template, record), lambda: theirs.render(template, record))


def _schema(source: Random) -> _Compared:
    document = _document(source) if source.random() < 0.6 else _records(source)
    kind = source.choice(ours.SCHEMA_KINDS)
    given = {"document": document, "kind": kind}
    return _Compared(given, lambda: ours.schema(document, kind), lambda: schemas.infer(document, kind))


def _params(source: Random, rule: str, records: Any) -> dict[str, Any]:
    names = (
        list(records[0]) if isinstance(records, list) and records and isinstance(records[0], dict) else list(_FIELDS)
    )
    field = source.choice(names or list(_FIELDS))
    match rule:
        case "filter_records":
            return {"field": field, "op": source.choice(("eq", "ne", "gt", "lt")), "value": source.choice(_CELLS)}
        case "sort_records":
            return {"field": field, "numeric": source.random() < 0.5}
        case "project_fields" | "melt":
            return {"fields": source.sample(names, source.randrange(1, len(names) + 1)) if names else ["id"]}
        case "top_n_per_group":
            return {"field": field, "n": source.choice((1, 2, 3))}
        case "group_records" | "dedup_records" | "count_by" | "renumber":
            return {"field": field}
    return {}


_ON_RECORDS: Final = frozenset(
    {"filter_records", "sort_records", "group_records", "project_fields", "dedup_records", "renumber", "count_by"}
    | {"top_n_per_group", "melt"}
)


def _rule_input(source: Random, rule: str) -> tuple[Any, dict[str, Any]]:
    if rule in _ON_RECORDS:
        document: Any = _records(source)
    elif rule == "pivot_levels":
        document = {str(row.pop("id", n)): row for n, row in enumerate(_records(source))}
    elif rule == "unflatten":
        document = next(iter(ours.results({"a": _document(source)}, [{"rule": "flatten"}])))
    else:
        document = _document(source)
    return document, _params(source, rule, document)


def _has_property(rule: str, answer: Any, params: Mapping[str, Any]) -> bool:
    return not RULES[rule](answer, params)


def _executed(rule: str) -> Callable[[Random], _Compared]:
    """What the builder makes by a rule has the rule's property."""

    def drawn(source: Random) -> _Compared:
        try:
            document, params = _rule_input(source, rule)
            made = ours.run_program(document, [{"rule": rule, "params": params}])
        except ours.OperationRefused as refusal:
            return _Compared({"refused": str(refusal)}, _refuse, _refuse)
        given = {"answer": made, "params": params}
        return _Compared(given, lambda: True, lambda: _has_property(rule, made, params))

    return drawn


def _refuse() -> Any:
    raise ours.OperationRefused("no input was made")


def _settled(rule: str) -> Callable[[Random], _Compared]:
    """An answer has a rule's property if the rule, carried out on it, changes nothing."""

    def drawn(source: Random) -> _Compared:
        document, params = _rule_input(source, rule)
        step = [{"rule": rule, "params": params}]
        answer = document
        if source.random() < 0.7:
            try:
                answer = ours.run_program(document, step)
            except ours.OperationRefused:
                answer = document
            if source.random() < 0.7:
                answer = spoiled(source, answer, _FIELDS)
        given = {"answer": answer, "params": params}

        def unchanged() -> bool:
            return json.dumps(ours.run_program(answer, step)) == json.dumps(answer)

        return _Compared(given, unchanged, lambda: _has_property(rule, answer, params))

    return drawn


def _comparison(source: Random) -> _Compared:
    """A value and another made of it: every difference, by kind."""
    gold = _document(source) if source.random() < 0.6 else _records(source)
    pred = _nearly(source, gold) if source.random() < 0.5 else spoiled(source, gold)
    coerce = source.random() < 0.5
    given = {"pred": pred, "gold": gold, "coerce": coerce}

    def scored() -> Any:
        try:
            counts = compare(pred, gold, coerce).counts
        except NotComparable:
            return "not comparable"
        return sorted(kind for kind, count in counts.items() for _ in range(count))

    def worded() -> Any:
        try:
            return kinds_of_difference(pred, gold, coerce)
        except OverflowError:
            return "not comparable"

    return _Compared(given, worded, scored)


def _nearly(source: Random, value: Any) -> Any:
    """A copy with scalars written in another type, or numbers moved by about the tolerance."""
    if isinstance(value, dict):
        return {key: _nearly(source, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_nearly(source, inner) for inner in value]
    if source.random() < 0.7:
        return value
    if isinstance(value, int | float):
        moved = value * (1 + source.choice((-1, 1)) * source.choice((9e-7, 1e-6, 1.1e-6, 0.5)))
        return source.choice((str(value), float(value), moved, f" {value} ", f"{value}.0", bool(value)))
    return source.choice((str(value), None, "nan", f"{value} ", 0, 10**400, 1))


OPERATIONS: Final[Mapping[str, Callable[[Random], _Compared]]] = {
    "find": _find,
    "patch": _patch,
    "diff": _diff,
    "apply_diff": _apply,
    "merge": _join,
    "template": _template,
    "schema": _schema,
    "comparison": _comparison,
    **{f"made by {rule}": _executed(rule) for rule in ours.EXECUTED},
    **{f"left by {rule}": _settled(rule) for rule in _SETTLED},
}


def _outcome(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (ours.OperationRefused, theirs.OperationError):
        return _REFUSED
    except Exception as error:  # a reading that raises is a reading too
        return f"raises {type(error).__name__}"


def compared(name: str, source: Random) -> tuple[bool, Difference | None]:
    """One drawn input of an operation: whether the builder reads it at all, and how the readings part."""
    drawn = OPERATIONS[name](source)
    builder = _outcome(drawn.builder)
    if builder is _REFUSED:
        return False, None
    scorer = _outcome(drawn.scorer)
    if scorer is not _REFUSED and json.dumps(builder) == json.dumps(scorer):
        return True, None
    found = {"builder": builder, "scorer": "refuses" if scorer is _REFUSED else scorer}
    return True, Difference(name, found, "", drawn.given)
