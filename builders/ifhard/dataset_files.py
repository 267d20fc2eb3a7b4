"""From questions to the files of a dataset: tiers, ids, rows, checksums."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from builders.ifhard.jobs import Span
from builders.ifhard.pipeline import Built
from builders.ifhard.question import Question, row_of
from builders.ifhard.report import summary
from builders.ifhard.validate import check_dataset
from tasks.ifhard.dataset import IFHardLoader

__all__ = ["TASK", "TIERS", "make_files", "tiers_of", "write_files"]

TIERS: Final = ("easy", "medium", "hard", "expert")
TASK: Final = "ifhard:all"
"""The task that ``witnesses.jsonl`` answers."""


def tiers_of(questions: Sequence[Question]) -> list[str]:
    """The quarter of predicted difficulty each question falls into, easiest first; equal ones are split by id."""
    order = sorted(range(len(questions)), key=lambda n: (questions[n].difficulty, questions[n].base_id))
    tiers = [""] * len(questions)
    for rank, number in enumerate(order):
        tiers[number] = TIERS[rank * len(TIERS) // len(questions)]
    return tiers


def _shot_tiers(shots: Sequence[Question], test: Sequence[Question]) -> list[str]:
    """The tier that a shot would have among the test questions."""
    levels = sorted(question.difficulty for question in test)
    return [TIERS[min(bisect_right(levels, shot.difficulty) * len(TIERS) // len(levels), 3)] for shot in shots]


def _lines(records: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def make_files(built: Built, seed: int, span: Span | None = None) -> dict[str, str]:
    """The texts of all files by name, checked as a whole.

    Args:
        built: the questions.
        seed: what they were built from, with ``span``, the range of requirements; None for the shipped set's mixture.

    Raises:
        BuildError: the rows break a guarantee; the message names the row.
    """
    tiers = tiers_of(built.test)
    shots = [
        row_of(question, number, tier, question.witness)
        for number, (question, tier) in enumerate(
            zip(built.shots, _shot_tiers(built.shots, built.test), strict=True), start=1
        )
    ]
    test = [
        row_of(question, number, tier, "")
        for number, (question, tier) in enumerate(zip(built.test, tiers, strict=True), start=len(shots) + 1)
    ]
    witnesses = {question.base_id: question.witness for question in (*built.test, *built.shots)}
    check_dataset(test, shots, witnesses)
    files = {
        "test.jsonl": _lines(test),
        "shots.jsonl": _lines(shots),
        "witnesses.jsonl": _lines(
            [{"task": TASK, "id": question.base_id, "response": question.witness} for question in built.test]
        ),
        "build.json": json.dumps(summary(built, seed, tiers, span), ensure_ascii=False, indent=2) + "\n",
    }
    sums = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items()))
    card = IFHardLoader.card({split: files[f"{split}.jsonl"] for split in ("test", "shots")})
    return {**files, "SHA256SUMS": sums, "README.md": card}


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write the files into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
