"""Finds a server's context window in whatever has it: its list of models, its tokenizer, its refusals."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = [
    "FROM_REFUSAL",
    "USUAL",
    "Window",
    "listed_window",
    "named_prompt_tokens",
    "named_window",
    "tokenizer_window",
]

FROM_REFUSAL: Final = "a refused request"
USUAL: Final = "'max_model_len' in the list of models"

# vLLM and SGLang; OpenRouter and Together; Groq; Mistral and LM Studio; llama.cpp; others.
_FIELDS: Final = (
    *("max_model_len", "context_length", "context_window", "max_context_length", "loaded_context_length"),
    *("n_ctx", "max_context_len", "max_seq_len", "max_sequence_length", "context_size", "max_total_tokens"),
)
_INNER: Final = ("meta", "metadata", "top_provider", "limits", "model_info", "info", "details")
_DIGITS: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Window:
    """A context window.

    Attributes:
        tokens: prompt and answer together, in tokens.
        source: where it was learnt, a phrase for the user.
    """

    tokens: int
    source: str


def listed_window(listing: Mapping[str, Mapping[str, Any]], model: str) -> Window | None:
    """The window that a list of models gives for ``model``, under any usual name; the least one if it gives several.

    An adapter without a window of its own (LoRA) has that of the entry that its ``parent`` names.

    Args:
        listing: entries by model id.
        model: id of the model.
    """
    seen: set[str] = set()
    name, entry = model, listing.get(model)
    while entry is not None and name not in seen:
        seen.add(name)
        found = list(_windows(entry))
        if found:
            tokens, field = min(found)
            of = f" of its parent {name!r}" if name != model else ""
            return Window(tokens, f"{field!r}{of} in the list of models")
        parent = entry.get("parent")
        # The parent may be named by its id, or by the path that its own entry has as "root".
        if not isinstance(parent, str) or not parent:
            return None
        by_root = (other for other, listed in listing.items() if listed.get("root") == parent and other != model)
        name = parent if parent in listing else next(by_root, "")
        entry = listing.get(name)
    return None


def _windows(entry: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for field in _FIELDS:
        tokens = _tokens(entry.get(field))
        if tokens is not None:
            yield tokens, field
    for name in _INNER:
        inner = entry.get(name)
        if isinstance(inner, dict):
            for field in _FIELDS:
                tokens = _tokens(inner.get(field))
                if tokens is not None:
                    yield tokens, f"{name}.{field}"


def tokenizer_window(body: bytes) -> Window | None:
    """The window in a reply of vLLM's ``/tokenize``; None if it has none."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    tokens = _tokens(parsed.get("max_model_len")) if isinstance(parsed, dict) else None
    return Window(tokens, "the reply of /tokenize") if tokens is not None else None


def _tokens(value: Any) -> int | None:
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


_NUMBER: Final = r"(?P<n>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{2,9})"
# vLLM, OpenAI, SGLang, llama.cpp, TGI; the number follows the words.
_WINDOW_WORDS: Final = (
    rf"(?:context[ _]length|context window|context size|max(?:imum)?[ _]model[ _]len(?:gth)?)"
    rf"(?: of this model| of the model)?(?: is| of|:|=| \(| limit)?(?: only| at most)?(?: of| is)? ?\(?{_NUMBER}",
    rf"max_new_tokens`? must be <= {_NUMBER}",
    rf'"?n_ctx"?\s*[:=]\s*{_NUMBER}',
)
_PROMPT_WORDS: Final = (
    rf"{_NUMBER} (?:tokens )?(?:in the messages|in your prompt|in the prompt|from the input messages|of text input)",
    rf"{_NUMBER} input tokens",
    rf"prompt (?:contains|has)(?: at least)? {_NUMBER} (?:input )?tokens",
    rf"(?:prompt|input) \((?:length )?{_NUMBER}(?: tokens)?\)",
    rf"Given: {_NUMBER} `inputs` tokens",
)


def named_window(message: str) -> int | None:
    """The window in tokens that a server's refusal of a too long request names; None if it names none."""
    return _first(_WINDOW_WORDS, message)


def named_prompt_tokens(message: str) -> int | None:
    """Number of prompt tokens that a server's refusal of a too long request names; None if it names none."""
    return _first(_PROMPT_WORDS, message)


def _first(patterns: tuple[str, ...], message: str) -> int | None:
    for pattern in patterns:
        found = re.search(pattern, message, re.IGNORECASE)
        if found:
            return int(found["n"].replace(",", ""))
    return None
