"""Fits requests into the server's context window before anything is sent."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Protocol

from endpoints.errors import EndpointError
from endpoints.outcome import Outcome
from endpoints.request import Request
from endpoints.window import named_prompt_tokens, named_window

__all__ = ["TOKENS_PER_BYTE", "Fitter", "Plan", "TokenCounter", "plan_requests", "prompt_bytes"]

_NAMED = 5  # ids shown when a list could be long

# Role markers and the generation prompt of any chat template we have met, a message.
_TEMPLATE_BYTES = 64
# Without a token counter: Russian and English text both need fewer tokens than this share of their bytes.
TOKENS_PER_BYTE: Final = 0.5
_REFITS: Final = 2  # to the window that the refusal names, and to the prompt's tokens if those were guessed too low


class TokenCounter(Protocol):
    """An object that counts the prompt tokens of a request as the server does."""

    async def count_prompt_tokens(self, request: Request) -> int | None:
        """Number of tokens of the prompt with its chat template; None if the server cannot count them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """The requests that fit the window, and those that do not.

    Attributes:
        requests: the request of each question, its cap reduced if the window needs it; None if it cannot fit.
        rejected: the outcome of each question that cannot fit, by its position in ``requests``.
        shortened: number of requests whose cap was reduced.
        counted: tokens of the prompts that the server counted, by position.
    """

    requests: list[Request | None]
    rejected: dict[int, Outcome]
    shortened: int
    counted: Mapping[int, int] = dataclasses.field(default_factory=dict)

    def notes(self, requests: Sequence[Request], window: int | None) -> list[str]:
        """What a user is told: how many questions do not fit and which, and how many caps were reduced.

        Args:
            requests: as they were planned.
            window: the server's context length in tokens.
        """
        notes = []
        if self.rejected:
            ids = [f"{requests[place].task} {requests[place].sample_id}" for place in self.rejected]
            more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
            notes.append(
                f"{len(ids)} of {len(requests)} questions do not fit the server's window of {window} tokens "
                f"and are not asked: {', '.join(ids[:_NAMED])}{more}"
            )
        if self.shortened:
            notes.append(
                f"{self.shortened} of {len(requests)} answers are capped below the task's size "
                f"by the window of {window} tokens"
            )
        return notes


async def plan_requests(
    requests: Sequence[Request], window: int | None, counter: TokenCounter, *, exact: bool = False
) -> Plan:
    """Reduce each cap to what the prompt leaves of the window, and reject prompts that leave nothing.

    A tokenizer yields about one token a byte at most. If the prompt's bytes and the cap together are no more than the
    window, the prompt's tokens need not be counted. Otherwise the server counts them; if it cannot, the number is
    estimated from the bytes, or the request stays as it is where only exact counts are wanted.

    Args:
        requests: the requests, with the caps that their tasks ask for.
        window: the server's context length in tokens; None if it is unknown: all caps then stay as they are.
        counter: counts prompt tokens, usually the endpoint.
        exact: whether nothing is estimated.
    """
    if window is None:
        return Plan(list(requests), {}, 0)
    planned: list[Request | None] = []
    rejected: dict[int, Outcome] = {}
    shortened = 0
    sizes = [prompt_bytes(request) for request in requests]
    doubtful = [i for i, request in enumerate(requests) if sizes[i] + request.max_tokens > window]
    # All at once: the counter bounds what it has in flight, and one after the other a far server would take minutes.
    answers = await asyncio.gather(*(counter.count_prompt_tokens(requests[i]) for i in doubtful))
    counts = dict(zip(doubtful, answers, strict=True))
    for position, request in enumerate(requests):
        size = sizes[position]
        tokens = counts.get(position)
        if position not in counts or (exact and tokens is None):
            planned.append(request)
            continue
        exactly = tokens is not None
        if tokens is None:
            tokens = int(size * TOKENS_PER_BYTE)
        left = window - tokens
        if left < 1:
            count = (
                f"{tokens} prompt tokens" if exactly else f"about {tokens} prompt tokens (estimated from {size} bytes)"
            )
            planned.append(None)
            why = f"{count} leave no room in the server's window of {window}"
            rejected[position] = Outcome.unasked(why, "does-not-fit")
        elif left < request.max_tokens:
            planned.append(dataclasses.replace(request, max_tokens=left))
            shortened += 1
        else:
            planned.append(request)
    counted = {i: count for i, count in counts.items() if count is not None}
    return Plan(planned, rejected, shortened, counted)


class Fitter:
    """Fits requests to a window that may become known only when the server refuses one of them.

    Args:
        window: the window in tokens that the requests were planned for; None if it is unknown.
        counter: counts prompt tokens.
        on_learnt: called with a window that a refusal has named, in tokens.
        planned: whether the requests were planned for ``window`` before. If not, each is planned when it comes, by
            exact counts alone: a cap that is lowered on an estimate may cut an answer that had room.

    Attributes:
        learnt: the least window that a refusal has named below the planned one; None before.
        shortened: number of requests whose cap was lowered since.
    """

    def __init__(
        self,
        window: int | None,
        counter: TokenCounter,
        on_learnt: Callable[[int], None] | None = None,
        *,
        planned: bool = True,
    ) -> None:
        self._window = window
        self._counter = counter
        self._on_learnt = on_learnt
        self._planned = planned
        self.learnt: int | None = None
        self.shortened = 0

    async def ask(self, request: Request, send: Callable[[Request], Awaitable[Outcome]]) -> Outcome:
        """The outcome of a request that is fitted, sent, and sent again with a lower cap if a refusal says which.

        Args:
            request: the request.
            send: sends one request.
        """
        fitted = await self.fit(request)
        if isinstance(fitted, Outcome):
            return fitted
        outcome = await send(fitted)
        for _ in range(_REFITS):
            smaller = await self.refit(fitted, outcome)
            if smaller is None:
                break
            fitted = smaller
            outcome = await send(fitted)
        return outcome

    async def fit(self, request: Request) -> Request | Outcome:
        """The request, its cap lowered if the window needs it; the outcome of one that cannot fit.

        Requests that were planned before are lowered only if a smaller window was learnt meanwhile.
        """
        window = self.learnt if self._planned else self._window
        try:
            plan = await plan_requests([request], window, self._counter, exact=not self._planned)
        except EndpointError:  # the count failed: the request itself will say why
            return request
        self.shortened += plan.shortened
        fitted = plan.requests[0]
        return plan.rejected[0] if fitted is None else fitted

    async def refit(self, request: Request, outcome: Outcome) -> Request | None:
        """What to send after this outcome of the request: the same with a lower cap, or None for nothing.

        A refusal that names a window below the known one makes it known.
        """
        if outcome.error_code != "context-overflow":
            return None
        words = outcome.error or ""
        named = named_window(words)
        if named is not None and (self._window is None or named < self._window):
            self._window = self.learnt = named
            if self._on_learnt is not None:
                self._on_learnt(named)
        if self._window is None:
            return None
        fitted = await self.fit(request) if self.learnt is not None else request
        if isinstance(fitted, Outcome):
            return None  # the server's own words are the better ones
        if fitted is request:  # the prompt has more tokens than were counted or estimated
            tokens = named_prompt_tokens(words)
            if tokens is None or not 0 < self._window - tokens < request.max_tokens:
                return None
            self.shortened += 1
            return dataclasses.replace(request, max_tokens=self._window - tokens)
        return fitted


def prompt_bytes(request: Request) -> int:
    """Bytes of a prompt in UTF-8, with what a chat template may add."""
    if request.prompt is not None:
        return len(request.prompt.encode("utf-8", "replace"))
    messages = request.messages or ()
    return sum(len(message["content"].encode("utf-8", "replace")) + _TEMPLATE_BYTES for message in messages)
