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
from builders.ifhard.draft import Ask, Draft, InfeasibleError
from builders.ifhard.frames import TERMINAL
from builders.ifhard.habits import overruling
from builders.ifhard.implied import implied
from builders.ifhard.jobs import Job
from builders.ifhard.surroundings import worded
from builders.ifhard.type_tables import RULES
from tasks.ifhard.prompts import template_text

__all__ = ["Question", "difficulty", "make_question", "question_of", "row_of"]

_SHOWN: Final = ("word", "word_a", "word_b", "mention", "m")
"""Slots that wordings show for people and that need not be parameters."""
_DECOY: Final = 0.75
"""How often a decoy that the requirements overrule is taken, where there is one."""


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


def _condition(topic: Topic, holds: bool, rng: Random) -> tuple[Context, Probe]:
    """For a conditional, a context and a thing that it does or does not mention."""
    pairs = [
        (context, probe) for probe in topic.probes for context in topic.plain if topic.mentions(context, probe) == holds
    ]
    # A probe first: pairs where it holds are few, those where it does not are many.
    probe = rng.choice(sorted({probe for _, probe in pairs}, key=lambda probe: probe.stem))
    return rng.choice([context for context, other in pairs if other == probe]), probe


def _background(topic: Topic, constraints: Sequence[Mapping[str, Any]], rng: Random) -> Context:
    """A context that no condition looks at: now and then a decoy whose habit the finished requirements exclude."""
    decoys = [context for context in topic.contexts if context.decoy and overruling(context.habit, constraints)]
    return rng.choice(decoys if decoys and rng.random() < _DECOY else topic.plain)


def make_question(
    job: Job, frame: str, keys: Sequence[str], topic: Topic, catalogue: Mapping[str, Variant], rng: Random
) -> Question:
    """Compose one question.

    Raises:
        InfeasibleError: this stack with these choices has no witness.
    """
    context, probe = None, None
    if any("@" in key for key in keys):
        context, probe = _condition(topic, _holds(keys), rng)
    asks = [Ask(catalogue[key.partition("@")[0]]) for key in keys]
    draft = Draft(
        topic=topic,
        task=job.task,
        rng=rng,
        frame=frame,
        asks=asks,
        probe=probe,
        holds=_holds(keys),
        kind=_kind(frame, keys, rng),
    )
    witness = compose(draft)
    constraints = tuple(map(_constraint, asks))
    if implied(constraints):
        raise InfeasibleError("a requirement is implied by another")
    if job.with_context and context is None:
        context = _background(topic, constraints, rng)
    return question_of(job, frame, keys, asks, context, witness, rng)


def question_of(
    job: Job, frame: str, keys: Sequence[str], asks: Sequence[Ask], context: Context | None, witness: str, rng: Random
) -> Question:
    """The question of requirements whose slots are all filled; ``rng`` chooses their wordings."""
    constraints = tuple(map(_constraint, asks))
    return Question(
        job=job,
        frame=frame,
        keys=tuple(keys),
        difficulty=difficulty(keys, constraints),
        context=context.text if context else "",
        constraints=constraints,
        lines=worded(frame, keys, [ask.variant for ask in asks], [ask.values for ask in asks], rng),
        witness=witness,
        shown=tuple(frozenset(ask.values[slot] for slot in _SHOWN if slot in ask.variant.slots) for ask in asks),
        decoy=context.habit if context else "",
    )


def _constraint(ask: Ask) -> dict[str, Any]:
    return {
        "category": ask.variant.category,
        "family": ask.variant.family,
        "params": ask.variant.params(ask.values),
        "is_terminal": ask.variant.terminal,
    }


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
