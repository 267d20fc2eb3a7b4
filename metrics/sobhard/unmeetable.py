"""SOBHard rows that their own reference does not meet: what is compared with it has no right answer."""

from collections.abc import Mapping
from typing import Any

from metrics.sobhard import score
from metrics.sobhard.rows import answer_text, row_id

__all__ = ["unmeetable"]


def unmeetable(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The id of a checked row, and which constraints its reference fails, with their reasons."""
    verdicts = score(row, answer_text(row)).constraints
    failed = {name: verdict for name, verdict in verdicts.items() if verdict is not None and not verdict.passed}
    return row_id(row), [f"its own reference fails {name}: {verdict.reason}" for name, verdict in failed.items()]
