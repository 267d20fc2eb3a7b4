"""The cap on each reply of a judge: raised for long replies, lowered to what the judge's window leaves."""

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

from endpoints.client import Endpoint
from endpoints.errors import EndpointError
from endpoints.outcome import Outcome
from endpoints.planning import TOKENS_PER_BYTE, Fitter
from endpoints.request import Request
from endpoints.stream import Stream
from judges.judgement import Limit

__all__ = ["CappedStream", "Sent"]


class Sent(NamedTuple):
    """A request's outcome.

    Attributes:
        outcome: it.
        cap: that the request had in the end, in tokens.
        limit: what cut the reply, if it is cut.
    """

    outcome: Outcome
    cap: int
    limit: Limit = "cap"


class CappedStream:
    """A judge's stream, whose requests are sent with caps that suit the reply and the window.

    A cap is raised by doubling, so that the requests of ordinary answers stay what they are. A reply that an earlier
    run got under a lower cap, and that was not cut, is taken from the journal: greedy decoding would only repeat it.

    Args:
        stream: sends requests.
        endpoint: counts tokens.
        window: the judge's context length in tokens; None if it is not known.
    """

    def __init__(self, stream: Stream, endpoint: Endpoint, window: int | None) -> None:
        self._stream = stream
        self._counter = _Counter(endpoint)
        self._window = window
        self._fitter = Fitter(window, self._counter, planned=False)

    async def ask(self, request: Request, longest: str, most: int | None) -> Sent:
        """Send a request.

        Args:
            request: with the cap of an ordinary reply.
            longest: a text of about the length that the reply may need.
            most: the cap that the user wants of every reply; None for one that suits the reply.

        Raises:
            RequestRefused, JournalError: see :meth:`endpoints.stream.Stream.ask`.
        """
        cap = await self._cap(request, longest) if most is None else most
        for lower in _doubled(request, cap):
            known = self.known(lower)
            if known is not None:
                return known
        sent = dataclasses.replace(request, max_tokens=cap)

        async def send(fitted: Request) -> Outcome:
            nonlocal sent
            sent = fitted
            return await self._stream.ask(fitted)

        outcome = await self._fitter.ask(sent, send)
        if outcome.error_code == "context-overflow" and request.max_tokens < sent.max_tokens:
            outcome = await send(request)  # the server does not say how much fits
        found = Sent(outcome, sent.max_tokens)
        return found._replace(limit=_limit(found, cap, self._fitter.learnt or self._window))

    def known(self, request: Request) -> Sent | None:
        """An earlier run's reply to a request that no limit cut; None if there is none."""
        known = self._stream.known(request)
        if known is None or known.truncated or not known.text.strip():
            return None
        return Sent(known, request.max_tokens)

    async def _cap(self, request: Request, longest: str) -> int:
        size = len(longest.encode("utf-8", "replace"))
        if size * TOKENS_PER_BYTE <= request.max_tokens:
            return request.max_tokens
        probe = Request("", "", 0, "completion", request.model, None, longest, 1, {}, {})
        needed = await self._counter.count_prompt_tokens(probe) or int(size * TOKENS_PER_BYTE)
        cap = request.max_tokens
        while cap < needed and (self._window is None or cap < self._window):
            cap *= 2
        return cap


class _Counter:
    """Counts tokens until the server fails to once: its retries must not delay every verdict of a run."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._works = True

    async def count_prompt_tokens(self, request: Request) -> int | None:
        """Number of tokens of the prompt; None if the server cannot count them."""
        try:
            return await self._endpoint.count_prompt_tokens(request) if self._works else None
        except EndpointError:  # what is wrong with the server, the requests themselves will say
            self._works = False
            return None


def _doubled(request: Request, cap: int) -> Iterator[Request]:
    """The request under each cap that an earlier run may have sent it with, below ``cap``."""
    while request.max_tokens < cap:
        yield request
        request = dataclasses.replace(request, max_tokens=2 * request.max_tokens)


def _limit(sent: Sent, wanted: int, window: int | None) -> Limit:
    """Which limit cut a reply that is cut; what only the server can know is the cap's doing."""
    reason = (sent.outcome.finish_reason or "").casefold()
    if "repe" in reason:  # in every server's word for a text that it stopped because it repeats itself
        return "server"
    used = (sent.outcome.prompt_tokens or 0) + (sent.outcome.completion_tokens or 0)
    full = window is not None and used >= window
    return "window" if full or sent.cap < wanted or "model" in reason or "context" in reason else "cap"
