"""Dividing a build into jobs: one question each, its marginal attributes dealt out exactly.

Topic, task, tone and wording of the prompt, frame, stack size, background or not, and the truth of a condition are
dealt like cards before anything is composed, so that their distributions hold whatever composes easily. A job keeps
its attributes through all its attempts; only the requirements are drawn again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from builders.ifhard.bank import Topic
from metrics.ifhard.text import cores_of
from tasks.ifhard.prompts import STYLES, WORDINGS

__all__ = ["Job", "deal", "deal_jobs"]

_TOPUP: Final = 0.1
"""Share of questions that are added for the sake of a rare type."""
_CONTEXT: Final = 717 / 1260
_FRAMES: Final[Mapping[str, float]] = {
    "prose": 686,
    "bullets": 130,
    "numbers": 108,
    "json": 50,
    "jsonlist": 26,
    "array": 34,
    "csv": 32,
    "parts": 32,
    "table": 36,
}
# Stack sizes; a fixed shape leaves room for fewer neighbours. Together the mean is 4.43.
_SIZES: Final[Mapping[bool, Mapping[int, float]]] = {
    False: {3: 0.13, 4: 0.35, 5: 0.365, 6: 0.155},
    True: {3: 0.33, 4: 0.47, 5: 0.20},
}


# Beginnings of words in a task that no table or JSON object of short phrases can do: a letter, a note, a reason.
_RUNNING: Final = ("письм", "записк", "другу", "почему")


@dataclass(frozen=True)
class Job:
    """One question to be made.

    Attributes:
        split: ``test`` or ``shots``; ``number`` counts from 0 within it.
        frame: the shape of the answer; None for a topup job, which takes one that its rare type lives in.
        wording: index of the prompt wording within its tone.
    """

    split: str
    number: int
    topic: str
    task: str
    style: str
    wording: int
    frame: str | None
    size: int
    with_context: bool

    @property
    def stratum(self) -> str:
        """``core`` or ``topup``."""
        return "core" if self.frame else "topup"


def deal(shares: Mapping[Any, float], count: int) -> list[Any]:
    """``count`` values in the proportion of their shares (largest remainders), in the order of the table."""
    whole = sum(shares.values())
    exact = {value: count * share / whole for value, share in shares.items()}
    given = {value: int(part) for value, part in exact.items()}
    order = list(shares)
    left = sorted(order, key=lambda value: (given[value] - exact[value], order.index(value)))
    for value in left[: count - sum(given.values())]:
        given[value] += 1
    return [value for value in order for _ in range(given[value])]


def _shuffled(values: Sequence[Any], rng: Random) -> list[Any]:
    mixed = list(values)
    rng.shuffle(mixed)
    return mixed


def deal_jobs(split: str, size: int, topics: Sequence[Topic], rng: Random) -> list[Job]:
    """The jobs of a split: every attribute as evenly as ``size`` allows, the attributes independent of each other."""
    topup = round(size * _TOPUP) if split == "test" else 0
    frames: list[str | None] = _shuffled(deal(_FRAMES, size - topup), rng) + [None] * topup
    shaped = [frame not in {"prose", "bullets", "numbers", None} for frame in frames]
    sizes = {kind: _shuffled(deal(_SIZES[kind], shaped.count(kind)), rng) for kind in (False, True)}
    tasks = _shuffled(
        deal({(topic.id, task): 1.0 for topic in topics for task in topic.tasks}, size)
        if size >= sum(len(topic.tasks) for topic in topics)
        else [(topic.id, rng.choice(topic.tasks)) for topic in (list(topics) * (size // len(topics) + 1))[:size]],
        rng,
    )
    _keep_running_text(tasks, frames)
    prompts = _shuffled(deal({(s, w): 1.0 for w in range(WORDINGS) for s in STYLES}, size), rng)
    # Dealt within each prompt wording, so that all forty templates are used.
    context = _per_prompt(prompts, rng)
    return [
        Job(
            split=split,
            number=number,
            topic=tasks[number][0],
            task=tasks[number][1],
            style=prompts[number][0],
            wording=prompts[number][1],
            frame=frames[number],
            size=sizes[shaped[number]].pop(),
            with_context=context[number],
        )
        for number in range(size)
    ]


def _wants_running_text(task: str) -> bool:
    return any(core.startswith(_RUNNING) for core in cores_of(task))


def _keep_running_text(tasks: list[tuple[str, str]], frames: Sequence[str | None]) -> None:
    """Give tasks that ask for running text to prose and lists: each is exchanged, in place, with a prose job's task."""
    partners = [
        number for number, frame in enumerate(frames) if frame == "prose" and not _wants_running_text(tasks[number][1])
    ]
    for number, frame in enumerate(frames):
        if frame in {"prose", "bullets", "numbers"} or not _wants_running_text(tasks[number][1]) or not partners:
            continue
        other = partners.pop(0)
        tasks[number], tasks[other] = tasks[other], tasks[number]


def _per_prompt(prompts: Sequence[tuple[str, int]], rng: Random) -> list[bool]:
    """Background or not for each job, dealt as one deck ordered by prompt so that every prompt gets its share."""
    size = len(prompts)
    wanted = round(size * _CONTEXT)
    order = sorted(range(size), key=lambda number: (prompts[number], rng.random()))
    # Evenly spaced along the order by prompt: Bresenham's line.
    flags = [False] * size
    for place, number in enumerate(order):
        flags[number] = (place + 1) * wanted // size > place * wanted // size
    return flags
