"""The requirement types, one row each: how often, beside what, what it asks of a witness, what spoils it.

A module a family (the lexical one has two), each with its rows and the functions that they name.
"""

from collections.abc import Mapping
from typing import Final

from builders.ifhard.requirements import format, lexical, logic, sequences, structure, style
from builders.ifhard.requirements.row import Type
from metrics.ifhard import CATEGORIES

__all__ = ["TYPES"]

_ROWS: Final = structure.TYPES | lexical.TYPES | sequences.TYPES | style.TYPES | format.TYPES | logic.TYPES
_ORDER: Final = {name: place for place, name in enumerate(CATEGORIES)}

# In the registry's order: draws go through the table, so its order is a part of every dataset.
TYPES: Final[Mapping[str, Type]] = dict(sorted(_ROWS.items(), key=lambda row: _ORDER.get(row[0], len(_ORDER))))
