"""What is said of a task's answers beside their scores: how they ended, in the server's words, and their reasoning."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from endpoints.errors import one_line
from metrics.reasons import nouns
from metrics.record import Record
from runner.composed import not_composed
from runner.reasoning import ReasoningCounts

__all__ = ["TaskAnswers"]

_BY_THE_CAP = ("length", "max_tokens")
_SHOWN = 5  # words of blocked replies in the table
_WORD = 80  # characters of each


class TaskAnswers:
    """The answers of a task.

    Args:
        responses: LightEval's responses, those without an answer too.

    Attributes:
        reasons: number of answers by finish reason, commonest first; answers without a reason are left out.
        blocked: number of blocked replies by the server's words.
        reasoning: how many answers have reasoning.
        cut: the words of the table for truncated answers.
        composed: how many answers are not in composed form, and how many are.
    """

    def __init__(self, responses: Sequence[Any]) -> None:
        answered = [response for response in responses if _outcome(response) == "answered"]
        self.reasons = _ranked(Counter(map(_reason, answered)))
        self.blocked = _ranked(Counter(response.error for response in responses if _outcome(response) == "blocked"))
        self.reasoning = ReasoningCounts.of(answered)
        self.composed = not_composed(answered)
        self.cut = _cut_phrase(
            _ranked(Counter(_reason(response) for response in answered if getattr(response, "truncated", False)))
        )

    def remarks(self, records: Sequence[Record], told: tuple[str | None, str, str]) -> list[str]:
        """Lines of the table.

        Args:
            records: the scored answers.
            told: the arguments of :meth:`runner.reasoning.ReasoningCounts.lines`.
        """
        return [*_blocked_lines(self.blocked), *_budget_hint(records), *self.reasoning.lines(*told)]


def _outcome(response: Any) -> str:
    return str(getattr(response, "outcome", "answered"))


def _reason(response: Any) -> str | None:
    return next(iter(getattr(response, "finish_reasons", ())), None)


def _ranked(counts: Counter[Any]) -> dict[str, int]:
    words = ((word, n) for word, n in counts.items() if word is not None)
    return dict(sorted(words, key=lambda pair: (-pair[1], pair[0])))


def _cut_phrase(reasons: dict[str, int]) -> str:
    if set(reasons) <= set(_BY_THE_CAP):
        return "truncated at the token cap"
    return f"truncated (the server's words: {', '.join(f'{n} {word}' for word, n in reasons.items())})"


def _blocked_lines(words: dict[str, int]) -> list[str]:
    if not words:
        return []
    shown = "; ".join(f"{n} {one_line(said, _WORD)}" for said, n in list(words.items())[:_SHOWN])
    more = f"; {sum(list(words.values())[_SHOWN:])} in other words" if len(words) > _SHOWN else ""
    return [f"  blocked, in the server's words: {shown}{more}"]


def _budget_hint(records: Sequence[Record]) -> list[str]:
    spent = sum(bool(record["empty"] and record["truncated"]) for record in records)
    what = f"{nouns(spent, 'answer')} both empty and truncated: reasoning may have used up the token budget"
    return [f"  hint: {what} (--max-new-tokens)"] if spent else []
