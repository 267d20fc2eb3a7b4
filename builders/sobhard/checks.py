"""What is proven of every question before it is kept: its reference scores 1.0, and no shortcut scores."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from builders.sobhard.operations import OperationRefused, run_program
from builders.sobhard.rows import fenced
from builders.sobhard.sources import SourceRefused
from builders.sobhard.targets import TargetRefused, write_target
from metrics.sobhard import answer_text, check_row, score

__all__ = ["problem_of", "shortcuts", "stands_in_input"]

Row = Mapping[str, Any]
_FROM_SOURCE: Final = ("transform", "repair")  # families whose rules start from the source
_EMPTY: Final = {
    "json": ("{}", "[]"),
    "jsonl": ("", "{}"),
    "yaml": ("{}", "[]", ""),
    "toml": ("", "a = 1"),
    "properties": ("", "a = "),
    "sqlinsert": ("", "INSERT INTO records (a) VALUES (NULL);"),
}


def problem_of(row: Row) -> str:
    """What is wrong with a row, or ""."""
    check_row(row)
    result = score(row, answer_text(dict(row)))
    if set(result.metrics.values()) != {1.0}:
        failed = [name for name, verdict in result.constraints.items() if verdict and not verdict.passed]
        return f"the reference fails {', '.join(failed)}"
    for name, body in shortcuts(row):
        if score(row, fenced(row, body)).metrics["sample_pass_rate"]:
            return f"{name} passes"
    return ""


def stands_in_input(row: Row) -> bool:
    """Whether the reference stands verbatim in what the prompt shows."""
    reference = row["meta"]["reference"]
    return any(reference in text for text in row["inputs"].values())


def shortcuts(row: Row) -> Iterator[tuple[str, str]]:
    """Answers that cost nothing, by name: the input, as it stands or rewritten; an empty document; half a chain."""
    meta = row["meta"]
    target = meta["categories"]["target_format"]
    task, checks = json.loads(meta["task_meta"]), json.loads(meta["checks"])
    yield "the input handed back", row["inputs"]["input_data"]
    for body in _EMPTY[target]:
        yield "an empty document", body
    if meta["categories"]["family"] != "convert":
        for name in ("source", "source_b", "prev_state"):
            yield from _written(f"{name} handed back", target, checks.get(name))
    if task.get("turn_family", meta["categories"]["family"]) in _FROM_SOURCE:
        for steps in range(1, len(task["program"])):
            try:
                half = run_program(checks["source"], task["program"][:steps])
            except OperationRefused:
                continue
            yield from _written("a chain left early", target, half)


def _written(name: str, target: str, value: Any) -> Iterator[tuple[str, str]]:
    if value is not None:
        try:
            yield name, write_target(target, value)
        except (SourceRefused, TargetRefused):
            return
