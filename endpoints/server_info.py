"""What a server says about itself: its list of models, and what is told to a user whom that list does not help."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from endpoints.errors import hint_for
from endpoints.failure import Failure
from endpoints.reply import BadReplyError
from endpoints.url import without_password

__all__ = ["ServerInfo", "may_answer", "no_list", "not_served", "read_models"]

_SHOWN_MODELS: Final = 20
_NO_HTTP: Final = "not an HTTP response"


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server said about itself at the start of a run.

    Attributes:
        base_url: URL of the API.
        model: id of the model that was asked for.
        served: ids of all models that the server lists, in its order; empty if it has no list.
        max_model_len: the model's context length in tokens, prompt and answer together; None if it is not reported.
        window_source: where that was learnt, a phrase (:mod:`endpoints.window`); ``""`` if it is not reported.
        reported: the server's own entry for the model; None if it is not listed.
    """

    base_url: str
    model: str
    served: tuple[str, ...]
    max_model_len: int | None
    reported: Mapping[str, Any] | None
    window_source: str = ""


def read_models(body: bytes) -> dict[str, Mapping[str, Any]]:
    """The entries of a list of models, by id.

    Raises:
        BadReplyError: the body is no such list.
    """
    try:
        parsed = json.loads(body)
        return {entry["id"]: entry for entry in parsed["data"] if isinstance(entry["id"], str)}
    except (ValueError, RecursionError, LookupError, TypeError):
        raise BadReplyError("the answer is not a list of models; is this an OpenAI-compatible API?") from None


def not_served(base_url: str, model: str, served: tuple[str, ...]) -> str:
    """The message for a model that is not in the server's list."""
    shown = ", ".join(served[:_SHOWN_MODELS]) or "none"
    more = f" and {len(served) - _SHOWN_MODELS} more" if len(served) > _SHOWN_MODELS else ""
    return (
        f"{base_url} does not serve the model {model!r}; it serves: {shown}{more} "
        "(--no-model-check asks for it all the same)"
    )


def no_list(base_url: str, failure: Failure, proxy: str | None) -> str:
    """The message for a list of models that was not to be had.

    Args:
        base_url: URL of the API.
        failure: why.
        proxy: URL of the proxy in between; None for none.
    """
    hints = [hint for hint in (_hint(failure, base_url),) if hint]
    if may_answer(failure):
        hints.append("--no-model-check goes on without the list")
    advice = f" ({'; '.join(hints)})" if hints else ""
    if failure.status is not None and proxy is not None:
        advice += f" (through the proxy {without_password(proxy)} that the environment names)"
    return f"{base_url}: no list of models: {failure.error}{advice}"


def may_answer(failure: Failure) -> bool:
    """Whether a failure to get the list of models leaves it open that the server answers other requests."""
    if failure.status is None and _NO_HTTP in failure.error:
        return False
    return failure.status is not None or failure.code in ("bad-body", "timeout")


def _hint(failure: Failure, base_url: str) -> str | None:
    """What the user can change when the list of models was not to be had."""
    if failure.status is not None:
        return hint_for(failure.status, failure.error)
    if "TLS:" in failure.error:
        return None  # the words say it all
    if _NO_HTTP in failure.error:
        return "does the server want https?" if base_url.startswith("http:") else None
    if failure.code == "bad-body":
        return None if base_url.endswith("/v1") else "check --base-url: it usually ends in /v1"
    return "is the server up there?"
