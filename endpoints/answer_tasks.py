"""Scores or judges answers that have arrived while the server still generates others."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NamedTuple, TypeVar

from lighteval.tasks.requests import Doc

from endpoints.outcome import Outcome

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
    """The work on answers that have arrived: one asyncio task for each answer whose work takes time.

    Args:
        on_answer: see :class:`endpoints.model.EndpointModel`.
        most_waiting: see there too.
    """

    def __init__(self, on_answer: OnAnswer | None, most_waiting: int | Callable[[], int] | None) -> None:
        self._on_answer = on_answer
        self._most_waiting = most_waiting
        self._tasks: set[asyncio.Task[None]] = set()
        self._results: dict[int, Scored] = {}
        self._room = asyncio.Event()
        self._room.set()
        self._failed: asyncio.Future[Any] | None = None
        self._early: tuple[asyncio.Task[None], ...] | None = None

    def start(self, doc: Doc, outcome: Outcome) -> None:
        """Call ``on_answer`` for one answer, and start a task for the rest of its work if there is any."""
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
        most = self._most_waiting() if callable(self._most_waiting) else self._most_waiting
        if most is None or len(self._tasks) <= most:
            self._room.set()
        else:
            self._room.clear()

    async def room(self) -> None:
        """Wait until at most ``most_waiting`` answers are being worked on."""
        await self._room.wait()

    async def caught_up(self) -> None:
        """Wait for the work on the answers at hand.

        Where it may take long (``most_waiting``) these are the answers of the first call alone: those of the journal.
        """
        if self._early is None or self._most_waiting is None:
            self._early = tuple(self._tasks)
        if self._early:
            await asyncio.wait(self._early)

    async def finished(self) -> None:
        """Wait until all tasks have ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def guard(self, generation: Coroutine[Any, Any, T]) -> T:
        """Await generation, but stop it as soon as the work on an answer raises an exception.

        Returns:
            the result of ``generation``.

        Raises:
            Exception: what ``generation`` raised, or what the work on an answer raised.
        """
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
        """Cancel the tasks that are left; for a generation that ended early."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def take(self, doc: Doc) -> Scored | None:
        """The result of the work on one answer, None if there was none; it is not kept any longer."""
        return self._results.pop(id(doc), None)
