"""A question of the benchmark, and reading it from a row of any dataset."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from metrics.hardmultiqa import parse_key
from tasks.benchmark import DatasetError
from tasks.hardmultiqa.columns import find_columns
from tasks.hardmultiqa.names import LISTS, TASK_VALUES, type_of
from tasks.hardmultiqa.reference import ReferenceFormatError, joined_lists, read_reference
from tasks.rows import check_storable

__all__ = ["Question", "check_ids", "read_question", "read_questions"]

_SHOWN: Final = 3
_SHOWN_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class Question:
    """A checked row.

    Attributes:
        kind: one of TYPES.
        text: the question as the model gets it.
        reference: its right elements; of an options question the numbers, ascending.
        topic: of the question, or empty.
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
        row: as the dataset has it.
        columns: its column of each field.

    Raises:
        ReferenceFormatError: the reference is in none of the known forms.
        ValueError: another field is bad, or the reference does not fit the question.
    """
    kind = type_of(row.get(columns["task"]))
    text = row.get(columns["question"])
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"the question is {_short(text)}; it must be text")
    topic = row.get(columns["topic"]) if "topic" in columns else None
    reference = tuple(read_reference(row.get(columns["answer"]), kind, text))
    question = Question(kind, text, reference, topic if isinstance(topic, str) else "")
    parse_key(question.scoring())
    check_storable("\n".join((text, question.topic, *reference)))
    return question


def read_questions(rows: Sequence[Mapping[str, Any]], given: Mapping[str, str], where: str) -> list[Question]:
    """Questions of a split.

    Args:
        rows: of the split, in file order.
        given: columns that the user named, by field.
        where: name of the split, for messages.

    Raises:
        DatasetError: columns are missing or ambiguous, or rows are bad; up to three of those are shown.
    """
    if not rows:
        return []
    columns = find_columns(rows, given, where)
    found, bad, formless = [], [], []
    for number, row in enumerate(rows, start=1):
        try:
            found.append(read_question(row, columns))
        except ReferenceFormatError as error:
            formless.append(f"row {number} holds {_short(row.get(columns['answer']))} ({error})")
        except ValueError as error:
            bad.append(f"row {number}: {error}")
    if formless:
        raise DatasetError(
            f"{where}: {len(formless)} of {len(rows)} references in column {columns['answer']!r} are neither a list of "
            f"texts, nor such a list as JSON in a string, nor text with one element a line: "
            f"{'; '.join(formless[:_SHOWN])}. Another column: --column-map answer=COLUMN"
        )
    if bad:
        raise DatasetError(f"{where}: {len(bad)} of {len(rows)} rows are bad: {'; '.join(bad[:_SHOWN])}")
    _check_lists(rows, found, columns["answer"], where)
    return found


def check_ids(splits: Mapping[str, Sequence[Question]], name: str) -> None:
    """No question stands in a dataset twice, be it as its own demonstration.

    Raises:
        DatasetError: one does; both rows are named.
    """
    seen: dict[str, str] = {}
    for split, questions in splits.items():
        for number, question in enumerate(questions, start=1):
            place = f"{split} row {number}"
            if question.id in seen:
                raise DatasetError(
                    f"{name}: {seen[question.id]} and {place} share the id {question.id} (same task and question)"
                )
            seen[question.id] = place


def _check_lists(rows: Sequence[Mapping[str, Any]], questions: Sequence[Question], column: str, where: str) -> None:
    for kind in LISTS:
        values = [row.get(column) for row, question in zip(rows, questions, strict=True) if question.kind == kind]
        if joined_lists(values):
            shown = "; ".join(_short(value) for value in values[:_SHOWN])
            raise DatasetError(
                f"{where}: every reference of type {TASK_VALUES[kind]!r} is one line with commas or semicolons, which "
                f"would count as a single element: {shown}. Give lists, JSON lists, or one element a line"
            )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
