"""The name of a task: ``benchmark:subset[:mode]|fewshot``. Whether there is such a task is the registry's to say."""

import re
from dataclasses import dataclass

__all__ = ["TaskName", "TaskNameError", "fewshot_number", "split_fewshot", "split_task_list"]

_LONGEST = 9  # digits of a few-shot number; Python refuses to read thousands of them


class TaskNameError(ValueError):
    """A task name that does not exist; the message holds the nearest legal names."""


@dataclass(frozen=True, slots=True)
class TaskName:
    """One task, as the command line, LightEval and all files of a run name it.

    Attributes:
        benchmark: name of the benchmark.
        subset: which of its questions.
        mode: how they are asked; None where the benchmark has one way only.
        fewshot: number of few-shot examples.
    """

    benchmark: str
    subset: str
    mode: str | None = None
    fewshot: int = 0

    @property
    def plain(self) -> str:
        """The name without its few-shot part: ``ifhard:all``."""
        return ":".join(part for part in (self.benchmark, self.subset, self.mode) if part is not None)

    def __str__(self) -> str:
        return f"{self.plain}|{self.fewshot}"

    @classmethod
    def read(cls, text: str) -> "TaskName":
        """The name that a text spells, with or without a few-shot part.

        Raises:
            TaskNameError: it has not the form of one.
        """
        plain, fewshot = split_fewshot(text)
        parts = plain.split(":")
        if not 2 <= len(parts) <= 3:
            raise TaskNameError(f"task {text!r}: expected benchmark:subset[:mode][|fewshot]")
        return cls(parts[0], parts[1], parts[2] if len(parts) == 3 else None, fewshot)


def split_fewshot(text: str) -> tuple[str, int]:
    """What stands before the last ``|``, and the number behind it; 0 without one.

    Raises:
        TaskNameError: no number stands there.
    """
    plain, bar, number = text.strip().rpartition("|")
    if not bar:
        return number, 0
    plain = plain.removesuffix("\\")  # Markdown tables escape the bar, and people copy what they see
    if not number.isascii() or not number.isdigit() or len(number) > _LONGEST:
        raise TaskNameError(
            f"task {text!r}: the part behind '|' must be a number of few-shot examples, as in 'ifhard:all|0'"
        )
    return plain, int(number)


def fewshot_number(name: str) -> int:
    """The number of few-shot examples that a document's ``task_name`` asks for; 0 while LightEval has set none."""
    return split_fewshot(name)[1]


def split_task_list(text: str) -> list[str]:
    """Split a comma-separated list of tasks.

    A comma separates only after ``|number``: a type name of one benchmark holds commas.
    """
    return [part.strip() for part in re.split(r"(?<=\|\d)\s*,|(?<=\|\d\d)\s*,", text) if part.strip()]
