"""Which rows are a SOBHard dataset (contract, section 1), and what is asked of them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from metrics.record import Sample
from metrics.row_error import RowError
from metrics.sobhard import check_row, is_blanked
from metrics.sobhard.question import FAMILIES
from metrics.sobhard.row_checks import DIFFICULTIES
from metrics.sobhard.rows import labels, row_id, scoring_key
from tasks.benchmark import DatasetError
from tasks.loading import DatasetLoader, Splits
from tasks.names import TaskName
from tasks.rows import Row, check_rows, read_rows, text_at, value_at
from tasks.sobhard.history import History
from tasks.sobhard.prompts import BLOCKS, render

__all__ = ["BUILTIN_SMALL", "MOST_TURNS", "SUBSETS", "SOBHardLoader", "load_dataset", "read_history", "sample_of"]

MOST_TURNS: Final = 8  # the official bound on replayed turns, and the highest offered
SUBSETS: Final = ("all", *FAMILIES, *DIFFICULTIES)
# Fields of ``meta`` and of ``meta.categories`` (contract, 1.2). The first two texts may be objects too.
_JSON_TEXTS: Final = ("task_meta", "checks")
_TEXTS: Final = ("base_id", "fence_tag", "reference", "reference_sha256")
_NUMBERS: Final = ("id", "dialogue_id", "turn_index", "n_turns")
_CATEGORIES: Final = (
    *("family", "difficulty", "language", "source_format", "target_format"),
    *("length_tier", "prompt_style", "origin"),
)
_NAMED: Final = 5  # rows that a message names
_NUMBER_END: Final = 2**63  # the columns of a normalised copy hold 64 bits
_BLANKED_NOTE: Final = (
    "the questions come without references, as in the public copy: answers are generated and written for the official "
    "scorer, there is no score"
)


def sample_of(line: Row, task: TaskName) -> Sample | None:
    """What scoring needs to know of a checked row; None for a row of another subset."""
    return Sample(row_id(line), 0, scoring_key(line), labels(line)) if _belongs(line, task.subset) else None


def _belongs(row: Mapping[str, Any], subset: str) -> bool:
    """Whether a row is asked in ``all``, a family or a difficulty."""
    categories = row["meta"]["categories"]
    return subset == "all" or subset in (categories["family"], categories["difficulty"])


def read_history(folder: Path) -> History:
    """The conversations of a checked dataset folder."""
    path = folder / "shots.jsonl"
    return History(read_rows(path) if path.is_file() else [])


class SOBHardLoader(DatasetLoader):
    """``test.jsonl``, and maybe ``shots.jsonl`` with the earlier turns of conversations.

    Either all questions are graded or none.
    """

    benchmark = "sobhard"

    def read_row(self, row: Row, split: str) -> dict[str, Any]:
        """The row with the fields of the contract and no others, each of one type, which every reader accepts."""
        inputs = {name: text_at(row, f"inputs.{name}") for name in BLOCKS}
        meta = {name: text_at(row, f"meta.{name}", optional=True) for name in _TEXTS}
        meta |= {name: _json_text(row, f"meta.{name}") for name in _JSON_TEXTS}
        numbers = {name: _number(row, f"meta.{name}") for name in _NUMBERS}
        categories = {name: text_at(row, f"meta.categories.{name}", optional=True) for name in _CATEGORIES}
        if (numbers["dialogue_id"] is None) != (numbers["turn_index"] is None):
            raise RowError("must come together with meta.turn_index", "meta.dialogue_id")
        if numbers["turn_index"] is not None and numbers["turn_index"] < 1:
            raise RowError(f"counts from 1, found {numbers['turn_index']}", "meta.turn_index")
        if not meta["base_id"] and numbers["id"] is None:
            raise RowError("must name the row, or meta.id must", "meta.base_id")
        render(row)
        # Shots are shown, never scored: that they can be shown is History's to say.
        if split == "test":
            check_row(row)
        return {
            "instruction": row["instruction"],
            "inputs": inputs,
            "outputs": text_at(row, "outputs", optional=True),
            "meta": {**meta, **numbers, "categories": categories},
        }

    def row_id(self, row: Row, split: str) -> str | None:
        """The id of a question; earlier turns are named by their conversation."""
        return row_id(row) if split == "test" else None

    def checked(self, rows: Splits) -> dict[str, list[dict[str, Any]]]:
        """As every loader; conversations are complete, and all questions have a reference or none."""
        checked = super().checked(rows)
        history, test = History(), checked["test"]
        check_rows(checked["shots"], self.where("shots"), history.add)
        check_rows(test, self.where("test"), history.turns)
        blanked = [number for number, row in enumerate(test, start=1) if is_blanked(row)]
        if blanked and len(blanked) < len(test):
            more = f" and {len(blanked) - _NAMED} more" if len(blanked) > _NAMED else ""
            raise DatasetError(
                f"{self.where('test')}: {len(blanked)} of {len(test)} rows have no reference, so they can neither all "
                f"be scored nor all be generated only: rows {', '.join(map(str, blanked[:_NAMED]))}{more}"
            )
        return checked

    def prompts(self, splits: Splits) -> Iterable[Any]:
        """Ids, earlier turns and user messages."""
        history = History(splits["shots"])
        return ([row_id(row), history.turns(row), render(row)] for row in splits["test"])

    def details(self, splits: Splits) -> dict[str, Any]:
        """Questions by subset; what a set without references cannot have."""
        rows = splits["test"]
        graded = not is_blanked(rows[0])
        counted = SUBSETS if graded else SUBSETS[:1]
        return {
            "questions": _Questions((f"sobhard:{s}", sum(_belongs(row, s) for row in rows)) for s in counted),
            # The number behind the bar is a bound on replayed turns: any may be asked for, whatever there is to replay.
            "shots": MOST_TURNS,
            "shots_always": True,
            "graded": graded,
        } | ({} if graded else {"note": _BLANKED_NOTE})


class _Questions(dict[str, int]):
    """Questions by task name; a subset that blanked rows hide cannot be counted, and asking for it says why."""

    def __missing__(self, task: str) -> NoReturn:
        raise DatasetError(
            f"task {task}: the questions of this dataset come without categories, so that only sobhard:all can be run "
            "on it; --dataset builtin-small, or a copy with references, has every family and difficulty"
        )


def _json_text(row: Row, path: str) -> str:
    value = value_at(row, path, optional=True)
    return value or "" if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)


def _number(row: Row, path: str) -> int | None:
    value = value_at(row, path, optional=True)
    if value is not None and (type(value) is not int or not -_NUMBER_END <= value < _NUMBER_END):
        raise RowError("must be an integer of at most 64 bits, or null", path)
    return value


BUILTIN_SMALL: Final = SOBHardLoader.shipped()
load_dataset = SOBHardLoader.load
