"""A request to an endpoint."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["KEY_VERSION", "Request"]

# Part of every key: raise it when the meaning of a request changes, so that no old journal line is reused.
KEY_VERSION: Final = 1

_PATHS: Final = {"chat": "/chat/completions", "completion": "/completions"}
_RESERVED: Final = frozenset({"max_tokens", "messages", "model", "n", "prompt", "stream"})


@dataclass(frozen=True, slots=True)
class Request:
    """One request to one model: all that decides its answer.

    Attributes:
        task: full task name (``"ifhard:all|0"``).
        sample_id: base id of the question.
        repeat: 0-based number of the repeat.
        kind: ``"chat"`` (``/chat/completions``) or ``"completion"`` (``/completions``).
        model: the name sent to the server.
        messages: chat turns, for ``"chat"`` only.
        prompt: the text to go on from, for ``"completion"`` only.
        max_tokens: cap on the answer, at least 1.
        sampling: the sampling fields that are set: temperature, seed, top_p, stop, ... An empty ``stop`` means none.
        extra_body: further fields of the body (``chat_template_kwargs``, ``response_format``).

    Raises:
        ValueError: messages or prompt do not suit the kind, ``max_tokens`` is below 1, or a field of the body is given
            twice.
    """

    task: str
    sample_id: str
    repeat: int
    kind: Literal["chat", "completion"]
    model: str
    messages: tuple[Mapping[str, str], ...] | None
    prompt: str | None
    max_tokens: int
    sampling: Mapping[str, Any]
    extra_body: Mapping[str, Any]

    def __post_init__(self) -> None:
        suits = (bool(self.messages), self.prompt is not None)
        if suits != ((True, False) if self.kind == "chat" else (False, True)):
            wanted = "messages and no prompt" if self.kind == "chat" else "a prompt and no messages"
            raise ValueError(f"{self.task} {self.sample_id}: a {self.kind} request takes {wanted}")
        if self.max_tokens < 1:
            raise ValueError(f"{self.task} {self.sample_id}: max_tokens is {self.max_tokens}, at least 1 is needed")
        twice = (_RESERVED & (self.sampling.keys() | self.extra_body.keys())) | (
            self.sampling.keys() & self.extra_body.keys()
        )
        if twice:
            raise ValueError(f"{self.task} {self.sample_id}: body fields given twice: {', '.join(sorted(twice))}")

    @property
    def path(self) -> str:
        """The path of its kind under the API's URL."""
        return _PATHS[self.kind]

    def body(self) -> dict[str, Any]:
        """The JSON object sent to the server."""
        said: dict[str, Any] = (
            {"messages": [dict(turn) for turn in self.messages or ()]}
            if self.kind == "chat"
            else {"prompt": self.prompt}
        )
        fields = {"model": self.model, **said, "max_tokens": self.max_tokens, **self.sampling, **self.extra_body}
        if not fields.get("stop", True):
            del fields["stop"]  # an empty list is an error to some servers
        return fields

    def key(self) -> str:
        """The journal's key: the SHA-256, in hexadecimal, of canonical JSON of task, sample, repeat, kind and body.

        Raises:
            ValueError: a number is NaN or infinite, which JSON cannot hold.
            TypeError: a value is of a type that JSON cannot hold.
        """
        identity = {
            "version": KEY_VERSION,
            "task": self.task,
            "id": self.sample_id,
            "repeat": self.repeat,
            "kind": self.kind,
            "body": self.body(),
        }
        # ASCII escapes: the same bytes under any locale, and a lone surrogate does not raise.
        canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()
