"""Edits by path: patch, diff and apply_diff (SOBHard contract, 7.4 to 7.6), by copying what changes.

A document is never changed in place: each edit gives a new one that shares what it leaves alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from builders.sobhard.operations.paths import ABSENT, OperationRefused, Step, at, joined, steps_of

__all__ = ["NEW", "OLD", "applied", "difference", "patched"]

OLD: Final = "было"
NEW: Final = "стало"
_Edit: TypeAlias = Callable[[Any], Any]


def _edited(document: Any, steps: Sequence[Step], edit: _Edit) -> Any:
    """The document with the container at the end of ``steps`` replaced by what ``edit`` makes of it."""
    if not steps:
        return edit(document)
    step, *rest = steps
    child = at(document, step)
    if child is ABSENT:
        raise OperationRefused(f"nothing stands at {step!r}")
    return _with(document, step, _edited(child, rest, edit))


def _with(holder: Any, step: Step, value: Any) -> Any:
    """A container with one entry replaced, or added under a new key."""
    if isinstance(holder, dict) and isinstance(step, str):
        return {**holder, step: value}
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        return [*holder[:step], value, *holder[step + 1 :]]
    raise OperationRefused(f"{step!r} is no place to write to")


def _without(holder: Any, step: Step) -> Any:
    if at(holder, step) is ABSENT:
        raise OperationRefused(f"nothing stands at {step!r}")
    if isinstance(holder, dict):
        return {key: entry for key, entry in holder.items() if key != step}
    return [entry for index, entry in enumerate(holder) if index != step]


def _with_inserted(holder: Any, step: Step, value: Any) -> Any:
    if not isinstance(holder, list) or not isinstance(step, int):
        raise OperationRefused("only a list takes an insertion")
    if step > len(holder):
        raise OperationRefused(f"the list ends before {step}")
    return [*holder[:step], value, *holder[step:]]


def _deleted(document: Any, path: str) -> Any:
    *steps, last = steps_of(path)
    return _edited(document, steps, lambda holder: _without(holder, last))


def _assigned(document: Any, path: str, value: Any) -> Any:
    *steps, last = steps_of(path)
    return _edited(document, steps, lambda holder: _with(holder, last, value))


def _inserted(document: Any, path: str, value: Any) -> Any:
    *steps, last = steps_of(path)
    return _edited(document, steps, lambda holder: _with_inserted(holder, last, value))


# 7.4 ------------------------------------------------------------------------------------------------------------------


def patched(document: Any, ops: Sequence[Mapping[str, Any]]) -> Any:
    """The document after ``set``, ``delete`` and ``insert`` operations in order.

    An insertion past the end of its list, which the contract appends, is refused: no prompt says so.

    Raises:
        OperationRefused: with the number of the operation, from 1.
    """
    for number, op in enumerate(ops, 1):
        try:
            document = _op(document, op)
        except OperationRefused as error:
            raise OperationRefused(f"operation {number} cannot be applied: {error}") from None
    return document


def _op(document: Any, op: Mapping[str, Any]) -> Any:
    match op:
        case {"op": "delete", "path": path}:
            return _deleted(document, path)
        case {"op": "set", "path": path, "value": value}:
            return _assigned(document, path, value)
        case {"op": "insert", "path": path, "value": value}:
            return _inserted(document, path, value)
    raise OperationRefused(f"no operation: {dict(op)!r}")


# 7.5 ------------------------------------------------------------------------------------------------------------------


def difference(old: Any, new: Any) -> dict[str, dict[str, Any]]:
    """The change object from one version to the other.

    Raises:
        OperationRefused: the versions differ as a whole, or below a key that no path leads through.
    """
    found: dict[str, list[tuple[str, Any]]] = {"added": [], "removed": [], "changed": []}
    for path, before, after in _differences(old, new, ""):
        if after is ABSENT:
            found["removed"].append((path, before))
        elif before is ABSENT:
            found["added"].append((path, after))
        else:
            found["changed"].append((path, {OLD: before, NEW: after}))
    return {section: dict(sorted(entries, key=lambda entry: entry[0])) for section, entries in found.items()}


def _differences(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Path, value before and value after of every difference; ABSENT where there is none."""
    if _kind(old) != _kind(new) or not isinstance(old, dict | list):
        if _kind(old) != _kind(new) or old != new:
            if not path:
                raise OperationRefused("the versions have no part in common")
            yield path, old, new
        return
    steps: list[Step] = list(range(max(len(old), len(new)))) if isinstance(old, list) else list({**old, **new})
    for step in steps:
        before, after = at(old, step), at(new, step)
        if before is ABSENT or after is ABSENT:
            yield joined(path, step), before, after
        elif not isinstance(step, str) or not _same(before, after):
            # Keys that differ in nothing need no path.
            yield from _differences(before, after, joined(path, step))


def _kind(value: Any) -> str:
    """What cannot be equal across: numbers of both types are of one kind, booleans of another."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _same(one: Any, other: Any) -> bool:
    """Whether two values have no difference."""
    if _kind(one) != _kind(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


# 7.6 ------------------------------------------------------------------------------------------------------------------


def applied(document: Any, change: Any) -> Any:
    """Version 1 with a change object applied: removals, changes, additions.

    Raises:
        OperationRefused: the change object does not fit the document.
    """
    if not isinstance(change, dict):
        raise OperationRefused("the change object is no object")
    sections = [change.get(name, {}) for name in ("removed", "changed", "added")]
    if not all(isinstance(section, dict) for section in sections):
        raise OperationRefused("a section of the change object is no object")
    removed, changed, added = sections
    keys, indices = _by_last_step(removed)
    for path in [*keys, *sorted(indices, key=lambda path: -_last_index(path))]:
        document = _deleted(document, path)
    for path, entry in changed.items():
        if not isinstance(entry, dict) or NEW not in entry:
            raise OperationRefused(f"changed, {path!r}: no {NEW}")
        document = _assigned(document, path, entry[NEW])
    keys, indices = _by_last_step(added)
    for path in sorted(indices, key=_last_index):
        document = _inserted(document, path, added[path])
    for path in keys:
        document = _assigned(document, path, added[path])
    return document


def _by_last_step(section: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Paths that end in a key, and paths that end in an index, each in written order."""
    keys = [path for path in section if isinstance(steps_of(path)[-1], str)]
    return keys, [path for path in section if path not in set(keys)]


def _last_index(path: str) -> int:
    """The index a path ends in: what orders removals and additions, over the whole document."""
    step = steps_of(path)[-1]
    assert isinstance(step, int)
    return step
