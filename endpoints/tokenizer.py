"""What a server's tokenizer makes of a prompt: vLLM's ``/tokenize``, chat template included."""

import asyncio
import json
from typing import Any, Final

from endpoints.endpoint_run import Patience
from endpoints.errors import EndpointError
from endpoints.failure import MALFORMED, Failure
from endpoints.gate import Gate
from endpoints.reply import BadReplyError
from endpoints.request import Request
from endpoints.sending import Sender
from endpoints.window import Window, tokenizer_window

__all__ = ["Tokenizer"]

_IN_FLIGHT: Final = 16  # they cost the server CPU only
_NO_COUNT: Final = frozenset({"refused", "context-overflow", "bad-body"})
_LIMIT_S: Final = 5.0  # of what is only asked to tell the user something


class Tokenizer:
    """The tokenizer of one server.

    Any number of calls may be started at once; a few are sent at a time.

    Args:
        sender: sends its requests; open whenever something is asked.
        gate: of the requests to the server, for the patience with its failures.

    Attributes:
        works: whether the server is still believed to have one.
    """

    def __init__(self, sender: Sender, gate: Gate) -> None:
        self._sender = sender
        self._gate = gate
        self._slots = asyncio.Semaphore(_IN_FLIGHT)
        self._url = sender.base_url.removesuffix("/v1") + "/tokenize"
        self.works = True

    async def window(self, model: str, limit_s: float) -> Window | None:
        """The context window that it names, asked once; None if it names none.

        Args:
            model: the model's id.
            limit_s: most seconds of the call.
        """
        body = _encoded({"model": model, "prompt": "1", "add_special_tokens": True})
        found = await self._sender.attempt(self._url, body, tokenizer_window, limit_s)
        return None if isinstance(found, Failure) else found

    async def count(self, request: Request) -> int | None:
        """Number of tokens in the prompt of ``request``, chat template included.

        Returns:
            The count; None if the server has no ``/tokenize`` or refuses this prompt (it will say why when the
            prompt is sent as a request).

        Raises:
            EndpointError: the server could not be reached or failed, after all retries.
        """
        async with self._slots:
            if not self.works:
                return None
            counted = await self._sender.send(self._url, _body(request), _read_count, Patience(self._gate))
        if not isinstance(counted, Failure):
            return counted[0]
        if counted.code not in _NO_COUNT:
            raise EndpointError(f"{self._url}: {counted.error}")
        self._note(counted)
        return None

    async def tokens(self, request: Request) -> tuple[int, ...] | None:
        """The prompt of ``request`` as the model gets it, by one short attempt; None if the server does not say."""
        async with self._slots:
            if not self.works:
                return None
            found = await self._sender.attempt(self._url, _encoded(_body(request)), _read_tokens, _LIMIT_S)
        if isinstance(found, Failure):
            if found.code == "refused":  # a server that counts need not name the tokens
                self._note(found)
            return None
        return found

    def _note(self, failure: Failure) -> None:
        """One prompt may be malformed to a server that counts others."""
        self.works = self.works and failure.status in MALFORMED


def _encoded(body: dict[str, Any]) -> bytes:
    return json.dumps(body, allow_nan=False).encode("ascii")


def _body(request: Request) -> dict[str, Any]:
    if request.kind == "completion":
        return {"model": request.model, "prompt": request.prompt, "add_special_tokens": True}
    body = request.body()
    kept = ("model", "messages", "chat_template", "chat_template_kwargs", "tools")
    return {name: body[name] for name in kept if name in body} | {"add_generation_prompt": True}


def _read_count(body: bytes) -> int:
    count = _read(body, "count")
    if not isinstance(count, int):
        raise BadReplyError("no token count")
    return count


def _read_tokens(body: bytes) -> tuple[int, ...]:
    tokens = _read(body, "tokens")
    # llama.cpp's path of this name ignores messages, and replies with no tokens at all.
    if not isinstance(tokens, list) or not tokens or not all(isinstance(token, int) for token in tokens):
        raise BadReplyError("no tokens")
    return tuple(tokens)


def _read(body: bytes, field: str) -> Any:
    try:
        return json.loads(body)[field]
    except (ValueError, RecursionError, LookupError, TypeError):
        raise BadReplyError(f"no {field}") from None
