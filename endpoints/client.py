"""The client of one OpenAI-compatible server: it has many requests in flight and gives each an outcome."""

import asyncio
import functools
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from endpoints.batch import Batch
from endpoints.defaults import ATTEMPT_S, CONCURRENCY
from endpoints.endpoint_run import EndpointRun, Patience
from endpoints.errors import EndpointError, stream_hint
from endpoints.failure import Failure, refuses_usage
from endpoints.gate import Gate
from endpoints.journal import Journal
from endpoints.metrics_text import Reading, read_load
from endpoints.outcome import Outcome
from endpoints.planning import Fitter
from endpoints.reply import read_reply
from endpoints.request import Request
from endpoints.retry import RetryPolicy
from endpoints.sending import Sender
from endpoints.server_info import ServerInfo, may_answer, no_list, not_served, read_models
from endpoints.stream import Stream
from endpoints.tokenizer import Tokenizer
from endpoints.transport import allow_connections
from endpoints.waiting import OnWaiting
from endpoints.window import listed_window

__all__ = ["Endpoint"]

_Send = Callable[..., Awaitable[tuple[Outcome, int] | Failure]]
_WITH_USAGE: Final = {"stream_options": {"include_usage": True}}


class Endpoint:
    """An OpenAI-compatible server.

    An asynchronous context manager; it belongs to the event loop that enters it. Each worker of
    :meth:`run` has a connection of its own. :class:`endpoints.sending.Sender` sends the requests, with retries.

    :class:`endpoints.endpoint_run.Patience` gives a lost server up after two failures in a row for each request
    that may be in flight. A run with a lost server therefore ends at the latest after these times:

    - the server refuses connections or answers with errors: ``2 * retry.longest_waiting_s()`` seconds, 63 s by
      default; 12 minutes if it asks for waits, each of which is at most ``retry.retry_after_cap_s``;
    - packets are dropped: ``2 * retry.max_attempts * connect_s`` more, 203 s in all;
    - the server takes requests and never answers: ``2 * attempt_s`` and one wait, an hour.

    Requests that are still in flight then have ``grace_s`` seconds to end.

    Args:
        base_url: URL of the API, ``http://host:port/v1``; a query in it goes along with every request.
        api_key: bearer key; None or empty for a server that wants none.
        concurrency: most requests in flight, at least 1; or a gate that may be widened and narrowed meanwhile.
        attempt_s: most seconds from sending one attempt to the last byte of its answer.
        deadline_s: most seconds of one request, all its attempts and waits together; None for twice
            ``attempt_s``, and an hour at least.
        connect_s: most seconds to open a connection.
        check_s: most seconds of :meth:`describe`.
        grace_s: most seconds that requests in flight may take after the server is given up.
        headers: further HTTP headers of every request; no message shows their values.
        streamed: whether the server is asked to stream its answers; streams are read either way.
        retry: how often a request is sent again, and the waits before that.
        rng: random generator of the waits' jitter; None for one that the system seeds.

    Attributes:
        base_url: URL of the API, without a query.
        gate: lets the requests of :meth:`run` and :meth:`stream` be sent.
        tokenizer: what the server makes of prompts, where it says.

    Raises:
        EndpointError: ``base_url`` is not a usable http(s) URL.
        ValueError: ``concurrency`` is below 1, or a time is not positive.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        concurrency: int | Gate = CONCURRENCY,
        attempt_s: float = ATTEMPT_S,
        deadline_s: float | None = None,
        connect_s: float = 10.0,
        check_s: float = 10.0,
        grace_s: float = 60.0,
        headers: Mapping[str, str] | None = None,
        streamed: bool = False,
        retry: RetryPolicy | None = None,
        rng: random.Random | None = None,
    ) -> None:
        if check_s <= 0 or grace_s < 0:
            raise ValueError("time limits must be positive")
        self._sender = Sender(
            base_url,
            api_key,
            headers=headers or {},
            attempt_s=attempt_s,
            deadline_s=deadline_s,
            connect_s=connect_s,
            retry=retry or RetryPolicy(),
            rng=rng or random.Random(),
        )
        self.base_url = self._sender.base_url
        self.gate = concurrency if isinstance(concurrency, Gate) else Gate(concurrency)
        self.tokenizer = Tokenizer(self._sender, self.gate)
        self._check_s = check_s
        self._grace_s = grace_s
        self._streamed = streamed
        self._asks_usage = True
        self._gave_usage = False

    async def __aenter__(self) -> Self:
        allow_connections(self.gate.most)
        self._sender.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._sender.close()

    async def describe(self, model: str, *, must_be_listed: bool = True) -> ServerInfo:
        """Check that the server can be reached and serves ``model``; to be called when a run starts.

        Args:
            model: the name that requests will carry.
            must_be_listed: whether the model must be in the server's list; False for a server whose list has gaps, or
                that has none.

        Raises:
            EndpointError: the server cannot be reached within ``check_s`` seconds, has no OpenAI-compatible API,
                refuses the key, or does not serve the model (the message then names those that it serves).
        """
        listing = await self._sender.attempt("/models", None, read_models, self._check_s)
        if isinstance(listing, Failure):
            if must_be_listed or not may_answer(listing):
                raise EndpointError(no_list(self.base_url, listing, self._sender.proxy))
            listing = {}
        served = tuple(listing)
        if model not in listing and must_be_listed:
            raise EndpointError(not_served(self.base_url, model, served))
        window = listed_window(listing, model) or await self.tokenizer.window(model, self._check_s)
        return ServerInfo(
            base_url=self.base_url,
            model=model,
            served=served,
            max_model_len=window.tokens if window is not None else None,
            reported=listing.get(model),
            window_source=window.source if window is not None else "",
        )

    @property
    def counts_tokens(self) -> bool:
        """Whether the server is still believed to count prompt tokens."""
        return self.tokenizer.works

    async def count_prompt_tokens(self, request: Request) -> int | None:
        """Number of tokens in the prompt of ``request``; see :meth:`endpoints.tokenizer.Tokenizer.count`."""
        return await self.tokenizer.count(request)

    async def load(self, url: str, limit_s: float) -> Reading | Failure:
        """What a server says of its load, by one attempt; one that is down is not waited for.

        Args:
            url: of its metrics.
            limit_s: most seconds of the call.
        """
        return await self._sender.look(url, read_load, limit_s)

    async def run(
        self,
        requests: Sequence[Request],
        journal: Journal | None = None,
        on_outcome: Callable[[Request, Outcome], None] | None = None,
        ready: Callable[[], Awaitable[None]] | None = None,
        fitter: Fitter | None = None,
        on_waiting: OnWaiting | None = None,
        enough: asyncio.Event | None = None,
        first: int = 0,
        settled: Callable[[], Awaitable[None]] | None = None,
    ) -> list[Outcome]:
        """Send every request to the server, as the gate lets them, and wait for all outcomes.

        A request that the journal holds an answer to is not sent. Every other outcome, answered or failed, is written
        to the journal before ``on_outcome`` is called with it. Equal requests are sent once and share the outcome.

        Args:
            requests: any number of requests; they are sent in this order.
            journal: open journal to read from and append to; None for none.
            on_outcome: called once for each request when its outcome is known, on the thread of the event loop;
                answers from the journal come first. It must return at once. An exception that it raises ends the run.
            ready: awaited before each request is sent; it can hold requests back while answers wait to be judged.
            fitter: learns the window from a refusal and lowers the caps of what is sent after it; None for none.
            on_waiting: told of questions that are waited for long (:class:`endpoints.waiting.WaitingList`).
            enough: once it is set, no further request is sent; None for all of them.
            first: how many requests, from the start, have their outcomes before any other is sent or looked for in the
                journal; 0 where all are alike.
            settled: awaited between these and the others.

        Returns:
            The outcome of each request, in the order of ``requests``.

        Raises:
            RequestRefused: requests were refused before this run had any answer (see
                :class:`endpoints.batch.Batch`); the others are cancelled.
            JournalError: the journal cannot be written; the others are cancelled.
        """
        self._sender.opened()
        batch = Batch(
            self._endpoint_run(journal, on_waiting, enough),
            requests,
            gate=self.gate,
            on_outcome=on_outcome,
            ready=ready,
            fitter=fitter,
            first=first,
            settled=settled,
        )
        return await batch.run()

    def stream(
        self,
        journal: Journal | None = None,
        on_waiting: OnWaiting | None = None,
        enough: asyncio.Event | None = None,
    ) -> Stream:
        """A stream for requests that come up one by one: an asynchronous context manager within the endpoint's own.

        Args:
            journal: open journal to read from and append to; None for none.
            on_waiting, enough: as in :meth:`run`.
        """
        self._sender.opened()
        return Stream(self._endpoint_run(journal, on_waiting, enough), gate=self.gate)

    def _endpoint_run(
        self, journal: Journal | None, on_waiting: OnWaiting | None, enough: asyncio.Event | None
    ) -> EndpointRun:
        return EndpointRun(
            self._ask,
            url=self.base_url,
            gate=self.gate,
            grace_s=self._grace_s,
            journal=journal,
            on_waiting=on_waiting,
            enough=enough,
        )

    async def _ask(self, request: Request, patience: Patience) -> Outcome | Failure:
        def read(reply: bytes) -> Outcome:
            return read_reply(request.kind, reply)

        send = functools.partial(self._sender.send, request.path, read=read, patience=patience)
        sent = await (self._ask_streamed(send, request.body()) if self._streamed else send(body=request.body()))
        if isinstance(sent, Failure):
            hint = stream_hint(sent.error)  # a refusal that ends the run has it anyway
            return sent.noting(hint) if hint and not self._streamed else sent
        outcome, attempts = sent
        return outcome.after(attempts)

    async def _ask_streamed(self, send: _Send, body: dict[str, Any]) -> tuple[Outcome, int] | Failure:
        """Ask for a stream, and for token counts in it unless the server refuses to give them."""
        body["stream"] = True
        if not self._asks_usage:
            return await send(body=body)
        sent = await send(body=body | _WITH_USAGE)
        if not isinstance(sent, Failure):
            self._gave_usage = True
        elif refuses_usage(sent, gave_before=self._gave_usage):
            sent = await send(body=body)
            self._asks_usage = self._asks_usage and isinstance(sent, Failure)
        return sent
