"""Labels that reviewers give: checks, reads and writes them, and finds the consensus."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from audit.errors import AuditError
from runs.files import read_jsonl, write_jsonl

__all__ = [
    "CONFIDENCES",
    "LEANS",
    "VERDICTS",
    "Label",
    "LabelError",
    "consensus",
    "make_label",
    "read_labels",
    "write_labels",
]

VERDICTS: Final = ("pass", "fail", "unclear")
LEANS: Final = ("pass", "fail")
CONFIDENCES: Final = ("low", "medium", "high")


class LabelError(ValueError):
    """A field of a label has a value that is not allowed; the message names the field and says why."""


@dataclass(frozen=True, slots=True)
class Label:
    """One reviewer's judgement of one case.

    Attributes:
        verdict: ``pass``, ``fail`` or ``unclear``.
        lean: ``pass`` or ``fail``: the verdict itself, or what the reviewer would choose in an unclear case.
        confidence: ``low``, ``medium`` or ``high``.
        reason: why, in the reviewer's words; may be empty.
    """

    verdict: str
    lean: str
    confidence: str
    reason: str


def make_label(fields: Mapping[str, Any]) -> Label:
    """Check the fields of a label; other fields are ignored.

    Raises:
        LabelError: a value is not allowed, or the lean contradicts a clear verdict.
    """
    for name, allowed in (("verdict", VERDICTS), ("lean", LEANS), ("confidence", CONFIDENCES)):
        if fields.get(name) not in allowed:
            raise LabelError(f"{name} is {fields.get(name)!r}, not one of {', '.join(allowed)}")
    reason = fields.get("reason", "")
    if not isinstance(reason, str):
        raise LabelError(f"reason is {type(reason).__name__}, not a text")
    if fields["verdict"] != "unclear" and fields["verdict"] != fields["lean"]:
        raise LabelError(f"the verdict is {fields['verdict']} but the lean is {fields['lean']}")
    return Label(fields["verdict"], fields["lean"], fields["confidence"], reason)


def read_labels(path: Path, case_ids: Sequence[str], cases_sha256: str) -> tuple[str, dict[str, Label]]:
    """Read the labels of one reviewer, from a file that this package or the review page wrote.

    Args:
        path: the file.
        case_ids: ids of the round's cases.
        cases_sha256: SHA-256 of the round's case list, which every label must name.

    Returns:
        the reviewer's name, and the labels by case id.

    Raises:
        FileError: the file cannot be read, or a line is no JSON object.
        AuditError: a label names another case list or no case of the round, a case is labelled twice, a value is not
            allowed, or the file holds labels of several reviewers.
    """
    rows = read_jsonl(path)
    if not rows:
        raise AuditError(f"{path} holds no labels")
    known = set(case_ids)
    found: dict[str, Label] = {}
    reviewers = {row.get("reviewer") for row in rows}
    if len(reviewers) != 1 or not isinstance(rows[0].get("reviewer"), str):
        raise AuditError(f"{path}: every label names one and the same reviewer")
    for number, row in enumerate(rows, start=1):
        case_id = row.get("case_id")
        if row.get("cases_sha256") != cases_sha256:
            raise AuditError(f"{path}: label {number} is of another case list")
        if case_id not in known:
            raise AuditError(f"{path}: label {number} is of no case of this round: {case_id!r}")
        if case_id in found:
            raise AuditError(f"{path}: label {number}: {case_id} is labelled twice")
        try:
            found[case_id] = make_label(row)
        except LabelError as error:
            raise AuditError(f"{path}: label {number} ({case_id}): {error}") from None
    return rows[0]["reviewer"], found


def write_labels(
    path: Path, reviewer: str, labels: Mapping[str, Label], case_ids: Sequence[str], cases_sha256: str
) -> None:
    """Write the labels of one reviewer, in the order of the case list.

    Args:
        path: the file.
        reviewer: the reviewer's name.
        labels: labels by case id; cases without one get no line.
        case_ids: ids of the round's cases, in the order of the case list.
        cases_sha256: SHA-256 of the case list, written into every line.
    """
    rows = (
        {"case_id": name, "reviewer": reviewer, "cases_sha256": cases_sha256, **asdict(labels[name])}
        for name in case_ids
        if name in labels
    )
    write_jsonl(path, rows)


def consensus(leans: Sequence[str | None]) -> str:
    """The lean that all reviewers share; "" if they differ or a reviewer gave none."""
    first = leans[0] if leans else None
    return first if first and all(lean == first for lean in leans) else ""
