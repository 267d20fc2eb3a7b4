"""Answers computed by the builder's operations and held against the scorer's: where the two part, there is no question.

Equal means equal in types and in the order of keys.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builders.sobhard import operations as ours
from builders.sobhard.sources.model import same_value
from metrics.sobhard import operations as theirs
from metrics.sobhard import schemas
from metrics.sobhard.rules import broken_rule
from metrics.sobhard.values import PathError, find

__all__ = ["RecipeError", "applied", "difference", "filled", "found", "joined", "patched", "schema", "transformed"]


class RecipeError(ValueError):
    """A recipe whose question would be broken; the message names the recipe."""


def _agreed(what: str, answer: Any, scorer: Callable[[], Any]) -> Any:
    try:
        other = scorer()
    except theirs.OperationError as error:
        raise RecipeError(f"{what}: the scorer refuses what the builder does: {error}") from error
    if json.dumps(answer) != json.dumps(other):
        raise RecipeError(f"{what}: the builder and the scorer come to different answers")
    return answer


def patched(document: Any, ops: Sequence[Mapping[str, Any]]) -> Any:
    """A document after the operations of a patch.

    Raises:
        RecipeError, OperationRefused: the two implementations part; an operation cannot be applied.
    """
    return _agreed("patch", ours.patched(document, ops), lambda: theirs.apply_ops(document, ops))


def difference(old: Any, new: Any) -> dict[str, Any]:
    """The change object from one version to another.

    Raises:
        RecipeError, OperationRefused: as ``patched``; versions that do not differ, or in more than a change object
            says (``3`` and ``3.0`` are equal to it).
    """
    change = ours.difference(old, new)
    if not any(change.values()):
        raise RecipeError("diff: the versions do not differ")
    if not same_value(ours.applied(old, change), new):
        raise RecipeError("diff: the change object does not lead from the first version to the second")
    agreed: dict[str, Any] = _agreed("diff", change, lambda: theirs.structural_diff(old, new))
    return agreed


def applied(document: Any, change: Any) -> Any:
    """A document after a change object.

    Raises:
        RecipeError, OperationRefused: as ``patched``.
    """
    return _agreed("apply_diff", ours.applied(document, change), lambda: theirs.apply_changes(document, change))


def joined(left: Any, right: Any, join: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Two lists of records joined.

    Raises:
        RecipeError, OperationRefused: as ``patched``, and a join that leaves no record.
    """
    records = ours.join(left, right, join)
    if not records:
        raise RecipeError("merge: no record is left")
    agreed: list[dict[str, Any]] = _agreed("merge", records, lambda: theirs.join_records(left, right, join))
    return agreed


def filled(template: str, record: Any) -> str:
    """A template filled from a record.

    Raises:
        RecipeError, OperationRefused: as ``patched``.
    """
    line: str = _agreed("template", ours.filled(template, record), lambda: theirs.render(template, record))
    return line


def schema(document: Any, kind: str) -> dict[str, Any]:
    """The schema of a document.

    Raises:
        RecipeError, OperationRefused: as ``patched``.
    """
    agreed: dict[str, Any] = _agreed("schema", ours.schema(document, kind), lambda: schemas.infer(document, kind))
    return agreed


def found(document: Any, path: str) -> Any:
    """What stands at a path, or ``ABSENT``.

    Raises:
        RecipeError, OperationRefused: as ``patched``.
    """
    value = ours.resolve(document, path)

    def theirs_found() -> Any:
        try:
            return [find(document, path)]
        except PathError:
            return []

    _agreed(f"path {path!r}", [] if value is ours.ABSENT else [value], theirs_found)
    return value


def transformed(document: Any, program: Sequence[Mapping[str, Any]], graded: bool = True) -> Any:
    """A document after rules; each one's result has the property the scorer checks.

    Args:
        document: the value before.
        program: the steps.
        graded: whether the scorer checks the whole program on the answer, as not every family has it.

    Raises:
        RecipeError, OperationRefused: as ``patched``; the steps undo what the scorer checks of one another.
    """
    value = document
    for number, (step, result) in enumerate(zip(program, ours.results(document, program), strict=True), 1):
        if broken := broken_rule([step], result):
            raise RecipeError(f"step {number}, {step['rule']}: the scorer refuses the result: {broken[2]}")
        value = result
    if graded and (broken := broken_rule(program, value)):
        raise RecipeError(f"step {broken[0]}, {broken[1]}: the scorer refuses the answer: {broken[2]}")
    return value
