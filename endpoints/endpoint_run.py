"""The state of an endpoint in one run: when it is given up, what its failures mean, and the journal of its answers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from endpoints.errors import ErrorCode, RequestRefused, hint_for
from endpoints.failure import MALFORMED, Failure
from endpoints.gate import Gate
from endpoints.journal import Journal
from endpoints.outcome import Outcome
from endpoints.request import Request
from endpoints.waiting import OnWaiting, WaitingList

__all__ = ["AskOnce", "EndpointRun", "Patience"]


class Patience:
    """Counts the failures since the last answer, and gives the server up when there are too many.

    The limit is two for each request that may be in flight: so many failed requests in a row, or as many timed-out
    attempts in a row, so that a server which hangs is given up before every request has used all its retries. Where
    the gate has just been narrowed, the requests still in flight set the limit. Context overflows do not count, since a
    server that names its limit is alive; nor do refusals of one prompt's content, nor other refusals with status 400 or
    422 once the server has answered.

    Args:
        gate: knows how many requests may be in flight, and how many are.
        enough: an event, set once whoever asks needs no further answer; None for one that never is.

    Attributes:
        given_up: an event, set when the server is given up; it stays set.
        ever_answered: whether the server has answered a request of this run.
        answered_before: whether it has answered a request of an earlier run with the same journal.
    """

    def __init__(self, gate: Gate, enough: asyncio.Event | None = None) -> None:
        self.given_up = asyncio.Event()
        self._enough = enough or asyncio.Event()
        self.ever_answered = False
        self.answered_before = False
        self._gate = gate
        self._failures = 0
        self._timeouts = 0

    def answered(self) -> None:
        """Count an answered request."""
        self.ever_answered = True
        self._failures = self._timeouts = 0

    def failed(self, code: ErrorCode) -> None:
        """Count a request that failed for good."""
        if code != "context-overflow":
            self._failures += 1
            self._judge()

    def timed_out(self) -> None:
        """Count an attempt that timed out."""
        self._timeouts += 1
        self._judge()

    def give_up(self) -> None:
        """Give the server up, however few failures there were."""
        self.given_up.set()

    def _judge(self) -> None:
        if max(self._failures, self._timeouts) >= 2 * max(self._gate.limit, self._gate.in_flight):
            self.give_up()

    @property
    def closed(self) -> str:
        """Why no further request is sent; empty while they are."""
        if self.given_up.is_set():
            return "the server was given up"
        return "no further answer is needed" if self._enough.is_set() else ""

    async def pause(self, seconds: float) -> bool:
        """Wait some seconds, or until no further request is sent; returns whether the whole time has passed."""
        ends = [asyncio.create_task(event.wait()) for event in (self.given_up, self._enough)]
        try:
            done, _ = await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        return not done


AskOnce = Callable[[Request, Patience], Awaitable[Outcome | Failure]]


class EndpointRun:
    """One endpoint in one run: sends single requests, journals their outcomes and counts their failures.

    Args:
        ask: sends one request, with its retries, until it is answered, fails for good or the server is given up.
        url: URL of the endpoint, for messages.
        gate: as for :class:`Patience`.
        grace_s: most seconds that requests in flight may take after the server is given up.
        journal: open journal, or None.
        on_waiting: told of questions that are waited for long (:class:`endpoints.waiting.WaitingList`); None for none.
        enough: as for :class:`Patience`.

    Attributes:
        patience: counts the failures and decides when the endpoint is given up.
        ended: whether the endpoint was given up and its time of grace is over.
    """

    def __init__(
        self,
        ask: AskOnce,
        *,
        url: str,
        gate: Gate,
        grace_s: float,
        journal: Journal | None,
        on_waiting: OnWaiting | None = None,
        enough: asyncio.Event | None = None,
    ) -> None:
        self.patience = Patience(gate, enough)
        self._ask = ask
        self._url = url
        self._grace_s = grace_s
        self._journal = journal
        self.ended = False
        self._waiting = WaitingList(on_waiting)
        self._settled = 0
        self._refused: dict[str, tuple[Any, RequestRefused]] = {}  # by kind: who met it first
        self._refusals = 0

    def known(self, key: str) -> Outcome | None:
        """The journal's answer to the request with this key; None if it holds none."""
        found = None if self._journal is None else self._journal.get(key)
        if found is not None:
            self.patience.answered_before = True
        return found

    async def settle(self, request: Request, key: str) -> Outcome:
        """Send a request and write its outcome to the journal; once no further one is sent, it is ``not_asked``.

        Raises:
            RequestRefused: the server refused the request, and had answered none of this run before. If the refusal
                may be about this one request (HTTP 400, 403, 422), another request must have been refused likewise.
            JournalError: the journal cannot be written.
        """
        if self.patience.closed:
            return self.unasked()
        with self._waiting.of(request):
            result = await self._result(request)
        self._settled += 1
        if isinstance(result, Failure):
            outcome = self._judged(request, result)
        else:
            outcome = result
            self.patience.answered()
        if self._journal is not None:
            self._journal.append(request, outcome, key=key)
        return outcome

    def unasked(self) -> Outcome:
        """The outcome of a request whose turn did not come."""
        code: ErrorCode | None = "server-gone" if self.patience.given_up.is_set() else None
        return Outcome.unasked(f"{self.patience.closed} before its turn", code)

    def check_refusals(self) -> None:
        """Check, when nothing is left to be sent, that the server did more than refuse.

        Raises:
            RequestRefused: it refused every request of this run, each in its own words or just one in all.
        """
        if self._refused and self._refusals == self._settled and not self.patience.answered_before:
            raise next(iter(self._refused.values()))[1]

    async def out_of_grace(self) -> None:
        """Wait until the server was given up and its time of grace is over; the caller then cancels its requests."""
        await self.patience.given_up.wait()
        await asyncio.sleep(self._grace_s)
        self.ended = True

    async def watch(self) -> None:
        """Tell of questions that are waited for long, until the caller cancels this."""
        await self._waiting.watch()

    def sync(self) -> None:
        """Have the journal's lines written to the disk."""
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
        """Count a failure and return its outcome.

        Raises:
            RequestRefused: every other request would be refused too.
        """
        # Answers of an earlier run prove that the server takes such bodies, not that it still takes the key.
        proven = failure.status in MALFORMED or failure.raised_in_template
        of_one_sample = self.patience.answered_before and proven
        is_news = True
        if failure.refuses_all and not (self.patience.ever_answered or of_one_sample):
            is_news = self._doubt(request, failure)
        # A server that reads the prompts is alive: it may answer the next one, as it has answered others.
        of_the_prompt = failure.status in MALFORMED and self.patience.ever_answered
        if is_news and not failure.about_content and not (failure.code == "refused" and of_the_prompt):
            self.patience.failed(failure.code)
        return failure.outcome()

    def _doubt(self, request: Request, failure: Failure) -> bool:
        """Take note of a refusal that every other request may meet.

        Returns:
            Whether it is news: the same question, asked in another form, was not refused likewise before.

        Raises:
            RequestRefused: it concerns no single request by its status, or another question met it before.
        """
        refusal = RequestRefused(
            url=self._url,
            status=failure.status or 0,
            server_message=failure.server_message,
            hint=hint_for(failure.status or 0, failure.server_message),
            sample_id=request.sample_id,
        )
        question = (request.messages, request.prompt)
        is_news = failure.kind not in self._refused
        first, earlier = self._refused.setdefault(failure.kind, (question, refusal))
        if not failure.about_the_body:
            raise refusal
        if first != question:  # repeats of one question prove nothing of another
            raise earlier
        self._refusals += 1
        return is_news
