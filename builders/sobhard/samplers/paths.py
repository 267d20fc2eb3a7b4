"""Extracts: paths to parts of a document, and paths that miss by a hair."""

import random
import re
from typing import Final

from builders.sobhard.samplers.draw import Choice, Draw, Recipe
from builders.sobhard.samplers.facts import distinct, places
from builders.sobhard.samplers.programs import NAMES_KEPT, Unsuitable

__all__ = ["extract"]

_INDEX: Final = re.compile(r"\[(\d+)\]")


def extract(draw: Draw) -> Choice:
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
