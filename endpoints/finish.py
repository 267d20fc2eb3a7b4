"""How a generation ended, from the word that the server has for it.

Only words that are known to mean an end, or a cut, make an answer. Words of a content filter mean that the server
withheld the text. Every other word means that the generation broke off: its text is a fragment, and a fragment must not
be scored.
"""

import re
from typing import Any, Final, Literal

__all__ = ["Ending", "calls_a_tool", "ending", "reason_words"]

Ending = Literal["end", "cut", "blocked", "broken"]

# Folded by _fold.
_TOOL_CALLS: Final = frozenset({"tool_calls", "function_call", "tool_use", "tool_call", "toolcalls"})
# The model ended its answer, by itself or by a stop string or a tool call.
_ENDS: Final = _TOOL_CALLS | frozenset(
    {
        *("stop", "eos", "eos_token", "stop_sequence", "end_turn"),  # OpenAI and most others, TGI, Together, Anthropic
        *("complete", "completed", "done", "finished", "end", "stop_token", "stop_string", "stop_word"),  # Cohere
        *("word", "eosfound", "stopstringfound"),  # llama.cpp's own path, LM Studio
    }
)
# A limit ended it: the cap, the context window, or the server's own stop of a text that repeats itself.
_CUTS: Final = frozenset(
    {
        *("length", "max_tokens", "max_token", "max_length", "max_len", "token_limit", "limit"),
        *("max_new_tokens", "max_output_tokens", "max_completion_tokens", "maxpredictedtokensreached"),
        *("model_length", "max_model_len", "model_context_window_exceeded", "max_context"),  # Mistral, GLM
        *("context_length", "context_length_exceeded", "contextlengthreached", "context_window_exceeded"),
        *("repetition", "repetition_detected", "repeat", "repetitive", "repeated_tokens"),  # vLLM's own stop, others'
    }
)
# A filter withheld the text, or what was left of it: words of OpenAI, Azure, Bedrock, Gemini, Anthropic, Cohere, GLM,
# Alibaba, and whatever else speaks of filtering. Google writes "content_filter: SAFETY" too.
_BLOCKS: Final = frozenset(
    {
        "recitation",
        "spii",
        "language",
        "model_armor",
        "blocked",
        "block",
        "flagged",
        "error_toxic",
        "data_inspection_failed",
    }
)
_filtered = re.compile(
    r"filter|guardrail|safety|unsafe|refus|prohibit|blocklist|sensitive|toxic|moderat|polic|censor|harm"
).search
_broken = re.compile("error|time_?out|unavailable|fail").search
_PREFIXES: Final = ("finish_reason_", "finishreason.", "finish_reason.", "stop_reason_", "reason_")


def ending(reason: str | None) -> Ending:
    """What a finish reason means: an end, a cut, a filter's work, or a generation that broke off.

    Case, hyphens and the prefixes of enumerations do not matter (``MAX_TOKENS``, ``FINISH_REASON_STOP``). A server that
    gives no reason, or an empty one, says nothing against its answer.

    Args:
        reason: the server's word; None if it gave none.
    """
    folded = _fold(reason or "")
    if not folded or folded in _ENDS:
        return "end"
    if folded in _CUTS:
        return "cut"
    filtered = _filtered(folded) is not None and _broken(folded) is None
    return "blocked" if filtered or folded in _BLOCKS else "broken"


def calls_a_tool(reason: str | None) -> bool:
    """Whether a finish reason says that a tool call ended the generation."""
    return _fold(reason or "") in _TOOL_CALLS


def reason_words(value: Any) -> str | None:
    """The finish reason as one word, from a string or from an object such as ``{"type": "length", "length": 16}``.

    Returns:
        The word as the server spelled it; None if there is none. A value of another kind is given as its own text,
        which is no known reason.
    """
    if isinstance(value, dict):
        value = next((value[name] for name in ("type", "reason", "name") if value.get(name)), str(value or ""))
    if value is None or isinstance(value, str):
        return value or None
    return str(value)


def _fold(reason: str) -> str:
    folded = reason.strip().casefold().replace("-", "_").replace(" ", "_")
    for prefix in _PREFIXES:
        if folded.startswith(prefix):
            return folded[len(prefix) :]
    return folded
