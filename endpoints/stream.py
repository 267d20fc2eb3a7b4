"""Sends requests that come up one by one, such as those to a judge."""

import asyncio
import functools
from types import TracebackType
from typing import Self

from endpoints.endpoint_run import EndpointRun
from endpoints.gate import Gate
from endpoints.outcome import Outcome
from endpoints.request import Request

__all__ = ["Stream"]


class Stream:
    """Sends requests to an endpoint when they come up, as a gate lets them; an asynchronous context manager.

    It uses the journal, raises :class:`endpoints.errors.RequestRefused` and gives up a lost server as
    :class:`endpoints.batch.Batch` does. Leaving the block cancels the requests that have no outcome yet.

    Args:
        run: the state of the endpoint in this run.
        gate: lets each of them be sent.
    """

    def __init__(self, run: EndpointRun, *, gate: Gate) -> None:
        self._run = run
        self._gate = gate
        self._under_way: dict[str, asyncio.Task[Outcome]] = {}
        self._aside: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._aside = [asyncio.create_task(self._end_after_grace()), asyncio.create_task(self._run.watch())]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [*self._under_way.values(), *self._aside]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._run.sync()

    def known(self, request: Request) -> Outcome | None:
        """The journal's answer to a request; None if it holds none."""
        return self._run.known(request.key())

    async def ask(self, request: Request) -> Outcome:
        """Send one request and wait for its outcome; equal requests at the same time are sent once.

        Returns:
            The outcome; it comes from the journal if that holds an answer, and is ``not_asked`` once no further request
            is sent.

        Raises:
            RequestRefused: the server refused the request, and likewise another one unless the status alone says that
                it refuses all, and had answered none of this run before.
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
            task.add_done_callback(functools.partial(self._ended, key))
        return await asyncio.shield(task)

    def _ended(self, key: str, task: asyncio.Task[Outcome]) -> None:
        self._under_way.pop(key, None)
        if not task.cancelled():
            task.exception()  # seen, though whoever asked may have been cancelled meanwhile

    async def _settle(self, request: Request, key: str) -> Outcome:
        try:
            async with self._gate:
                return await self._run.settle(request, key)
        except asyncio.CancelledError:
            if not self._run.ended:
                raise
        return self._run.unasked()

    async def _end_after_grace(self) -> None:
        await self._run.out_of_grace()
        for task in self._under_way.values():
            task.cancel()
