"""How the answers of a task ended, and why replies were blocked, in the server's own words."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from endpoints.errors import one_line

__all__ = ["blocked_phrase", "blocked_words", "cut_phrase", "finish_reasons"]

_BY_THE_CAP = ("length", "max_tokens")
_SHOWN = 5  # words of blocked replies in the table
_WORD = 80  # characters of each


def finish_reasons(responses: Iterable[Any]) -> dict[str, dict[str, int]]:
    """Count the finish reasons of the answered responses, commonest first.

    Returns:
        ``{"all": {word: answers}, "truncated": {word: answers}}``; answers without a reason are left out.
    """
    counts: dict[str, Counter[str]] = {"all": Counter(), "truncated": Counter()}
    for response in responses:
        word = next(iter(getattr(response, "finish_reasons", ())), None)
        if getattr(response, "outcome", "answered") == "answered" and word is not None:
            counts["all"][word] += 1
            counts["truncated"][word] += getattr(response, "truncated", False)
    return {name: _ranked(found) for name, found in counts.items()}


def blocked_words(responses: Iterable[Any]) -> dict[str, int]:
    """Count the words with which the server withheld texts, commonest first."""
    return _ranked(
        Counter(response.error for response in responses if getattr(response, "outcome", "answered") == "blocked")
    )


def blocked_phrase(words: dict[str, int]) -> list[str]:
    """The line of the table for blocked replies; none if there are none.

    Args:
        words: number of blocked replies by the server's words.
    """
    if not words:
        return []
    shown = "; ".join(f"{n} {one_line(said, _WORD)}" for said, n in list(words.items())[:_SHOWN])
    more = f"; {sum(list(words.values())[_SHOWN:])} in other words" if len(words) > _SHOWN else ""
    return [f"  blocked, in the server's words: {shown}{more}"]


def _ranked(counts: Counter[str]) -> dict[str, int]:
    return {word: n for word, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if n}


def cut_phrase(reasons: dict[str, int]) -> str:
    """The words of the table for truncated answers.

    Args:
        reasons: number of truncated answers by finish reason.
    """
    if set(reasons) <= set(_BY_THE_CAP):
        return "truncated at the token cap"
    return f"truncated (the server's words: {', '.join(f'{n} {word}' for word, n in reasons.items())})"
