"""A LightEval model response that says how it came about."""

from dataclasses import dataclass, field
from typing import Any

from lighteval.models.model_output import ModelResponse

from endpoints.answer_tasks import Scored
from endpoints.request import Outcome, Request, storable

__all__ = ["EndpointResponse", "to_response"]


@dataclass
class EndpointResponse(ModelResponse):
    """ModelResponse plus what metrics and details need to tell a failure from an empty answer.

    Attributes:
        outcome: ``answered``, ``failed`` or ``not_asked``.
        error: the server's words or our reason, None when answered.
        error_code: stable name of the error, None when answered.
        finish_reasons: one a text, as the server gave it.
        truncated: whether the token cap ended the answer.
        prompt_tokens, completion_tokens: as the server counted, None when it did not say.
        attempts: requests sent for this answer.
        judgement: what a judge made of it, as JSON; empty without a judge.
        record: the scored answer, if it was scored on its way; no field, so that the details file, which holds it as
            the metric's value, does not hold it twice.
    """

    outcome: str = "answered"
    error: str | None = None
    error_code: str | None = None
    finish_reasons: list[str | None] = field(default_factory=list)
    truncated: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    attempts: int = 0
    judgement: str = ""

    def __post_init__(self) -> None:
        self.record: Any = None


def to_response(request: Request, outcome: Outcome, scored: Scored | None = None) -> EndpointResponse:
    """LightEval's view of an outcome. ``text`` always holds one string: LightEval drops samples with none."""
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
        attempts=outcome.attempts,
        judgement=storable(scored.judgement) if scored is not None else "",
    )
    response.record = scored.record if scored is not None else None
    return response


def _count(tokens: int | None) -> int | None:
    """A token count that the details file can hold; an absurd one is no count."""
    return tokens if tokens is not None and 0 <= tokens < 2**53 else None
