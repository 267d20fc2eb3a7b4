"""A LightEval model response with the outcome of its request."""

from dataclasses import dataclass, field
from typing import Any

from lighteval.models.model_output import ModelResponse

from endpoints.answer_tasks import Scored
from endpoints.outcome import Outcome, storable
from endpoints.request import Request

__all__ = ["EndpointResponse", "to_response"]


@dataclass
class EndpointResponse(ModelResponse):
    """A ModelResponse by which metrics and details can distinguish a failure from an empty answer.

    Attributes:
        outcome: ``answered``, ``blocked``, ``failed`` or ``not_asked``.
        error: the server's message or words, or why nothing was sent; None when answered.
        error_code: stable code of the error; None when answered.
        finish_reasons: the server's reason for ending each text; None where it gave none.
        truncated: whether the token cap ended the answer.
        prompt_tokens, completion_tokens, reasoning_tokens: numbers of tokens that the server counted, the last being
            part of the second; None if it gave none.
        attempts: number of requests sent for this answer.
        judgement: the judge's result as JSON; empty without a judge.
        record: the scored answer, or None if it was not scored yet. It is no field: the details file holds it as the
            metric's value, and would hold it twice.
    """

    outcome: str = "answered"
    error: str | None = None
    error_code: str | None = None
    finish_reasons: list[str | None] = field(default_factory=list)
    truncated: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    attempts: int = 0
    judgement: str = ""

    def __post_init__(self) -> None:
        self.record: Any = None


def to_response(request: Request, outcome: Outcome, scored: Scored | None = None) -> EndpointResponse:
    """Make the response of an outcome. Its ``text`` always holds one string, since LightEval drops samples without."""
    messages = [dict(message) for message in request.messages] if request.messages is not None else None
    response = EndpointResponse(
        input=messages if messages is not None else request.prompt,
        text=[outcome.text],
        reasonings=[outcome.reasoning],
        outcome=outcome.status,
        error=outcome.error,
        error_code=outcome.error_code,
        finish_reasons=[outcome.finish_reason],
        truncated=outcome.truncated,
        prompt_tokens=_count(outcome.prompt_tokens),
        completion_tokens=_count(outcome.completion_tokens),
        reasoning_tokens=_count(outcome.reasoning_tokens),
        attempts=outcome.attempts,
        judgement=storable(scored.judgement) if scored is not None else "",
    )
    response.record = scored.record if scored is not None else None
    return response


def _count(tokens: int | None) -> int | None:
    """A token count, or None if it is negative or too large for the details file."""
    return tokens if tokens is not None and 0 <= tokens < 2**53 else None
