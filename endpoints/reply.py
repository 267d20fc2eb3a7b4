"""Reads the body of a successful response, and checks every field that it uses."""

import json
from typing import Any, Final, Literal

from endpoints.errors import one_line, server_words
from endpoints.finish import ending, reason_words
from endpoints.outcome import MOST_TOKENS, Outcome, storable
from endpoints.shallow_json import read_json
from endpoints.withheld import WITHHELD_PARTS, withheld, withheld_body, withheld_prompt

__all__ = ["AbortedReplyError", "BadReplyError", "read_reply"]


class BadReplyError(ValueError):
    """The body is no response of the kind that was asked for; the message is a phrase that says why."""


class AbortedReplyError(BadReplyError):
    """The server stopped generating before the answer was complete."""


def read_reply(kind: Literal["chat", "completion"], body: bytes) -> Outcome:
    """Read the answered or blocked outcome in a response body.

    A null or missing chat content is an empty answer, unless the server says that it withheld the text
    (:mod:`endpoints.withheld`); a list of parts in which nothing was understood is none. The
    reasoning is read from ``reasoning`` (newer vLLM), ``reasoning_content`` (older vLLM) or another field of that kind,
    whichever holds text, or from the parts.

    Args:
        kind: the kind of the request.
        body: raw body of a response with status 200.

    Raises:
        BadReplyError: the body is not JSON, has no choices, or its first choice has another shape.
        AbortedReplyError: the finish reason is not known to end an answer, or an error stands beside the choices or
            in the first of them.
    """
    try:
        parsed: Any = read_json(body)
    except ValueError:
        raise BadReplyError(
            f"the body is not JSON: {one_line(body.decode('utf-8', 'replace'), 200) or '(empty)'}"
        ) from None
    choices = parsed.get("choices") if isinstance(parsed, dict) else None
    blocked = withheld_body(parsed) if isinstance(parsed, dict) else None
    if isinstance(parsed, dict) and not choices:
        blocked = withheld_prompt(parsed) or blocked
        choices = [{}] if blocked is not None else choices
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadReplyError(f"the body has no choices: {server_words(body)[0]}")
    choice: dict[str, Any] = choices[0]
    finish_reason = reason_words(choice.get("finish_reason"))
    if blocked is None:
        _check_whole(parsed, choice, finish_reason)
    text, reasoning, fault = "", None, None
    try:
        text, reasoning = _chat(choice) if kind == "chat" else (_completion(choice), None)
    except BadReplyError as error:
        fault = error
    blocked = blocked or withheld(choice, text, parsed.get("error"))
    if fault is not None and blocked is None:
        raise fault
    usage = parsed.get("usage")
    counts: dict[str, Any] = usage if isinstance(usage, dict) else {}
    details = counts.get("completion_tokens_details")
    thought = counts.get("reasoning_tokens")
    if isinstance(details, dict):
        thought = details.get("reasoning_tokens", thought)
    return Outcome(
        status="answered" if blocked is None else "blocked",
        text=storable(text),
        reasoning=None if reasoning is None else storable(reasoning),
        finish_reason=finish_reason,
        prompt_tokens=_optional_count(counts.get("prompt_tokens")),
        completion_tokens=_optional_count(counts.get("completion_tokens")),
        reasoning_tokens=_optional_count(thought),
        attempts=1,
        error=None if blocked is None else storable(blocked),
        error_code=None if blocked is None else "blocked",
    )


def _check_whole(parsed: dict[str, Any], choice: dict[str, Any], finish_reason: str | None) -> None:
    """Check that nothing in the body says that the generation broke off.

    Raises:
        AbortedReplyError: something does.
    """
    if ending(finish_reason) == "blocked":
        return  # an error beside it is the filter's
    broken = ending(finish_reason) == "broken"
    reason = f" (finish_reason {one_line(finish_reason or '', 100)!r})" if broken else ""
    message = choice.get("message")
    given = choice.get("finish_reason")
    places = (parsed, choice, message if isinstance(message, dict) else {}, given if isinstance(given, dict) else {})
    for place in places:
        # Many servers send the field with every answer, empty: null, "", {}.
        error = place.get("error") or (place.get("message") if broken and place is given else None)
        if error:
            said = server_words(json.dumps({"error": error}).encode())[0]
            raise AbortedReplyError(f"the server broke the generation off{reason}: {said}")
    if broken:
        raise AbortedReplyError(f"the server broke the generation off{reason}")


def _chat(choice: dict[str, Any]) -> tuple[str, str | None]:
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BadReplyError("the first choice has no message")
    content = message.get("content")
    trace = next(filter(None, (_trace(message.get(name)) for name in _REASONING_FIELDS)), None)
    if isinstance(content, list):
        content, thought = _parts(content)
        trace = trace or thought
    if content is not None and not isinstance(content, str):
        raise BadReplyError(f"the message content is of type {type(content).__name__}")
    return content or "", trace or None


# Newer vLLM, older vLLM, Ollama, OpenRouter, LiteLLM.
_REASONING_FIELDS: Final = ("reasoning", "reasoning_content", "thinking", "reasoning_details", "thinking_blocks")


def _trace(value: Any) -> str | None:
    """Reasoning that stands apart from the answer: a text, or parts; None if there is none that can be read."""
    if isinstance(value, list):
        return "".join(filter(None, map(_part_text, value))) or None
    return _part_text(value)


# Types of parts that hold the model's reasoning: Mistral's and Anthropic's, and others' names for the same.
_REASONING_PARTS: Final = frozenset({"thinking", "reasoning", "reasoning_text", "reasoning_content", "summary_text"})
_HIDDEN_PARTS: Final = frozenset({"redacted_thinking", "reasoning.encrypted"})


def _parts(parts: list[Any]) -> tuple[str, str]:
    """The answer and the reasoning in a content of typed parts, as some gateways return it.

    A part of whatever type that holds a text (``text``, ``output_text``) belongs to the answer, unless its type says
    that it is reasoning. Parts that hold none, such as images, are passed over beside parts that were understood.

    Raises:
        BadReplyError: no part was understood, or a part is a text by its type and holds none.
    """
    said: list[str] = []
    thought: list[str] = []
    unknown: list[str] = []
    for part in parts:
        kind = _optional_text(part.get("type")) if isinstance(part, dict) else None
        text = _part_text(part)
        if kind in WITHHELD_PARTS:
            continue
        if kind in _REASONING_PARTS or kind in _HIDDEN_PARTS:
            thought.append(text or "")
        elif text is not None:
            said.append(text)
        elif kind in ("text", "output_text"):
            raise BadReplyError(f"a content part of type {kind!r} holds no text")
        else:
            unknown.append(str(kind or type(part).__name__))
    if unknown and not said and not thought:
        names = one_line(", ".join(dict.fromkeys(unknown)), 200)
        raise BadReplyError(f"no part of the message content holds a text (types: {names})")
    return "".join(said), "".join(thought)


def _part_text(part: Any) -> str | None:
    """The text of one part: ``"..."``, ``{"text": "..."}``, ``{"text": {"value": "..."}}`` or a list of these."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None
    for name in ("text", "thinking", "reasoning", "content", "summary"):
        value = part.get(name)
        if isinstance(value, dict):
            value = value.get("value")
        if isinstance(value, list) and value:
            inner = [_part_text(item) for item in value if not isinstance(item, list)]
            value = "".join(text for text in inner if text is not None) if any(inner) else None
        if isinstance(value, str):
            return value
    return None


def _completion(choice: dict[str, Any]) -> str:
    text = choice.get("text")
    if not isinstance(text, str):
        raise BadReplyError("the first choice has no text")
    return text


def _optional_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _optional_count(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one, whatever a server says: details files hold 64 bits."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None
