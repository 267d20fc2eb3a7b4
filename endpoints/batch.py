"""One run of requests: workers over a queue, the journal, and the two ways in which a run ends early."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

from endpoints.errors import ErrorCode, RequestRefused, hint_for
from endpoints.failure import Failure
from endpoints.journal import Journal
from endpoints.request import Outcome, Request

__all__ = ["Batch", "Patience"]


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


class Batch:
    """Puts requests to an endpoint through ``concurrency`` workers; used once.

    Two ends before the last request:

    - a refusal while no request of this run has been answered raises :class:`RequestRefused` (the same would happen
      to every other request);
    - the server is given up (:class:`Patience`): nothing more is sent and the rest is ``not_asked``; waits before a
      retry end at once, and requests on the wire have ``grace_s`` seconds to end, after which they are failed too
      (``server-gone``).

    Args:
        ask: sends one request, as often as it sees fit while there is patience.
        requests: the requests.
        url: address of the endpoint, for messages.
        concurrency: number of workers.
        grace_s: see above.
        journal: open journal, or None.
        on_outcome: see :meth:`endpoints.client.Endpoint.run`.
    """

    def __init__(
        self,
        ask: Callable[[Request, Patience], Awaitable[Outcome | Failure]],
        requests: Sequence[Request],
        *,
        url: str,
        concurrency: int,
        grace_s: float,
        journal: Journal | None,
        on_outcome: Callable[[Request, Outcome], None] | None,
    ) -> None:
        self._ask = ask
        self._requests = requests
        self._url = url
        self._concurrency = concurrency
        self._grace_s = grace_s
        self._journal = journal
        self._on_outcome = on_outcome
        self._patience = Patience(concurrency)
        self._out_of_grace = False
        self._outcomes: dict[int, Outcome] = {}
        self._places: dict[str, list[int]] = {}
        for place, request in enumerate(requests):
            self._places.setdefault(request.key(), []).append(place)

    async def run(self) -> list[Outcome]:
        """Runs to the end; see :meth:`endpoints.client.Endpoint.run`."""
        rest = self._replay()
        queue = iter(rest)
        workers = [asyncio.create_task(self._work(queue)) for _ in range(min(self._concurrency, len(rest)))]
        guard = asyncio.create_task(self._guard(workers))
        try:
            await asyncio.gather(*workers)
        finally:
            for task in (guard, *workers):
                task.cancel()
            await asyncio.gather(guard, *workers, return_exceptions=True)
            if self._journal is not None:
                self._journal.sync()
        for key in queue:
            self._finish(key, Outcome.unasked("the server was given up before its turn"))
        return [self._outcomes[place] for place in range(len(self._requests))]

    async def _guard(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Ends what is still on the wire some time after the server was given up."""
        await self._patience.given_up.wait()
        await asyncio.sleep(self._grace_s)
        self._out_of_grace = True
        for worker in workers:
            worker.cancel()

    def _replay(self) -> list[str]:
        """Finishes what the journal answers; returns the keys of the rest, in order."""
        rest = []
        for key in self._places:
            known = None if self._journal is None else self._journal.get(key)
            if known is None:
                rest.append(key)
            else:
                self._patience.answered_before = True
                self._finish(key, known)
        return rest

    async def _work(self, queue: Iterator[str]) -> None:
        while not self._patience.given_up.is_set():
            key = next(queue, None)
            if key is None:
                return
            request = self._requests[self._places[key][0]]
            result = await self._result(request)
            outcome = self._judged(request, result) if isinstance(result, Failure) else result
            if outcome is result:
                self._patience.answered()
            if self._journal is not None:
                self._journal.append(request, outcome, key=key)
            self._finish(key, outcome)

    async def _result(self, request: Request) -> Outcome | Failure:
        try:
            return await self._ask(request, self._patience)
        except asyncio.CancelledError:
            if not self._out_of_grace:
                raise
            return Failure("server-gone", f"no answer {self._grace_s:g} s after the server was given up", retried=False)
        except Exception as error:  # a bug of ours costs one sample, not the run
            return Failure("client-bug", f"{type(error).__name__}: {error}", retried=False)

    def _judged(self, request: Request, failure: Failure) -> Outcome:
        """The failed outcome, unless it shows that there is no point in going on."""
        # Answers of an earlier run prove that the server takes such bodies, not that it still takes the key.
        of_one_sample = self._patience.answered_before and failure.status in _ABOUT_THE_BODY
        if failure.refuses_all and not (self._patience.ever_answered or of_one_sample):
            raise RequestRefused(
                url=self._url,
                status=failure.status or 0,
                server_message=failure.server_message,
                hint=hint_for(failure.status or 0, failure.server_message),
                sample_id=request.sample_id,
            )
        self._patience.failed(failure.code)
        return failure.outcome()

    def _finish(self, key: str, outcome: Outcome) -> None:
        for place in self._places[key]:
            self._outcomes[place] = outcome
            if self._on_outcome is not None:
                self._on_outcome(self._requests[place], outcome)
