"""From a raw generation to verdicts, and from verdicts to the contract's metrics (IFHardBench contract, 3 and 8)."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifhard.params import ParamsError
from metrics.ifhard.text import Text
from metrics.ifhard.verification import check_params, judge
from metrics.verdict import Verdict

__all__ = [
    "BALANCE_FLOOR",
    "MIN_VERDICTS",
    "Constraint",
    "Reasoning",
    "Score",
    "aggregate",
    "balance",
    "check_row",
    "parse_constraints",
    "score",
    "score_constraints",
    "split_reasoning",
    "strip_reasoning",
    "tally",
]

MIN_VERDICTS: Final = 5  # a category with fewer verdicts over the run does not enter balance_score
BALANCE_FLOOR: Final = 0.01  # the lowest pass rate that balance_score takes a category to have

# Unicode case folding is wanted: U+212A (KELVIN SIGN) matches k.
_think_tags = re.compile(r"<(/?)think>", re.IGNORECASE).finditer
_first_close = re.compile(r"</think>", re.IGNORECASE).search
_strip_tags = re.compile(r"</?think>", re.IGNORECASE).sub


class Reasoning(NamedTuple):
    """A generation taken apart.

    Attributes:
        answer: what is scored.
        trace: the reasoning that was removed, its pieces trimmed and joined by line breaks; "" if there is none.
        unclosed: whether an opening tag has no closing tag after it; its text is then part of the answer.
    """

    answer: str
    trace: str
    unclosed: bool


class Constraint(NamedTuple):
    """One requirement of a question, as its scoring key states it.

    Attributes:
        category: category id.
        family: copied through unchecked.
        params: parameters, or None where the key is absent (which fails when scored).
        is_terminal: whether the shape fixes the whole answer; never read for scoring.
    """

    category: str
    family: str
    params: Any
    is_terminal: bool = False


class Score(NamedTuple):
    """One answer against all requirements of its question.

    Attributes:
        verdicts: in stack order.
        categories: category ids, in stack order.
        answer: what was scored.
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


def split_reasoning(raw: str | None) -> Reasoning:
    """Part the answer from the reasoning (contract, section 3); linear, whatever tags the text holds.

    Everything through the first closing tag goes; then every block from an opening tag through the nearest
    closing tag; then the tags that are left, whose text stays. None is the empty generation.
    """
    text = raw or ""  # the trim at the end covers the leading white space that step 1 drops
    traces: list[str] = []
    close = _first_close(text)
    if close:
        traces.append(_strip_tags("", text[: close.start()]))
        text = text[close.end() :]
    kept: list[str] = []
    start = 0
    opened: int | None = None  # where the text of the block being read begins
    for tag in _think_tags(text):
        if tag.group(1):
            if opened is not None:
                traces.append(_strip_tags("", text[opened : tag.start()]))
                start = tag.end()
                opened = None
        elif opened is None:
            kept.append(text[start : tag.start()])
            # Until its closing tag turns up, the block counts as text.
            start, opened = tag.start(), tag.end()
    kept.append(text[start:])
    answer = _strip_tags("", "".join(kept)).strip()
    return Reasoning(answer, "\n".join(filter(None, (trace.strip() for trace in traces))), opened is not None)


def strip_reasoning(raw: str | None) -> str:
    """The answer that is scored: the generation without its reasoning, trimmed."""
    return split_reasoning(raw).answer


def parse_constraints(value: str | Sequence[Any]) -> list[Constraint]:
    """Read ``meta.constraints``: a JSON array in a string, or the list itself.

    An empty list is legal. Parameters are not looked at (see check_row).

    Raises:
        ParamsError: a blank or unparsable string, something other than a list of objects, or an object
            without ``category`` or ``family``.
    """
    if isinstance(value, str):
        if not value.strip():
            raise ParamsError("the scoring key is blank", "meta.constraints")
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ParamsError(f"the scoring key is not JSON: {error}", "meta.constraints") from None
    if not isinstance(value, list | tuple):
        raise ParamsError(f"the scoring key is not a list: {type(value).__name__}", "meta.constraints")
    return [_constraint(place, entry) for place, entry in enumerate(value, 1)]


def _constraint(place: int, entry: Any) -> Constraint:
    if not isinstance(entry, Mapping):
        raise ParamsError(f"constraint {place} is not an object", "meta.constraints")
    for key in ("category", "family"):
        if not isinstance(entry.get(key), str):
            raise ParamsError(f"constraint {place} has no {key}", "meta.constraints")
    return Constraint(entry["category"], entry["family"], entry.get("params"), bool(entry.get("is_terminal", False)))


def check_row(row: Mapping[str, Any]) -> list[Constraint]:
    """Read a dataset row's constraints and check every parameter; call it when the dataset is loaded.

    Returns:
        The constraints, which score_constraints takes.

    Raises:
        ParamsError: with the row's id, the category and the parameter named.
    """
    row_id = _row_id(row)
    try:
        constraints = parse_constraints(_scoring_key(row))
        for constraint in constraints:
            check_params(constraint.category, constraint.params)
    except ParamsError as error:
        raise error.within(row=row_id) from None
    return constraints


def _scoring_key(row: Mapping[str, Any]) -> Any:
    """``meta.constraints``, of a nested or a flattened row."""
    if "meta.constraints" in row:
        return row["meta.constraints"]
    meta = row.get("meta")
    if isinstance(meta, Mapping) and "constraints" in meta:
        return meta["constraints"]
    raise ParamsError("is missing", "meta.constraints")


def _row_id(row: Mapping[str, Any]) -> str:
    meta = row.get("meta")
    nested = meta if isinstance(meta, Mapping) else {}
    for found in (nested.get("base_id"), row.get("meta.base_id"), nested.get("id"), row.get("meta.id"), row.get("id")):
        if found is not None:
            return str(found)
    return "without id"


def score(row: Mapping[str, Any], raw_response: str | None) -> Score:
    """Score one generation against a dataset row.

    Args:
        row: with ``meta.constraints`` as JSON string or list, nested or flattened.
        raw_response: the generation, reasoning included; None counts as empty.

    Raises:
        ParamsError: the row has no usable scoring key. No text raises.
    """
    return score_constraints(parse_constraints(_scoring_key(row)), raw_response)


def score_constraints(constraints: Sequence[Constraint], raw_response: str | None) -> Score:
    """Score one generation against requirements already read; never raises."""
    answer, trace, unclosed = split_reasoning(raw_response)
    text = Text(answer)
    verdicts = [judge(constraint.category, constraint.params, text) for constraint in constraints]
    return Score(
        verdicts=verdicts,
        categories=[constraint.category for constraint in constraints],
        answer=answer,
        empty=not answer,
        unclosed_reasoning=unclosed,
        sample_pass_rate=_sample_pass_rate(not answer, [verdict.passed for verdict in verdicts]),
        constraint_pass_rate=_constraint_pass_rate(not answer, [verdict.passed for verdict in verdicts]),
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
