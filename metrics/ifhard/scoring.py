"""From a raw generation to verdicts, and from verdicts to the contract's metrics (IFHardBench contract, 3 and 8)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifhard.reasoning import split_reasoning
from metrics.ifhard.scoring_key import Constraint, parse_constraints, scoring_key
from metrics.ifhard.text import Text
from metrics.ifhard.verification import judge
from metrics.verdict import Verdict

__all__ = [
    "BALANCE_FLOOR",
    "MIN_VERDICTS",
    "Score",
    "aggregate",
    "balance",
    "score",
    "score_constraints",
    "tally",
]

MIN_VERDICTS: Final = 5  # a category with fewer verdicts over the run does not enter balance_score
BALANCE_FLOOR: Final = 0.01  # the lowest pass rate that balance_score takes a category to have


class Score(NamedTuple):
    """One answer against all requirements of its question.

    Attributes:
        verdicts: the verdicts, in the order of the requirements.
        categories: category ids, in stack order.
        answer: the text that was scored.
        empty: whether that is the empty string.
        unclosed_reasoning: whether the generation opens a reasoning block that it does not close.
        sample_pass_rate: 1.0 if there are requirements, all are met, and the answer is not empty, else 0.0.
        constraint_pass_rate: share of requirements met; None for an empty answer; 0.0 without requirements.
        trace: the reasoning that was removed.
    """

    verdicts: list[Verdict]
    categories: list[str]
    answer: str
    empty: bool
    unclosed_reasoning: bool
    sample_pass_rate: float
    constraint_pass_rate: float | None
    trace: str


def score(row: Mapping[str, Any], raw_response: str | None) -> Score:
    """Score one generation against a dataset row.

    Args:
        row: with ``meta.constraints`` as JSON string or list, nested or flattened.
        raw_response: the generation, reasoning included; None counts as empty.

    Raises:
        ParamsError: the row has no usable scoring key. No text raises.
    """
    return score_constraints(parse_constraints(scoring_key(row)), raw_response)


def score_constraints(constraints: Sequence[Constraint], raw_response: str | None) -> Score:
    """Score one generation against requirements already read; never raises."""
    answer, trace, unclosed = split_reasoning(raw_response)
    text = Text(answer)
    verdicts = [judge(constraint.requirement, text) for constraint in constraints]
    passed = [verdict.passed for verdict in verdicts]
    return Score(
        verdicts=verdicts,
        categories=[constraint.category for constraint in constraints],
        answer=answer,
        empty=not answer,
        unclosed_reasoning=unclosed,
        sample_pass_rate=_sample_pass_rate(not answer, passed),
        constraint_pass_rate=_constraint_pass_rate(not answer, passed),
        trace=trace,
    )


def _sample_pass_rate(empty: bool, passed: Sequence[bool]) -> float:
    return 1.0 if passed and not empty and all(passed) else 0.0


def _constraint_pass_rate(empty: bool, passed: Sequence[bool]) -> float | None:
    if not passed:
        return 0.0
    return None if empty else sum(passed) / len(passed)


def aggregate(samples: Iterable[Any]) -> dict[str, float]:
    """The contract's run-level values (8.2), official to the letter.

    Where a metric has nothing to average it is 0.0 here, as in the official scorer; whoever prints it must say
    "not available" instead.

    Args:
        samples: of ``(empty, [(category, passed), ...])``, or objects with ``empty`` and ``verdicts``.

    Returns:
        ``sample_pass_rate``, ``constraint_pass_rate``, ``balance_score`` and ``empty_share``, each in [0, 1].
    """
    rows = [_sample(sample) for sample in samples]
    passes = [[ok for _, ok in verdicts] for _, verdicts in rows]
    whole = [_sample_pass_rate(empty, ok) for (empty, _), ok in zip(rows, passes, strict=True)]
    shares = [_constraint_pass_rate(empty, ok) for (empty, _), ok in zip(rows, passes, strict=True)]
    return {
        "sample_pass_rate": _mean(whole),
        "constraint_pass_rate": _mean([share for share in shares if share is not None]),
        "balance_score": balance(tally(rows)) or 0.0,
        "empty_share": _mean([float(empty) for empty, _ in rows]),
    }


def _sample(sample: Any) -> tuple[bool, list[tuple[str, bool]]]:
    empty, verdicts = (sample["empty"], sample["verdicts"]) if isinstance(sample, Mapping) else sample
    return bool(empty), [(category, bool(ok)) for category, ok in verdicts]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def tally(samples: Iterable[Any]) -> dict[str, tuple[int, int]]:
    """Verdicts passed and seen by category, over the answers that are not empty; first seen, first listed."""
    counts: dict[str, tuple[int, int]] = {}
    for empty, verdicts in map(_sample, samples):
        if not empty:
            for category, ok in verdicts:
                passed, seen = counts.get(category, (0, 0))
                counts[category] = (passed + ok, seen + 1)
    return counts


def balance(counts: Mapping[str, tuple[int, int]]) -> float | None:
    """Geometric mean of the categories' pass rates, each at least 0.01, over those with five verdicts or more.

    None where no category has five; the contract's own value is then 0.0.
    """
    rates = [max(passed / seen, BALANCE_FLOOR) for passed, seen in counts.values() if seen >= MIN_VERDICTS]
    return math.exp(math.fsum(map(math.log, rates)) / len(rates)) if rates else None
