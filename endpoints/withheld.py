"""Finds out whether a server withheld the text of a reply: by a content filter, a refusal, a tool call, or a sound or
picture in its place.

Such a reply is *blocked*. It says nothing of the model's answer, so nothing of it is scored, not even a text that came
before the filter set in.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from endpoints.errors import one_line, server_words
from endpoints.finish import calls_a_tool, ending, reason_words

__all__ = ["WITHHELD_PARTS", "withheld", "withheld_body", "withheld_prompt"]

_SHOWN: Final = 200  # characters of a refusal
_TOOL_PARTS: Final = frozenset({"tool_use", "tool_call", "tool-call", "function_call", "server_tool_use"})
_RESULTS: Final = ("content_filter_results", "content_filter_result")  # Azure has both spellings
_OTHER_KINDS: Final = ("audio", "image", "images", "video", "files")
WITHHELD_PARTS: Final = _TOOL_PARTS | {"refusal"}
"""Types of content parts that stand in place of a text."""


def withheld(choice: Mapping[str, Any], text: str, error: Any = None) -> str | None:
    """Why the text of a choice is withheld, in the server's words.

    A filter's finish reason, a filter that says it took something out, a refusal, and a tool call each block a reply,
    whatever text stands beside them. A finish reason of a tool call alone, a sound and a picture do so only without a
    text.

    Args:
        choice: the choice, with a ``message`` in a chat response.
        text: the text that was read from it.
        error: an error that stands beside the choice, None for none.

    Returns:
        One line, None if nothing was withheld.
    """
    message = choice.get("message")
    said: Mapping[str, Any] = message if isinstance(message, dict) else {}
    parts = said.get("content")
    typed = parts if isinstance(parts, list) else []
    parts = [part for part in typed if isinstance(part, dict) and isinstance(part.get("type"), str)]
    found = [*_filter_words(choice, error), *_refusals(said, parts), *_tool_calls(choice, said, parts, text)]
    if not found and not text.strip():
        found = [f"{name} in place of a text" for name in _OTHER_KINDS if said.get(name)]
    return "; ".join(dict.fromkeys(found)) or None


def withheld_prompt(body: Mapping[str, Any]) -> str | None:
    """Why a response without any choice has none, if a filter rejected the prompt; None if it does not say so."""
    for name in ("promptFeedback", "prompt_feedback"):
        feedback = body.get(name)
        if isinstance(feedback, dict):
            reason = feedback.get("blockReason") or feedback.get("block_reason")
            if reason:
                return f"prompt blocked: {one_line(str(reason), _SHOWN)}"
    results = body.get("prompt_filter_results")
    for entry in results if isinstance(results, list) else []:
        names = _filtered(entry.get("content_filter_results")) if isinstance(entry, dict) else []
        if names:
            return f"prompt blocked: {', '.join(names)}"
    return None


def withheld_body(body: Mapping[str, Any]) -> str | None:
    """Why a filter withheld the text of a response, if that stands beside its choices; None if nothing says so.

    A server then puts words of its own in place of the answer, under the finish reason of any other answer.
    """
    for name, value in body.items():
        # Bedrock's guardrails; MiniMax's filters of the prompt and of the answer.
        folded = name.casefold().replace("-", "").replace("_", "")
        if folded.endswith("guardrailaction") and str(value).casefold().endswith("intervened"):
            return f"{name} {one_line(str(value), _SHOWN)!r}"
        if folded in ("inputsensitive", "outputsensitive") and value is True:
            return name
    return None


def _filter_words(choice: Mapping[str, Any], error: Any) -> Iterator[str]:
    # Anthropic's "refusal" may stand in stop_reason alone.
    fields = {"finish_reason": "finish_reason", "native_finish_reason": "finish_reason", "stop_reason": "stop_reason"}
    reasons = [(shown, reason_words(choice.get(name))) for name, shown in fields.items()]
    words = [(name, reason) for name, reason in reasons if reason is not None and ending(reason) == "blocked"]
    names = [name for field in _RESULTS for name in _filtered(choice.get(field))]
    if not words and not names:
        return
    given = choice.get("finish_reason")
    told = [*names]
    for told_by in (error, choice.get("error"), given.get("message") if isinstance(given, dict) else None):
        if told_by:
            told.append(server_words(json.dumps({"error": told_by}, default=str).encode())[0])
    detail = f" ({one_line(', '.join(told), _SHOWN)})" if told else ""
    yield f"{f'{words[0][0]} {one_line(words[0][1], 100)!r}' if words else 'content filter'}{detail}"


def _filtered(results: Any) -> list[str]:
    """Names of filters that took something out."""
    names: list[str] = []
    for name, result in results.items() if isinstance(results, dict) else ():
        # Blocklists have a list of results in older versions of Azure's API.
        for one in result if isinstance(result, list) else [result]:
            if isinstance(one, dict) and one.get("filtered") is True:
                names.append(str(name))
    return list(dict.fromkeys(names))


def _refusals(message: Mapping[str, Any], parts: list[dict[str, Any]]) -> Iterator[str]:
    for given in (message, *(part for part in parts if part.get("type") == "refusal")):
        refusal = given.get("refusal") or ""
        words = refusal if isinstance(refusal, str) else json.dumps(refusal, ensure_ascii=False, default=str)
        if words.strip() or given is not message:
            yield f"refusal: {one_line(words, _SHOWN)}".removesuffix(": ")


def _tool_calls(
    choice: Mapping[str, Any], message: Mapping[str, Any], parts: list[dict[str, Any]], text: str
) -> Iterator[str]:
    calls = message.get("tool_calls")
    calls = list(calls) if isinstance(calls, list) else [calls] if calls else []
    calls += [message["function_call"]] if message.get("function_call") else []
    calls += [part for part in parts if part.get("type") in _TOOL_PARTS]
    if calls:
        names = dict.fromkeys(name for call in calls if (name := _tool_name(call)))
        yield f"tool call: {one_line(', '.join(names), _SHOWN)}" if names else "tool call"
    elif not text.strip() and calls_a_tool(reason_words(choice.get("finish_reason"))):
        yield f"finish_reason {reason_words(choice.get('finish_reason'))!r}"


def _tool_name(call: Any) -> str | None:
    function = (call.get("function") or call.get("custom") or call) if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else None
