"""Drawing the requirements of a question.

A stack has three to six requirements of at least two families, pins how much text is needed, holds one or two hard
requirements and otherwise easy ones, and contains no contradiction: two requirements that could contradict each
other are never drawn together. What is drawn follows the deficit of each type against its target, so that types
which compose badly are tried more often instead of fading away.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from builders.ifhard.frames import LISTS, TERMINAL
from builders.ifhard.jobs import Job
from builders.ifhard.type_tables import FULL_SIZE, HARD, HOLDS, MINIMUM, RULES, SHARES, Rule, compatible

__all__ = ["Plan", "Quotas", "category_of", "family_of", "plan_stack", "quota_of"]

_TRIES: Final = 400

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
    """How often each type (each branch of a conditional) has been used, against how often it should be."""

    def __init__(self, size: int, left_out: frozenset[str] = frozenset()) -> None:
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
        return max(target - self.uses[name], 0.03 * target)

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


def _draw(options: Mapping[str, Rule], quotas: Quotas, rng: Random) -> str:
    """One key, weighted by what its type lacks and by the variant's share within its type."""
    whole: dict[str, float] = defaultdict(float)
    for key, rule in options.items():
        whole[quota_of(key)] += rule.weight
    keys = list(options)
    weights = [quotas.wanting(quota_of(key)) * options[key].weight / whole[quota_of(key)] for key in keys]
    return rng.choices(keys, weights)[0]


def _fits(key: str, rule: Rule, chosen: Sequence[str]) -> bool:
    return all(category_of(key) != category_of(other) and compatible(rule, RULES[other]) for other in chosen)


def _is_sound(frame: str, chosen: Sequence[str]) -> bool:
    rules = [RULES[key] for key in chosen]
    return (
        len({family_of(key) for key in chosen}) >= 2
        and any(rule.pins for rule in rules)
        and (frame not in LISTS or any("items" in rule.brings for rule in rules))
    )


def _seed_keys(frame: str, first: str | None, options: Mapping[str, Rule], quotas: Quotas, rng: Random) -> list[str]:
    """What the stack starts from: the rare type, then something that fixes the frame and the amount of text."""
    chosen = [first] if first else []
    for needed in ("shape", "items", "pins"):
        if (needed == "shape" and frame not in TERMINAL) or (needed == "items" and frame not in LISTS):
            continue

        def supplies(rule: Rule, needed: str = needed) -> bool:
            return rule.pins if needed == "pins" else needed in rule.groups | rule.brings

        if any(supplies(RULES[key]) for key in chosen):
            continue
        fitting = {key: rule for key, rule in options.items() if supplies(rule) and _fits(key, rule, chosen)}
        if fitting:
            chosen.append(_draw(fitting, quotas, rng))
    return chosen


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
        chosen = _seed_keys(frame, first, options, quotas, rng)
        hard_wanted = 1 if rng.random() < (0.65 if job.size <= 4 else 0.45) else 2
        while len(chosen) < job.size:
            hard = sum(RULES[key].ease < HARD for key in chosen)
            fitting = {
                key: rule
                for key, rule in options.items()
                if _fits(key, rule, chosen) and (rule.ease < HARD) == (hard < hard_wanted)
            }
            if not fitting:
                break
            chosen.append(_draw(fitting, quotas, rng))
        hard = sum(RULES[key].ease < HARD for key in chosen)
        if len(chosen) == job.size and 1 <= hard <= 2 and _is_sound(frame, chosen):
            rng.shuffle(chosen)
            return frame, chosen
    raise RuntimeError(f"no stack for {job}")
