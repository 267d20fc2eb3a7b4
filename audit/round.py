"""Writes and reads the files of a review round, and refuses a round whose files were changed after the draw.

- ``cases.jsonl``: all that reviewers see of each case: its id, the instruction, the prompt, the response;
- ``sealed.jsonl``: where each case comes from, and the graders' verdicts at the draw; not for reviewers;
- ``strata.jsonl``: the round's number, and each stratum's name, population and number of cases drawn;
- ``round.json``: how the cases were drawn, and the SHA-256 of the three files above;
- ``labels_<reviewer>.jsonl``: the labels of one reviewer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from audit.errors import AuditError
from runs.files import read_json, read_jsonl, sha256_of, write_json, write_jsonl

__all__ = [
    "AGREE",
    "CASES",
    "DISAGREE",
    "FAILED",
    "FIXTURE",
    "PASSED",
    "SEALED",
    "SHOWN",
    "STRATA",
    "Round",
    "check_reviewer",
    "open_round",
    "reviewer_order",
    "save_round",
]

CASES: Final = "cases.jsonl"
SEALED: Final = "sealed.jsonl"
STRATA: Final = "strata.jsonl"
_ROUND: Final = "round.json"
_KEPT: Final[Mapping[str, str]] = {CASES: "cases_sha256", SEALED: "sealed_sha256", STRATA: "strata_sha256"}

DISAGREE: Final = "disagree"
AGREE: Final = "agree"
FIXTURE: Final = "fixture"
# Strata of a checker set that is audited alone: its own verdicts.
FAILED: Final = "failed"
PASSED: Final = "passed"

SHOWN: Final = ("case_id", "round", "instruction_id", "instruction", "prompt", "response")


@dataclass(frozen=True, slots=True)
class Round:
    """A round on disk.

    Attributes:
        folder: the round's folder.
        cases: rows of ``cases.jsonl``.
        sealed: rows of ``sealed.jsonl``, by case id.
        strata: rows of ``strata.jsonl``.
        about: content of ``round.json``.
    """

    folder: Path
    cases: list[dict[str, Any]]
    sealed: Mapping[str, Mapping[str, Any]]
    strata: list[dict[str, Any]]
    about: Mapping[str, Any]

    @property
    def cases_sha256(self) -> str:
        """SHA-256 of ``cases.jsonl``, as the draw recorded it."""
        return str(self.about["cases_sha256"])

    @property
    def case_ids(self) -> list[str]:
        """Ids of the cases, in the order of ``cases.jsonl``."""
        return [case["case_id"] for case in self.cases]

    def labels_path(self, reviewer: str) -> Path:
        """Path of the file with one reviewer's labels."""
        return self.folder / f"labels_{reviewer}.jsonl"


def save_round(
    folder: Path,
    cases: list[dict[str, Any]],
    sealed: list[dict[str, Any]],
    strata: list[dict[str, Any]],
    about: Mapping[str, Any],
) -> Round:
    """Write a new round.

    Args:
        folder: the round's folder, made if it does not exist.
        cases, sealed, strata: rows of the files of these names.
        about: content of ``round.json``; the SHA-256 of the files is added.

    Raises:
        AuditError: the folder holds a round already, whose cases may be under review.
    """
    if (folder / _ROUND).exists() or (folder / CASES).exists():
        raise AuditError(f"{folder} holds a round already; draw into another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_jsonl(folder / CASES, cases)
    write_jsonl(folder / SEALED, sealed)
    write_jsonl(folder / STRATA, strata)
    write_json(folder / _ROUND, {**about, **{field: sha256_of(folder / name) for name, field in _KEPT.items()}})
    return open_round(folder)


def open_round(folder: Path) -> Round:
    """Read a round.

    Raises:
        FileError: ``round.json`` cannot be read.
        AuditError: the folder holds no round, or a file was changed since the draw.
    """
    if not (folder / _ROUND).is_file():
        raise AuditError(f"{folder} is no review round: it has no {_ROUND} (python -m audit sample makes one)")
    about = read_json(folder / _ROUND)
    for name, field in _KEPT.items():
        if not (folder / name).is_file():
            raise AuditError(f"{folder} has no {name}")
        if sha256_of(folder / name) != about.get(field):
            raise AuditError(f"{folder / name} was changed since the draw: its SHA-256 is not the recorded one")
    sealed = {row["case_id"]: row for row in read_jsonl(folder / SEALED)}
    return Round(folder, read_jsonl(folder / CASES), sealed, read_jsonl(folder / STRATA), about)


def check_reviewer(name: str) -> str:
    """Check the name of a reviewer, which becomes part of file names, and return it.

    Raises:
        AuditError: the name is not 1 to 30 ASCII letters, digits, ``-`` and ``_``.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,30}", name):
        raise AuditError(f"a reviewer's name has 1 to 30 letters, digits, - and _: {name!r}")
    return name


def reviewer_order(round_: Round, reviewer: str) -> list[dict[str, Any]]:
    """The cases, shuffled for one reviewer; the round's seed and the reviewer's name decide the order."""
    generator = np.random.default_rng([int(round_.about["seed"]), *reviewer.encode("utf-8")])
    return [round_.cases[place] for place in generator.permutation(len(round_.cases))]
