"""Finding, checking and normalising a SOBHard dataset (contract, section 1).

Whatever the source, the runner ends up with one local folder of ``test.jsonl`` and ``shots.jsonl`` whose rows were
checked, so that a bad row stops the run before a single token is generated.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from metrics.sobhard import check_row, is_blanked
from metrics.sobhard.checking import DIFFICULTIES
from metrics.sobhard.question import FAMILIES
from metrics.sobhard.rows import field, row_id
from tasks.benchmark import DatasetError, DatasetHandle, DatasetRequest
from tasks.folders import file_sha256, write_copy
from tasks.hub import download
from tasks.rows import check_storable, read_jsonl
from tasks.sobhard.card import CATEGORIES, NUMBERS, TEXTS, render_card
from tasks.sobhard.history import History
from tasks.sobhard.prompts import BLOCKS, render

__all__ = ["BUILTIN_SMALL", "MOST_TURNS", "OFFICIAL", "SUBSETS", "belongs", "load_dataset", "read_history"]

BUILTIN_SMALL: Final = Path(__file__).with_name("data")
OFFICIAL: Final = "MERA-evaluation/SOBHard"
SPLITS: Final = ("test", "shots")
MOST_TURNS: Final = 8  # the official bound on replayed turns, and the highest offered
SUBSETS: Final = ("all", *FAMILIES, *DIFFICULTIES)
_ADVICE: Final = (
    "It may be private: request access and set HF_TOKEN; or use the small set shipped here: --dataset builtin-small"
)
_NAMED: Final = 5  # rows that a message names
_STRINGS: Final = tuple(name for name in TEXTS if name not in ("task_meta", "checks"))
_NUMBER_END: Final = 2**63  # the columns of a normalised copy hold 64 bits
_SMALL_NOTE: Final = "a small sample set of this project, short documents, not the official questions"
_BLANKED_NOTE: Final = (
    "the questions come without references, as in the public copy: answers are generated and written for the official "
    "scorer, there is no score"
)
_NO_BUILTIN: Final = (
    "--dataset builtin: the full set of 825 questions is not part of this version; a set of 33 questions, one for each "
    "family and difficulty, is: --dataset builtin-small"
)


def belongs(row: Mapping[str, Any], subset: str) -> bool:
    """Whether a row is asked in ``all``, a family or a difficulty."""
    categories = row["meta"]["categories"]
    return subset == "all" or subset in (categories["family"], categories["difficulty"])


def load_dataset(request: DatasetRequest) -> DatasetHandle:
    """Make a dataset available locally and check every row.

    Args:
        request: its name is ``builtin-small``, ``official``, a folder with ``test.jsonl`` (``shots.jsonl`` beside it
            holds the earlier turns of conversations), or a ``.jsonl`` file of test rows; its cache folder is made only
            when a copy is needed; without a revision the Hub's newest is taken.

    Raises:
        DatasetError: it cannot be had, or a row is bad (the row is named).
    """
    source, cache = request.name, request.cache
    if source == "builtin":
        raise DatasetError(_NO_BUILTIN)
    if source == "builtin-small":
        _check({split: read_jsonl(BUILTIN_SMALL / f"{split}.jsonl") for split in SPLITS}, source)
        return _handle(source, BUILTIN_SMALL, None, _SMALL_NOTE)
    if source == "official":
        found, rows = download(OFFICIAL, SPLITS, request.revision, _ADVICE)
        return _normalise(source, rows, cache, found)
    path = Path(source)
    test = path / "test.jsonl" if path.is_dir() else path
    if not test.is_file():
        raise DatasetError(
            f"--dataset {source}: no such file or folder with a test.jsonl; names: builtin-small, official"
        )
    shots = test.with_name("shots.jsonl")
    splits = {"test": read_jsonl(test), "shots": read_jsonl(shots) if shots.is_file() and shots != test else []}
    return _normalise(source, splits, cache, None)


def read_history(folder: Path) -> History:
    """The conversations of a checked dataset folder."""
    path = folder / "shots.jsonl"
    return History(read_jsonl(path) if path.is_file() else [])


# Checking -------------------------------------------------------------------------------------------------------------


def _check(splits: Mapping[str, Sequence[Mapping[str, Any]]], name: str) -> None:
    """Every row has what prompt, history and scorer read; ids are unique; either all questions are graded or none."""
    test, shots = splits["test"], splits["shots"]
    if not test:
        raise DatasetError(f"{name} test: no rows")
    seen: dict[str, int] = {}
    for split, rows in (("test", test), ("shots", shots)):
        for number, row in enumerate(rows, start=1):
            where = f"{name} {split}, row {number}"
            _check_row(row, where)
            # Shots are shown, never scored: that they can be shown is History's to say.
            if split == "test":
                _check_scoring(row, where)
                ident = row_id(row)
                if ident in seen:
                    raise DatasetError(f"{name} test: rows {seen[ident]} and {number} share the id {ident!r}")
                seen[ident] = number
    try:
        history = History(shots)
    except ValueError as error:
        raise DatasetError(f"{name} shots: {error}") from error
    for number, row in enumerate(test, start=1):
        try:
            history.turns(row)
        except ValueError as error:
            raise DatasetError(f"{name} test, row {number}: {error}") from error
    _check_blanks(test, name)


def _check_row(row: Mapping[str, Any], where: str) -> None:
    try:
        inputs = row["inputs"]
        if not isinstance(inputs, Mapping) or not all(isinstance(inputs[key], str) for key in BLOCKS):
            raise ValueError(f"'inputs' must hold the strings {', '.join(BLOCKS)}")
        meta = row["meta"]
        if not isinstance(meta, Mapping) or not isinstance(meta.get("categories"), Mapping):
            raise ValueError("'meta' must be an object that holds the object 'categories'")
        for name in NUMBERS:
            number = meta.get(name)
            if number is not None and (type(number) is not int or not -_NUMBER_END <= number < _NUMBER_END):
                raise ValueError(f"'meta.{name}' must be an integer of at most 64 bits, or null")
        for place, found, names in (("meta", meta, _STRINGS), ("meta.categories", meta["categories"], CATEGORIES)):
            for name in names:
                if not isinstance(found.get(name), str | None):
                    raise ValueError(f"'{place}.{name}' must be a string or null")
        if (meta.get("dialogue_id") is None) != (meta.get("turn_index") is None):
            raise ValueError("'meta.dialogue_id' and 'meta.turn_index' must come together")
        if meta.get("turn_index") is not None and meta["turn_index"] < 1:
            raise ValueError(f"'meta.turn_index' counts from 1, found {meta['turn_index']}")
        if not meta.get("base_id") and meta.get("id") is None:
            raise ValueError("'meta.base_id' or 'meta.id' must name the row")
        render(row)
        check_storable(_line(row))
    except KeyError as error:
        raise DatasetError(f"{where}: field {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise DatasetError(f"{where}: {error}") from error


def _check_scoring(row: Mapping[str, Any], where: str) -> None:
    try:
        check_row(row)
    except (TypeError, ValueError, AttributeError) as error:
        raise DatasetError(f"{where}: {error}") from error


def _check_blanks(test: Sequence[Mapping[str, Any]], name: str) -> None:
    blanked = [number for number, row in enumerate(test, start=1) if is_blanked(row)]
    if blanked and len(blanked) < len(test):
        more = f" and {len(blanked) - _NAMED} more" if len(blanked) > _NAMED else ""
        raise DatasetError(
            f"{name} test: {len(blanked)} of {len(test)} rows have no reference, so they can neither all be scored "
            f"nor all be generated only: rows {', '.join(map(str, blanked[:_NAMED]))}{more}"
        )


# The local folder -----------------------------------------------------------------------------------------------------


def _normalise(
    name: str, splits: Mapping[str, Sequence[Mapping[str, Any]]], cache: Path, revision: str | None
) -> DatasetHandle:
    """Write the checked splits into a folder named after their content, once."""
    _check(splits, name)
    texts = {split: "".join(map(_line, splits[split])) for split in SPLITS}
    folder = write_copy(cache, "sobhard", texts, render_card)
    return _handle(name, folder, revision, "")


def _line(row: Mapping[str, Any]) -> str:
    """The row as a line of the normalised copy."""
    return json.dumps(_plain(row), ensure_ascii=False, sort_keys=True) + "\n"


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the fields of the contract and no others, each of one type, which every reader accepts."""
    texts = {name: field(row, f"meta.{name}") for name in TEXTS}
    for name in ("task_meta", "checks"):
        if texts[name] is not None and not isinstance(texts[name], str):
            texts[name] = json.dumps(texts[name], ensure_ascii=False)
    return {
        "instruction": row["instruction"],
        "inputs": {name: row["inputs"][name] for name in BLOCKS},
        "outputs": row.get("outputs") or "",
        "meta": {
            **{name: text or "" for name, text in texts.items()},
            **{name: row["meta"].get(name) for name in NUMBERS},
            "categories": {name: row["meta"]["categories"].get(name) or "" for name in CATEGORIES},
        },
    }


class _Questions(dict[str, int]):
    """Questions by task name; a subset that blanked rows hide cannot be counted, and asking for it says why."""

    def __missing__(self, task: str) -> NoReturn:
        raise DatasetError(
            f"task {task}: the questions of this dataset come without categories, so that only sobhard:all can be run "
            "on it; --dataset builtin-small, or a copy with references, has every family and difficulty"
        )


def _handle(name: str, folder: Path, revision: str | None, note: str) -> DatasetHandle:
    path, shots = folder / "test.jsonl", folder / "shots.jsonl"
    rows, history = read_jsonl(path), read_history(folder)
    prompts = hashlib.sha256()
    for row in rows:
        prompts.update(json.dumps([row_id(row), history.turns(row), render(row)]).encode("ascii"))
    graded = not is_blanked(rows[0])
    counted = SUBSETS if graded else SUBSETS[:1]
    return DatasetHandle(
        name=name,
        folder=folder,
        sha256=file_sha256(path),
        prompts_sha256=prompts.hexdigest(),
        revision=revision,
        # The number behind the bar is a bound on replayed turns: any may be asked for, whatever there is to replay.
        shots=MOST_TURNS,
        shots_sha256=file_sha256(shots),
        questions=_Questions((f"sobhard:{s}", sum(belongs(row, s) for row in rows)) for s in counted),
        graded=graded,
        note=note if graded else _BLANKED_NOTE,
        shots_always=True,
    )
