"""How a server is talked to, apart from what it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Access"]


@dataclass(frozen=True, slots=True)
class Access:
    """What a user wants of all requests to a server, and what changes no answer.

    Attributes:
        headers: values of further HTTP headers, by name; they may be secret.
        listed: whether the model must be in the server's list of models.
    """

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    listed: bool = True

    def options(self) -> dict[str, Any]:
        """The arguments of :class:`endpoints.client.Endpoint` that say so."""
        return {"headers": self.headers}
