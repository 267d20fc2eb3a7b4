"""How the answers of a task ended, in the server's own words."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

__all__ = ["cut_phrase", "finish_reasons"]

_BY_THE_CAP = ("length", "max_tokens")


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
    return {
        name: {word: n for word, n in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])) if n}
        for name, found in counts.items()
    }


def cut_phrase(reasons: dict[str, int]) -> str:
    """The words of the table for truncated answers.

    Args:
        reasons: number of truncated answers by finish reason.
    """
    if set(reasons) <= set(_BY_THE_CAP):
        return "truncated at the token cap"
    return f"truncated (the server's words: {', '.join(f'{n} {word}' for word, n in reasons.items())})"
