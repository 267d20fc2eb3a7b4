"""Files with answers: journals, saved answers, results of batches."""

import io
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, cast

from endpoints.batch_files import is_custom_id
from endpoints.journal_lines import JournalError, records
from endpoints.saved import ResponsesError, SavedResponses
from proofs.fuzz.group import Check, Group, Input, as_bytes
from proofs.fuzz.mutation import edited
from proofs.fuzz.prose import sentence
from proofs.fuzz.server_json import STATUSES, as_text, drawn_body, drawn_error
from proofs.fuzz.servers import PATH, fine

__all__ = ["FILES"]


class _Files(Group):
    """Lines of journals, of saved answers and of the results of batches."""

    name = "files"
    targets = ("journal_lines", "saved", "batch_files")

    def fresh(self, source: Random) -> Input:
        rows = [as_text(source, _entry(source)).replace("\n", " ") for _ in range(source.choice((1, 1, 2, 3)))]
        text = source.choice(("\n", "\n", "\r\n")).join(rows) + source.choice(("\n", "\n", ""))
        return {"text": edited(source, text) if source.random() < 0.2 else text}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        body = as_bytes(given["text"])
        yield "journal_lines", lambda: _journal(body)
        lines = {} if '"custom_id"' in given["text"] else {"saved": lambda: _saved(body)}
        yield from (lines or {"batch_files": lambda: _saved(body)}).items()


def _entry(source: Random) -> Any:
    kind = source.random()
    outcome = {
        "response": sentence(source),
        "reasoning": source.choice((None, "a")),
        "finish_reason": source.choice(("stop", "length", None)),
        "prompt_tokens": source.choice((None, 3)),
        "completion_tokens": 5,
        "attempts": 1,
        "error": None,
        "error_code": None,
    }
    name = {
        "task": source.choice(("ifhard:all|0", "ifhard:all", "x", "a|b")),
        "id": source.choice("12"),
        "repeat": source.choice((0, 1)),
    }
    if kind < 0.4:
        return {
            "key": "0" * 64,
            **name,
            "status": source.choice(("answered", "failed", "blocked", "answered")),
            **outcome,
        }
    if kind < 0.6:
        return {**name, "response": sentence(source)}
    response = (
        {"status_code": source.choice((200, 200, *STATUSES)), "body": drawn_body(source)}
        if source.random() < 0.9
        else None
    )
    made = f"ifhard-{'0' * 40}" if source.random() < 0.8 else "request-1"
    return {"custom_id": made, "response": response, "error": source.choice((None, None, drawn_error(source)))}


def _journal(body: bytes) -> str:
    try:
        found = list(records(io.BytesIO(body), PATH))
    except JournalError as error:
        return f"broken {str(error).partition(': ')[2][:40]}"
    for line, _, _ in found:
        if line.outcome.status == "answered":
            _ = line.outcome.truncated
    return f"{min(len(found), 2)} {[(line.outcome.status, ended) for line, _, ended in found[:2]]}"


class _Given:
    """Stands in for the path of a file of saved answers."""

    name = "x"

    def __init__(self, body: bytes) -> None:
        self._body = body

    def read_text(self, encoding: str) -> str:
        """The text, as a path's method gives it; line ends become line feeds, as a path's method has them."""
        return io.TextIOWrapper(io.BytesIO(self._body), encoding=encoding).read()

    def __str__(self) -> str:
        return "x"


def _saved(body: bytes) -> str:
    try:
        found = SavedResponses(cast(Path, _Given(body)))
    except ResponsesError as error:
        return f"refused {str(error).partition(': ')[2][:30]}"
    outcomes = [found.outcome("ifhard:all|0", name, 0) for name in "12"]
    kept = [outcome for _, outcome in found._answers.values()]
    for outcome in kept:
        fine(outcome)
    shown = found.unused, [outcome.status for outcome in outcomes], [outcome.error_code for outcome in kept[:2]]
    return f"{min(len(found), 2)} {shown} {is_custom_id(found.origin)}"


FILES: Final = _Files()
