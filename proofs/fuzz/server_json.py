"""Grammar: what servers send as JSON, drawn right and spoiled: replies, errors, lists of models."""

import json
from random import Random
from typing import Any, Final

from proofs.fuzz.mutation import edited
from proofs.fuzz.prose import sentence
from proofs.fuzz.values import nested, spoiled

__all__ = ["ERRORS", "HEADERS", "STATUSES", "as_text", "drawn_body", "drawn_choice", "drawn_error"]

_FIELDS: Final = """
choices message content text type finish_reason usage error code detail status refusal reasoning
reasoning_content thinking reasoning_details thinking_blocks tool_calls function name prompt_tokens
completion_tokens reasoning_tokens completion_tokens_details prompt_filter_results data id
content_filter_results filtered promptFeedback blockReason amazon-bedrock-guardrailAction input_sensitive audio
images delta index parent root max_model_len meta n_ctx custom_id response body status_code task repeat attempts
error_code key value summary arguments stop_reason object
"""
_NAMES: Final = tuple(_FIELDS.split())
_REASONS: Final = (
    "stop",
    "length",
    None,
    "",
    "content_filter",
    "tool_calls",
    "eos",
    "MAX_TOKENS",
    "FINISH_REASON_SAFETY",
    "error",
    "abort",
    "repetition",
    "model_length",
    "Timeout",
    {"type": "length"},
    {"reason": "SAFETY"},
    1,
    "\ud83d",
)
ERRORS: Final = (
    "Internal Server Error",
    "Conversation roles must alternate user/assistant",
    "This model's maximum context length is 4,096 tokens",
    "chat_template: system role not supported",
    "content management policy",
    "invalid api key",
    "extra fields: stream_options",
    "Only user and assistant roles are supported",
    "jinja2.exceptions.TemplateError: x",
    "batch expired",
    "",
)
STATUSES: Final = (301, 400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529, 599)
HEADERS: Final = (
    "",
    "1",
    "1.5",
    "-1",
    "1e9",
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Mon, 99 Zzz 0000 99:99:99 +9999",
    "٣",
    "9" * 400,
    "Mon, 01 Jan 0001 00:00:00 +2359",
)


def _content(source: Random) -> Any:
    kind = source.random()
    if kind < 0.6:
        return sentence(source)
    if kind < 0.7:
        return None
    types = ("text", "thinking", "output_text", "refusal", "image_url", "reasoning", "tool_use", "redacted_thinking")
    return [
        {"type": source.choice(types), source.choice(("text", "thinking", "content")): sentence(source)}
        for _ in range(source.randrange(3))
    ]


def drawn_choice(source: Random, inside: str) -> dict[str, Any]:
    """One of a reply's choices, its message under ``inside``: ``message`` or ``delta``."""
    message: dict[str, Any] = {"role": "assistant", "content": _content(source)}
    if source.random() < 0.3:
        message[source.choice(("reasoning", "reasoning_content", "thinking", "reasoning_details"))] = _content(source)
    if source.random() < 0.1:
        message["refusal"] = sentence(source)
    if source.random() < 0.1:
        message["tool_calls"] = [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]
    found: dict[str, Any] = {"index": 0, inside: message, "finish_reason": source.choice(_REASONS)}
    if source.random() < 0.3:
        found["text"] = sentence(source)
        if source.random() < 0.8:
            del found[inside]
    if source.random() < 0.1:
        found["content_filter_results"] = {"hate": {"filtered": source.random() < 0.5, "severity": "high"}}
    return found


def drawn_error(source: Random) -> Any:
    """What servers put under ``error``."""
    words = source.choice(ERRORS) if source.random() < 0.8 else sentence(source)
    shapes: tuple[Any, ...] = (
        words,
        {"message": words, "code": 400},
        {"error": {"message": words}},
        [{"msg": words, "loc": ["body"]}],
    )
    return source.choice(shapes)


def drawn_body(source: Random) -> Any:
    """A reply, an error, or a list of models."""
    kind = source.random()
    if kind < 0.15:
        return {source.choice(("error", "message", "detail")): drawn_error(source)}
    if kind < 0.25:
        entries = [
            {
                "id": name,
                "parent": source.choice((None, "a", "b")),
                "root": "a",
                "max_model_len": source.choice((4_096, "8192", None)),
            }
            for name in ("a", "b")
        ]
        return {"object": "list", "data": entries, "max_model_len": 4_096}
    found: dict[str, Any] = {
        "id": "x",
        "choices": [drawn_choice(source, "message")],
        "usage": {"prompt_tokens": 3, "completion_tokens": 5},
    }
    if source.random() < 0.1:
        found["error"] = source.choice((None, {}, drawn_error(source)))
    return found


def as_text(source: Random, value: Any) -> str:
    """A value as a body: as it is, spoiled, with a text edited, or nested deeply."""
    kind = source.random()
    if kind > 0.4:
        value = spoiled(source, value, _NAMES)
    text = json.dumps(value, ensure_ascii=kind < 0.2)
    if kind > 0.97:
        return text.replace('"x"', nested(source), 1).replace("null", nested(source), 1)
    return edited(source, text) if kind > 0.8 else text
