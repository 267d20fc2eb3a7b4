"""Words about variables of a chat template that change nothing in the prompt."""

import json
from collections.abc import Sequence

from endpoints.outlook import IdleKey

__all__ = ["idle_warnings"]


def idle_warnings(option: str, idle: Sequence[IdleKey]) -> list[str]:
    """What is said of variables of a chat template that change nothing.

    Args:
        option: the argument that gave them.
        idle: the variables.
    """
    return [f"{option}: {one.name!r} changes nothing in the prompt: {_why(one)} (by /tokenize)" for one in idle]


def _why(idle: IdleKey) -> str:
    if idle.is_default:
        return f"the chat template does the same without {json.dumps(idle.value)}"
    if isinstance(idle.value, bool):
        return "the chat template does not read it"
    return "the chat template does not read it, or does the same without it"
