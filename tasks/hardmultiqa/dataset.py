"""Which rows are a HardMultiQA dataset, and what is asked of them.

The official rows stay in the user's cache: their authors ask that they are not published again.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from metrics.record import Sample
from tasks.hardmultiqa.columns import find_columns
from tasks.hardmultiqa.names import MODES, SUBSETS, TYPES
from tasks.hardmultiqa.prompts import CUT, answer_text, completion_prompt
from tasks.hardmultiqa.rows import check_lists, read_question
from tasks.loading import DatasetLoader, Splits
from tasks.names import TaskName
from tasks.rows import Row, read_rows

__all__ = ["BUILTIN", "SHOTS", "HardMultiQALoader", "demonstrations", "load_dataset", "sample_of"]

SHOTS: Final = 5  # demonstrations of each type in the official few-shot split


def sample_of(line: Row, task: TaskName) -> Sample | None:
    """What scoring needs to know of a checked row; None for a row of another type."""
    question = read_question(line)
    if task.subset not in ("all", question.kind):
        return None
    labels = {"type": question.kind, "topic": question.topic}
    scoring = question.scoring(CUT if task.mode == "pretrain" else ())
    return Sample(question.id, 0, scoring, json.dumps(labels, ensure_ascii=False, sort_keys=True))


class HardMultiQALoader(DatasetLoader):
    """``test`` and maybe ``fewshot`` rows, whose columns are found by their usual names or given by the request.

    No question stands in a dataset twice, be it as its own demonstration.
    """

    benchmark = "hardmultiqa"
    shots = "fewshot"
    sorted_keys = False
    ids_across_splits = True

    def read_split(self, rows: Sequence[Row], split: str) -> list[dict[str, Any]]:
        """As every loader; columns that are missing or ambiguous are a DatasetError too."""
        if not rows:
            return []
        self._columns = find_columns(rows, self.request.columns, self.where(split))
        found = super().read_split(rows, split)
        check_lists(rows, found, self._columns["answer"], self.where(split))
        return found

    def read_row(self, row: Row, split: str) -> dict[str, Any]:
        """The row of a question in this project's own columns."""
        return read_question(row, self._columns).row()

    def row_id(self, row: Row, split: str) -> str:
        """Made of type and question."""
        return read_question(row).id

    def prompts(self, splits: Splits) -> Iterable[Any]:
        """Ids, questions and what the templates make of them; of the demonstrations only how they are rendered."""
        for question in map(read_question, splits["test"]):
            yield [question.id, question.text, completion_prompt(question.text, ())]
        yield completion_prompt("", [(kind, answer_text(kind, ("1", "2"))) for kind in TYPES])

    def details(self, splits: Splits) -> dict[str, Any]:
        """Questions by type and mode, and the demonstrations that every question has."""
        of_kind = Counter(read_question(row).kind for row in splits["test"])
        counts = {"all": of_kind.total()} | {kind: of_kind[kind] for kind in TYPES}
        shots = _pairs(splits["fewshot"])
        return {
            "questions": {f"hardmultiqa:{subset}:{mode}": counts[subset] for subset in SUBSETS for mode in MODES},
            # Demonstrations are of the question's own type, so the type with the fewest decides.
            "shots": min(len(shots[kind]) for kind in TYPES if of_kind[kind]),
        }


def demonstrations(folder: Path) -> dict[str, tuple[tuple[str, str], ...]]:
    """(question, answer) of the few-shot rows of a checked folder, by type, in file order."""
    path = folder / "fewshot.jsonl"
    return _pairs(read_rows(path) if path.is_file() else [])


def _pairs(rows: Iterable[Row]) -> dict[str, tuple[tuple[str, str], ...]]:
    shown: dict[str, list[tuple[str, str]]] = {kind: [] for kind in TYPES}
    for question in map(read_question, rows):
        shown[question.kind].append((question.text, answer_text(question.kind, question.reference)))
    return {kind: tuple(pairs) for kind, pairs in shown.items()}


BUILTIN: Final = HardMultiQALoader.shipped()
load_dataset = HardMultiQALoader.load
