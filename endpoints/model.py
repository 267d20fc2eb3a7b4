"""The LightEval model that asks an OpenAI-compatible server.

The runner uses it, and so does LightEval's own command line, to which this file is a model definition::

    ENDPOINT_BASE_URL=http://127.0.0.1:8001/v1 lighteval custom NAME endpoints/model.py "ifhard:all|0" \
        --custom-tasks tasks.ifhard.task
"""

import asyncio
import contextlib
import logging
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.tasks.requests import Doc
from tqdm import tqdm

from endpoints.answer_tasks import AnswerTasks, OnAnswer
from endpoints.client import Endpoint
from endpoints.doc_request import doc_request
from endpoints.errors import EndpointError
from endpoints.gate import Gate
from endpoints.journal import Journal, JournalLine
from endpoints.journal_notes import journal_notes
from endpoints.lighteval_response import to_response
from endpoints.model_config import EndpointModelConfig, config_from_environment
from endpoints.outcome import Outcome
from endpoints.outlook import OnOutlook, Outlook, kept_lines
from endpoints.planning import Fitter, Plan
from endpoints.preparing import find_saved, prepare
from endpoints.reasoning_marks import without_marks
from endpoints.request import Request
from endpoints.saved import SavedResponses
from endpoints.sending_order import sending_order
from endpoints.waiting import OnWaiting
from endpoints.window import FROM_REFUSAL

__all__ = ["Companion", "EndpointModel"]

logger = logging.getLogger(__name__)

Companion = Callable[[], contextlib.AbstractAsyncContextManager[Any]]
_NAMED = 5  # ids shown when a list could be long


class _NoCache:
    """Takes the place of LightEval's sample cache, which would keep failures as answers; the journal keeps answers."""

    def _init_registry(self, registry: Any) -> None:
        pass


class EndpointModel(LightevalModel):
    """Gets the answer to each document from a server or from a file of saved answers.

    A document's ``specific`` may hold ``kind`` (``chat`` or ``completion``; the query of a completion is its whole
    prompt), ``max_tokens`` (cap on the answer, reduced if the server's window is too short), ``id`` and ``repeat``.
    Documents of other task modules hold none of these and are asked by chat.

    Args:
        config: the settings. LightEval's command line gives a plain custom-model config; the other settings then come
            from the environment (``endpoints.model_config.ENVIRONMENT``).
        on_answer: called on the event loop with each document and its outcome when that arrives. It returns the scored
            answer, or an awaitable of it; generation ends only when that has ended. The response carries the scored
            answer. An exception ends the run; the answer is in the journal by then.
        companion: makes an asynchronous context manager, such as a judge's endpoint, that is open during generation.
        most_waiting: while more awaitables of ``on_answer`` than this are pending, no further request is sent; None
            for no limit. It may be a function, called whenever that number changes.
        strict: whether to raise an error at the end if a sample has no answer. LightEval's command line has no other
            way to report that; the runner reports the coverage instead.
    """

    is_async = True

    def __init__(
        self,
        config: Any,
        on_answer: OnAnswer | None = None,
        strict: bool = True,
        companion: Companion | None = None,
        most_waiting: int | Callable[[], int] | None = None,
    ) -> None:
        if not isinstance(config, EndpointModelConfig):
            config = config_from_environment(config.model_name, os.environ)
        self.config: EndpointModelConfig = config
        self.on_answer = on_answer
        self.strict = strict
        self.companion = companion
        self.most_waiting = most_waiting
        self.plan_notes: list[str] = []
        # Completion tokens that the server generated for this object, and in how many seconds; None if it asked none.
        self.generated: tuple[int, float] | None = None
        self.gate: Gate | None = None  # lets requests be sent; None for the number of the settings
        self.on_window: Callable[[int], None] | None = None  # called with a window that a refusal named, in tokens
        # Told of the requests just before the first is sent; what it shows is not logged.
        self.on_outlook: OnOutlook | None = None
        self.on_waiting: OnWaiting | None = None  # told of questions that are waited for long
        # Places of the documents in the order in which they are asked; None for that of the settings or, without one,
        # of endpoints.sending_order, which is told the tokens that each answer needs.
        self.order: Callable[[Sequence[Doc]], list[int]] | None = None
        # Whether a document's answer is scored before those of the others are looked at; such ones lead the order.
        self.first: Callable[[Doc], bool] = lambda doc: False
        self.size_of: Callable[[Doc], int | None] = lambda doc: None
        self.longest_first = False  # whether the answers that are expected to be long are asked for first
        self.enough: asyncio.Event | None = None  # once it is set, what was not sent is not asked
        self._cache = _NoCache()
        self._prompts = PromptManager(use_chat_template=True, tokenizer=None, system_prompt=config.system_prompt)

    @property
    def tokenizer(self) -> None:
        """None, since the server tokenizes."""
        return

    @property
    def add_special_tokens(self) -> bool:
        """False, since the server's chat template adds special tokens."""
        return False

    @property
    def max_length(self) -> None:
        """None, since the server is asked for its context length when generation starts."""
        return

    def request(self, doc: Doc) -> Request:
        """The request for one document, with the cap that the settings or the task ask for."""
        return self._request(doc, self.config.max_new_tokens)

    def _request(self, doc: Doc, most: int | None) -> Request:
        return doc_request(doc, self.config, self._prompts, most)

    async def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Generate a response to each document, in the same order; ``outcome`` of a response says whether it failed.

        Raises:
            EndpointError: the server cannot be reached or refuses the first request; with ``strict`` also if a
                sample has no answer.
        """
        requests = [self.request(doc) for doc in docs]
        work = AnswerTasks(self.on_answer, self.most_waiting)
        async with self.companion() if self.companion is not None else contextlib.nullcontext():
            try:
                if self.config.responses_path is not None:
                    outcomes = await work.guard(self._from_saved(work, docs, requests))
                else:
                    outcomes = await work.guard(self._from_server(work, docs, requests))
            finally:
                await work.cancel()
        if len(outcomes) != len(docs):
            raise AssertionError(f"{len(outcomes)} outcomes for {len(docs)} documents")
        missing = [(r, o) for r, o in zip(requests, outcomes, strict=True) if o.status != "answered"]
        if missing and self.strict:
            shown = "; ".join(f"{r.task} {r.sample_id}: {o.error}" for r, o in missing[:_NAMED])
            raise EndpointError(
                f"{len(missing)} of {len(docs)} samples have no answer; finished ones are kept: {shown}"
            )
        return [
            to_response(request, without_marks(outcome, self.config.reasoning_marks), work.take(doc))
            for doc, request, outcome in zip(docs, requests, outcomes, strict=True)
        ]

    async def _from_saved(self, work: AnswerTasks, docs: Sequence[Doc], requests: Sequence[Request]) -> list[Outcome]:
        outcomes, outlook = find_saved(requests, SavedResponses(Path(self.config.responses_path or "")))
        await self._tell(outlook)
        first = sum(map(self.first, docs))
        for number, place in enumerate(self._set_order(docs) or range(len(docs))):
            if number == first:
                await work.finished()
            if self.enough is not None and self.enough.is_set():
                outcomes[place] = Outcome.unasked("no further answer is needed")
            work.start(docs[place], without_marks(outcomes[place], self.config.reasoning_marks))
            # Answers may be scored right here, on the event loop: Ctrl-C gets its turn, and so do the judge's replies.
            await asyncio.sleep(0)
            await work.room()
        await work.finished()
        return outcomes

    def _set_order(self, docs: Sequence[Doc]) -> list[int] | None:
        """Places of the documents in the order that somebody has set; None if nobody has."""
        if self.order is not None:
            return self.order(docs)
        if self.config.shuffle_seed is None:
            return None
        places = list(range(len(docs)))
        random.Random(self.config.shuffle_seed).shuffle(places)
        return places

    def _places(self, docs: Sequence[Doc], requests: Sequence[Request], earlier: Sequence[JournalLine]) -> list[int]:
        """Places of the documents in the order in which a server is asked; ``earlier`` are the answers at hand."""
        places = self._set_order(docs)
        if places is None:
            places, self.longest_first = sending_order(requests, [self.size_of(doc) for doc in docs], earlier)
        return places

    async def look_ahead(self, docs: Sequence[Doc]) -> None:
        """Tell ``on_outlook`` what :meth:`greedy_until` would; no question is sent, and no file changed.

        Raises:
            EndpointError: the server cannot be reached.
            JournalError: the journal cannot be read.
        """
        config = self.config
        requests = [self.request(doc) for doc in docs]
        if config.responses_path is not None:
            await self._tell(find_saved(requests, SavedResponses(Path(config.responses_path)))[1])
            return
        lines = kept_lines(Path(config.journal_path)) if config.journal_path is not None else []
        order = self._places(docs, requests, lines)
        ordered, requests = [docs[place] for place in order], [requests[place] for place in order]
        if config.base_url:
            async with self._endpoint() as endpoint:
                kept = {line.key for line in lines}
                await self._tell(await prepare(ordered, requests, config, self._request, endpoint, kept))
            return
        answered = {(line.task, line.sample_id, line.repeat) for line in lines}
        places = [i for i, one in enumerate(requests) if (one.task, one.sample_id, one.repeat) in answered]
        await self._tell(Outlook.unserved(requests, config.window, places))

    def _endpoint(self) -> Endpoint:
        config = self.config
        concurrency = self.gate or config.concurrency
        return Endpoint(config.base_url, config.api_key, concurrency=concurrency, **config.access.options())

    async def _tell(self, outlook: Outlook) -> None:
        """Whoever shows the outlook shows its notes too; else they are logged."""
        self.plan_notes = outlook.notes
        if self.on_outlook is not None:
            await self.on_outlook(outlook)
            return
        for note in outlook.notes:
            logger.warning(note)

    async def _from_server(self, work: AnswerTasks, docs: Sequence[Doc], requests: Sequence[Request]) -> list[Outcome]:
        config = self.config
        journal = Journal(Path(config.journal_path)) if config.journal_path is not None else None
        try:
            order = self._places(docs, requests, [] if journal is None else journal.answers())
            ordered = [docs[place] for place in order]
            async with self._endpoint() as endpoint:
                kept = () if journal is None else journal
                asked = [requests[place] for place in order]
                outlook = await prepare(ordered, asked, config, self._request, endpoint, kept)
                plan = outlook.plan
                if journal is not None:
                    sent = [request for request in plan.requests if request is not None]
                    exact = not config.earlier_limits and (endpoint.counts_tokens or not plan.shortened)
                    outlook.notes.extend(journal_notes(journal, requests, sent, all_planned=exact))
                await self._tell(outlook)
                fitter = Fitter(outlook.window, endpoint, self.on_window)
                by_position = await self._run(endpoint, journal, work, ordered, plan, fitter)
                if fitter.learnt is not None:
                    self.plan_notes.append(
                        f"the server's window of {fitter.learnt} tokens was learnt from {FROM_REFUSAL}; "
                        f"{fitter.shortened} answers are capped below the task's size by it"
                    )
        finally:
            if journal is not None:
                journal.close()
        outcomes: list[Outcome | None] = [None] * len(docs)
        for position, outcome in zip(order, by_position, strict=True):
            outcomes[position] = outcome
        return [outcome for outcome in outcomes if outcome is not None]

    async def _run(
        self,
        endpoint: Endpoint,
        journal: Journal | None,
        work: AnswerTasks,
        docs: Sequence[Doc],
        plan: Plan,
        fitter: Fitter,
    ) -> list[Outcome]:
        sent = [(doc, request) for doc, request in zip(docs, plan.requests, strict=True) if request is not None]
        doc_of = {id(request): doc for doc, request in sent}
        bar = tqdm(total=len(docs), desc="answers", unit="q", disable=self.on_answer is not None or self.disable_tqdm)

        started = time.monotonic()

        async def ready() -> None:
            if self.enough is not None:
                await work.caught_up()  # what is at hand may be enough
            await work.room()

        def arrived(doc: Doc, outcome: Outcome) -> None:
            bar.update()
            if outcome.status in ("answered", "blocked") and not outcome.from_journal:
                tokens = self.generated[0] if self.generated is not None else 0
                self.generated = (tokens + max(outcome.completion_tokens or 0, 0), time.monotonic() - started)
            work.start(doc, without_marks(outcome, self.config.reasoning_marks))  # the journal keeps it as it came

        with bar:
            for position, outcome in plan.rejected.items():
                arrived(docs[position], outcome)
            answered = await endpoint.run(
                [request for _, request in sent],
                journal,
                lambda request, outcome: arrived(doc_of[id(request)], outcome),
                ready,
                fitter,
                self.on_waiting,
                self.enough,
                sum(self.first(doc) for doc, _ in sent),
                work.finished,
            )
        await work.finished()
        remaining = iter(answered)
        return [plan.rejected[i] if request is None else next(remaining) for i, request in enumerate(plan.requests)]

    async def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        """Raise NotImplementedError: this package's tasks only generate."""
        raise NotImplementedError("the endpoint model generates text; log-likelihood tasks need another backend")

    async def loglikelihood_rolling(self, docs: list[Doc]) -> list[ModelResponse]:
        """Raise NotImplementedError: this package's tasks only generate."""
        raise NotImplementedError("the endpoint model generates text; log-likelihood tasks need another backend")
