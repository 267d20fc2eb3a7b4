"""Edits of a document: the operations of a patch, and what makes a second version of it.

Written values are values of the same document that stand elsewhere, so that nothing is invented and a copied value
cannot be told by its look.
"""

import copy
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from builders.sobhard.operations import OperationRefused, patched
from builders.sobhard.samplers.facts import Place, addressable, places, records_of
from builders.sobhard.samplers.programs import Unsuitable

__all__ = ["draw_ops", "draw_version"]

Op = dict[str, Any]
_TRIES: Final = 40  # draws for one operation
_ENDS: Final = 0.5  # share of additions and removals that are sought at the ends of lists
_LONGEST: Final = 300  # characters of a value that an instruction spells out
_KINDS: Final = ("set", "set", "set", "delete", "delete", "insert")


def draw_ops(rng: random.Random, value: Any, count: int, *, uniform: bool = False) -> tuple[list[Op], Any]:
    """Operations on a document, each on the result of the one before, and the result.

    Args:
        rng: decides.
        value: the document.
        count: how many.
        uniform: records keep their fields (what becomes a table): cells are set, records deleted and inserted.

    Raises:
        Unsuitable: too little in the document can be addressed.
    """
    ops: list[Op] = []
    state = copy.deepcopy(value)
    touched: set[str] = set()
    kinds = [*rng.sample(_KINDS, len(_KINDS)), *rng.choices(_KINDS, k=max(0, count - len(_KINDS)))]
    for kind in kinds[:count]:
        op = _first_op(rng, state, (kind, "set"), touched, uniform)
        if op is None:
            raise Unsuitable(f"{len(ops)} of {count} edits found a place")
        try:
            state = patched(state, [op])
        except OperationRefused as error:
            raise Unsuitable(str(error)) from error
        touched.add(op["path"])
        ops.append(op)
    return ops, state


def draw_version(rng: random.Random, value: Any, count: int, *, uniform: bool) -> Any:
    """A second version of a document: so many edits, list entries added and removed at the end only.

    An insertion in the middle would shift every later index, and the difference would be the whole list.

    Raises:
        Unsuitable: as ``draw_ops``.
    """
    state = copy.deepcopy(value)
    for done in range(count):
        kinds = (_KINDS[done % len(_KINDS)], *rng.sample(_KINDS, len(_KINDS)))
        op = _first_op(rng, state, kinds, set(), uniform, tail=True)
        if op is None:
            raise Unsuitable(f"{done} of {count} edits found a place")
        state = patched(state, [op])
    return state


def _first_op(
    rng: random.Random, state: Any, kinds: Iterable[str], touched: set[str], uniform: bool, tail: bool = False
) -> Op | None:
    """An operation of the first of some kinds that finds a place."""
    found = [place for place in places(state) if place.path not in touched]
    lists = [place for place in found if isinstance(place.last, int) and place.last == len(place.holder) - 1]
    for kind in kinds if found else ():
        # Ends of lists are few among all places, and a table has no other entry to add or remove.
        usual = lists if tail and lists and kind != "set" and (uniform or rng.random() < _ENDS) else found
        for _ in range(_TRIES):
            op = _MAKERS[kind](rng, rng.choice(usual), found, uniform, tail)
            if op is not None and op["path"] not in touched:
                return op
    return None


def _scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _set(rng: random.Random, place: Place, found: Sequence[Place], uniform: bool, tail: bool) -> Op | None:
    """Another value of the same type under the same key, or of the same type anywhere; sometimes a new key."""
    if not _scalar(place.value):
        return None
    same = [
        other.value
        for other in found
        if type(other.value) is type(place.value) and other.value != place.value and other.last == place.last
    ] or [other.value for other in found if type(other.value) is type(place.value) and other.value != place.value]
    if not same:
        return None
    value = rng.choice(same)
    if len(str(value)) > _LONGEST or (isinstance(value, str) and value != value.strip()):
        return None
    return {"op": "set", "path": place.path, "value": value}


def _delete(rng: random.Random, place: Place, found: Sequence[Place], uniform: bool, tail: bool) -> Op | None:
    if len(place.holder) < 3 or len(str(place.value)) > 2 * _LONGEST:
        return None
    if isinstance(place.last, int):
        if tail and place.last != len(place.holder) - 1:
            return None
    elif uniform:
        return None
    return {"op": "delete", "path": place.path}


def _insert(rng: random.Random, place: Place, found: Sequence[Place], uniform: bool, tail: bool) -> Op | None:
    """A list gets an entry of its own kind, an object a key that its neighbours have."""
    if isinstance(place.last, int):
        return _insert_entry(rng, place, tail)
    return None if uniform or not isinstance(place.value, dict) else _new_key(rng, place, found)


def _insert_entry(rng: random.Random, place: Place, tail: bool) -> Op | None:
    entries = place.holder
    entry = copy.deepcopy(rng.choice(entries))
    if isinstance(entry, dict) and records_of(entries):
        _mix(rng, entry, entries)
    if len(str(entry)) > _LONGEST or (_scalar(entry) and len(entries) < 2):
        return None
    index = len(entries) if tail else rng.randrange(len(entries) + 1)
    return {"op": "insert", "path": f"{place.path[: place.path.rindex('[')]}[{index}]", "value": entry}


def _mix(rng: random.Random, entry: dict[str, Any], entries: Sequence[dict[str, Any]]) -> None:
    """Give some fields of a copied record the values of another record."""
    other = rng.choice(entries)
    for name in list(entry):
        if name in other and type(other[name]) is type(entry[name]) and rng.random() < 0.5:
            entry[name] = copy.deepcopy(other[name])


def _new_key(rng: random.Random, place: Place, found: Sequence[Place]) -> Op | None:
    names = [
        other
        for other in found
        if isinstance(other.last, str) and other.last not in place.value and _scalar(other.value)
    ]
    if not names:
        return None
    chosen = rng.choice(names)
    if not addressable(str(chosen.last)) or len(str(chosen.value)) > _LONGEST or chosen.value is None:
        return None
    return {"op": "set", "path": f"{place.path}.{chosen.last}", "value": chosen.value}


_MAKERS: Final[dict[str, Callable[[random.Random, Place, Sequence[Place], bool, bool], Op | None]]] = {
    "set": _set,
    "delete": _delete,
    "insert": _insert,
}
