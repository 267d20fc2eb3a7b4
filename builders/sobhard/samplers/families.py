"""One sampler a family: what is asked of a document, and the documents that the recipe names."""

import random
import re
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Final, NamedTuple

from builders.sobhard.breaks import BreakRefused, break_document
from builders.sobhard.corpus import Document
from builders.sobhard.documents import document, text_of
from builders.sobhard.operations import join as joined
from builders.sobhard.operations import run_program, schema
from builders.sobhard.plan import Slot
from builders.sobhard.samplers.edits import draw_ops, draw_version
from builders.sobhard.samplers.facts import common_fields, distinct, of_kind, places, records_of
from builders.sobhard.samplers.programs import NAMES_KEPT, Unsuitable, draw_program
from builders.sobhard.sources import NOTATIONS, Layout
from builders.sobhard.targets import write_target

__all__ = ["SAMPLERS", "Draw"]

Recipe = dict[str, Any]
Choice = tuple[Recipe, dict[str, Any]]  # and the documents that the recipe names beside the first
_DISTINCT: Final = 0.8  # share of records that a key must tell apart
_BY_DIFFICULTY: Final[Mapping[str, Mapping[str, tuple[int, int]]]] = {
    "paths": {"easy": (6, 8), "medium": (12, 16), "hard": (20, 26)},
    "absent": {"easy": (1, 1), "medium": (1, 2), "hard": (2, 4)},
    "breaks": {"easy": (1, 1), "medium": (2, 3), "hard": (4, 6)},
    "ops": {"easy": (3, 4), "medium": (6, 8), "hard": (10, 13)},
    "edits": {"easy": (4, 6), "medium": (8, 12), "hard": (14, 20)},
    "placeholders": {"easy": (2, 3), "medium": (3, 5), "hard": (4, 7)},
    "turn ops": {"easy": (3, 4), "medium": (4, 6), "hard": (5, 8)},
}
_INDEX: Final = re.compile(r"\[(\d+)\]")
_SCHEMA_KINDS: Final = {
    "easy": ("minimal", "bounds", "enum"),
    "medium": ("bounds", "enum", "union", "oneOf"),
    "hard": ("union", "oneOf", "full"),
}
_TABLES: Final = ("records", "map", "sections")  # shapes of notations whose second version keeps its columns


class Draw(NamedTuple):
    """What a sampler draws from.

    Attributes:
        rng: of the slot.
        slot: the question wanted.
        document: the document chosen.
        notation, layout: what it is shown in.
        used: how often each rule was taken in the set so far.
    """

    rng: random.Random
    slot: Slot
    document: Document
    notation: str
    layout: Layout
    used: MutableMapping[str, int]

    def count(self, what: str) -> int:
        """How many of something, by difficulty."""
        return self.rng.randint(*_BY_DIFFICULTY[what][self.slot.difficulty])

    def holds(self, value: Any) -> bool:
        """Whether the target notation holds a value."""
        return _holds(self.slot.target, value)

    def program(
        self,
        value: Any,
        *,
        allowed: tuple[str, ...] | None = None,
        last: bool = True,
        answer: Callable[[Any], Any] = lambda result: result,
    ) -> Recipe:
        """The slot's rules for a value, as part of a recipe.

        Args:
            value: what they start from.
            allowed: rules to choose from.
            last: whether what they make is the answer.
            answer: what becomes of their result; each rule must be seen in it.
        """
        if not self.slot.steps:
            return {}
        steps = min(self.slot.steps, len(allowed)) if allowed else self.slot.steps
        fits = self.holds if last else None
        return {"program": draw_program(self.rng, value, steps, self.used, allowed, fits, answer)[0]}


def _holds(target: str, value: Any) -> bool:
    if target == "sqlinsert" and not records_of(value):
        return False
    try:
        write_target(target, value)
    except ValueError:
        return False
    return True


def _convert(draw: Draw) -> Choice:
    return {}, {}


def _extract(draw: Draw) -> Choice:
    """Paths to scalars and small parts from all over the document, and some that lead nowhere, by a hair."""
    rng, value = draw.rng, draw.document.value
    found = [place for place in places(value) if len(str(place.value)) <= 120 and place.value is not None]
    wanted = draw.count("paths")
    if len(found) < 3 * wanted:
        raise Unsuitable("too few places")
    chosen = [place.path for place in rng.sample(found, wanted)]
    known = {place.path for place in places(value)}
    absent: list[str] = []
    missing = draw.count("absent")
    for _ in range(10 * missing):
        if len(absent) == missing:
            break
        path = _near(rng, rng.choice(chosen), known)
        if path and path not in absent:
            absent.append(path)
    if not absent:
        raise Unsuitable("no path is near another")
    paths = chosen + absent
    rng.shuffle(paths)
    answer = {place.path: place.value for place in found if place.path in chosen}
    recipe: Recipe = {"paths": paths}
    if draw.slot.steps:
        shown = {path: answer.get(path) for path in paths}
        recipe |= draw.program(shown, allowed=NAMES_KEPT)
    return recipe, {}


def _near(rng: random.Random, path: str, known: set[str]) -> str | None:
    """A path that is not there and looks as if it were: another index, another key of the document, a twin of a key."""
    head, dot, last = path.rpartition(".")
    indices = list(_INDEX.finditer(path))
    ways = []
    if indices:
        found = rng.choice(indices)
        ways.append(f"{path[: found.start(1)]}{int(found[1]) + rng.choice([7, 40, 500])}{path[found.end(1) :]}")
    if not last.endswith("]"):
        others = distinct([entry.rpartition(".")[2] for entry in sorted(known) if not entry.endswith("]")])
        twin = last.swapcase() if last.swapcase() != last else f"{last}s"
        ways += [f"{head}{dot}{rng.choice(others)}", f"{head}{dot}{twin}"]
    ways = [way for way in ways if way not in known]
    return rng.choice(ways) if ways else None


def _transform(draw: Draw) -> Choice:
    return draw.program(draw.document.value), {}


def _repair(draw: Draw) -> Choice:
    shown = document("it", {"it": draw.document})
    text = text_of(shown, draw.notation, draw.layout)
    try:
        broken, kinds = break_document(draw.rng, draw.notation, text, draw.layout, draw.count("breaks"))
    except BreakRefused as error:
        raise Unsuitable(str(error)) from error
    return {"broken": broken, "kinds": kinds, **draw.program(draw.document.value)}, {}


def _schema_gen(draw: Draw) -> Choice:
    """A kind of schema that is another than the plain one, after rules that the schema shows."""
    rng, value = draw.rng, draw.document.value
    kinds = _SCHEMA_KINDS[draw.slot.difficulty]
    for kind in rng.sample(kinds, len(kinds)):
        recipe = draw.program(value, last=False, answer=lambda result, kind=kind: schema(result, kind))  # type: ignore[misc]
        described = _after(value, recipe)
        made = schema(described, kind)
        if (kind == "minimal" or made != schema(described, "minimal")) and draw.holds(made):
            return {**recipe, "schema_kind": kind}, {}
    raise Unsuitable("every kind of schema is the plain one")


def _patch(draw: Draw) -> Choice:
    ops, patched = draw_ops(draw.rng, draw.document.value, draw.count("ops"), uniform=draw.slot.target == "sqlinsert")
    return {"ops": ops, **draw.program(patched)}, {}


def _newer(draw: Draw) -> Any:
    """A second version of the document, which its notation and the target hold."""
    uniform = NOTATIONS[draw.notation].shape in _TABLES or draw.slot.target == "sqlinsert"
    return draw_version(draw.rng, draw.document.value, draw.count("edits"), uniform=uniform)


def _diff(draw: Draw) -> Choice:
    return {"document_b": "newer"}, {"newer": _newer(draw)}


def _apply_diff(draw: Draw) -> Choice:
    newer = _newer(draw)
    notation = draw.rng.choice(["json", "yaml"])
    return {"document_b": "newer", "source_b": notation, **draw.program(newer)}, {"newer": newer}


def _merge(draw: Draw) -> Choice:
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


_PHRASES: Final = (
    "{label}: {slot}",
    "{label} — {slot}",
    "{label}={slot}",
    "[{label}] {slot}",
    "{label} «{slot}»",
    "{slot} ({label})",
)
_JOINTS: Final = ("; ", ", ", " | ", " / ", " · ", "\t")


def _template(draw: Draw) -> Choice:
    """A line of labelled places; with an escape where the slot says so."""
    rng, value = draw.rng, draw.document.value
    recipe = draw.program(value, last=False, allowed=_RULES_OF_LINES)
    records = records_of(_after(value, recipe))
    if len(records) < 3:
        raise Unsuitable("no records for a template")
    paths = [place.path for place in places(records[0]) if not isinstance(place.value, dict | list)]
    usable = [path for path in paths if _plain_everywhere(records, path)]
    wanted = min(draw.count("placeholders"), len(usable))
    if wanted < 2:
        raise Unsuitable("too few fields for a template")
    chosen = rng.sample(usable, wanted)
    # A number that a rule has written must be seen.
    written = [step["params"]["field"] for step in recipe.get("program", ()) if step["rule"] == "renumber"]
    chosen = [*chosen[: wanted - len(written)], *written] if not set(written) & set(chosen) else chosen
    joint = rng.choice(_JOINTS)
    parts = [rng.choice(_PHRASES).format(label=path.rpartition(".")[2], slot=f"${{{path}}}") for path in chosen]
    if draw.slot.escape:
        parts.insert(rng.randrange(len(parts) + 1), f"$${{{rng.choice(chosen)}}}")
    return {**recipe, "template": joint.join(parts)}, {}


def _plain_everywhere(records: list[dict[str, Any]], path: str) -> bool:
    """Whether a path leads to no container and to no text that looks like a place in any record."""
    for record in records:
        found = {place.path: place.value for place in places(record)}.get(path)
        if isinstance(found, dict | list) or (isinstance(found, str) and ("${" in found or "\n" in found)):
            return False
    return True


def _session(draw: Draw) -> Choice:
    """Turns of patches and rules, each on the result of the one before; the targets of earlier turns are drawn."""
    rng, slot = draw.rng, draw.slot
    state, states, turns = draw.document.value, [draw.document.value], []
    for number, turn in enumerate(slot.turns, 1):
        graded = number == len(slot.turns)
        start = states[-2] if turn.undo else state
        targets = [slot.target] if graded else rng.sample(["json", "yaml", "jsonl", "toml"], 4)
        used = draw.used
        if turn.family == "patch":
            ops, state = draw_ops(rng, start, draw.count("turn ops"))
            made: Recipe = {"ops": ops}
        else:
            steps = 1 if slot.difficulty == "easy" or isinstance(start, dict) else 2
            rules, fits = (None, draw.holds) if graded else (_EARLIER_RULES, bool)
            program, state = draw_program(rng, start, steps, used, rules, fits)
            made = {"program": program}
        target = next((name for name in targets if _holds(name, state)), None)
        if target is None:
            raise Unsuitable("no notation holds the state of a turn")
        turns.append({"family": turn.family, "target": target, "undo": turn.undo, **made})
        states.append(state)
    return {"turns": turns}, {}


# Rules whose work lines of a template show: which records there are, in which order, under which names.
_RULES_OF_LINES: Final = (
    *("filter_records", "sort_records", "dedup_records", "top_n_per_group", "renumber", "camel_keys"),
)
# Rules after which a document still has enough for the next turn.
_EARLIER_RULES: Final = (
    *("sort_keys", "camel_keys", "drop_empty", "filter_records", "sort_records", "project_fields"),
    *("numbers_from_strings", "dedup_records", "renumber", "top_n_per_group"),
)


def _after(value: Any, recipe: Recipe) -> Any:
    """A value after the rules of a recipe, if it has any."""
    return run_program(value, recipe["program"]) if "program" in recipe else value


SAMPLERS: Final[Mapping[str, Callable[[Draw], Choice]]] = {
    "convert": _convert,
    "extract": _extract,
    "repair": _repair,
    "transform": _transform,
    "schema_gen": _schema_gen,
    "patch": _patch,
    "diff": _diff,
    "apply_diff": _apply_diff,
    "merge": _merge,
    "template": _template,
    "session": _session,
}
