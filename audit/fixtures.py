"""Reads labelled fixtures. They test the reviewers of a round and have no weight in any rate."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from audit.errors import AuditError
from audit.wording import describe_ifbench
from runs.files import read_jsonl

__all__ = ["Fixture", "own_id", "read_fixtures"]

_BARE: Final = re.compile(r"[FDG]\d+")


class Fixture(NamedTuple):
    """A labelled response.

    Attributes:
        id: the fixture's id.
        instruction_id: id of the checker.
        instruction: the instruction in words.
        response: the text to judge.
        expected: the label, ``pass`` or ``fail``.
        finding: id of the finding that the fixture demonstrates, with our prefix (AF1); "" for none.
        decision: id of the decision that it demonstrates, likewise (AD1); "" for none.
        note: why the label is what it is.
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
    """Put an ``A`` before the id of a finding or decision of ours: F1 and D1 name others in the published audit."""
    if not found:
        return ""
    return f"A{found}" if _BARE.fullmatch(found) else found


def read_fixtures(path: Path) -> list[Fixture]:
    """Read the fixtures of a JSON Lines file, or of every ``*.jsonl`` of a folder.

    The instruction's words are the row's ``instruction``; a row without one takes those of IFBench's checker.

    Returns:
        the fixtures, in the order of their ids.

    Raises:
        FileError: a file cannot be read, or a line is no JSON object.
        AuditError: there are no fixtures, a field is missing or wrong, an id is given twice, or a row has no
            instruction and no checker of IFBench has its id.
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
