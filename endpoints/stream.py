"""Requests that come up one by one while others are under way, such as those to a judge."""

import asyncio
from types import TracebackType
from typing import Self

from endpoints.endpoint_run import EndpointRun
from endpoints.request import Outcome, Request

__all__ = ["Stream"]


class Stream:
    """Puts requests to an endpoint as they come, ``concurrency`` at a time; an asynchronous context manager.

    The journal, the refusal of a first request and the giving up of a lost server are those of
    :class:`endpoints.batch.Batch`. Leaving the block cancels what is still under way.

    Args:
        run: the endpoint over this run.
        concurrency: requests in flight.
    """

    def __init__(self, run: EndpointRun, *, concurrency: int) -> None:
        self._run = run
        self._slots = asyncio.Semaphore(concurrency)
        self._under_way: dict[str, asyncio.Task[Outcome]] = {}
        self._guard: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._guard = asyncio.create_task(self._end_after_grace())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [*self._under_way.values(), *([self._guard] if self._guard is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._run.sync()

    async def ask(self, request: Request) -> Outcome:
        """Puts one request and waits for its outcome; equal requests under way share one.

        Returns:
            The outcome: from the journal where it has an answer, ``not_asked`` once the server is given up.

        Raises:
            RequestRefused: it was refused before this run had any answer.
            JournalError: the journal cannot be written.
        """
        key = request.key()
        known = self._run.known(key)
        if known is not None:
            return known
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.create_task(self._settle(request, key))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        return await asyncio.shield(task)

    async def _settle(self, request: Request, key: str) -> Outcome:
        try:
            async with self._slots:
                if not self._run.patience.given_up.is_set():
                    return await self._run.settle(request, key)
        except asyncio.CancelledError:
            if not self._run.ended:
                raise
        return Outcome.unasked("the server was given up before its turn")

    async def _end_after_grace(self) -> None:
        await self._run.out_of_grace()
        for task in self._under_way.values():
            task.cancel()
