"""Answers with reasoning: how many, whether it was to be switched off, and whether nobody cut it off the answer."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from endpoints.reasoning_marks import MARKS, mark_of
from metrics.reasoning import cut_reasoning

__all__ = ["ReasoningCounts", "ReasoningWatch", "asked_for_none", "text_for_false"]

FIRST: Final = 10  # answers after which the run says what it has seen

_OFF: Final = frozenset(
    {
        *("false", "off", "no", "none", "0", "disabled", "disable", "never", "null"),
        *("no_think", "nothink", "no-think", "non_thinking", "non-thinking", "chat"),
    }
)


def asked_for_none(options: Mapping[str, Mapping[str, Any]]) -> str:
    """Which option asks for no reasoning, and by what; empty if none does.

    The names differ from model to model: each that speaks of thinking or reasoning counts.

    Args:
        options: the variables of the chat template, and other fields of requests, by the option that gives them.
    """
    found = {
        option: ", ".join(
            f"{name} {value!r}" for name, value in fields.items() if _switches_off(name.casefold(), value)
        )
        for option, fields in options.items()
    }
    return " and ".join(f"{option} asked for none ({told})" for option, told in found.items() if told)


def _switches_off(name: str, value: Any) -> bool:
    if "think" not in name and "reason" not in name:
        return False
    if isinstance(value, Mapping):  # {"type": "disabled"}, {"enabled": false}
        return any(_is_off(value[key]) for key in ("type", "enabled", "enable", "effort") if key in value)
    if name.startswith(("no_", "non_", "disable", "skip", "without")):
        return value is True or str(value).casefold() in ("true", "1", "yes", "on")
    return _is_off(value)


def _is_off(value: Any) -> bool:
    return value is not None and str(value).strip().casefold() in _OFF


def text_for_false(kwargs: Mapping[str, Any]) -> str:
    """The first variable whose value is the text "false", which chat templates take for true; empty without one."""
    texts = (name for name, value in kwargs.items() if isinstance(value, str) and value.strip().casefold() == "false")
    return next(texts, "")


class ReasoningCounts:
    """Counts answers with reasoning.

    Attributes:
        answers: answers looked at.
        reasoned: those with reasoning, whether it stands apart, in the text, or only in the server's token count.
        marked: those whose text holds reasoning in known marks that nobody cut, by the marks' name.
    """

    def __init__(self) -> None:
        self.answers = self.reasoned = 0
        self.marked: Counter[str] = Counter()

    @classmethod
    def of(cls, responses: Iterable[Any]) -> "ReasoningCounts":
        """The counts of LightEval responses; only answered ones are looked at."""
        counts = cls()
        for response in responses:
            if getattr(response, "outcome", "answered") == "answered":
                text, reasoning = (next(iter(found or ()), None) for found in (response.text, response.reasonings))
                counts.add(text or "", reasoning, getattr(response, "reasoning_tokens", None))
        return counts

    def add(self, text: str, reasoning: str | None, reasoning_tokens: int | None) -> tuple[bool, bool]:
        """Count one answer.

        Args:
            text: as it is scored.
            reasoning: what stands apart from it, None for nothing.
            reasoning_tokens: as the server counted them, None if it did not.

        Returns:
            Whether it has reasoning, and whether marks of it were left in the text.
        """
        marks = mark_of(text)
        cut = cut_reasoning(text)
        reasoned = bool((reasoning or "").strip() or cut.trace or cut.unclosed or marks or reasoning_tokens)
        self.answers += 1
        self.reasoned += reasoned
        if marks is not None:
            self.marked[marks.name] += 1
        return reasoned, marks is not None

    def lines(self, given: str | None, off: str, journal: str) -> list[str]:
        """What the table says.

        Args:
            given: the marks that are cut, by the user's choice; None for none.
            off: see :func:`asked_for_none`.
            journal: path of the answers, which can be scored again.
        """
        share = f"  reasoning: {self.reasoned} of {self.answers} answers have it"
        return [
            *([share] if self.reasoned else []),
            *(f"  warning: {line}" for line in self.warnings(given, off, journal)),
        ]

    def warnings(self, given: str | None, off: str, journal: str) -> list[str]:
        """What is wrong; the arguments as for :meth:`lines`."""
        found = [self._uncut(name, given, journal) for name in sorted(self.marked)]
        if off and self.reasoned:
            found.append(
                f"{self.reasoned} of {self.answers} answers have reasoning, although {off}: the model's template has "
                "another name for it, or the server ignores it"
            )
        return found

    def _uncut(self, name: str, given: str | None, journal: str) -> str:
        count = f"{self.marked[name]} of {self.answers} answers"
        if name == given:
            return f"{count} hold reasoning in the marks of {name} that has no end, so they are scored as they stand"
        parser = MARKS[name].parser
        serve = f"start the server with --reasoning-parser {parser}, or " if parser is not None else ""
        return (
            f"{count} hold reasoning in the marks of {name}, which nobody cut, so it is scored as a part of them: "
            f"{serve}score these again with --responses {journal} --reasoning-marks {name}"
        )


class ReasoningWatch:
    """Says after the first ten answers of a run what is wrong with their reasoning, while it can still be stopped.

    Args:
        given, off, journal: see :meth:`ReasoningCounts.lines`.
        say: writes one line for the user.
    """

    def __init__(self, given: str | None, off: str, journal: str, say: Callable[[str], None]) -> None:
        self._told = (given, off, journal)
        self._say = say
        self.counts = ReasoningCounts()

    def saw(self, outcome: Any) -> tuple[bool, bool]:
        """Look at an answered outcome; returns what :meth:`ReasoningCounts.add` does."""
        found = self.counts.add(outcome.text, outcome.reasoning, outcome.reasoning_tokens)
        if self.counts.answers == FIRST:
            for line in self.counts.warnings(*self._told):
                self._say(f"warning: {line}")
        return found

    @property
    def postfix(self) -> str:
        """What the progress bar shows of it: nothing before the first ten answers, or if all is well."""
        if self.counts.answers < FIRST or not self.counts.marked:
            return ""
        return f"{self.counts.marked.total()} with reasoning marks ({', '.join(sorted(self.counts.marked))})"
