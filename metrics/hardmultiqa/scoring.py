"""What a checked verdict is worth: 1 or 0, F1, or recall, from counts.

The verdict is plain JSON, by type:

- options: ``{"chosen": [int], "verdict": "correct" | "incorrect"}``
- open: ``{"grade": 1 | -1 | 0}``, right, wrong, not attempted
- lists and mistakes: ``{"elements": [{"i": int, "quote": str}], "matches": [{"element": int, "reference": int}]}``,
  duplicates merged, one to one; elements of mistakes have a ``correction`` too.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from metrics.hardmultiqa.scoring_key import Key
from metrics.reasons import nouns

__all__ = ["Counts", "Scored", "empty_verdict", "f1", "recall", "score_verdict"]


class Counts(NamedTuple):
    """Of a list: elements of reference and answer, and how many pairs of them match."""

    reference: int
    elements: int
    matches: int


class Scored(NamedTuple):
    """The score of one answer.

    Attributes:
        score: the score, from 0 to 1.
        code: stable name of the outcome, kebab-case; ``ok`` for full marks.
        reason: one English sentence that a person can act on.
        observed: the counts that were found, as small JSON values.
        wanted: the counts of a fully right answer, likewise.
    """

    score: float
    code: str
    reason: str
    observed: Any
    wanted: Any


def f1(counts: Counts) -> float:
    """Twice the matches over all elements of both sides; 0 where the answer has none."""
    return 2 * counts.matches / (counts.reference + counts.elements)


def recall(counts: Counts) -> float:
    """Share of the reference that is named."""
    return counts.matches / counts.reference


def empty_verdict(key: Key) -> dict[str, Any]:
    """The verdict on an answer without text, which no judge is asked about: nothing chosen, attempted or named."""
    if key.type == "one-option-many-options":
        return {"chosen": [], "verdict": "incorrect"}
    if key.type == "open":
        return {"grade": 0}
    return {"elements": [], "matches": []}


def score_verdict(key: Key, verdict: Mapping[str, Any]) -> Scored:
    """Score a verdict.

    Args:
        key: the question's scoring key.
        verdict: the judge's verdict in the form that the module's docstring gives, already checked.

    Raises:
        ValueError: the verdict does not fit this question (it may come from a journal of other data).
    """
    try:
        if key.type == "one-option-many-options":
            return _options(key, verdict)
        if key.type == "open":
            return _open(verdict)
        return _list(key, verdict)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no verdict on a question of type {key.type}: {type(error).__name__} {error}") from None


def _options(key: Key, verdict: Mapping[str, Any]) -> Scored:
    chosen, wanted = sorted(set(verdict["chosen"])), sorted(key.right_options)
    right = {"correct": True, "incorrect": False}[verdict["verdict"]]
    if right != (chosen == wanted):
        raise ValueError(f"the verdict {verdict['verdict']} contradicts the options {chosen} where {wanted} are right")
    named, expected = _listed(chosen), _listed(wanted)
    if right:
        return Scored(1.0, "ok", f"chose {named}, as required", chosen, wanted)
    missing, extra = sorted(set(wanted) - set(chosen)), sorted(set(chosen) - set(wanted))
    parts = [f"{_listed(numbers)} {what}" for numbers, what in ((missing, "missing"), (extra, "extra")) if numbers]
    code = "nothing-chosen" if not chosen else "extra-options" if not missing else "wrong-options"
    return Scored(0.0, code, f"options {expected} required, {named} chosen: {', '.join(parts)}", chosen, wanted)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


def _open(verdict: Mapping[str, Any]) -> Scored:
    grade = verdict["grade"]
    score, code, reason = {
        1: (1.0, "ok", "the judge found the answer right"),
        -1: (0.0, "wrong", "the judge found the answer wrong"),
        0: (0.0, "not-attempted", "the judge found no answer to the question"),
    }[grade]
    return Scored(score, code, reason, grade, 1)


def _list(key: Key, verdict: Mapping[str, Any]) -> Scored:
    counts = Counts(len(key.reference), len(verdict["elements"]), len(verdict["matches"]))
    pairs = [(match["element"], match["reference"]) for match in verdict["matches"]]
    elements = {element["i"] for element in verdict["elements"]}
    if not (
        len(elements) == counts.elements
        and {element for element, _ in pairs} <= elements
        and {reference for _, reference in pairs} <= set(range(1, counts.reference + 1))
        and len({element for element, _ in pairs}) == len({reference for _, reference in pairs}) == len(pairs)
    ):
        raise ValueError("matches are not one-to-one between elements of the answer and of the reference")
    strict = key.type != "not-strict-list"
    score = f1(counts) if strict else recall(counts)
    extra = counts.elements - counts.matches
    named = f"{counts.matches} of {nouns(counts.reference, 'reference element')} named"
    if key.type == "mistakes":
        named = f"{counts.matches} of {nouns(counts.reference, 'mistake')} corrected"
    what = "extra correction" if key.type == "mistakes" else "extra element"
    tail = f"F1 {score:.2f}" if strict else f"recall {score:.2f} (extra elements cost nothing)"
    code = "ok" if score == 1 else "elements-missing" if counts.matches < counts.reference else "extra-elements"
    if not counts.elements:
        code = "no-elements"
    observed = {"elements": counts.elements, "matches": counts.matches}
    return Scored(score, code, f"{named}, {nouns(extra, what)}: {tail}", observed, counts.reference)
