"""Labelled fixtures as they enter a round: to test the reviewers, with no weight in any rate."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from audit.errors import AuditError
from audit.jsonl import read_jsonl
from audit.wording import describe_ifbench

__all__ = ["Fixture", "own_id", "read_fixtures"]

_BARE: Final = re.compile(r"[FDG]\d+")


class Fixture(NamedTuple):
    """A labelled response.

    Attributes:
        id: of the fixture.
        instruction_id, instruction: what is asked.
        response: the text to judge.
        expected: the label, ``pass`` or ``fail``.
        finding, decision: what it demonstrates, prefixed (AF1, AD1), "" for nothing.
        note: the label's argument.
    """

    id: str
    instruction_id: str
    instruction: str
    response: str
    expected: str
    finding: str
    decision: str
    note: str


def own_id(found: str | None) -> str:
    """A finding or decision of ours with its ``A``: the published audit numbers other things F1, D1, G1."""
    if not found:
        return ""
    return f"A{found}" if _BARE.fullmatch(found) else found


def read_fixtures(path: Path) -> list[Fixture]:
    """The fixtures of a JSON Lines file, or of every ``*.jsonl`` of a folder, in the order of their ids.

    The words of the instruction are the row's ``instruction``, or those of the IFBench checker of its id.

    Raises:
        AuditError: no fixtures, a field missing or wrong, an id given twice, or an instruction without words.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    found: dict[str, Fixture] = {}
    for file in files:
        for number, row in enumerate(read_jsonl(file), start=1):
            fixture = _fixture(row, f"{file}: fixture {number}")
            if fixture.id in found:
                raise AuditError(f"{file}: fixture {number}: the id {fixture.id} is there twice")
            found[fixture.id] = fixture
    if not found:
        raise AuditError(f"{path} holds no fixtures")
    return [found[name] for name in sorted(found)]


def _fixture(row: Mapping[str, Any], where: str) -> Fixture:
    for name in ("id", "instruction_id", "response", "expected"):
        if not isinstance(row.get(name), str):
            raise AuditError(f"{where} has no {name}")
    if row["expected"] not in ("pass", "fail"):
        raise AuditError(f"{where}: expected is {row['expected']!r}, neither pass nor fail")
    return Fixture(
        id=row["id"],
        instruction_id=row["instruction_id"],
        instruction=_instruction(row, where),
        response=row["response"],
        expected=row["expected"],
        finding=own_id(row.get("finding")),
        decision=own_id(row.get("decision")),
        note=row.get("note") or "",
    )


def _instruction(row: Mapping[str, Any], where: str) -> str:
    if isinstance(row.get("instruction"), str) and row["instruction"]:
        return str(row["instruction"])
    try:
        kwargs = json.loads(row.get("kwargs_json") or "{}")
    except ValueError as error:
        raise AuditError(f"{where}: kwargs_json is not JSON: {error}") from None
    words = describe_ifbench(row["instruction_id"], kwargs if isinstance(kwargs, dict) else {})
    if not words:
        raise AuditError(f"{where} has no instruction, and {row['instruction_id']} is not IFBench's with these kwargs")
    return words
