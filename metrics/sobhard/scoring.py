"""From a response to verdicts, and from verdicts to the contract's metrics (SOBHard contract, 6 and 9)."""

import functools
import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from metrics.row_error import RowError
from metrics.sobhard.constraints import CONSTRAINTS, of_document, of_packaging
from metrics.sobhard.context import Context, Packaging, parsed_body
from metrics.sobhard.extraction import Package, unpack
from metrics.sobhard.question import Question
from metrics.sobhard.rows import question_of, row_id
from metrics.verdict import Verdict

__all__ = ["BALANCE_FLOOR", "METRICS", "UNKNOWN_CELL", "Score", "aggregate", "balance_score", "score", "score_question"]

METRICS: Final = (
    "sample_pass_rate",
    "constraint_pass_rate",
    "format_pass_rate",
    "content_pass_rate",
    "task_pass_rate",
)
BALANCE_FLOOR: Final = 0.01  # the lowest pass rate that balance_score takes a cell to have
UNKNOWN_CELL: Final = "?"

_FORMAT_LAYERS: Final = ("pack", "syn")
_PARSES: Final = "syn.parses_target"
_KEPT: Final = 64  # questions whose reference's own verdicts are kept; some twenty small tuples each

Verdicts = Mapping[str, Verdict | None]


class Score(NamedTuple):
    """One answer against the constraints of its question.

    Attributes:
        constraints: verdicts by id, in the contract's order; None where a constraint does not apply.
        metrics: the five per-sample rates, each in [0, 1].
        cell: ``family/difficulty``.
        blanked: whether the row has no reference, so that the zeros of ``metrics`` say nothing of the answer.
        empty: whether nothing is left of the response after normalising.
    """

    constraints: Verdicts
    metrics: Mapping[str, float]
    cell: str
    blanked: bool
    empty: bool


def score(row: Mapping[str, Any], raw_response: str | None) -> Score:
    """Score a response as the contract does, on the text as it stands.

    Args:
        row: the row, nested or flattened.
        raw_response: the response; None counts as empty.

    Raises:
        RowError: the row cannot be scored, or its reference does not parse. No response raises.
    """
    question = question_of(row)
    if question.gold is None and not question.blanked:
        raise RowError("does not parse as the target notation", "meta.reference", row_id(row))
    return score_question(question, raw_response)


def score_question(question: Question, response: str | None, known: dict[str, Verdicts] | None = None) -> Score:
    """Score a response to a question already read; never raises.

    Args:
        question: the question.
        response: the response; None counts as empty.
        known: verdicts on documents of this question, by the document's text; this call adds its own. For responses
            that are likely to hold one document in different words.
    """
    # 2.4: the harness takes leading white space off before the scorer sees the response.
    text = (response or "").lstrip()
    if question.blanked:
        nothing = dict.fromkeys(METRICS, 0.0)
        return Score(MappingProxyType(dict.fromkeys(CONSTRAINTS)), nothing, question.cell, True, not text)
    package = unpack(text, question.tag)
    verdicts = {**of_packaging(Packaging(question, package)), **_of_body(question, package, known)}
    empty = not package.text
    metrics = dict.fromkeys(METRICS, 0.0) if empty else _metrics(verdicts)
    return Score(MappingProxyType(verdicts), metrics, question.cell, False, empty)


def _of_body(question: Question, package: Package, known: dict[str, Verdicts] | None) -> Verdicts:
    """The verdicts on a response's document. One that is the reference word for word has the reference's."""
    if not package.text:
        return of_document(Context(question, parsed_body(question, package)))
    if package.body == question.reference and package.body:
        return _of_reference(question)
    known = {} if known is None else known
    if package.body not in known:
        known[package.body] = of_document(Context(question, parsed_body(question, package)))
    return known[package.body]


@functools.lru_cache(maxsize=_KEPT)
def _of_reference(question: Question) -> Verdicts:
    return of_document(Context(question, question.parsed_reference))


def _metrics(verdicts: Verdicts) -> dict[str, float]:
    """The five rates over the constraints that apply; some always do."""
    parses = verdicts[_PARSES]
    parsed = parses is not None and parses.passed
    by_layer: dict[str, list[bool]] = {"format": [], "val": [], "family": []}
    for name, verdict in verdicts.items():
        if verdict is not None:
            layer = CONSTRAINTS[name].layer
            by_layer["format" if layer in _FORMAT_LAYERS else layer].append(verdict.passed)
    passes = [ok for layer in by_layer.values() for ok in layer]
    content = float(parsed and bool(by_layer["val"]) and all(by_layer["val"]))
    family = float(all(by_layer["family"])) if by_layer["family"] else content
    return {
        "sample_pass_rate": float(all(passes)),
        "constraint_pass_rate": sum(passes) / len(passes),
        "format_pass_rate": float(all(by_layer["format"])),
        "content_pass_rate": content,
        "task_pass_rate": family if parsed else 0.0,
    }


def balance_score(items: Iterable[Any]) -> float:
    """Geometric mean, over the cells that occur, of their mean pass rates, each at least 0.01 (contract, 9.2).

    Args:
        items: ``(cell, value)`` pairs; anything else is a value of the cell ``?``.

    Returns:
        In [0.01, 1]; 0.0 without items.
    """
    cells: dict[str, list[float]] = {}
    for item in items:
        pair = isinstance(item, tuple | list) and len(item) == 2
        cell, value = item if pair else (UNKNOWN_CELL, item)
        cells.setdefault(str(cell), []).append(float(value))
    if not cells:
        return 0.0
    rates = [max(math.fsum(values) / len(values), BALANCE_FLOOR) for values in cells.values()]
    return math.exp(math.fsum(map(math.log, rates)) / len(rates))


def aggregate(samples: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, float]:
    """The six run-level values.

    Where there is nothing to average they are 0.0 here, as in the official scorer; whoever prints them must say
    "not available" instead.

    Args:
        samples: ``(cell, metrics)`` of every answer.
    """
    rows = list(samples)
    means = {name: math.fsum(metrics[name] for _, metrics in rows) / len(rows) if rows else 0.0 for name in METRICS}
    return {**means, "balance_score": balance_score((cell, metrics["sample_pass_rate"]) for cell, metrics in rows)}
