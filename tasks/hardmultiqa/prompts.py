"""What a model is shown: the question as it is, or a text to continue.

The benchmark's description fixes both modes: ``pretrain`` continues ``Вопрос: <question>`` / ``Ответ:``,
``alignment`` sends the raw question, which holds its own instructions.
"""

from collections.abc import Sequence
from typing import Final

from tasks.hardmultiqa.names import OPTIONS

__all__ = ["CUT", "STOP", "answer_text", "completion_prompt"]

# A line that starts so is the next question, which the model has invented: the answer ends before it.
CUT: Final = ("Вопрос:",)
# The same rule for the server. The line break keeps the two alike: an answer may hold the word inside a line.
STOP: Final = ("\nВопрос:",)


def completion_prompt(question: str, demonstrations: Sequence[tuple[str, str]]) -> str:
    """The text to continue: solved examples, then the question, with blank lines between and no space at the end.

    Args:
        question: raw text of the question.
        demonstrations: (question, answer) of the solved examples, in the order shown.
    """
    solved = [f"Вопрос: {asked}\nОтвет: {answer}" for asked, answer in demonstrations]
    return "\n\n".join([*solved, f"Вопрос: {question}\nОтвет:"])


def answer_text(kind: str, reference: Sequence[str]) -> str:
    """A reference as the answer of a demonstration.

    Options: the numbers, ``1, 3``. Open: the answer, the first one where several are right. Lists: one line joined by
    ``; ``. Mistakes: one correction a line.

    Args:
        kind: type of the question.
        reference: the reference's elements, at least one.
    """
    if kind == OPTIONS:
        return ", ".join(reference)
    if kind == "open":
        return reference[0]
    return ("\n" if kind == "mistakes" else "; ").join(reference)
