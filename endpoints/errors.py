"""Errors of endpoints: the exceptions, the stable codes, and what servers' error messages mean.

There are three kinds. A sample that got no answer is an :class:`~endpoints.outcome.Outcome` with status
``failed`` and one of the codes below; nothing is raised. A server that cannot be used at all raises
:class:`EndpointError` (exit status 3). A journal that cannot be read or written raises
:class:`~endpoints.journal.JournalError`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, get_args

from endpoints.template_refusals import conversation_hint

__all__ = [
    "ERROR_CODES",
    "EndpointError",
    "ErrorCode",
    "RequestRefused",
    "hint_for",
    "is_about_content",
    "is_context_overflow",
    "one_line",
    "server_words",
    "stream_hint",
]

ErrorCode = Literal[
    "timeout",  # one attempt, or all of them together, took longer than allowed
    "connection",  # refused, reset, closed, name not resolved
    "rate-limited",  # HTTP 429 to the last attempt
    "server-error",  # HTTP 5xx, 408, 409 to the last attempt
    "bad-body",  # truncated, not JSON, or JSON without a usable choice
    "aborted",  # the generation broke off: an error beside the choices, or a finish reason that is no known end
    "context-overflow",  # the server says that prompt and answer do not fit its window
    "does-not-fit",  # found before sending: never sent
    "refused",  # another HTTP 3xx or 4xx
    "blocked",  # the server withheld the text: content filter, refusal, tool call
    "server-gone",  # on the wire when the run gave the server up
    "client-bug",  # our own code raised
]
ERROR_CODES: Final[tuple[str, ...]] = get_args(ErrorCode)

_LINE_LIMIT: Final = 600


class EndpointError(Exception):
    """The endpoint cannot be used; the message is one line for the user, naming the URL (exit status 3)."""


class RequestRefused(EndpointError):  # noqa: N818 (the name says what happened)
    """The server refused requests before it had answered any, so every further one would be refused too.

    Attributes:
        status: HTTP status.
        server_message: the server's message, on one line.
        hint: what the user can change; None if the message is of no known kind.
        sample_id: base id of the refused question.
    """

    def __init__(self, *, url: str, status: int, server_message: str, hint: str | None, sample_id: str) -> None:
        self.status = status
        self.server_message = server_message
        self.hint = hint
        self.sample_id = sample_id
        advice = f" Hint: {hint}" if hint else ""
        super().__init__(f"{url} refused the request for {sample_id!r}: HTTP {status}: {server_message}.{advice}")


def one_line(text: str, limit: int = _LINE_LIMIT) -> str:
    """``text`` on one line: each run of white space becomes one space; a text over ``limit`` characters is cut."""
    # Only a prefix is looked at: an error page may be megabytes long.
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def server_words(body: bytes) -> tuple[str, str | None]:
    """Read the error message and the error code of an error body.

    The body may have OpenAI's shape (``{"error": {"message", "code"}}``), the flat one of older vLLM
    (``{"message", "code"}``) or FastAPI's (``{"detail"}``), or be plain text.

    Args:
        body: the raw response body, which may be empty or incomplete.

    Returns:
        The message on one line, ``"(empty body)"`` for an empty body; and the code, None unless it is a string.
    """
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return one_line(text) or "(empty body)", None
    found = next(_messages(parsed), None)
    return one_line(found if found is not None else text) or "(empty body)", _code(parsed)


def _messages(parsed: Any) -> Iterator[str]:
    if isinstance(parsed, str):
        yield parsed
    elif isinstance(parsed, dict):
        for name in ("error", "message", "detail"):
            value = parsed.get(name)
            if isinstance(value, list) and value:  # FastAPI's 422: a list of located complaints
                yield json.dumps(value, ensure_ascii=False)
            yield from _messages(value)


def _code(parsed: Any) -> str | None:
    if not isinstance(parsed, dict):
        return None
    inner = parsed.get("error")
    for record in (inner, parsed):
        if isinstance(record, dict):
            for name in ("code", "type"):
                value = record.get(name)
                if isinstance(value, str) and value in _OVERFLOW_CODES:
                    return value
            if isinstance(record.get("code"), str):
                return str(record["code"])
    return None


_OVERFLOW_CODES: Final = frozenset({"context_length_exceeded", "exceed_context_size_error"})

# The wordings in use: vLLM ("maximum context length is 8192 tokens", "longer than the maximum model length of",
# "exceeds model's maximum context length"), OpenAI ("exceeds the context window"), llama.cpp ("context size"), TGI
# ("`inputs` tokens + `max_new_tokens` must be <= 4096").
_OVERFLOW_WORDS: Final = re.compile(
    r"context[ _]length|context window|context size|max(?:imum)?[ _]model[ _]len|max_new_tokens`? must be <= [0-9]",
    re.IGNORECASE,
)
_OVERFLOW_STATUSES: Final = frozenset({400, 413, 422})


def is_context_overflow(status: int, message: str, code: str | None) -> bool:
    """Whether an HTTP error says that the prompt, or prompt and answer together, exceed the model's window."""
    if code in _OVERFLOW_CODES:
        return True
    return status in _OVERFLOW_STATUSES and _OVERFLOW_WORDS.search(message) is not None


# OpenAI and Azure ("content_policy_violation", "content management policy", "ResponsibleAIPolicyViolation"),
# OpenRouter ("your input was flagged"), Alibaba ("DataInspectionFailed"), GLM ("sensitive content"), Gemini
# ("PROHIBITED_CONTENT").
_CONTENT_WORDS: Final = re.compile(
    r"content[ _-]?(?:policy|filter|management|safety|moderation)|moderation|\bflagged\b|responsible[ _]?ai|"
    r"data[ _]?inspection|(?:sensitive|inappropriate|unsafe|prohibited|harmful)[ _](?:content|input|text|word)|"
    r"safety[ _](?:system|polic|filter|settings)|usage polic|guardrail|blocklist",
    re.IGNORECASE,
)


def is_about_content(message: str) -> bool:
    """Whether a refusal says that this prompt's own content is not wanted, which concerns no other prompt."""
    return _CONTENT_WORDS.search(message) is not None


_KEY_HINT: Final = "check the key in the variable that --api-key-env names"
_URL_HINT: Final = "check --base-url (it usually ends in /v1) and --model"

_STREAM_HINT: Final = "the server only streams its answers: add --stream"

# Status (None: any), pattern, hint; the first match wins, those on the conversation come before.
_HINTS: Final[tuple[tuple[int | None, str, str], ...]] = (
    (None, r"api[ _-]?key|unauthori[sz]ed|authenticat", _KEY_HINT),
    (None, r"model.{0,120}(?:does not|not) (?:exist|found)", "--model must be a name that the server lists"),
    (
        None,
        r"non-?stream|\bstream\W{0,6}(?:is |set to )?\W?false.{0,30}(?:not|un)|\bstream.{0,10}!=\W*true",
        _STREAM_HINT,
    ),
    (
        None,
        r"(?:not|n't|cannot|unable to|un)\s?(?:support\w*|available|implement\w*|enabled?).{0,30}\bstream(?!_)|"
        r"\bstream(?:ing|ed)?\b.{0,40}(?:disabled|(?:not|n't|un).{0,10}(?:support|allow|avail|implement|enabled))|"
        r"\bstream\b.{0,20}(?:to|be|=|:)\W{0,3}false",
        "the server does not stream: drop --stream",
    ),
    (
        None,
        r"(?:only|must|requires?|required|please|need(?:s|ed)?)\b.{0,60}\bstream(?!_)|"
        r"\bstream(?:ing|ed)?\b.{0,40}(?:only|requir|must|mandatory|\btrue\b)",
        _STREAM_HINT,
    ),
    (
        None,
        r"extra (?:fields|inputs)|unrecognized|unexpected|not permitted|unsupported",
        "the server does not know a field that was sent: drop it from --chat-template-kwargs or --extra-body, or drop "
        "the sampling option it names",
    ),
    (401, r"", _KEY_HINT),
    (403, r"", _KEY_HINT),
    (404, r"", _URL_HINT),
    (405, r"", _URL_HINT),
)


def hint_for(status: int, message: str) -> str | None:
    """What a user can change after a refusal with this message; None if the message is of no known kind."""
    found = conversation_hint(message)
    if found is not None:
        return found
    for wanted, pattern, hint in _HINTS:
        if wanted in (None, status) and re.search(pattern, message, re.IGNORECASE):
            return hint
    return None


def stream_hint(message: str) -> str | None:
    """The hint for a server that says that it only streams; None for other words."""
    hint = hint_for(0, message)
    return hint if hint == _STREAM_HINT else None
