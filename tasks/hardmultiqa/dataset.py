"""Finding, checking and normalising a HardMultiQA dataset.

Whatever the source, the runner ends up with one local folder of ``test.jsonl`` and ``fewshot.jsonl`` whose rows were
checked, so that a bad row stops the run before a single token is generated. The official rows stay in the user's cache:
their authors ask that they are not published again.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tasks.benchmark import DatasetError, DatasetHandle, DatasetRequest
from tasks.folders import file_sha256, write_copy
from tasks.hardmultiqa.card import render_card
from tasks.hardmultiqa.files import SPLITS, find_splits, read_rows
from tasks.hardmultiqa.names import MODES, SUBSETS, TYPES
from tasks.hardmultiqa.prompts import answer_text, completion_prompt
from tasks.hardmultiqa.rows import Question, check_ids, read_question, read_questions
from tasks.hub import download

__all__ = ["BUILTIN", "OFFICIAL", "SHOTS", "demonstrations", "load_dataset"]

BUILTIN: Final = Path(__file__).with_name("data")
OFFICIAL: Final = "yandex/HardMultiQA"
SHOTS: Final = 5  # demonstrations of each type in the official few-shot split
_BUILTIN_NOTE: Final = "sample set of this project, not the official questions: it shows that a set-up works"
_ADVICE: Final = (
    "Check the connection and, should access be restricted, HF_TOKEN; a downloaded copy works as --dataset FOLDER; the "
    "sample set shipped here: --dataset builtin"
)


def load_dataset(request: DatasetRequest) -> DatasetHandle:
    """Make a dataset available locally and check every row.

    Args:
        request: its name is ``builtin``, ``official``, a folder with ``test`` and maybe ``fewshot`` files (JSON Lines,
            CSV, Parquet, also in the Hub's layout), or one file of test rows; its columns are those of the fields
            ``answer``, ``question``, ``task`` and ``topic`` where they are not found by name; its cache folder is made
            only when a copy is needed; without a revision the Hub's newest is taken.

    Raises:
        DatasetError: it cannot be had, its columns are not clear, or a row is bad (the row is named).
    """
    if request.name == "builtin":
        _read("builtin", {split: read_rows(BUILTIN / f"{split}.jsonl") for split in SPLITS}, request.columns)
        return _handle("builtin", BUILTIN, None, _BUILTIN_NOTE)
    if request.name == "official":
        revision, rows = download(OFFICIAL, SPLITS, request.revision, _ADVICE)
    else:
        files = find_splits(Path(request.name))
        revision, rows = None, {split: [row for path in files[split] for row in read_rows(path)] for split in SPLITS}
    return _normalise(request.name, _read(request.name, rows, request.columns), request.cache, revision)


def demonstrations(folder: Path) -> dict[str, tuple[tuple[str, str], ...]]:
    """(question, answer) of the few-shot rows of a checked folder, by type, in file order."""
    shown: dict[str, list[tuple[str, str]]] = {kind: [] for kind in TYPES}
    for question in _stored(folder, "fewshot"):
        shown[question.kind].append((question.text, answer_text(question.kind, question.reference)))
    return {kind: tuple(pairs) for kind, pairs in shown.items()}


def _read(
    name: str, splits: Mapping[str, Sequence[Mapping[str, Any]]], columns: Mapping[str, str]
) -> dict[str, list[Question]]:
    if not splits["test"]:
        raise DatasetError(f"{name} test: no rows")
    questions = {split: read_questions(splits[split], columns, f"{name} {split}") for split in SPLITS}
    check_ids(questions, name)
    return questions


def _normalise(name: str, splits: Mapping[str, Sequence[Question]], cache: Path, revision: str | None) -> DatasetHandle:
    """Write the checked splits into a folder named after their content, once."""
    texts = {
        split: "".join(json.dumps(question.row(), ensure_ascii=False) + "\n" for question in splits[split])
        for split in SPLITS
    }
    folder = write_copy(cache, "hardmultiqa", texts, render_card)
    return _handle(name, folder, revision)


def _stored(folder: Path, split: str) -> list[Question]:
    path = folder / f"{split}.jsonl"
    return [read_question(row) for row in read_rows(path)] if path.is_file() else []


def _handle(name: str, folder: Path, revision: str | None, note: str = "") -> DatasetHandle:
    test, fewshot = folder / "test.jsonl", folder / "fewshot.jsonl"
    questions = _stored(folder, "test")
    of_kind = Counter(question.kind for question in questions)
    counts = {"all": len(questions)} | {kind: of_kind[kind] for kind in TYPES}
    shots = demonstrations(folder)
    return DatasetHandle(
        name=name,
        folder=folder,
        sha256=file_sha256(test),
        prompts_sha256=_prompts_digest(questions),
        revision=revision,
        questions={f"hardmultiqa:{subset}:{mode}": counts[subset] for subset in SUBSETS for mode in MODES},
        # Demonstrations are of the question's own type, so the type with the fewest decides.
        shots=min(len(shots[kind]) for kind in TYPES if of_kind[kind]),
        shots_sha256=file_sha256(fewshot),
        note=note,
    )


def _prompts_digest(questions: Sequence[Question]) -> str:
    """Over ids, questions and what the templates make of them; of the demonstrations only how they are rendered."""
    digest = hashlib.sha256()
    for question in questions:
        digest.update(json.dumps([question.id, question.text, completion_prompt(question.text, ())]).encode("ascii"))
    solved = [(kind, answer_text(kind, ("1", "2"))) for kind in TYPES]
    digest.update(json.dumps(completion_prompt("", solved)).encode("ascii"))
    return digest.hexdigest()
