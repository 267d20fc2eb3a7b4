"""Rules for a document, chosen so that each of them changes something and enough of the document is left."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Final

from builders.sobhard.operations import OperationRefused, run_program
from builders.sobhard.samplers.facts import common_fields, of_kind, records_of, size
from metrics.sobhard.rules import broken_rule

__all__ = ["NAMES_KEPT", "Unsuitable", "draw_program"]

Step = dict[str, Any]
Params = Mapping[str, Any]
_integer: Final = re.compile(r"-?[0-9]+").fullmatch
_NUMBERING: Final = ("id", "n", "no", "num", "number", "index", "#")  # names of fields that number records
_TRIES: Final = 6  # parameters tried of a rule before another rule
_LEAST_SHARE: Final = 0.2  # of the scalars must be left after a rule that drops some, but for counts
_LARGEST_GROWTH: Final = 2.5
NAMES_KEPT: Final = ("sort_keys", "numbers_from_strings")  # rules that leave an object's own keys as they are


class Unsuitable(ValueError):  # noqa: N818 - an outcome of sampling: another document is tried
    """A document that gives no question of the wanted kind."""


def draw_program(
    rng: random.Random,
    value: Any,
    steps: int,
    used: MutableMapping[str, int],
    allowed: Iterable[str] | None = None,
    fits: Callable[[Any], bool] | None = None,
    answer: Callable[[Any], Any] = lambda result: result,
) -> tuple[list[Step], Any]:
    """So many rules that apply to a value one after the other, and what they make of it.

    Args:
        rng: decides.
        value: the document.
        steps: how many rules.
        used: how often each rule was taken; rarer ones are preferred. The caller counts.
        allowed: rules to choose from; all by default.
        fits: whether the last result can be the answer; None where it is none, and the scorer checks no rules on it.
        answer: what is made of the last result; leaving out any rule must be seen in it.

    Raises:
        Unsuitable: no such chain was found.
    """
    names = list(_RULES if allowed is None else allowed)
    for _ in range(_TRIES):
        program: list[Step] = []
        result = value
        while len(program) < steps:
            last = len(program) == steps - 1
            step = _draw_step(rng, result, program, used, names, last)
            if step is None:
                break
            program.append(step)
            result = run_program(result, [step])
        if len(program) < steps or not _each_matters(value, program, result, answer):
            continue
        if fits is None or (broken_rule(program, result) is None and fits(result)):
            return program, result
    raise Unsuitable(f"no chain of {steps} rules")


def _each_matters(value: Any, program: list[Step], result: Any, answer: Callable[[Any], Any]) -> bool:
    """Whether leaving out any one rule is seen in what is made of the result."""
    whole = answer(result)
    for index in range(len(program)):
        try:
            less = run_program(value, program[:index] + program[index + 1 :])
            if _same(answer(less), whole):
                return False
        except OperationRefused:
            continue
    return True


def _draw_step(
    rng: random.Random, value: Any, before: list[Step], used: Mapping[str, int], names: list[str], last: bool
) -> Step | None:
    """A rule that applies and changes the value; None when there is none."""
    taken = Counter(step["rule"] for step in before)
    order = sorted((name for name in names if not taken[name]), key=lambda name: used.get(name, 0) + rng.random() * 3)
    for name in order:
        if name in _LAST_ONLY and not last:
            continue
        for params in _params(rng, name, value):
            step = {"rule": name, "params": params}
            if _works(value, step):
                return step
    return None


def _params(rng: random.Random, name: str, value: Any) -> Iterator[Params]:
    for _ in range(_TRIES):
        params = _RULES[name](rng, value)
        if params is None:
            return
        yield params
        if not params:
            return


def _works(value: Any, step: Step) -> bool:
    """Whether a rule changes a value, key order included, and leaves enough of it."""
    try:
        result = run_program(value, [step])
    except OperationRefused:
        return False
    if _same(result, value):
        return False
    if step["rule"] == "count_by":
        return len(result) > 1
    before, after = size(value), size(result)
    return max(2, before * _LEAST_SHARE) <= after <= before * _LARGEST_GROWTH


def _same(one: Any, other: Any) -> bool:
    """Equality that sees the order of keys."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(entry, other[key]) for key, entry in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


# What a rule needs of a value: each gives parameters, {} for a rule without any, None where it does not apply.


def _fields(value: Any, suits: Callable[[list[Any]], bool]) -> list[str]:
    """Fields of all records whose values suit."""
    records = records_of(value)
    return [name for name in common_fields(records) if suits([record[name] for record in records])]


def _texts(values: list[Any]) -> bool:
    return of_kind(values, str) and all(text and text == text.strip() and "\n" not in text for text in values)


def _repeated(values: list[Any], most: int) -> bool:
    """Texts that fall into groups: at least two, at most so many, not one to each."""
    return _texts(values) and 2 <= len(set(values)) <= min(most, len(values) * 2 // 3)


def _one_of(rng: random.Random, names: list[str], more: Params | None = None) -> Params | None:
    return {"field": rng.choice(names), **(more or {})} if names else None


def _sort_keys(rng: random.Random, value: Any) -> Params | None:
    return {}


def _flatten(rng: random.Random, value: Any) -> Params | None:
    return {} if isinstance(value, dict) and any(isinstance(entry, dict | list) for entry in value.values()) else None


def _unflatten(rng: random.Random, value: Any) -> Params | None:
    flat = isinstance(value, dict) and value and all(_flat_path(key) for key in value)
    return {} if flat and any("." in key for key in value) else None


def _flat_path(key: str) -> bool:
    return re.fullmatch(r"[^.\[\]\s]+(?:\.[^.\[\]\s]+|\[\d+\])*", key) is not None


def _camel_keys(rng: random.Random, value: Any) -> Params | None:
    return {}


def _filter_records(rng: random.Random, value: Any) -> Params | None:
    records = records_of(value)
    numeric = _fields(value, lambda values: of_kind(values, int, float) and len(set(values)) > 2)
    grouped = _fields(value, lambda values: of_kind(values, bool) or _repeated(values, 40))
    names = numeric + grouped
    if len(records) < 4 or not names:
        return None
    name = rng.choice(names)
    values = [record[name] for record in records]
    if name in numeric:
        ordered = sorted(values)
        limit = ordered[rng.randrange(len(ordered) // 4, len(ordered) * 3 // 4)]
        return {"field": name, "op": rng.choice(["gt", "lt"]), "value": limit}
    common = Counter(values).most_common(3)
    return {"field": name, "op": rng.choice(["eq", "ne", "ne"]), "value": rng.choice(common)[0]}


def _sort_records(rng: random.Random, value: Any) -> Params | None:
    numeric = _fields(value, lambda values: of_kind(values, int, float) and len(set(values)) > 2)
    texts = _fields(value, lambda values: _texts(values) and len(set(values)) > 2)
    names = numeric + texts
    if not names:
        return None
    name = rng.choice(names)
    return {"field": name, "numeric": name in numeric}


def _group_records(rng: random.Random, value: Any) -> Params | None:
    return _one_of(rng, _fields(value, lambda values: _repeated(values, 40)))


def _project_fields(rng: random.Random, value: Any) -> Params | None:
    names = common_fields(records_of(value))
    if len(names) < 3:
        return None
    kept = set(rng.sample(names, rng.randrange(2, len(names))))
    return {"fields": [name for name in names if name in kept]}


def _numbers_from_strings(rng: random.Random, value: Any) -> Params | None:
    return {} if sum(1 for _ in _number_strings(value)) > 1 else None


def _number_strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _number_strings(entry)
    elif isinstance(value, str) and _integer(value):
        yield value


def _drop_empty(rng: random.Random, value: Any) -> Params | None:
    return {}


def _dedup_records(rng: random.Random, value: Any) -> Params | None:
    def suits(values: list[Any]) -> bool:
        return (of_kind(values, int) or _texts(values)) and 3 <= len(set(values)) < len(values)

    return _one_of(rng, _fields(value, suits))


def _renumber(rng: random.Random, value: Any) -> Params | None:
    records = records_of(value)
    if not records:
        return None
    names = [name for name in common_fields(records) if name.lower() in _NUMBERING]
    new = [name for name in ("row", "seq", "position") if not any(name in record for record in records)]
    return _one_of(rng, names or new)


def _count_by(rng: random.Random, value: Any) -> Params | None:
    return _one_of(rng, _fields(value, lambda values: _repeated(values, 200)))


def _top_n_per_group(rng: random.Random, value: Any) -> Params | None:
    return _one_of(rng, _fields(value, lambda values: _repeated(values, 60)), {"n": rng.randint(1, 4)})


def _pivot_levels(rng: random.Random, value: Any) -> Params | None:
    if not isinstance(value, dict) or len(value) < 2:
        return None
    inner = list(value.values())
    scalars = all(
        isinstance(entry, dict) and entry and not any(isinstance(cell, dict | list) for cell in entry.values())
        for entry in inner
    )
    return {} if scalars else None


def _melt(rng: random.Random, value: Any) -> Params | None:
    records = records_of(value)
    names = common_fields(records)
    if len(names) < 4 or any(name in ("metric", "value") for record in records for name in record):
        return None
    for kinds in rng.sample([(int, float), (str,)], 2):
        melted = [name for name in names if of_kind([record[name] for record in records], *kinds)]
        if len(melted) >= 3:
            start = rng.randrange(len(melted) - 1)
            return {"fields": melted[start : start + rng.randint(2, 3)]}
    return None


_RULES: Final[Mapping[str, Callable[[random.Random, Any], Params | None]]] = {
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
_LAST_ONLY: Final = ("count_by",)  # little is left after it
