"""What spoils the reference of a question, constraint by constraint.

``SPOILERS`` maps a constraint's id to a function that gives answers, the likeliest to be refused by it first.
"""

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from builders.sobhard.operations import OperationRefused, run_program
from builders.sobhard.rows import fenced
from builders.sobhard.samplers.facts import Place, places
from builders.sobhard.sources import SourceRefused
from builders.sobhard.targets import TargetRefused, write_target

__all__ = ["SPOILERS", "Spoiled"]

Row = Mapping[str, Any]
_TRIES: Final = 30  # places of one kind of damage


class Spoiled(NamedTuple):
    """A question whose answer is to be spoiled.

    Attributes:
        rng: decides where.
        row: the question.
        value: of the reference; spoilers leave it as it was.
        task, checks: the row's own data, decoded.
    """

    rng: random.Random
    row: Row
    value: Any
    task: Mapping[str, Any]
    checks: Mapping[str, Any]

    @property
    def target(self) -> str:
        """The notation of the answer."""
        name: str = self.row["meta"]["categories"]["target_format"]
        return name

    def leaves(self, *kinds: type) -> list[Place]:
        """The scalars of exactly one of these types that a path can name."""
        return [place for place in places(self.value) if type(place.value) in kinds]


# Texts ----------------------------------------------------------------------------------------------------------------


def _unfenced(spoiled: Spoiled) -> Iterator[str]:
    yield spoiled.row["meta"]["reference"]


def _two_blocks(spoiled: Spoiled) -> Iterator[str]:
    answer = fenced(spoiled.row, spoiled.row["meta"]["reference"])
    yield spoiled.rng.choice([f"{answer}\n\n{answer}", answer.removesuffix("```")])


def _other_tag(spoiled: Spoiled) -> Iterator[str]:
    tag = spoiled.row["meta"]["fence_tag"]
    other = spoiled.rng.choice(["", tag.upper(), "text"])
    yield f"```{other}\n{spoiled.row['meta']['reference']}\n```"


def _words_outside(spoiled: Spoiled) -> Iterator[str]:
    answer = fenced(spoiled.row, spoiled.row["meta"]["reference"])
    yield spoiled.rng.choice([f"Готово:\n{answer}", f"{answer}\nПроверьте, пожалуйста."])


_UNPARSED: Final[Mapping[str, Callable[[str], str]]] = {
    "json": lambda text: text[:-1],
    "jsonl": lambda text: text[:-1],
    "yaml": lambda text: f"{text}\n  - [",
    "toml": lambda text: f"{text}\nлишнее",
    "properties": lambda text: f"{text}\nлишнее",
    "sqlinsert": lambda text: text.removesuffix(";"),
}


def _unparsed(spoiled: Spoiled) -> Iterator[str]:
    yield fenced(spoiled.row, _UNPARSED[spoiled.target](spoiled.row["meta"]["reference"]))


# Values ---------------------------------------------------------------------------------------------------------------


def _written(spoiled: Spoiled, value: Any) -> Iterator[str]:
    """An answer that holds a value, where the target can."""
    try:
        yield fenced(spoiled.row, write_target(spoiled.target, value))
    except (SourceRefused, TargetRefused):
        return


def _changed(change: Callable[[Any], Any], *kinds: type) -> Callable[[Spoiled], Iterator[str]]:
    """One scalar of some kinds changed, at places of chance."""

    def spoil(spoiled: Spoiled) -> Iterator[str]:
        found = spoiled.leaves(*kinds)
        for place in spoiled.rng.sample(found, min(_TRIES, len(found))):
            kept = place.value
            place.holder[place.last] = change(kept)
            answers = list(_written(spoiled, spoiled.value))
            place.holder[place.last] = kept  # before anything is given away: whoever asked may ask for no more
            yield from answers

    return spoil


def _other_text(text: Any) -> str:
    return f"{text[:-1]}я" if text and not text.endswith("я") else f"{text}ё"


_text = _changed(_other_text, str)
_number = _changed(lambda number: number + max(1, abs(number) // 50), int, float)
_kind = _changed(lambda scalar: str(scalar) if not isinstance(scalar, str) else f"{scalar}_", int, float, bool, str)


def _structure(spoiled: Spoiled) -> Iterator[str]:
    """A key or an entry left out, or one too many."""
    holders = [place.value for place in places(spoiled.value) if isinstance(place.value, dict | list) and place.value]
    for holder in [*spoiled.rng.sample(holders, min(_TRIES, len(holders))), spoiled.value]:
        damaged = copy.deepcopy(holder)
        if isinstance(damaged, dict):
            del damaged[spoiled.rng.choice(list(damaged))]
        elif isinstance(damaged, list):
            del damaged[spoiled.rng.randrange(len(damaged))]
        yield from _written(spoiled, _with(spoiled.value, holder, damaged))


def _with(value: Any, old: Any, new: Any) -> Any:
    """A copy of a value in which one part, the object itself, is another."""
    if value is old:
        return new
    if isinstance(value, dict):
        return {key: _with(entry, old, new) for key, entry in value.items()}
    return [_with(entry, old, new) for entry in value] if isinstance(value, list) else value


def _wrapped(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, [spoiled.value])


def _absent_filled(spoiled: Spoiled) -> Iterator[str]:
    path = spoiled.rng.choice(spoiled.task["absent"])
    yield from _written(spoiled, {**spoiled.value, path: spoiled.rng.choice(["", "null", 0])})


def _half_done(spoiled: Spoiled) -> Iterator[str]:
    """A rule left out; the keys or the entries in another order; the last entries' marks undone."""
    program = spoiled.task["program"]
    start = spoiled.checks["source"]
    for index in spoiled.rng.sample(range(len(program)), len(program)):
        try:
            yield from _written(spoiled, run_program(start, program[:index] + program[index + 1 :]))
        except OperationRefused:
            continue
    yield from _turned(spoiled)
    value = spoiled.value
    for key, odd in (("z_a.b", {"лишнее": "7"}), ("z_a.b", "7"), ("лишнее", "")):
        if isinstance(value, dict):
            yield from _written(spoiled, {key: odd, **value})
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from _written(spoiled, [{key: odd, **value[0]}, *value[1:]])
            yield from _written(spoiled, [*value, value[0]])


def _turned(spoiled: Spoiled) -> Iterator[str]:
    """Objects and lists from the last entry to the first."""
    for turn in (_keys_turned, _lists_turned):
        yield from _written(spoiled, turn(spoiled.value))


def _keys_turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _keys_turned(value[key]) for key in reversed(value)}
    return [_keys_turned(entry) for entry in value] if isinstance(value, list) else value


def _lists_turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists_turned(entry) for key, entry in value.items()}
    return [_lists_turned(entry) for entry in reversed(value)] if isinstance(value, list) else value


def _lists(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, _lists_turned(spoiled.value))


def _one_less(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, spoiled.value[:-1])
    yield from _written(spoiled, [*spoiled.value, spoiled.value[-1]])


def _placeholder(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, [*spoiled.value[:-1], f"{spoiled.value[-1]}${{id}}"])


def _sections_turned(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, dict(reversed(spoiled.value.items())))


def _paths_turned(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, {name: dict(reversed(section.items())) for name, section in spoiled.value.items()})


def _required_turned(spoiled: Spoiled) -> Iterator[str]:
    for place in places(spoiled.value):
        if place.last == "required" and isinstance(place.value, list) and len(place.value) > 1:
            yield from _written(spoiled, _with(spoiled.value, place.value, place.value[::-1]))


def _wrong_type(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, {**spoiled.value, "type": "string"})


def _more_keywords(spoiled: Spoiled) -> Iterator[str]:
    word = spoiled.rng.choice(["title", "additionalProperties", "description"])
    yield from _written(spoiled, {**spoiled.value, word: True})


def _state(spoiled: Spoiled) -> Iterator[str]:
    yield from _written(spoiled, spoiled.checks["prev_state"])


SPOILERS: Final[Mapping[str, Callable[[Spoiled], Iterator[str]]]] = {
    "pack.fence_present": _unfenced,
    "pack.fence_exactly_one": _two_blocks,
    "pack.fence_tag_correct": _other_tag,
    "pack.nothing_outside_fence": _words_outside,
    "syn.parses_target": _unparsed,
    "val.structure_match": _structure,
    "val.numeric_within_tol": _number,
    "val.strings_byte_exact": _text,
    "convert.lossless_vs_source": _text,
    "extract.keys_exact": _structure,
    "extract.is_object": _wrapped,
    "extract.absent_paths_null": _absent_filled,
    "repair.data_intact": _text,
    "transform.rule_applied": _half_done,
    "transform.list_order_preserved": _lists,
    "transform.values_unchanged": _kind,
    "template.record_count": _one_less,
    "template.no_placeholder_left": _placeholder,
    "template.rendered_exact": _text,
    "applydiff.result_exact": _structure,
    "patch.ops_applied": _structure,
    "merge.join_exact": _structure,
    "merge.record_count": _one_less,
    "diff.matches_pair": _text,
    "diff.top_level_form": _sections_turned,
    "diff.sections_sorted": _paths_turned,
    "schema.required_sorted": _required_turned,
    "schema.validates_source": _wrong_type,
    "schema.type_mapping_exact": _text,
    "schema.no_extra_keywords": _more_keywords,
    "session.no_restatement": _state,
}
