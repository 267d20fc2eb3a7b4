"""How many tokens a run took, as the server counted them."""

from collections.abc import Iterable
from typing import Any

__all__ = ["token_phrase", "token_totals"]

_COUNTS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")


def token_totals(responses: Iterable[Any], generated: tuple[int, float] | None) -> dict[str, Any]:
    """The totals of a run for ``run.json``.

    Args:
        responses: the responses of every task.
        generated: completion tokens that this session generated, and in how many seconds; None if it asked no server.

    Returns:
        ``prompt``, ``completion`` and ``reasoning``: sums in tokens, None where no answer has the count; reasoning is
        part of completion. ``answers`` and ``counted``: answers, and those of them that have a completion count.
        ``completion_per_second``: of this session, None if it generated nothing.
    """
    sums: dict[str, int | None] = dict.fromkeys(_COUNTS)
    answers = counted = 0
    for response in responses:
        if getattr(response, "outcome", "answered") != "answered":
            continue
        answers += 1
        counted += getattr(response, "completion_tokens", None) is not None
        for name in _COUNTS:
            count = getattr(response, name, None)
            if count is not None:
                sums[name] = (sums[name] or 0) + count
    tokens, seconds = generated or (0, 0.0)
    return {
        **{name.removesuffix("_tokens"): total for name, total in sums.items()},
        "answers": answers,
        "counted": counted,
        "completion_per_second": round(tokens / seconds, 2) if tokens and seconds > 0 else None,
    }


def token_phrase(totals: dict[str, Any]) -> str | None:
    """The line of the table; None if the server counted nothing."""
    prompt, completion, reasoning = totals["prompt"], totals["completion"], totals["reasoning"]
    parts = []
    if prompt is not None:
        parts.append(f"{prompt} prompt")
    if completion is not None:
        part = f"{completion} completion"
        parts.append(part if reasoning is None else f"{part} ({reasoning} of them reasoning)")
    if not parts:
        return None
    if totals["counted"] < totals["answers"]:
        parts.append(f"counted by the server for {totals['counted']} of {totals['answers']} answers")
    if totals["completion_per_second"] is not None:
        parts.append(f"{totals['completion_per_second']:.1f} completion tokens a second")
    return ", ".join(parts)
