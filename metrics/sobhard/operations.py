"""The operations that references come from, as far as a check replays them (SOBHard contract, 7.4 to 7.8).

They run over a question's own data, so a failure is the row's: OperationError, never a guess. Sources are not changed.
"""

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from metrics.sobhard.values import PathError, Step, find, holder, is_number, parse_path
from metrics.sobhard.wording import kind_name

__all__ = [
    "NEW",
    "OLD",
    "SECTIONS",
    "OperationError",
    "apply_changes",
    "apply_ops",
    "join_records",
    "render",
    "structural_diff",
]

OLD: Final = "было"
NEW: Final = "стало"
SECTIONS: Final = ("added", "removed", "changed")
_MISSING: Final = object()


class OperationError(ValueError):
    """An operation that the question's data does not allow."""


# 7.4 ------------------------------------------------------------------------------------------------------------------


def apply_ops(source: Any, ops: Sequence[Mapping[str, Any]]) -> Any:
    """The source after ``set``, ``delete`` and ``insert`` operations in order.

    Raises:
        OperationError: an operation cannot be applied; the message gives its number, from 1.
    """
    document = copy.deepcopy(source)
    for number, op in enumerate(ops, 1):
        try:
            parent, step = holder(document, op["path"])
            action = _OPS.get(op["op"])
            if action is None:
                raise PathError(f"{op['op']!r} is no known operation")
            action(parent, step, op.get("value"))
        except (PathError, LookupError, TypeError, AttributeError) as error:
            raise OperationError(f"operation {number} cannot be applied: {error}") from None
    return document


def _set(parent: Any, step: Step, value: Any) -> None:
    _check_step(parent, step)
    parent[step] = copy.deepcopy(value)


def _delete(parent: Any, step: Step, _: Any) -> None:
    _check_step(parent, step)
    if isinstance(parent, dict) and step not in parent:
        raise PathError(f"no {step!r} here")
    del parent[step]


def _insert(parent: Any, step: Step, value: Any) -> None:
    if not isinstance(parent, list) or not isinstance(step, int):
        raise PathError("only a place in a list takes an insertion")
    parent.insert(step, copy.deepcopy(value))


def _check_step(parent: Any, step: Step) -> None:
    if not isinstance(parent, list if isinstance(step, int) else dict):
        raise PathError(f"{kind_name(parent)} has no place {step!r}")
    if isinstance(step, int) and step >= len(parent):
        raise PathError(f"no {step!r} here")


_OPS: Final[Mapping[str, Callable[[Any, Step, Any], None]]] = {"set": _set, "delete": _delete, "insert": _insert}


# 7.5 ------------------------------------------------------------------------------------------------------------------


def structural_diff(old: Any, new: Any) -> dict[str, dict[str, Any]]:
    """What was added, removed and changed, by path; all three sections, paths in code point order."""
    found: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    _diff(old, new, "", found)
    return {name: dict(sorted(entries.items())) for name, entries in found.items()}


def _diff(old: Any, new: Any, path: str, found: dict[str, dict[str, Any]]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            _entry(old.get(key, _MISSING), new.get(key, _MISSING), f"{path}.{key}" if path else key, found)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            before = old[index] if index < len(old) else _MISSING
            after = new[index] if index < len(new) else _MISSING
            _entry(before, after, f"{path}[{index}]", found)
    elif not _same_scalar(old, new):
        found["changed"][path] = {OLD: old, NEW: new}


def _entry(old: Any, new: Any, path: str, found: dict[str, dict[str, Any]]) -> None:
    if new is _MISSING:
        found["removed"][path] = old
    elif old is _MISSING:
        found["added"][path] = new
    else:
        _diff(old, new, path, found)


def _same_scalar(old: Any, new: Any) -> bool:
    """Equal scalars of one kind; integers and floats are one kind, booleans their own."""
    if isinstance(old, dict | list) or isinstance(new, dict | list):
        return False
    return (type(old) is type(new) or (is_number(old) and is_number(new))) and bool(old == new)


# 7.6 ------------------------------------------------------------------------------------------------------------------


def apply_changes(source: Any, change: Any) -> Any:
    """Version 1 with a change object applied: removals, then changes, then additions.

    Raises:
        OperationError: the operation cannot be applied; the message names the section and the path.
    """
    if not isinstance(change, dict):
        raise OperationError("the change object is no object")
    document = copy.deepcopy(source)
    removed, changed, added = (_section(change, name) for name in ("removed", "changed", "added"))
    places = [(path, last) for path in removed if isinstance(last := _last(path), int)]
    for path in [path for path in removed if not isinstance(_last(path), int)]:
        _at(document, path, "removed", _delete, None)
    for path, _ in sorted(places, key=lambda place: place[1], reverse=True):
        _at(document, path, "removed", _delete, None)
    for path, entry in changed.items():
        if not isinstance(entry, dict) or NEW not in entry:
            raise OperationError(f"changed, {path!r}: no {NEW}")
        _at(document, path, "changed", _set, entry[NEW])
    places = [(path, last) for path in added if isinstance(last := _last(path), int)]
    for path, _ in sorted(places, key=lambda place: place[1]):
        _at(document, path, "added", _insert, added[path])
    for path, value in added.items():
        if not isinstance(_last(path), int):
            _at(document, path, "added", _set, value)
    return document


def _section(change: dict[str, Any], name: str) -> dict[str, Any]:
    section = change.get(name, {})
    if not isinstance(section, dict):
        raise OperationError(f"{name} is no object")
    return section


def _last(path: str) -> Step:
    steps = parse_path(path)
    return steps[-1] if steps else ""


def _at(document: Any, path: str, section: str, action: Callable[[Any, Step, Any], None], value: Any) -> None:
    try:
        parent, step = holder(document, path)
        action(parent, step, value)
    except (LookupError, TypeError) as error:
        raise OperationError(f"{section}, {path!r}: {error}") from None


# 7.7 ------------------------------------------------------------------------------------------------------------------


def join_records(left: Any, right: Any, join: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Records of A and B joined by a key.

    Raises:
        OperationError: a side that is no list of objects.
    """
    for side in (left, right):
        if not isinstance(side, list) or not all(isinstance(record, dict) for record in side):
            raise OperationError("a side is no list of records")
    key, b_wins = join["key"], join.get("winner") == "B"
    keep_a, append_b = join.get("unmatched_a") == "keep", join.get("unmatched_b") == "append"
    if join.get("order") == "B":
        return _join(right, left, key, append_b, keep_a, lambda b, a: _merged(a, b, b_wins))
    return _join(left, right, key, keep_a, append_b, lambda a, b: _merged(a, b, b_wins))


def _join(
    first: list[dict[str, Any]],
    second: list[dict[str, Any]],
    key: str,
    keep_first: bool,
    append_second: bool,
    merge: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Records of ``first`` in order, each with the first partner of its key, then what of ``second`` has none."""
    partners, known = _Index(), _Index()
    for record in second:
        partners.add(record.get(key), record)
    joined: list[dict[str, Any]] = []
    for record in first:
        known.add(record.get(key), record)
        partner = partners.get(record.get(key))
        if partner is not None:
            joined.append(merge(record, partner))
        elif keep_first:
            joined.append(dict(record))
    if append_second:
        joined += [dict(record) for record in second if known.get(record.get(key)) is None]
    return joined


class _Index:
    """The first record of each key, by Python's equality; keys may be containers."""

    def __init__(self) -> None:
        self._hashed: dict[Any, dict[str, Any]] = {}
        self._others: list[tuple[Any, dict[str, Any]]] = []

    def add(self, key: Any, record: dict[str, Any]) -> None:
        if isinstance(key, dict | list):
            self._others.append((key, record))
        else:
            self._hashed.setdefault(key, record)

    def get(self, key: Any) -> dict[str, Any] | None:
        if isinstance(key, dict | list):
            return next((record for other, record in self._others if other == key), None)
        return self._hashed.get(key)


def _merged(a: dict[str, Any], b: dict[str, Any], b_wins: bool) -> dict[str, Any]:
    """A's fields, then B's; on a shared name the winner's value."""
    return {**a, **b} if b_wins else {**a, **{name: value for name, value in b.items() if name not in a}}


# 7.8 ------------------------------------------------------------------------------------------------------------------

_slots = re.compile(r"\$\$\{|\$\{([^}]*)\}").sub


def render(template: str, record: Any) -> str:
    """A template with a record's values in its ``${path}`` slots; ``$${`` is a literal ``${``.

    Raises:
        OperationError: a slot whose value is a container.
    """

    def fill(slot: re.Match[str]) -> str:
        if slot.group(1) is None:
            return "${"
        try:
            value = find(record, slot.group(1))
        except PathError:
            return ""
        if isinstance(value, dict | list):
            raise OperationError(f"the slot {slot.group()!r} holds a container")
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        return str(value)

    return _slots(fill, template)
