"""Reading and checking a question's requirements, ``meta.constraints`` (IFHardBench contract, sections 1 and 7)."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from metrics.ifhard.params import ParamsError
from metrics.ifhard.verification import Requirement, check_params, read_requirement

__all__ = ["Constraint", "check_row", "check_scoring", "parse_constraints", "scoring_key"]


class _Stated(NamedTuple):
    category: str
    family: str
    params: Any
    is_terminal: bool = False


class Constraint(_Stated):
    """One requirement of a question, as its scoring key states it.

    Attributes:
        category: category id.
        family: copied through unchecked.
        params: parameters, or None where the key is absent (which fails when scored).
        is_terminal: whether the shape fixes the whole answer; never read for scoring.
    """

    @cached_property
    def requirement(self) -> Requirement:
        """The parameters as they are read at the first asking, for every answer to the question."""
        return read_requirement(self.category, self.params)


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
        ParamsError: the key has no meaning in the contract; the message names row, category and parameter.
    """
    row_id = _row_id(row)
    try:
        return check_scoring(scoring_key(row))
    except ParamsError as error:
        raise error.within(row=row_id) from None


def check_scoring(value: str | Sequence[Any]) -> list[Constraint]:
    """Read ``meta.constraints`` and check every parameter.

    Raises:
        ParamsError: the key has no meaning in the contract; the message names category and parameter.
    """
    constraints = parse_constraints(value)
    for constraint in constraints:
        check_params(constraint.category, constraint.params)
    return constraints


def scoring_key(row: Mapping[str, Any]) -> Any:
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
