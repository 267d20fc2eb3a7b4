"""IFHard: the verifiers against the contract read a second time, and against what the generator knows of answers."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from builders.ifhard.corrupt import corrupt
from metrics.ifhard.registry import CATEGORIES
from metrics.ifhard.text import Text
from metrics.ifhard.verification import judge, read_requirement
from proofs.differential.contract_rules import READINGS, passes
from proofs.differential.difference import Answer, Difference
from proofs.fuzz.ifhard import drawn_params
from proofs.fuzz.mutation import edited
from proofs.fuzz.prose import answer
from proofs.fuzz.witnesses import witnesses

__all__ = ["TYPES", "WITHOUT", "answers", "differences"]

TYPES: Final = tuple(CATEGORIES)
WITHOUT: Final[Mapping[str, str]] = {}  # types without a second reading, and why
_DRAWN: Final = 8  # types an answer is judged by besides its own requirements


def answers(source: Random) -> Iterator[Answer]:
    """Witnesses as they are, spoiled by the generator's own corruptions, edited; and answers of the fuzz's grammar."""
    while True:
        text, requirements = source.choice(witnesses())
        known: dict[int, bool] = {}
        kind = source.random()
        if kind < 0.15:
            known = dict.fromkeys(range(len(requirements)), True)
        elif kind < 0.5:
            place = source.randrange(len(requirements))
            text = corrupt(*requirements[place], text)
            known = {place: False}
        elif kind < 0.75:
            text = edited(source, text)
        else:
            text = answer(source)
        drawn = [(category, drawn_params(source, category)) for category in source.choices(TYPES, k=_DRAWN)]
        yield Answer(text, (*requirements, *drawn), known)


def differences(given: Answer) -> Iterator[tuple[str, Difference | None]]:
    """What each requirement's readings say of an answer: None where they agree."""
    text = Text(given.text)
    for place, (category, params) in enumerate(given.asked):
        if category not in READINGS:
            continue
        verdict = judge(read_requirement(category, params), text)
        found = {"verifier": verdict.passed, "contract": passes(category, given.text, params)}
        if place in given.known:
            found["generator"] = given.known[place]
        same = len(set(found.values())) == 1
        yield (
            category,
            None if same else Difference(category, found, verdict.code, {"text": given.text, "params": params}),
        )
