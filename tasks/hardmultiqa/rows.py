"""A question of the benchmark, and reading it from a row of any dataset."""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from metrics.hardmultiqa import parse_key
from metrics.row_error import RowError
from tasks.benchmark import DatasetError
from tasks.hardmultiqa.names import LISTS, TASK_VALUES, type_of
from tasks.hardmultiqa.reference import ReferenceFormatError, joined_lists, read_reference

__all__ = ["Question", "check_lists", "read_question"]

_SHOWN: Final = 3
_SHOWN_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class Question:
    """A checked row.

    Attributes:
        kind: one of TYPES.
        text: the question as the model gets it.
        reference: its right elements; of an options question the numbers, ascending.
        topic: the question's topic, or empty.
    """

    kind: str
    text: str
    reference: tuple[str, ...]
    topic: str = ""

    @property
    def id(self) -> str:
        """First 12 hex digits of SHA-256 over UTF-8: the dataset's value of ``task``, one line feed, ``question``.

        The dataset's own spelling (``strict list``) is hashed, also where a row writes ``strict-list``.
        """
        return hashlib.sha256(f"{TASK_VALUES[self.kind]}\n{self.text}".encode()).hexdigest()[:12]

    def scoring(self, cut: Sequence[str] = ()) -> str:
        """What judge and scorer read of the question, as JSON text.

        Args:
            cut: beginnings of lines at which an answer ends.
        """
        key = {"type": self.kind, "question": self.text, "reference": list(self.reference)}
        return json.dumps(key | ({"cut": list(cut)} if cut else {}), ensure_ascii=False)

    def row(self) -> dict[str, Any]:
        """The form that this project keeps on disk; ``read_question`` reads it."""
        return {
            "task": TASK_VALUES[self.kind],
            "question": self.text,
            "answer": list(self.reference),
            "topic": self.topic,
        }


_OWN_COLUMNS: Final = {"task": "task", "question": "question", "answer": "answer", "topic": "topic"}


def read_question(row: Mapping[str, Any], columns: Mapping[str, str] = _OWN_COLUMNS) -> Question:
    """The question of a row.

    Args:
        row: the dataset's row.
        columns: names of the dataset's columns, by field.

    Raises:
        RowError: a field is bad, or the reference does not fit the question; the column is named.
    """
    with _of_column(columns["task"]):
        kind = type_of(row.get(columns["task"]))
    text = row.get(columns["question"])
    if not isinstance(text, str) or not text.strip():
        raise RowError(f"the question is {_short(text)}; it must be text", columns["question"])
    topic = row.get(columns["topic"]) if "topic" in columns else None
    value = row.get(columns["answer"])
    with _of_column(columns["answer"], f"holds {_short(value)}: "):
        reference = tuple(read_reference(value, kind, text))
        question = Question(kind, text, reference, topic if isinstance(topic, str) else "")
        parse_key(question.scoring())
    return question


@contextlib.contextmanager
def _of_column(column: str, found: str = "") -> Iterator[None]:
    """What is wrong with a field's value, with its column named.

    Raises:
        RowError: as the block did.
    """
    try:
        yield
    except ReferenceFormatError as error:
        forms = "neither a list of texts, nor such a list as JSON in a string, nor text with one element a line"
        raise RowError(f"{found}{error}, {forms}; another column: --column-map answer=COLUMN", column) from error
    except RowError as error:
        raise RowError(error.problem, column) from error
    except ValueError as error:
        raise RowError(str(error), column) from error


def check_lists(rows: Sequence[Mapping[str, Any]], read: Sequence[Mapping[str, Any]], column: str, where: str) -> None:
    """Lists were not written as one line, which would count as a single element.

    Args:
        rows: of a split, as the dataset has them.
        read: the same rows, checked (Question.row).
        column: of the references.
        where: name of the split, for messages.

    Raises:
        DatasetError: every reference of a type was.
    """
    for kind in LISTS:
        pairs = zip(rows, read, strict=True)
        values = [row.get(column) for row, question in pairs if question["task"] == TASK_VALUES[kind]]
        if joined_lists(values):
            shown = "; ".join(_short(value) for value in values[:_SHOWN])
            raise DatasetError(
                f"{where}: every reference of type {TASK_VALUES[kind]!r} is one line with commas or semicolons, which "
                f"would count as a single element: {shown}. Give lists, JSON lists, or one element a line"
            )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
