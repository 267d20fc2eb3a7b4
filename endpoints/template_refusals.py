"""What servers say of a conversation that the model's chat template does not take, and what a user can change.

vLLM, SGLang, llama.cpp and TGI hand on the words of the template itself, some of them in an error of their own;
mistral-common, Ollama and Google's servers have words of their own.
"""

import re
from typing import Final

__all__ = ["conversation_hint", "raised_in_template"]

_QUOTE: Final = r"['\"`]?"
_TURN: Final = r"(?:message|prompt|instruction|turn|role)"
_ROLE_ORDER: Final = (
    r"alternat",
    r"after (?:the )?role",  # Unexpected role 'system' after role 'user'
    rf"(?:start|begin)s? with (?:an? |the )?{_QUOTE}user",
    rf"no user (?:query|{_TURN})",
    r"\b(?:first|last) (?:non-system )?(?:message|role|turn)\b",
    rf"(?:consecutive|successive) .{{0,30}}{_TURN}",
    r"same role|messages? in a row",
    r"optional system message",
    r"system message.{0,40}(?:begin|first|start)",
    rf"order of (?:the )?{_TURN}",
)
_NO_SYSTEM_ROLE: Final = (
    r"system[ _]?role",
    r"\brole\b.{0,30}\b(?:system|developer)\b",
    rf"only {_QUOTE}user\b.{{0,40}}\b(?:role|message|assistant)",
    rf"{_QUOTE}user{_QUOTE} (?:or|and) {_QUOTE}(?:assistant|model)\b",
    rf"\b(?:system|developer)\b{_QUOTE} {_TURN}s?.{{0,60}}(?:\bnot\b|n't|unsupported|disallow)",
    rf"(?:\bnot?\b|n't|unsupported|without).{{0,40}}\b(?:system|developer)\b{_QUOTE} {_TURN}",
)
_NO_TEMPLATE: Final = (
    r"template not found",
    r"no (?:default )?(?:chat[ _])?template",
    r"does not support chat",
    r"chat[ _]template(?!_kwargs)",
)
_RAISED: Final = (r"jinja", r"raise_exception", r"template[ _]?error", r"template (?:failed|rendering)")


def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# The first match wins.
_HINTS: Final = (
    (
        _any(_ROLE_ORDER),
        "the model's chat template does not take turns in this order (many want user and assistant to alternate): "
        "drop --system-prompt, or use a task without few-shot turns or conversations",
    ),
    (_any(_NO_SYSTEM_ROLE), "the model's chat template has no system role: drop --system-prompt"),
    (_any(_NO_TEMPLATE), "the server has no usable chat template: is this a base model? Serve an instruct model"),
    (
        _any(_RAISED),
        "the model's chat template refuses this conversation: look at --system-prompt, --chat-template-kwargs and the "
        "few-shot turns",
    ),
)
_raised = _any(
    (*_RAISED, r"roles? must alternate", r"system role not supported", r"only user\b.{0,40}\broles are supported")
)


def conversation_hint(message: str) -> str | None:
    """What a user can change after a chat template did not take a conversation; None if the message is no such."""
    return next((hint for pattern, hint in _HINTS if pattern.search(message)), None)


def raised_in_template(status: int, message: str) -> bool:
    """Whether an HTTP 5xx says that the chat template raised (llama.cpp answers so): asking again gives the same."""
    return status >= 500 and _raised.search(message) is not None
