"""Dividing a build into jobs: one question each, its marginal attributes dealt out exactly.

Topic, task, tone and wording of the prompt, frame, stack size, background or not, and the truth of a condition are
dealt like cards before anything is composed, so that their distributions hold whatever composes easily. A job keeps
its attributes through all its attempts; only the requirements are drawn again.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from builders.ifhard.bank import Topic
from metrics.ifhard.text import cores_of
from tasks.ifhard.prompts import STYLES, WORDINGS

__all__ = ["MOST", "ROOM", "Job", "Span", "deal", "deal_jobs"]

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
MOST: Final = 12
"""Requirements that a question may have."""
ROOM: Final[Mapping[str, int]] = {
    "prose": MOST,
    "bullets": 10,
    "numbers": 9,
    "json": 5,
    "jsonlist": 6,
    "array": 5,
    "csv": 6,
    "parts": 7,
    "table": 7,
}
"""The largest stacks of each frame of which about one in eight has a witness, in a set with a range of its own."""


# Beginnings of words in a task that no table or JSON object of short phrases can do: a letter, a note, a reason.
_RUNNING: Final = ("письм", "записк", "другу", "почему")


@dataclass(frozen=True)
class Span:
    """The fewest and the most requirements of a question, both from 1 to :data:`MOST`."""

    low: int
    high: int

    @classmethod
    def read(cls, text: str) -> "Span":
        """``7-12``, or one number for both.

        Raises:
            ValueError: the text is neither, or a number is out of place.
        """
        found = re.fullmatch(r"([0-9]{1,2})(?:-([0-9]{1,2}))?", text)
        if found:
            low, high = int(found[1]), int(found[2] or found[1])
            if 1 <= low <= high <= MOST:
                return cls(low, high)
        raise ValueError(f"must be a range within 1-{MOST}, as 7-{MOST}, or one number; got {text!r}")

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"


@dataclass(frozen=True)
class Job:
    """One question to be made.

    Attributes:
        split: ``test`` or ``shots``; ``number`` counts from 0 within it.
        frame: the shape of the answer; None for a topup job, which takes one that its rare type lives in.
        wording: index of the prompt wording within its tone.
        spanned: whether it belongs to a set with a range of requirements of its own. Then requirements that pull
            against each other are preferred, and a question is dropped if one of them is met by chance.
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
    spanned: bool = False

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


def _mixture(count: int, rng: Random) -> list[tuple[str | None, int]]:
    """Frame and stack size of each job as in the shipped set, a tenth of them without a frame."""
    topup = round(count * _TOPUP)
    frames: list[str | None] = _shuffled(deal(_FRAMES, count - topup), rng) + [None] * topup
    shaped = [frame not in {"prose", "bullets", "numbers", None} for frame in frames]
    sizes = {kind: _shuffled(deal(_SIZES[kind], shaped.count(kind)), rng) for kind in (False, True)}
    return [(frame, sizes[kind].pop()) for frame, kind in zip(frames, shaped, strict=True)]


def _spread(count: int, span: Span, rng: Random) -> list[tuple[str | None, int]]:
    """Frame and stack size of each job: sizes even over the span, frames as in the shipped set where they fit."""
    frames = deal({frame: share for frame, share in _FRAMES.items() if ROOM[frame] >= span.low}, count)
    left = deal(dict.fromkeys(range(span.low, span.high + 1), 1.0), count)
    pairs: list[tuple[str | None, int]] = []
    # Frames of little room choose first; prose takes what they cannot.
    for frame in sorted(frames, key=lambda frame: ROOM[frame]):
        fitting = [size for size in left if size <= ROOM[frame]]
        chosen = rng.choice(fitting or left)
        left.remove(chosen)
        pairs.append((frame if fitting else "prose", chosen))
    return _shuffled(pairs, rng)


def deal_jobs(size: int, topics: Sequence[Topic], rng: Random, span: Span | None = None) -> list[Job]:
    """The jobs of the test split: attributes as even as ``size`` allows, and independent of each other.

    Args:
        size: number of jobs.
        topics: of the bank.
        rng: what is not even by count is drawn from it.
        span: how many requirements a question has; None for the mixture of the shipped set.
    """
    shapes = _spread(size, span, rng) if span else _mixture(size, rng)
    frames = [frame for frame, _ in shapes]
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
            split="test",
            number=number,
            topic=tasks[number][0],
            task=tasks[number][1],
            style=prompts[number][0],
            wording=prompts[number][1],
            frame=frames[number],
            size=shapes[number][1],
            with_context=context[number],
            spanned=span is not None,
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
