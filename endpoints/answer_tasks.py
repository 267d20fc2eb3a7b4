"""Scoring and judging of answers that are there, while others are still awaited."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NamedTuple, TypeVar

from lighteval.tasks.requests import Doc

from endpoints.request import Outcome

__all__ = ["AnswerTasks", "OnAnswer", "Scored"]

T = TypeVar("T")


class Scored(NamedTuple):
    """What was made of an answer.

    Attributes:
        record: the scored answer; endpoints hand it on and know nothing of it.
        judgement: what a judge said, as JSON for the details file; empty without a judge.
    """

    record: Any
    judgement: str = ""


OnAnswer = Callable[[Doc, Outcome], Awaitable[Scored] | Scored | None]


class AnswerTasks:
    """The work on answers that arrived: each is begun at once, and its result is kept until it is asked for.

    Args:
        on_answer: see :class:`endpoints.model.EndpointModel`.
        most_waiting: likewise.
    """

    def __init__(self, on_answer: OnAnswer | None, most_waiting: int | None) -> None:
        self._on_answer = on_answer
        self._most_waiting = most_waiting
        self._tasks: set[asyncio.Task[None]] = set()
        self._results: dict[int, Scored] = {}
        self._room = asyncio.Event()
        self._room.set()
        self._failed: asyncio.Future[Any] | None = None

    def start(self, doc: Doc, outcome: Outcome) -> None:
        """Begin the work on one answer, if there is any."""
        work = self._on_answer(doc, outcome) if self._on_answer is not None else None
        if work is None:
            return
        if isinstance(work, Scored):
            self._results[id(doc)] = work
            return
        task = asyncio.ensure_future(self._finish(doc, work))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        self._make_room()

    async def _finish(self, doc: Doc, work: Awaitable[Scored]) -> None:
        self._results[id(doc)] = await work

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._make_room()
        error = None if task.cancelled() else task.exception()
        if error is not None and self._failed is not None and not self._failed.done():
            self._failed.set_exception(error)

    def _make_room(self) -> None:
        if self._most_waiting is None or len(self._tasks) <= self._most_waiting:
            self._room.set()
        else:
            self._room.clear()

    async def room(self) -> None:
        """Wait until few enough answers are being worked on."""
        await self._room.wait()

    async def finished(self) -> None:
        """Wait for all the work begun."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def guard(self, generation: Coroutine[Any, Any, T]) -> T:
        """The result of generation, or what the work raised as soon as it does."""
        self._failed = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(generation)
        try:
            await asyncio.wait({task, self._failed}, return_when=asyncio.FIRST_COMPLETED)
            if self._failed.done():
                self._failed.result()
            return await task
        finally:
            self._failed.cancel()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def cancel(self) -> None:
        """End the work that is left, if generation ended early."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def take(self, doc: Doc) -> Scored | None:
        """What the work on an answer gave, None if there was none; it is kept no longer."""
        return self._results.pop(id(doc), None)
