"""``python -m tasks.sobhard.build.damage DIR``: wrong answers made of each reference, each against one constraint.

``wrong_answers`` gives, for every constraint that the reference meets, answers that must fail it: the set is released
only if each question refuses its own, by the right name.
"""

import argparse
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from builders.sobhard.operations import OperationRefused, run_program
from builders.sobhard.rows import fenced
from builders.sobhard.samplers.facts import Place, places
from builders.sobhard.sources import SourceRefused
from builders.sobhard.targets import TargetRefused, write_target
from endpoints.terminal import speak_utf8, survive_closed_pipes
from metrics.sobhard import answer_text, score
from metrics.sobhard.targets import TARGETS, parse

__all__ = ["Wrong", "main", "refused", "wrong_answers"]

Row = Mapping[str, Any]
_TRIES: Final = 30
_EACH: Final = 5  # wrong answers of a question


class Wrong(NamedTuple):
    """A wrong answer.

    Attributes:
        constraint: id of the constraint that must refuse it.
        answer: the text of the answer.
    """

    constraint: str
    answer: str


class _Spoiled(NamedTuple):
    rng: random.Random
    row: Row
    value: Any
    task: Mapping[str, Any]
    checks: Mapping[str, Any]

    @property
    def target(self) -> str:
        name: str = self.row["meta"]["categories"]["target_format"]
        return name

    def leaves(self, *kinds: type) -> list[Place]:
        return [place for place in places(self.value) if type(place.value) in kinds]


def refused(row: Row, wrong: Wrong) -> bool:
    """Whether the constraint that must refuse an answer does."""
    verdict = score(row, wrong.answer).constraints[wrong.constraint]
    return verdict is not None and not verdict.passed


def wrong_answers(rng: random.Random, row: Row) -> Iterator[Wrong]:
    """A wrong answer for each constraint of a row that one can be made for, in an order of chance."""
    meta = row["meta"]
    value = parse(TARGETS[meta["categories"]["target_format"]], meta["reference"]).value
    spoiled = _Spoiled(rng, row, value, json.loads(meta["task_meta"]), json.loads(meta["checks"]))
    met = [name for name, verdict in score(row, answer_text(dict(row))).constraints.items() if verdict is not None]
    for name in rng.sample(met, len(met)):
        for answer in _SPOILERS[name](spoiled):
            wrong = Wrong(name, answer)
            if refused(row, wrong):
                yield wrong
                break


# Texts ----------------------------------------------------------------------------------------------------------------


def _unfenced(spoiled: _Spoiled) -> Iterator[str]:
    yield spoiled.row["meta"]["reference"]


def _two_blocks(spoiled: _Spoiled) -> Iterator[str]:
    answer = fenced(spoiled.row, spoiled.row["meta"]["reference"])
    yield spoiled.rng.choice([f"{answer}\n\n{answer}", answer.removesuffix("```")])


def _other_tag(spoiled: _Spoiled) -> Iterator[str]:
    tag = spoiled.row["meta"]["fence_tag"]
    other = spoiled.rng.choice(["", tag.upper(), "text"])
    yield f"```{other}\n{spoiled.row['meta']['reference']}\n```"


def _words_outside(spoiled: _Spoiled) -> Iterator[str]:
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


def _unparsed(spoiled: _Spoiled) -> Iterator[str]:
    yield fenced(spoiled.row, _UNPARSED[spoiled.target](spoiled.row["meta"]["reference"]))


# Values ---------------------------------------------------------------------------------------------------------------


def _written(spoiled: _Spoiled, value: Any) -> Iterator[str]:
    """An answer that holds a value, where the target can."""
    try:
        yield fenced(spoiled.row, write_target(spoiled.target, value))
    except (SourceRefused, TargetRefused):
        return


def _changed(change: Callable[[Any], Any], *kinds: type) -> Callable[[_Spoiled], Iterator[str]]:
    """One scalar of some kinds changed, at places of chance."""

    def spoil(spoiled: _Spoiled) -> Iterator[str]:
        found = spoiled.leaves(*kinds)
        for place in spoiled.rng.sample(found, min(_TRIES, len(found))):
            kept = place.value
            place.holder[place.last] = change(kept)
            yield from list(_written(spoiled, spoiled.value))
            place.holder[place.last] = kept

    return spoil


def _other_text(text: Any) -> str:
    return f"{text[:-1]}я" if text and not text.endswith("я") else f"{text}ё"


_text = _changed(_other_text, str)
_number = _changed(lambda number: number + max(1, abs(number) // 50), int, float)
_kind = _changed(lambda scalar: str(scalar) if not isinstance(scalar, str) else f"{scalar}_", int, float, bool, str)


def _structure(spoiled: _Spoiled) -> Iterator[str]:
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


def _wrapped(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, [spoiled.value])


def _absent_filled(spoiled: _Spoiled) -> Iterator[str]:
    path = spoiled.rng.choice(spoiled.task["absent"])
    yield from _written(spoiled, {**spoiled.value, path: spoiled.rng.choice(["", "null", 0])})


def _half_done(spoiled: _Spoiled) -> Iterator[str]:
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


def _turned(spoiled: _Spoiled) -> Iterator[str]:
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


def _lists(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, _lists_turned(spoiled.value))


def _one_less(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, spoiled.value[:-1])
    yield from _written(spoiled, [*spoiled.value, spoiled.value[-1]])


def _placeholder(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, [*spoiled.value[:-1], f"{spoiled.value[-1]}${{id}}"])


def _sections_turned(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, dict(reversed(spoiled.value.items())))


def _paths_turned(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, {name: dict(reversed(section.items())) for name, section in spoiled.value.items()})


def _required_turned(spoiled: _Spoiled) -> Iterator[str]:
    for place in places(spoiled.value):
        if place.last == "required" and isinstance(place.value, list) and len(place.value) > 1:
            yield from _written(spoiled, _with(spoiled.value, place.value, place.value[::-1]))


def _wrong_type(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, {**spoiled.value, "type": "string"})


def _more_keywords(spoiled: _Spoiled) -> Iterator[str]:
    word = spoiled.rng.choice(["title", "additionalProperties", "description"])
    yield from _written(spoiled, {**spoiled.value, word: True})


def _state(spoiled: _Spoiled) -> Iterator[str]:
    yield from _written(spoiled, spoiled.checks["prev_state"])


_SPOILERS: Final[Mapping[str, Callable[[_Spoiled], Iterator[str]]]] = {
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Show of every question of a built set that it refuses five wrong answers, each by the constraint it breaks.

    Exit status: 0 all do; 1 a question has fewer, which are named.
    """
    parser = argparse.ArgumentParser(prog="python -m tasks.sobhard.build.damage", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="of a built set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=None, help="only so many questions")
    options = parser.parse_args(arguments)
    if not (options.folder / "test.jsonl").is_file():
        parser.error(f"{options.folder} holds no test.jsonl: name the folder of a built set")
    counts: Counter[str] = Counter()
    few = []
    with (options.folder / "test.jsonl").open(encoding="utf-8") as stream:
        for line in islice(stream, options.limit):
            row = json.loads(line)
            rng = random.Random(f"{options.seed}/{row['meta']['base_id']}")
            found = list(islice(wrong_answers(rng, row), _EACH))
            counts.update(wrong.constraint for wrong in found)
            if len(found) < _EACH:
                few.append(f"question {row['meta']['id']} refuses {len(found)} wrong answers")
    for name, count in sorted(counts.items()):
        sys.stdout.write(f"{count:6} {name}\n")
    sys.stdout.write(f"{counts.total():6} wrong answers refused\n")
    sys.stdout.writelines(f"{entry}\n" for entry in few)
    return 1 if few else 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
