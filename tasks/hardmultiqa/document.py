"""A LightEval document that brings its own demonstrations.

LightEval gives every document of a task the same few-shot examples, appends them itself, and tells the prompt function
neither their number nor that there are any. Here they are of the question's own type, also where a task mixes types,
and in a text to continue they stand in a form of their own. So a document works out from its task's full name
(``hardmultiqa:open:pretrain|5``) what to show, whenever it is asked.
"""

from typing import Any, TypeAlias

from lighteval.tasks.requests import Doc

from tasks.names import fewshot_number

__all__ = ["DemonstratedDoc", "Pairs"]

Pairs: TypeAlias = tuple[tuple[str, str], ...]


class DemonstratedDoc(Doc):
    """A question with the demonstrations of its type.

    Args:
        question: the question's raw text.
        demonstrations: pairs (question, answer) of the same type, in file order; the first N are shown.
        prompt: makes the text to continue from the question and the demonstrations shown; None for a chat, in which
            the demonstrations become turns.
        fields: fields of LightEval's Doc, except ``query`` and ``fewshot_samples``.
    """

    __slots__ = ("demonstrations", "prompt", "question")

    def __init__(self, question: str, demonstrations: Pairs, prompt: Any, **fields: Any) -> None:
        self.question = question
        self.demonstrations = demonstrations
        self.prompt = prompt
        super().__init__(query=question, **fields)

    @property
    def shown(self) -> Pairs:
        """The demonstrations that the task's few-shot number asks for.

        Raises:
            ValueError: there are fewer demonstrations.
        """
        count = fewshot_number(self.task_name)
        if count > len(self.demonstrations):
            raise ValueError(
                f"task {self.task_name}: {count} demonstrations wanted, the dataset has {len(self.demonstrations)} "
                "of this question's type"
            )
        return self.demonstrations[:count]

    @property
    def query(self) -> str:
        """The user's turn, or the whole text to continue."""
        if self.prompt is None:
            return self.question
        text: str = self.prompt(self.question, self.shown)
        return text

    @query.setter
    def query(self, value: str) -> None:
        """Made from the question each time; nothing to keep."""

    @property
    def fewshot_samples(self) -> list[Doc]:
        """Earlier turns of a chat; none in a text to continue, which holds its demonstrations itself."""
        if self.prompt is not None:
            return []
        return [Doc(query=asked, choices=[answer], gold_index=0) for asked, answer in self.shown]

    @fewshot_samples.setter
    def fewshot_samples(self, pool: list[Doc]) -> None:
        """What LightEval would show is not kept."""
