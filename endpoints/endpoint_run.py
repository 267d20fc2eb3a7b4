"""What every way of asking an endpoint shares: patience with it, what a failure means, and the journal."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from endpoints.errors import ErrorCode, RequestRefused, hint_for
from endpoints.failure import Failure
from endpoints.journal import Journal
from endpoints.request import Outcome, Request

__all__ = ["AskOnce", "EndpointRun", "Patience"]

_ABOUT_THE_BODY: Final = frozenset({400, 422})


class Patience:
    """When to give a server up: it counts what failed since the last answer.

    The server is given up after ``2 * concurrency`` failed requests in a row, or as many attempts in a row that timed
    out (so that a server which hangs is not waited for through all the retries of every request). Context overflows
    do not count: a server that explains its limit is alive.

    Args:
        concurrency: requests in flight.

    Attributes:
        given_up: set once the server is given up; it stays set.
        ever_answered: whether this run has had an answer.
        answered_before: whether an earlier run in the same journal has.
    """

    def __init__(self, concurrency: int) -> None:
        self.given_up = asyncio.Event()
        self.ever_answered = False
        self.answered_before = False
        self._limit = 2 * concurrency
        self._failures = 0
        self._timeouts = 0

    def answered(self) -> None:
        """A request was answered."""
        self.ever_answered = True
        self._failures = self._timeouts = 0

    def failed(self, code: ErrorCode) -> None:
        """A request failed for good."""
        if code != "context-overflow":
            self._failures += 1
            self._judge()

    def timed_out(self) -> None:
        """One attempt of a request timed out."""
        self._timeouts += 1
        self._judge()

    def _judge(self) -> None:
        if max(self._failures, self._timeouts) >= self._limit:
            self.given_up.set()

    async def pause(self, seconds: float) -> bool:
        """Waits, but no longer than the server has our patience; returns whether it still has."""
        try:
            async with asyncio.timeout(seconds):
                await self.given_up.wait()
        except TimeoutError:
            return True
        return False


AskOnce = Callable[[Request, Patience], Awaitable[Outcome | Failure]]


class EndpointRun:
    """One endpoint over one run: sends single requests, and knows how all of them have fared.

    Args:
        ask: sends one request, as often as it sees fit while there is patience.
        url: address of the endpoint, for messages.
        concurrency: requests in flight.
        grace_s: seconds that requests on the wire may still take once the server is given up.
        journal: open journal, or None.

    Attributes:
        patience: with the endpoint.
        ended: whether the endpoint was given up and its time of grace is over.
    """

    def __init__(self, ask: AskOnce, *, url: str, concurrency: int, grace_s: float, journal: Journal | None) -> None:
        self.patience = Patience(concurrency)
        self._ask = ask
        self._url = url
        self._grace_s = grace_s
        self._journal = journal
        self.ended = False

    def known(self, key: str) -> Outcome | None:
        """The journal's answer to the request of that key."""
        found = None if self._journal is None else self._journal.get(key)
        if found is not None:
            self.patience.answered_before = True
        return found

    async def settle(self, request: Request, key: str) -> Outcome:
        """Sends a request and journals what came of it.

        Raises:
            RequestRefused: it was refused before this run had any answer, as every other would be.
            JournalError: the journal cannot be written.
        """
        result = await self._result(request)
        if isinstance(result, Failure):
            outcome = self._judged(request, result)
        else:
            outcome = result
            self.patience.answered()
        if self._journal is not None:
            self._journal.append(request, outcome, key=key)
        return outcome

    async def out_of_grace(self) -> None:
        """Returns some time after the server was given up: what is on the wire then is to be cancelled."""
        await self.patience.given_up.wait()
        await asyncio.sleep(self._grace_s)
        self.ended = True

    def sync(self) -> None:
        """Brings the journal to the disk."""
        if self._journal is not None:
            self._journal.sync()

    async def _result(self, request: Request) -> Outcome | Failure:
        try:
            return await self._ask(request, self.patience)
        except asyncio.CancelledError:
            if not self.ended:
                raise
            return Failure("server-gone", f"no answer {self._grace_s:g} s after the server was given up", retried=False)
        except Exception as error:  # a bug of ours costs one sample, not the run
            return Failure("client-bug", f"{type(error).__name__}: {error}", retried=False)

    def _judged(self, request: Request, failure: Failure) -> Outcome:
        """The failed outcome, unless it shows that there is no point in going on."""
        # Answers of an earlier run prove that the server takes such bodies, not that it still takes the key.
        of_one_sample = self.patience.answered_before and failure.status in _ABOUT_THE_BODY
        if failure.refuses_all and not (self.patience.ever_answered or of_one_sample):
            raise RequestRefused(
                url=self._url,
                status=failure.status or 0,
                server_message=failure.server_message,
                hint=hint_for(failure.status or 0, failure.server_message),
                sample_id=request.sample_id,
            )
        self.patience.failed(failure.code)
        return failure.outcome()
