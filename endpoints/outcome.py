"""The outcome of a request: an answer, a blocked reply, a failure, or nothing sent; when an answer counts as cut."""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from endpoints.errors import ErrorCode
from endpoints.finish import calls_a_tool, ending

__all__ = ["MOST_TOKENS", "Outcome", "storable"]

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


MOST_TOKENS: Final = 2**53  # no text has as many; what counts more is no count


def storable(text: str) -> str:
    """``text`` with every lone surrogate replaced by U+FFFD.

    A server can send a lone surrogate as a JSON escape (``"\\ud83d"`` without its pair). It has no UTF-8 form, so it
    can be written neither to the journal, nor to parquet, nor to a terminal; only this function replaces it. Every
    other character is kept, NUL and unassigned ones included.
    """
    return text if text.isascii() else _LONE_SURROGATE.sub("�", text)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one request.

    Attributes:
        status: ``"answered"``; ``"blocked"``, when the server withheld the text (:mod:`endpoints.withheld`);
            ``"failed"``, when no attempt got an answer; or ``"not_asked"``, when the request was never sent. Only
            answered requests may be scored.
        text: the answer; of a blocked reply what text it has; ``""`` of others. A null content is ``""``. Lone
            surrogates: see :func:`storable`.
        reasoning: the reasoning that the server returned apart from the answer (``reasoning`` or
            ``reasoning_content``); None without any.
        finish_reason: the server's reason for ending the answer; None if it gave none.
        prompt_tokens: number of prompt tokens that the server counted; None if it gave none.
        completion_tokens: number of the answer's tokens that the server counted; None if it gave none.
        attempts: number of attempts sent; 0 if none was, above 1 if the request was retried.
        error: one line with the server's message or, of a blocked reply, its words; None when answered.
        error_code: a stable code (:data:`endpoints.errors.ERROR_CODES`); None when answered.
        reasoning_tokens: number of the completion tokens that the server counts as reasoning; None if it gave none.
        from_journal: whether the answer was read from the journal instead of the server.
    """

    status: Literal["answered", "blocked", "failed", "not_asked"]
    text: str = ""
    reasoning: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    attempts: int = 0
    error: str | None = None
    error_code: ErrorCode | None = None
    reasoning_tokens: int | None = None
    from_journal: bool = False

    @property
    def truncated(self) -> bool:
        """Whether a limit ended the answer: the token cap, the window, or the server's own stop of repetitions."""
        return ending(self.finish_reason) == "cut"

    @property
    def broken_off(self) -> bool:
        """Whether the finish reason is not known to end an answer, so that the text is a fragment."""
        return ending(self.finish_reason) == "broken"

    @property
    def is_answer(self) -> bool:
        """Whether the text is a whole answer. Older versions filed fragments and blocked replies as answered too."""
        called = calls_a_tool(self.finish_reason) and not self.text.strip()
        return self.status == "answered" and ending(self.finish_reason) in ("end", "cut") and not called

    def after(self, attempts: int) -> "Outcome":
        """A copy with this number of attempts."""
        return self if attempts == self.attempts else replace(self, attempts=attempts)

    @classmethod
    def failure(cls, code: ErrorCode, error: str, attempts: int = 0) -> "Outcome":
        """The outcome of a request that failed."""
        return cls(status="failed", attempts=attempts, error=storable(error), error_code=code)

    @classmethod
    def unasked(cls, why: str, code: ErrorCode | None = None) -> "Outcome":
        """The outcome of a request that was never sent."""
        return cls(status="not_asked", error=why, error_code=code)
