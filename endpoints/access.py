"""How a server is talked to, apart from what it is asked."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from endpoints.defaults import ATTEMPT_S

__all__ = ["Access", "positive_seconds"]


def positive_seconds(text: str) -> float:
    """Read a number of seconds.

    Raises:
        ValueError: it is no number, not above 0, or without bound; the message is a phrase that says so.
    """
    try:
        seconds = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number of seconds") from None
    if not 0 < seconds < math.inf:
        raise ValueError(f"must be above 0, found {text}" if seconds <= 0 else f"{text} is no number of seconds")
    return seconds


@dataclass(frozen=True, slots=True)
class Access:
    """What a user wants of all requests to a server, and what changes no answer.

    Attributes:
        headers: values of further HTTP headers, by name; they may be secret.
        attempt_s: most seconds that one attempt at a request may take.
        streamed: whether it is asked to stream its answers.
        listed: whether the model must be in the server's list of models.
    """

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    attempt_s: float = ATTEMPT_S
    streamed: bool = False
    listed: bool = True

    def options(self) -> dict[str, Any]:
        """The arguments of :class:`endpoints.client.Endpoint` that say so."""
        return {"headers": self.headers, "attempt_s": self.attempt_s, "streamed": self.streamed}
