"""Targeted corruption: for each requirement type, one small spoiling of a passing answer that its rule must reject.

A verifier that lets its corruption through would let a model through as well. The same corruptions break witnesses for
tests of the whole scoring path (see :mod:`builders.ifhard.damage`).
"""

from collections.abc import Mapping
from typing import Any

from builders.ifhard.requirements import TYPES
from metrics.ifhard.registry import OVERRIDE, winner_of

__all__ = ["corrupt"]


def corrupt(category: str, params: Mapping[str, Any], text: str) -> str:
    """Spoil an answer that meets a requirement so that it no longer does.

    Args:
        category: a type of the registry.
        params: its parameters as the scorer reads them.
        text: an answer that meets it.

    Raises:
        KeyError: there is no such type.
        ParamsError: an override names no winner.
    """
    if category == OVERRIDE:
        category, params, _ = winner_of(params)
    spoil = TYPES[category].corrupt
    assert spoil is not None, f"{category} is no override and has no corruption"
    return spoil(text, params)
