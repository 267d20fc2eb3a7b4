"""Which questions a full set has: 33 cells of 25, and what is fixed of each before a document is chosen.

The counts are those of the benchmark's description: cells, registers, tiers of length by difficulty, target notations,
conversations and their turns, and how many questions of each family go through rewrite rules.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.sobhard.question import FAMILIES, SESSION
from metrics.sobhard.row_checks import DIFFICULTIES
from tasks.sobhard.prompts import STYLES

__all__ = ["CELL", "DEMONSTRATIONS", "TIERS", "Slot", "Turn", "demonstrations", "plan", "small_plan", "tier_of"]

CELL: Final = 25  # questions of a family and difficulty

# Characters of the source document (of both, where there are two), from and below.
TIERS: Final[Mapping[str, tuple[int, int]]] = {"short": (0, 4_000), "medium": (4_000, 10_000), "long": (10_000, 64_000)}
_TIER_COUNTS: Final = {"easy": (50, 145, 80), "medium": (0, 100, 175), "hard": (0, 30, 245)}

# Questions of a family by target notation; a family's row adds up to three cells.
_TARGETS: Final[Mapping[str, Mapping[str, int]]] = {
    "convert": {"json": 15, "jsonl": 12, "yaml": 20, "toml": 15, "sqlinsert": 12, "properties": 1},
    "extract": {"json": 38, "yaml": 37},
    "repair": {"json": 18, "jsonl": 15, "yaml": 20, "toml": 20, "properties": 2},
    "transform": {"json": 18, "jsonl": 22, "yaml": 22, "toml": 7, "sqlinsert": 6},
    "schema_gen": {"json": 30, "yaml": 30, "toml": 15},
    "patch": {"json": 20, "jsonl": 8, "yaml": 24, "toml": 23},
    "diff": {"json": 25, "yaml": 32, "toml": 18},
    "apply_diff": {"json": 16, "jsonl": 20, "yaml": 24, "toml": 10, "sqlinsert": 5},
    "merge": {"json": 14, "jsonl": 27, "yaml": 20, "sqlinsert": 14},
    "template": {"json": 26, "jsonl": 33, "yaml": 16},
    "session": {"json": 22, "jsonl": 20, "yaml": 28, "toml": 5},
}

# Rules that a question goes through, by difficulty; how many of a medium cell have any (the rest have none).
_STEPS: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {
    "transform": {"easy": (1,), "medium": (2, 3), "hard": (3, 4)},
    "repair": {"easy": (1,), "medium": (1, 2), "hard": (2, 3)},
    "extract": {"easy": (0,), "medium": (1,), "hard": (1, 2)},
    "patch": {"easy": (0,), "medium": (1,), "hard": (2, 3)},
    "merge": {"easy": (0,), "medium": (1,), "hard": (2, 3)},
    "schema_gen": {"easy": (0,), "medium": (1,), "hard": (2, 3)},
    "apply_diff": {"easy": (0,), "medium": (1,), "hard": (2, 3)},
    "template": {"easy": (0,), "medium": (1,), "hard": (2,)},
}
_MOST_STEPS: Final = {"toml": 2, "properties": 1}  # few rules leave a document what these targets hold
_COMMON: Final = ("json", "jsonl", "yaml")  # targets that nearly every document fits
_OTHERS: Final = ("extract", "merge", "schema_gen", "apply_diff", "template")
_MEDIUM_WITH_STEPS: Final = {"patch": 13, **dict.fromkeys(_OTHERS, 14)}

_ESCAPES: Final = 50  # templates with the literal escape, of 75
# Turns of the conversations of a difficulty: 36 of three, 35 of four, 4 of five.
_TURNS: Final = {"easy": ((3, 25),), "medium": ((3, 11), (4, 14)), "hard": ((4, 21), (5, 4))}
_GRADED_PATCH, _EARLIER_PATCH = 44, 121  # of 75 last turns and of 193 earlier ones; the others are transform
_UNDO: Final = {"easy": 0, "medium": 4, "hard": 6}  # conversations whose last turn undoes the one before it

DEMONSTRATIONS: Final = tuple(family for family in FAMILIES if family != SESSION)


class Turn(NamedTuple):
    """A turn of a conversation.

    Attributes:
        family: ``patch`` or ``transform``.
        undo: whether it starts from the state before the turn before it.
    """

    family: str
    undo: bool = False


class Slot(NamedTuple):
    """A question to be made.

    Attributes:
        number: from 0, over the whole set; its random numbers start from it.
        family, difficulty, style, tier, target: as the row's categories name them.
        steps: rules it goes through.
        escape: template: whether the template has the literal escape.
        turns: session: its turns, the graded one last.
    """

    number: int
    family: str
    difficulty: str
    style: str
    tier: str
    target: str
    steps: int = 0
    escape: bool = False
    turns: tuple[Turn, ...] = ()


def tier_of(length: int) -> str:
    """The tier of a document's length in characters."""
    return next((name for name, (_, high) in TIERS.items() if length < high), "long")


def plan(seed: int) -> list[Slot]:
    """All questions of a set, cell by cell."""
    rng = random.Random(f"{seed}/plan")
    tiers = _tiers(rng)
    targets = {family: _shuffled(rng, counts) for family, counts in _TARGETS.items()}
    escapes = _shuffled(rng, {True: _ESCAPES, False: 3 * CELL - _ESCAPES})
    talks = _conversations(rng)
    slots: list[Slot] = []
    for family in FAMILIES:
        for difficulty in DIFFICULTIES:
            styles = _shuffled(rng, dict.fromkeys(STYLES, CELL // len(STYLES)))
            steps = _steps(rng, family, difficulty)
            for index in range(CELL):
                target = _taken(targets[family], tiers[family, difficulty][index])
                slots.append(
                    Slot(
                        number=len(slots),
                        family=family,
                        difficulty=difficulty,
                        style=styles[index],
                        tier=tiers[family, difficulty][index],
                        target=target,
                        steps=min(steps[index], _MOST_STEPS.get(target, steps[index])),
                        escape=family == "template" and escapes.pop(),
                        turns=next(talks[difficulty]) if family == SESSION else (),
                    )
                )
    return slots


def _taken(left: list[str], tier: str) -> str:
    """The next target, which is taken out; maps of strings are short files, so their targets go to short questions."""
    fitting = [place for place, target in enumerate(left) if (target == "properties") == (tier == "short")]
    return left.pop(fitting[-1] if fitting else -1)


def small_plan(seed: int) -> list[Slot]:
    """One question of each cell, for a corpus that gives no more: the shortest with a target that is common."""

    def ease(slot: Slot) -> tuple[bool, int]:
        return slot.target not in _COMMON, list(TIERS).index(slot.tier)

    cells: dict[tuple[str, str], Slot] = {}
    for slot in plan(seed):
        held = cells.setdefault((slot.family, slot.difficulty), slot)
        if ease(slot) < ease(held):
            cells[slot.family, slot.difficulty] = slot
    return list(cells.values())


def demonstrations(seed: int) -> list[Slot]:
    """Ten easy questions with their answers, one of each family but session."""
    rng = random.Random(f"{seed}/demonstrations")
    styles = _shuffled(rng, dict.fromkeys(STYLES, len(DEMONSTRATIONS) // len(STYLES)))
    return [
        Slot(
            number=index,
            family=family,
            difficulty="easy",
            style=styles[index],
            tier="short",
            target=max(_TARGETS[family], key=_TARGETS[family].__getitem__),
            steps=max(_STEPS.get(family, {"easy": (0,)})["easy"]),
            escape=family == "template",
        )
        for index, family in enumerate(DEMONSTRATIONS)
    ]


def _shuffled(rng: random.Random, counts: Mapping[Any, int]) -> list[Any]:
    """Each key as often as its count says, in an order of chance."""
    entries = [key for key, count in counts.items() for _ in range(count)]
    rng.shuffle(entries)
    return entries


def _tiers(rng: random.Random) -> dict[tuple[str, str], list[str]]:
    """Tiers of each cell: a difficulty's short and long ones are spread evenly, the rest is medium."""
    made = {}
    for difficulty, (short, _, long) in _TIER_COUNTS.items():
        shares = [_even(rng, count, len(FAMILIES)) for count in (short, long)]
        for place, family in enumerate(FAMILIES):
            few, many = shares[0][place], shares[1][place]
            made[family, difficulty] = _shuffled(rng, {"short": few, "medium": CELL - few - many, "long": many})
    return made


def _even(rng: random.Random, total: int, parts: int) -> list[int]:
    """A total in parts that differ by one at most."""
    share, over = divmod(total, parts)
    entries = [share + (place < over) for place in range(parts)]
    rng.shuffle(entries)
    return entries


def _steps(rng: random.Random, family: str, difficulty: str) -> Sequence[int]:
    """Numbers of rules of a cell's questions."""
    choices = _STEPS.get(family, {}).get(difficulty, (0,))
    some = _MEDIUM_WITH_STEPS.get(family, CELL) if difficulty == "medium" else CELL
    entries = [choices[place % len(choices)] for place in range(some)] + [0] * (CELL - some)
    rng.shuffle(entries)
    return entries


def _conversations(rng: random.Random) -> dict[str, Iterator[tuple[Turn, ...]]]:
    """The turns of each difficulty's conversations."""
    graded = _shuffled(rng, {"patch": _GRADED_PATCH, "transform": 3 * CELL - _GRADED_PATCH})
    lengths = {name: _shuffled(rng, dict(counts)) for name, counts in _TURNS.items()}
    earlier_turns = sum(sum(entries) - len(entries) for entries in lengths.values())
    earlier = _shuffled(rng, {"patch": _EARLIER_PATCH, "transform": earlier_turns - _EARLIER_PATCH})
    made = {}
    for difficulty, entries in lengths.items():
        undo = _shuffled(rng, {True: _UNDO[difficulty], False: CELL - _UNDO[difficulty]})
        made[difficulty] = iter(
            [(*(Turn(earlier.pop()) for _ in range(length - 1)), Turn(graded.pop(), undo.pop())) for length in entries]
        )
    return made
