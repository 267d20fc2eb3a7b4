"""Finds out why a request got no answer, from the HTTP status or the exception."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

import httpx2
import openai

from endpoints.errors import ErrorCode, hint_for, is_about_content, is_context_overflow, one_line, server_words
from endpoints.outcome import Outcome
from endpoints.reply import AbortedReplyError, BadReplyError
from endpoints.retry import is_retried, retry_after_s
from endpoints.template_refusals import conversation_hint, raised_in_template
from endpoints.transport import ReplyTooLongError

__all__ = ["MALFORMED", "Failure", "connection_failure", "refuses_usage", "reply_failure", "status_failure"]

# A redirect, a malformed request, a wrong key, model or path; a body too large (413), say, is a matter of one sample.
_REFUSES_ALL: Final = frozenset({*range(300, 400), 400, 401, 403, 404, 405, 422})
# The server has read the body and objects to something in it: the key and the path are right.
MALFORMED: Final = frozenset({400, 422})
# These may be about what one request holds: gateways answer 403 to a prompt that their moderation rejects.
_ABOUT_THE_BODY: Final = MALFORMED | {403}
_SECRET: Final = 6  # characters; a shorter text is found in words that mean something else
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|«[^»]*»|\b[0-9a-f]{8}[0-9a-f-]*\b|\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request got no answer.

    Attributes:
        code: stable code, see :data:`endpoints.errors.ERROR_CODES`.
        error: one line for people, with the server's message.
        retried: whether another attempt may succeed.
        status: HTTP status; None if there was no response.
        retry_after: number of seconds that the server asked to wait; None if it asked for none.
        server_message: the server's message alone; ``""`` if there was no response.
        attempts: number of attempts sent.
    """

    code: ErrorCode
    error: str
    retried: bool
    status: int | None = None
    retry_after: float | None = None
    server_message: str = ""
    attempts: int = 1

    @property
    def refuses_all(self) -> bool:
        """Whether the server may well refuse every other request for the same reason."""
        listed = self.status in _REFUSES_ALL or self.raised_in_template
        return self.code == "refused" and listed and not self.about_content

    @property
    def raised_in_template(self) -> bool:
        """Whether the chat template raised in the server."""
        return raised_in_template(self.status or 0, self.server_message)

    @property
    def about_the_body(self) -> bool:
        """Whether it may concern what this one request holds."""
        return self.status in _ABOUT_THE_BODY or self.raised_in_template

    @property
    def about_content(self) -> bool:
        """Whether the content of this one prompt was refused."""
        return self.status in _ABOUT_THE_BODY and is_about_content(self.server_message)

    @property
    def kind(self) -> str:
        """Equal for refusals that differ only in what they quote: numbers, ids, pieces of the prompt."""
        hint = hint_for(self.status or 0, self.server_message)
        return f"{self.status}: {hint or _QUOTED.sub('', self.server_message)}"

    def noting(self, note: str) -> "Failure":
        """A copy with a further phrase in the line for people."""
        return replace(self, error=f"{self.error}; {note}")

    def after(self, attempts: int, note: str = "") -> "Failure":
        """A copy with this number of attempts."""
        return replace(self.noting(note) if note else self, attempts=attempts)

    def without(self, secrets: Sequence[str]) -> "Failure":
        """A copy that does not repeat a key or header which the server's words repeat."""
        error, message = self.error, self.server_message
        for secret in secrets:
            if len(secret) >= _SECRET:
                error, message = (text.replace(secret, "(hidden)") for text in (error, message))
        return self if error == self.error else replace(self, error=error, server_message=message)

    def outcome(self) -> Outcome:
        """The outcome of the failed request."""
        return Outcome.failure(self.code, self.error, self.attempts)


def _status_code(status: int, message: str, code: str | None) -> ErrorCode:
    if status == 429:
        return "rate-limited"
    # Ollama, older llama.cpp and gateways send such refusals with 500: no other attempt can mend them either.
    known = HTTPStatus.BAD_REQUEST if status == HTTPStatus.INTERNAL_SERVER_ERROR else status
    if is_context_overflow(known, message, code):
        return "context-overflow"
    return "server-error" if is_retried(status) and not raised_in_template(status, message) else "refused"


_USAGE_WORDS: Final = re.compile(
    r"stream_options|include_usage|extra (?:fields|inputs|forbidden)|extra_forbidden|additional propert|"
    r"(?:unknown|unrecogni[sz]ed|unexpected|unsupported|invalid) (?:request )?(?:field|param|arg|key|propert)",
    re.IGNORECASE,
)


def refuses_usage(failure: Failure, *, gave_before: bool) -> bool:
    """Whether a refusal may be of ``stream_options``, which asks for the token counts of a streamed answer.

    Args:
        failure: the refusal.
        gave_before: whether the server has taken that field before; any malformed request is suspected otherwise.
    """
    if failure.code != "refused":
        return False
    suspected = failure.status in MALFORMED and not gave_before and not failure.about_content
    return suspected or _USAGE_WORDS.search(failure.server_message) is not None


def status_failure(response: httpx2.Response, now: float) -> Failure:
    """The failure that a response with an HTTP status other than 2xx means.

    Args:
        response: the response, whose body has been read.
        now: the time in seconds since the epoch, for a ``Retry-After`` header with a date.
    """
    status = response.status_code
    message, code = server_words(response.content)
    if 300 <= status < 400:
        message = f"redirects to {response.headers.get('location', 'nowhere')}: give that address as the base URL"
    meaning = _status_code(status, message, code)
    # Said here too, since not only the first question may meet it.
    hint = conversation_hint(message) if meaning == "refused" and not is_about_content(message) else None
    return Failure(
        meaning,
        f"HTTP {status}: {message}" + (f" (hint: {hint})" if hint is not None else ""),
        retried=meaning in ("rate-limited", "server-error"),
        status=status,
        retry_after=retry_after_s(response.headers, now),
        server_message=message,
    )


def connection_failure(error: openai.APIConnectionError) -> Failure:
    """The failure that a missing, broken or unreadable response means; all but an endless reply are asked for again."""
    cause = error.__cause__
    words = one_line(str(cause or error))
    if isinstance(cause, httpx2.ConnectError):
        return Failure("connection", f"cannot connect: {words}", retried=True)
    if isinstance(cause, ReplyTooLongError):
        return Failure("bad-body", words, retried=False)
    if isinstance(cause, httpx2.RemoteProtocolError | httpx2.DecodingError):
        return Failure("bad-body", words, retried=True)
    return Failure("connection", f"connection lost: {words}", retried=True)


def reply_failure(error: BadReplyError) -> Failure:
    """The failure that a response with status 200 means whose body is no answer."""
    words = str(error)
    if is_context_overflow(HTTPStatus.BAD_REQUEST, words, None):  # gateways send such refusals with status 200
        return Failure("context-overflow", words, retried=False)
    return Failure("aborted" if isinstance(error, AbortedReplyError) else "bad-body", words, retried=True)
