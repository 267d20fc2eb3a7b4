"""Sends requests that are all known from the start: workers take them from a queue."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

from endpoints.endpoint_run import EndpointRun
from endpoints.gate import Gate
from endpoints.outcome import Outcome
from endpoints.planning import Fitter
from endpoints.request import Request

__all__ = ["Batch"]


class Batch:
    """Sends requests to an endpoint, as many at a time as a gate lets. An object serves one call of :meth:`run`.

    Sending ends before the last request in three cases:

    - the server refuses requests and has not answered any of this run: :class:`endpoints.errors.RequestRefused` is
      raised, since every other request would be refused too. A refusal that may be about one prompt (HTTP 400, 403,
      422) is believed when a second, different prompt is refused likewise, or when no other prompt was sent;
    - the server is given up (:class:`endpoints.endpoint_run.Patience`): requests that were not sent become
      ``not_asked``, waits before a retry end at once, and requests that were sent have some seconds of grace, after
      which they become failed (``server-gone``);
    - no further answer is needed (``enough``): requests that were not sent become ``not_asked``, those under way end in
      their own time, without a retry.

    Args:
        run: the state of the endpoint in this run.
        requests: the requests.
        gate: lets the workers send.
        on_outcome: see :meth:`endpoints.client.Endpoint.run`.
        ready, fitter, first, settled: see there too.
    """

    def __init__(
        self,
        run: EndpointRun,
        requests: Sequence[Request],
        *,
        gate: Gate,
        on_outcome: Callable[[Request, Outcome], None] | None,
        ready: Callable[[], Awaitable[None]] | None,
        fitter: Fitter | None = None,
        first: int = 0,
        settled: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._run = run
        self._requests = requests
        self._gate = gate
        self._on_outcome = on_outcome
        self._ready = ready
        self._fitter = fitter
        self._settled = settled
        self._outcomes: dict[int, Outcome] = {}
        self._places: dict[str, list[int]] = {}
        for place, request in enumerate(requests):
            self._places.setdefault(request.key(), []).append(place)
        keys = list(self._places)
        early = len({request.key() for request in requests[:first]})
        self._parts = [part for part in (keys[:early], keys[early:]) if part]

    async def run(self) -> list[Outcome]:
        """Send every request and return the outcomes; see :meth:`endpoints.client.Endpoint.run`."""
        watch = asyncio.create_task(self._run.watch())
        unsent: list[str] = []
        try:
            for number, keys in enumerate(self._parts):
                if number and self._settled is not None:
                    await self._settled()
                unsent += await self._send(self._replay(keys))
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            self._run.sync()
        self._run.check_refusals()
        for key in unsent:
            self._finish(key, self._run.unasked())
        return [self._outcomes[place] for place in range(len(self._requests))]

    async def _send(self, keys: Sequence[str]) -> list[str]:
        """Ask the requests with these keys; returns the keys of those whose turn did not come."""
        queue = iter(keys)
        workers = [asyncio.create_task(self._work(queue)) for _ in range(min(self._gate.most, len(keys)))]
        guard = asyncio.create_task(self._guard(workers))
        try:
            await asyncio.gather(*workers)
        finally:
            for task in (guard, *workers):
                task.cancel()
            await asyncio.gather(guard, *workers, return_exceptions=True)
        return list(queue)

    async def _guard(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Cancel the requests that were sent, once the time of grace after the server was given up is over."""
        await self._run.out_of_grace()
        for worker in workers:
            worker.cancel()

    def _replay(self, keys: Sequence[str]) -> list[str]:
        """Settle those of the requests that the journal answers, and return the keys of the others, in their order."""
        rest = []
        for key in keys:
            known = self._run.known(key)
            if known is None:
                rest.append(key)
            else:
                self._finish(key, known)
        return rest

    async def _work(self, queue: Iterator[str]) -> None:
        try:
            while not self._run.patience.closed:
                async with self._gate:
                    if not await self._ask_next(queue):
                        return
        except asyncio.CancelledError:
            if not self._run.ended:
                raise

    async def _ask_next(self, queue: Iterator[str]) -> bool:
        """Ask the next request, and tell whether there was one."""
        if self._ready is not None:
            await self._ready()
        key = None if self._run.patience.closed else next(queue, None)
        if key is None:
            return False
        self._finish(key, await self._settle(self._requests[self._places[key][0]], key))
        return True

    async def _settle(self, request: Request, key: str) -> Outcome:
        """Ask one request; with a fitter, capped by the window that others' refusals or its own have named."""
        if self._fitter is None:
            return await self._run.settle(request, key)

        async def ask(fitted: Request) -> Outcome:
            fitted_key = key if fitted is request else fitted.key()  # a hash of the whole body
            return self._run.known(fitted_key) or await self._run.settle(fitted, fitted_key)

        return await self._fitter.ask(request, ask)

    def _finish(self, key: str, outcome: Outcome) -> None:
        for place in self._places[key]:
            self._outcomes[place] = outcome
            if self._on_outcome is not None:
                self._on_outcome(self._requests[place], outcome)
