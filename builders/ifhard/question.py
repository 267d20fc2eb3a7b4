"""One attempt at one question: background, composition, wordings, the finished row."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from builders.ifhard.bank import Context, Probe, Topic
from builders.ifhard.catalogue import Variant
from builders.ifhard.composer import compose
from builders.ifhard.draft import Ask, Draft
from builders.ifhard.frames import TERMINAL
from builders.ifhard.jobs import Job
from builders.ifhard.surroundings import surroundings
from builders.ifhard.type_tables import RULES
from tasks.ifhard.prompts import template_text

__all__ = ["Question", "difficulty", "make_question", "row_of"]

_SHOWN: Final = ("word", "word_a", "word_b", "mention", "m")
"""Slots that wordings show for people and that need not be parameters."""
_DECOY: Final = 0.5
"""How often a decoy that the stack overrules is taken, where there is one."""


@dataclass(frozen=True)
class Question:
    """A composed question.

    Attributes:
        job, frame, keys: what it was made from.
        difficulty: predicted, see :func:`difficulty`; the tiers are its quartiles.
        constraints: the scoring key, a list of ``{category, family, params, is_terminal}``.
        lines: the requirements as the model reads them, one each.
        shown: for each requirement what its wording shows beside the parameters.
        decoy: habit of the decoy, empty if the context is none.
    """

    job: Job
    frame: str
    keys: tuple[str, ...]
    difficulty: float
    context: str
    constraints: tuple[dict[str, Any], ...]
    lines: tuple[str, ...]
    witness: str
    shown: tuple[frozenset[Any], ...]
    decoy: str

    @property
    def base_id(self) -> str:
        """Twelve hexadecimal digits from the question's content."""
        content = [self.job.task, self.context, list(self.lines), list(self.constraints)]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:12]


def difficulty(keys: Sequence[str], constraints: Sequence[Mapping[str, Any]]) -> float:
    """Minus the logarithm of the predicted chance that all requirements are met at once."""
    total = 0.0
    for key, constraint in zip(keys, constraints, strict=True):
        ease = RULES[key].ease
        letter = constraint["params"].get("letter")
        if constraint["category"] == "style:forbid_letter" and letter is not None:
            ease *= 0.4 if letter in "оаеи" else 1.0 if letter in "нтсрвлк" else 1.6
        total -= math.log(ease)
    return total


def _holds(keys: Sequence[str]) -> bool:
    """Whether the stack has a conditional whose condition is true of the context."""
    return any(key.endswith("@true") for key in keys)


def _background(job: Job, topic: Topic, keys: Sequence[str], rng: Random) -> tuple[Context | None, Probe | None]:
    """The context and, for a conditional, the thing that it does or does not mention."""
    if not job.with_context:
        return None, None
    plain = [context for context in topic.contexts if not context.decoy]
    if any("@" in key for key in keys):
        pairs = [
            (context, probe)
            for probe in topic.probes
            for context in plain
            if topic.mentions(context, probe) == _holds(keys)
        ]
        # A probe first: pairs where it holds are few, those where it does not are many.
        probe = rng.choice(sorted({probe for _, probe in pairs}, key=lambda probe: probe.stem))
        return rng.choice([context for context, other in pairs if other == probe]), probe
    decoys = [
        context
        for context in topic.contexts
        if context.decoy and any(context.habit in RULES[key].overrules for key in keys)
    ]
    if decoys and rng.random() < _DECOY:
        return rng.choice(decoys), None
    return rng.choice(plain), None


def make_question(
    job: Job, frame: str, keys: Sequence[str], topic: Topic, catalogue: Mapping[str, Variant], rng: Random
) -> Question:
    """Compose one question.

    Raises:
        InfeasibleError: this stack with these choices has no witness.
    """
    context, probe = _background(job, topic, keys, rng)
    asks = [Ask(catalogue[key.partition("@")[0]]) for key in keys]
    draft = Draft(
        topic=topic,
        task=job.task,
        rng=rng,
        frame=frame,
        asks=asks,
        context=context,
        probe=probe,
        holds=_holds(keys),
        kind=_kind(frame, keys, rng),
    )
    witness = compose(draft)
    constraints = tuple(
        {
            "category": ask.variant.category,
            "family": ask.variant.family,
            "params": ask.variant.params(ask.values),
            "is_terminal": ask.variant.terminal,
        }
        for ask in asks
    )
    return Question(
        job=job,
        frame=frame,
        keys=tuple(keys),
        difficulty=difficulty(keys, constraints),
        context=context.text if context else "",
        constraints=constraints,
        lines=tuple(
            ask.variant.wording(rng.randrange(len(ask.variant.ru)), ask.values, surroundings(frame, keys, place))
            for place, ask in enumerate(asks)
        ),
        witness=witness,
        shown=tuple(frozenset(ask.values[slot] for slot in _SHOWN if slot in ask.variant.slots) for ask in asks),
        decoy=context.habit if context else "",
    )


def _kind(frame: str, keys: Sequence[str], rng: Random) -> str:
    """Whether list items are sentences or phrases; the fixed shapes take phrases."""
    if frame in TERMINAL:
        return "phrase"
    if frame == "prose" or any(RULES[key].sentence_items for key in keys):
        return "sentence"
    return "phrase" if rng.random() < 0.6 else "sentence"


def row_of(question: Question, number: int, tier: str, outputs: str) -> dict[str, Any]:
    """The dataset row (IFHardBench contract, section 1), keys in the order of the contract."""
    job = question.job
    families = list(dict.fromkeys(constraint["family"] for constraint in question.constraints))
    return {
        "instruction": template_text(job.style, job.wording, job.with_context),
        "inputs": {
            "question": job.task,
            "constraints": "\n".join(f"- {line}" for line in question.lines),
            "context": question.context,
        },
        "outputs": outputs,
        "meta": {
            "id": number,
            "base_id": question.base_id,
            "constraints": json.dumps(list(question.constraints), ensure_ascii=False),
            "categories": {
                "language": "ru",
                "tier": tier,
                "length_tier": "long" if job.with_context else "short",
                "n_constraints": len(question.constraints),
                "constraint_families": ",".join(families),
                "prompt_style": job.style,
                "topic": job.topic,
                "stratum": job.stratum,
            },
            "annotation": {"is_solvable": None, "language_correctness": None},
        },
    }
