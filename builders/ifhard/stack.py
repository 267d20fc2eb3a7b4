"""Drawing the requirements of a question.

A stack has as many requirements as its job says, of at least two families, and pins how much text is needed (stacks of
one or two are too small for that). It contains no contradiction: two requirements that could contradict each other are
never drawn together. In the shipped set one or two requirements are hard and the others easy; in a set with a range of
requirements of its own those are preferred that pull against what is there. What is drawn follows the deficit of each
type against its target, so that types which compose badly are tried more often instead of fading away.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from builders.ifhard.frames import LISTS, TERMINAL
from builders.ifhard.jobs import Job
from builders.ifhard.type_tables import FULL_SIZE, HARD, HOLDS, MINIMUM, RULES, SHARES, Rule, compatible, pulls

__all__ = ["FLOOR", "FLOOR_SPANNED", "Plan", "Quotas", "category_of", "family_of", "plan_stack", "quota_of"]

FLOOR: Final = 0.03
FLOOR_SPANNED: Final = 0.3
"""Floors of :class:`Quotas` for the shipped set and for one with a range of requirements of its own."""
_TRIES: Final = 400
_PINNED: Final = 3
"""Requirements from which on a stack says how much text is needed."""
_PREFERENCE: Final = 2.0
"""What each requirement that a rule pulls against adds to its weight of 1, in a set with a range of its own."""

Plan = tuple[str, list[str]]
"""A frame and the keys of :data:`builders.ifhard.type_tables.RULES` in the order of the question."""


def category_of(key: str) -> str:
    """``family:name`` of a rule key."""
    return key.partition("/")[0]


def family_of(key: str) -> str:
    """Family of a rule key."""
    return key.partition(":")[0]


def quota_of(key: str) -> str:
    """The name under which a rule key is counted: its type, and for a conditional also the branch that holds."""
    branch = key.partition("@")[2]
    return f"{category_of(key)}@{branch}" if branch else category_of(key)


_BRANCHED: Final = frozenset(category_of(key) for key in RULES if "@" in key)


class Quotas:
    """How often each type (each branch of a conditional) has been used, against how often it should be.

    Args:
        size: questions of the shipped set that need as many requirements as are to be drawn.
        left_out: types that are not drawn.
        floor: the least weight of a type in a draw, as a share of its target. Where stacks are large it has to be high:
            what composes badly would be all that is wanting in the end, and be drawn in every stack.
    """

    def __init__(self, size: int, left_out: frozenset[str] = frozenset(), floor: float = FLOOR) -> None:
        self._floor = floor
        self.targets: dict[str, float] = {}
        for category, share in SHARES.items():
            if category in left_out:
                continue
            if category in _BRANCHED:
                self.targets[f"{category}@true"] = share * HOLDS * size / FULL_SIZE
                self.targets[f"{category}@false"] = share * (1 - HOLDS) * size / FULL_SIZE
            else:
                self.targets[category] = share * size / FULL_SIZE
        self.uses: Counter[str] = Counter()
        # A little more than is demanded, in the proportion of the build's size.
        self._minimum = 1.2 * MINIMUM * size / FULL_SIZE

    def wanting(self, name: str) -> float:
        """Weight of a type in the next draw: what it lacks, never quite zero."""
        target = self.targets[name]
        return max(target - self.uses[name], self._floor * target)

    def need(self, name: str) -> float:
        """What a type lacks as a share of its target: rare types and common ones alike."""
        return self.wanting(name) / self.targets[name]

    def rarest(self) -> list[str]:
        """Types in the order of need: those that lack most of the minimum first, then by uses against target."""
        return sorted(
            self.targets,
            key=lambda name: (-max(0, self._minimum - self.uses[name]), self.uses[name] / self.targets[name], name),
        )

    def take(self, keys: Sequence[str]) -> None:
        """Count a stack."""
        self.uses.update(map(quota_of, keys))

    def give_back(self, keys: Sequence[str]) -> None:
        """Uncount a stack that had no witness."""
        self.uses.subtract(map(quota_of, keys))


def _is_open(key: str, job: Job) -> bool:
    """A conditional needs a background."""
    return "@" not in key or job.with_context


def _open(job: Job, frame: str, quotas: Quotas) -> dict[str, Rule]:
    """Rules that may take part in this job's stack at all."""
    return {
        key: rule
        for key, rule in RULES.items()
        if frame in rule.frames and quota_of(key) in quotas.targets and _is_open(key, job)
    }


def _draw(
    options: Mapping[str, Rule], wanting: Callable[[str], float], rng: Random, against: Sequence[str] = ()
) -> str:
    """One key, weighted by how much its type is wanted, the variant's share within it, and what it pulls against."""
    whole: dict[str, float] = defaultdict(float)
    for key, rule in options.items():
        whole[quota_of(key)] += rule.weight
    keys = list(options)
    weights = []
    for key, rule in options.items():
        pulled = sum(bool(pulls(rule, RULES[other])) for other in against)
        weights.append(wanting(quota_of(key)) * rule.weight / whole[quota_of(key)] * (1 + _PREFERENCE * pulled))
    return rng.choices(keys, weights)[0]


def _fits(key: str, rule: Rule, chosen: Sequence[str]) -> bool:
    return all(category_of(key) != category_of(other) and compatible(rule, RULES[other]) for other in chosen)


def _is_sound(frame: str, chosen: Sequence[str]) -> bool:
    rules = [RULES[key] for key in chosen]
    return (
        len({family_of(key) for key in chosen}) >= min(2, len(chosen))
        and (any(rule.pins for rule in rules) or len(chosen) < _PINNED)
        and (frame not in LISTS or any("items" in rule.brings for rule in rules))
    )


def _seed_keys(
    frame: str, size: int, first: str | None, options: Mapping[str, Rule], quotas: Quotas, rng: Random
) -> list[str]:
    """What the stack starts from: the rare type, then something that fixes the frame and the amount of text."""
    chosen = [first] if first else []
    wanted = {"shape": frame in TERMINAL, "items": frame in LISTS, "pins": size >= _PINNED}
    for needed in (name for name, is_wanted in wanted.items() if is_wanted):

        def supplies(rule: Rule, needed: str = needed) -> bool:
            return rule.pins if needed == "pins" else needed in rule.groups | rule.brings

        if any(supplies(RULES[key]) for key in chosen):
            continue
        fitting = {key: rule for key, rule in options.items() if supplies(rule) and _fits(key, rule, chosen)}
        if fitting:
            chosen.append(_draw(fitting, quotas.wanting, rng))
    return chosen


def _concentrated(chosen: list[str], size: int, options: Mapping[str, Rule], quotas: Quotas, rng: Random) -> bool:
    """Fill a stack up with one or two hard requirements and easy ones; whether it is full and so composed."""
    hard_wanted = 1 if rng.random() < (0.65 if size <= 4 else 0.45) else 2
    while len(chosen) < size:
        hard = sum(RULES[key].ease < HARD for key in chosen)
        fitting = {
            key: rule
            for key, rule in options.items()
            if _fits(key, rule, chosen) and (rule.ease < HARD) == (hard < hard_wanted)
        }
        if not fitting:
            break
        chosen.append(_draw(fitting, quotas.wanting, rng))
    return len(chosen) == size and 1 <= sum(RULES[key].ease < HARD for key in chosen) <= 2


def _pulling(chosen: list[str], size: int, options: Mapping[str, Rule], quotas: Quotas, rng: Random) -> bool:
    """Fill a stack up, preferring requirements that pull against those which are there; whether it is full."""
    while len(chosen) < size:
        fitting = {key: rule for key, rule in options.items() if _fits(key, rule, chosen)}
        if not fitting:
            break
        chosen.append(_draw(fitting, quotas.wanting, rng, against=chosen))
    return len(chosen) == size


def plan_stack(job: Job, quotas: Quotas, rng: Random) -> Plan:
    """Draw a frame (given, unless the job is a topup) and a stack for a job.

    Raises:
        RuntimeError: no sound stack was found, which means that the policy contradicts itself.
    """
    for _ in range(_TRIES):
        frame, first = job.frame, None
        if frame is None:
            rare = rng.choice(quotas.rarest()[:3])
            keys = [key for key in RULES if quota_of(key) == rare and _is_open(key, job)]
            if not keys:
                continue
            first = rng.choice(keys)
            frame = rng.choice(sorted(RULES[first].frames, key=lambda name: (name != "prose", name))[:2])
        options = _open(job, frame, quotas)
        if job.spanned:
            # Large stacks leave out what bars many others, unless they start from it.
            first = _draw(options, quotas.need, rng)
        chosen = _seed_keys(frame, job.size, first, options, quotas, rng)
        fill = _pulling if job.spanned else _concentrated
        if fill(chosen, job.size, options, quotas, rng) and _is_sound(frame, chosen):
            rng.shuffle(chosen)
            return frame, chosen
    raise RuntimeError(f"no stack for {job}")
