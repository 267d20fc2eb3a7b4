"""Answers that are not in Unicode's composed form (NFC): each card says what its scorer makes of them."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from tasks.names import TaskName

__all__ = ["composed_notes", "not_composed"]


def not_composed(responses: Iterable[Any]) -> tuple[int, int]:
    """How many of answered responses are not in composed form, and how many are; reasoning in them counts too."""
    texts = [response.text[0] or "" for response in responses if response.text]
    found = sum(not unicodedata.is_normalized("NFC", text) for text in texts)
    return found, len(texts) - found


def composed_notes(counts: Mapping[TaskName, tuple[int, int]]) -> list[str]:
    """A line for the table on each task with such answers."""
    return [
        f"{task}: {found} of {found + rest} answers are not in Unicode's composed form (NFC), so that a letter such as "
        f"й may be two characters; what verdicts make of that: tasks/{task.benchmark}/README.md, Composed letters"
        for task, (found, rest) in counts.items()
        if found
    ]
