"""The files of a review round, and that nobody changed them.

- ``cases.jsonl``: what reviewers see, and all they see: case id, instruction, prompt, response;
- ``sealed.jsonl``: where each case comes from and the verdicts frozen at the draw; not for reviewers;
- ``strata.jsonl``: round, stratum, population, sampled;
- ``round.json``: how the cases were drawn, and the SHA-256 of these three files;
- ``labels_<reviewer>.jsonl``: one reviewer's labels.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from audit.errors import AuditError
from audit.jsonl import read_json, read_jsonl, sha256_of, write_json, write_jsonl

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
        folder: where it is.
        cases: rows of ``cases.jsonl``.
        sealed: rows of ``sealed.jsonl`` by case id.
        strata: rows of ``strata.jsonl``.
        about: ``round.json``.
    """

    folder: Path
    cases: list[dict[str, Any]]
    sealed: Mapping[str, Mapping[str, Any]]
    strata: list[dict[str, Any]]
    about: Mapping[str, Any]

    @property
    def cases_sha256(self) -> str:
        """Of the case list, as it was written down before review."""
        return str(self.about["cases_sha256"])

    @property
    def case_ids(self) -> list[str]:
        """In the order of the case list."""
        return [case["case_id"] for case in self.cases]

    def labels_path(self, reviewer: str) -> Path:
        """Where a reviewer's labels are."""
        return self.folder / f"labels_{reviewer}.jsonl"


def save_round(
    folder: Path,
    cases: list[dict[str, Any]],
    sealed: list[dict[str, Any]],
    strata: list[dict[str, Any]],
    about: Mapping[str, Any],
) -> Round:
    """Write a fresh round.

    Raises:
        AuditError: the folder holds a round already: its cases may be under review.
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
        AuditError: it is none, or its cases, verdicts or populations are not those of the draw.
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
    """The name of a reviewer, which becomes part of file names.

    Raises:
        AuditError: other than 1 to 30 ASCII letters, digits, ``-`` and ``_``.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,30}", name):
        raise AuditError(f"a reviewer's name has 1 to 30 letters, digits, - and _: {name!r}")
    return name


def reviewer_order(round_: Round, reviewer: str) -> list[dict[str, Any]]:
    """The cases in a reviewer's own order: drawn from the round's seed and the reviewer's name."""
    generator = np.random.default_rng([int(round_.about["seed"]), *reviewer.encode("utf-8")])
    return [round_.cases[place] for place in generator.permutation(len(round_.cases))]
