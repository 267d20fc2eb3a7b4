"""Moments at which a run is killed, drawn with a recorded seed.

A third of them are steps of the run on its own folder (:mod:`proofs.faults.victim`): first a kind of step is drawn
(``run.json rename``, ``judgements.jsonl write``, ...), then which one of its kind, so that the few steps before the
first request and after the last answer are met as often as the many writes to a journal. The others come from outside:
after a number of answers of the servers, or after a time, which meets the imports and the reading of data.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Moment", "draw_moment"]

_LATE_S = 0.04  # most seconds between a step or an answer, and the kill


@dataclass(frozen=True, slots=True)
class Moment:
    """When a run is killed.

    Attributes:
        step, turn, part: see :class:`proofs.faults.victim.Plan`; no step for a kill from outside.
        answers: answers of the servers in this session, after which it is killed; 0 for none.
        after_s: number of seconds after the step, after the answers, or after the start if there are neither.
    """

    step: str = ""
    turn: int = 0
    part: float = 0.0
    answers: int = 0
    after_s: float = 0.0

    def __str__(self) -> str:
        late = f" and {self.after_s * 1000:.0f} ms" if self.after_s else ""
        if self.step:
            part = f", {self.part:.0%} of it written" if self.step.endswith(".jsonl write") and not late else ""
            return f"at {self.step} {self.turn + 1}{part}{late}"
        return f"after {self.answers} answers{late}" if self.answers else f"after {self.after_s:.1f} s"


def draw_moment(chance: random.Random, steps: Sequence[str], starts_in_s: float) -> Moment:
    """Draw one.

    Args:
        chance: with the seed of the whole proof.
        steps: those of the unbroken run, in their order.
        starts_in_s: number of seconds that an unbroken run needs at least until its first request.
    """
    kind = chance.random()
    if kind < 0.1:
        return Moment(after_s=chance.random() * starts_in_s)
    counts = Counter(steps)
    if kind < 0.4:
        most = sum(count for step, count in counts.items() if step.endswith(".jsonl write"))
        # A few at a time: a run is to be killed several times before it ends.
        return Moment(answers=1 + chance.randrange(max(1, most // 4)), after_s=chance.random() * _LATE_S)
    step = chance.choice(sorted(counts))
    turns = max(1, counts[step] // 3) if step.endswith(".jsonl write") else counts[step]
    late = chance.random() * _LATE_S if chance.random() < 0.3 else 0.0
    return Moment(step, chance.randrange(turns), chance.choice((0.0, chance.random(), 1.0)), after_s=late)
