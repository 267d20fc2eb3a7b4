"""The distributions of a build, for ``build.json`` and for people."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from builders.ifhard.jobs import Span
from builders.ifhard.pipeline import Built
from builders.ifhard.question import Question
from builders.ifhard.type_tables import PULLS, RULES, pulls

__all__ = ["summary"]


def _counted(values: Iterable[Any]) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items(), key=lambda pair: str(pair[0]))}


def _conditions(questions: Sequence[Question]) -> dict[str, int]:
    branches = [
        constraint["params"]["holds"]
        for question in questions
        for constraint in question.constraints
        if "holds" in constraint["params"]
    ]
    return {"true": sum(branches), "false": len(branches) - sum(branches)}


def _pulling(questions: Sequence[Question]) -> dict[str, float]:
    """Pairs of requirements a question that pull against each other, by the way in which they do."""
    pairs = Counter(
        name
        for question in questions
        for one, other in combinations(question.keys, 2)
        for name in pulls(RULES[one], RULES[other])
    )
    return {name: round(pairs[name] / len(questions), 2) for name in PULLS}


def summary(built: Built, seed: int, tiers: Sequence[str], span: Span | None = None) -> dict[str, Any]:
    """Seed, counts, distributions, and what was discarded for which reason.

    Args:
        built: the questions.
        seed: the seed of the build.
        tiers: tier of each test question, in order.
        span: the range of requirements that was asked for. The shipped set has none, and its report neither the range
            nor the pairs that pull against each other.
    """
    test, tally = built.test, built.tally
    requirements = [constraint for question in test for constraint in question.constraints]
    return {
        "seed": seed,
        "test": len(test),
        "shots": len(built.shots),
        **({"range": str(span), "pulling_pairs": _pulling(test)} if span else {}),
        "requirements": len(requirements),
        "mean_requirements": round(len(requirements) / len(test), 4),
        "terminal": sum(constraint["is_terminal"] for constraint in requirements),
        "with_context": sum(bool(question.context) for question in test),
        "decoys": _counted(question.decoy for question in test if question.decoy),
        "conditions": _conditions(test),
        "tiers": _counted(tiers),
        "n_constraints": _counted(len(question.constraints) for question in test),
        "frames": _counted(question.frame for question in test),
        "topics": _counted(question.job.topic for question in test),
        "strata": _counted(question.job.stratum for question in test),
        "prompts": _counted(f"{question.job.style}/{question.job.wording}" for question in test),
        "families": _counted(constraint["family"] for constraint in requirements),
        "categories": _counted(constraint["category"] for constraint in requirements),
        "variants": _counted(key for question in test for key in question.keys),
        "stacks_tried": tally.stacks,
        "discarded": dict(sorted(tally.discarded.items(), key=lambda pair: (-pair[1], pair[0]))),
        "composed_share": {key: round(1 - tally.failed[key] / count, 3) for key, count in sorted(tally.tried.items())},
    }
