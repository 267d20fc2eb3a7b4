"""How each requirement type takes part in composing a witness, one module a family."""

from typing import Final

from builders.ifhard.demands import format, lexical, logic, sequences, structure, style
from builders.ifhard.demands.handler import Handler

__all__ = ["HANDLERS", "Handler"]

HANDLERS: Final[dict[str, Handler]] = {
    **structure.HANDLERS,
    **lexical.HANDLERS,
    **sequences.HANDLERS,
    **style.HANDLERS,
    **format.HANDLERS,
    **logic.HANDLERS,
}
