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
from builders.ifhard.policy import RULES
from builders.ifhard.surroundings import surroundings
from tasks.ifhard.prompts import template_text

__all__ = ["OVERRULES", "Question", "difficulty", "make_question", "row_of"]

# Which requirements overrule the habit that a decoy describes; without one of them the decoy is not used, because a
# reader could take the habit for a wish that still stands.
_DATA: Final = ("format:json_object", "format:json_array", "format:csv_line")
_PROSE: Final = (
    "structure:sentence_count", "structure:paragraph_count", "structure:paragraph_sentences",
    "lexical:sentence_acrostic", "logic:override/sentence_count", "logic:override/paragraph_count",
)  # fmt: skip
_ENDS: Final = ("style:end_punctuation", "lexical:ends_with", "format:hashtags", "structure:checksum")
OVERRULES: Final[Mapping[str, tuple[str, ...]]] = {
    "list": (*_PROSE, *_DATA, "format:markdown_table"),
    "table": (*_PROSE, *_DATA, "format:bullet_list", "format:numbered_list", "logic:override/bullet_list"),
    "lines": ("structure:paragraph_sentences", "format:bullet_list", *_DATA, "logic:override/bullet_list"),
    "question": (*_ENDS, *_DATA, "format:markdown_table"),
    "postscript": (*_ENDS, *_DATA, "format:markdown_table"),
    "bold": ("format:bold_words", *_DATA),
    "caps": ("style:no_caps",),
    "digits": ("style:no_digits",),
    "exclamation": ("style:exclamation_count",),
    "short": (
        "structure:sentence_count", "structure:word_count", "structure:paragraph_count", "structure:char_count",
        "logic:override/sentence_count", "logic:override/word_count", "logic:override/paragraph_count",
    ),
}  # fmt: skip
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
        if context.decoy and any(key.startswith(OVERRULES.get(context.habit, ("?",))) for key in keys)
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


# What the bank's phrases seldom offer: with one of these in the stack, list items are sentences.
_SENTENCE_ITEMS: Final = (
    "lexical:include_keyword", "lexical:include_all", "lexical:word_exact_count", "lexical:order_words",
    "lexical:epiphora", "lexical:acrostic", "lexical:item_chain", "style:no_digits", "style:no_latin",
    "style:forbid_letters", "style:max_word_length", "logic:conditional_include", "logic:override/comma_count",
    "style:comma_count", "format:bold_words/stems", "structure:item_words_ladder", "structure:items_total_words",
)  # fmt: skip


def _kind(frame: str, keys: Sequence[str], rng: Random) -> str:
    """Whether list items are sentences or phrases; the fixed shapes take phrases."""
    if frame in TERMINAL:
        return "phrase"
    if frame == "prose" or any(key.startswith(_SENTENCE_ITEMS) for key in keys):
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
