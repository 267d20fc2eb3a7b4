"""Requirements of an IFHardBench row that no answer can meet, alone or together (contract, sections 4 to 6).

An empty answer never passes a row, so an answer here has at least one character that is no white space.
"""

from collections.abc import Mapping
from typing import Any, Final

from metrics.ifhard.logic import branch_of
from metrics.ifhard.registry import CATEGORIES, OVERRIDE, winner_of
from metrics.ifhard.schema import COUNT, INT, INT_OR_NULL, UNIT_COUNT, FirstOf
from metrics.ifhard.scoring_key import parse_constraints, scoring_key
from metrics.ifhard.unmeetable.letters import clashes
from metrics.ifhard.unmeetable.numbers import contradictions
from metrics.ifhard.unmeetable.values import fault_of

__all__ = ["unmeetable"]

# A conditional format is the requirement that its branch names.
_SHAPES: Final = {
    "bullet_list": "format:bullet_list",
    "numbered_list": "format:numbered_list",
    "sentences": "structure:sentence_count",
    "paragraphs": "structure:paragraph_count",
}


def unmeetable(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The id of a checked row, and why no answer meets it; no reasons where none is known."""
    given = [(entry.category, entry.params) for entry in parse_constraints(scoring_key(row))]
    reasons = []
    plain = []
    for category, params in given:
        name, inner = _plain(category, params)
        problem = _truth_for_number(name, inner) or fault_of(name, inner)
        if problem:
            reasons.append(f"{category}: {problem}")
        else:
            plain.append((name, inner))
    return row["meta"]["base_id"], [*reasons, *contradictions(plain), *clashes(plain)]


def _plain(category: str, params: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The requirement that one under a condition, or one that overrides another, comes down to."""
    if category == OVERRIDE:
        category, params, _ = winner_of(params)
    if category == "logic:conditional_include":
        holds, stem = params["holds"], params["stem"]
        return ("lexical:include_keyword", {"stem": stem}) if holds else ("lexical:exclude_word", {"stems": [stem]})
    if category == "logic:conditional_format":
        _, branch = branch_of(params)
        return _SHAPES[branch["shape"]], branch
    return category, params


def _truth_for_number(category: str, params: Mapping[str, Any]) -> str:
    """What is wrong where true or false stands for a number: it counts as 1 or 0, which nobody can have meant."""
    names: list[str] = []
    for param in CATEGORIES[category].params:
        if isinstance(param, FirstOf) or param.kind not in (COUNT, UNIT_COUNT, INT, INT_OR_NULL):
            continue
        names += ["value", "min", "max"] if not param.name else [param.name]
    each = params.get("each")
    for values in (params, each if isinstance(each, Mapping) else {}):
        for name in names:
            if isinstance(values.get(name), bool):
                return f"{name} is {str(values[name]).lower()}, not a number"
    return ""
