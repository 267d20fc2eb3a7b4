"""Which rows are an IFBench dataset (IFBench notes, sections 1 and 6.3), and what is asked of them."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from metrics.ifbench import ArgumentsError, ResourceError, check_kwargs, check_resources
from metrics.ifbench.records import scoring_key
from metrics.record import Sample
from metrics.row_error import RowError
from tasks.benchmark import DatasetError, DatasetHandle
from tasks.loading import DatasetLoader, Splits
from tasks.names import TaskName
from tasks.rows import Row, check_storable, text_at, value_at

__all__ = ["BUILTIN", "OFFICIAL_ROWS_SHA256", "IFBenchLoader", "load_dataset", "rows_sha256", "sample_of"]

# Over the 300 rows of data/IFBench_test.jsonl in allenai/IFBench at commit db69a6f (2026-08-19), see rows_sha256.
OFFICIAL_ROWS_SHA256: Final = "7a4786d86ecbedfdf01d4c34934bdc237b7cda69408f3676174a8e1c42d2b2d3"
_SAME_NOTE: Final = "the official rows (allenai/IFBench at db69a6f, 2026-08-19)"
_OTHER_NOTE: Final = "the rows differ from those of allenai/IFBench at db69a6f (2026-08-19)"


def sample_of(line: Row, task: TaskName | None = None) -> Sample:
    """What scoring needs to know of a checked row, whose arguments may be a list or JSON text; every task asks it."""
    ids = list(line["instruction_id_list"])
    labels = json.dumps({"instructions": ", ".join(ids), "n_instructions": len(ids)}, sort_keys=True)
    return Sample(line["key"], 0, scoring_key(line), labels)


class IFBenchLoader(DatasetLoader):
    """``test.jsonl`` in the official schema; without the dictionaries that the checkers need nothing is loaded."""

    benchmark = "ifbench"
    shots = ""
    test_files = ("test", "IFBench_test")
    hub_test = "train"

    def _load(self) -> DatasetHandle:
        try:
            check_resources()
        except ResourceError as error:
            raise DatasetError(f"ifbench: {error}") from error
        return super()._load()

    def read_row(self, row: Row, split: str) -> dict[str, Any]:
        """The four fields of the schema: a number as key is a text, the arguments are one JSON string."""
        key = value_at(row, "key")
        if isinstance(key, int) and not isinstance(key, bool):
            row = {**row, "key": str(key)}
        text_at(row, "key", blank=False)
        text_at(row, "prompt", blank=False)
        ids, kwargs = value_at(row, "instruction_id_list"), _kwargs(row)
        if not isinstance(ids, list) or not ids or not all(isinstance(name, str) for name in ids):
            raise RowError("must be a list of instruction ids, and not empty", "instruction_id_list")
        if len(kwargs) != len(ids):
            raise RowError(
                f"must hold as many objects as there are instructions: {len(ids)}, not {len(kwargs)}", "kwargs"
            )
        for number, (name, given) in enumerate(zip(ids, kwargs, strict=True)):
            try:
                check_kwargs(name, given)
            except ArgumentsError as error:
                raise RowError(str(error), f"kwargs[{number}]") from error
        check_storable(kwargs, "kwargs")
        text = row["kwargs"] if isinstance(row["kwargs"], str) else json.dumps(kwargs, ensure_ascii=False)
        return {"key": row["key"], "prompt": row["prompt"], "instruction_id_list": ids, "kwargs": text}

    def row_id(self, row: Row, split: str) -> str:
        """The key."""
        key: str = row["key"]
        return key

    def prompts(self, splits: Splits) -> Iterable[Any]:
        """Keys and prompts."""
        return ([row["key"], row["prompt"]] for row in splits["test"])

    def details(self, splits: Splits) -> dict[str, Any]:
        """The number of prompts; of rows from elsewhere, whether they are the official ones."""
        details: dict[str, Any] = {"questions": {"ifbench:all": len(splits["test"])}}
        if self.request.name in self.facts().shipped:
            return details
        same = rows_sha256(splits["test"]) == OFFICIAL_ROWS_SHA256
        if self.request.name == "official":
            return details | {"note": "" if same else _OTHER_NOTE}
        return details | {"note": _SAME_NOTE if same else ""}


def rows_sha256(rows: Sequence[Row]) -> str:
    """Hex digest of what a set asks for, whatever its form: keys, prompts and constraints, in the order of the keys."""
    texts = sorted(json.dumps([row["key"], scoring_key(row)]) for row in rows)
    return hashlib.sha256("\n".join(texts).encode("ascii")).hexdigest()


def _kwargs(row: Row) -> list[Any]:
    """The arguments, which may stand as JSON text.

    Raises:
        RowError: they are no list.
    """
    found = value_at(row, "kwargs")
    try:
        kwargs = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError) as error:
        raise RowError(f"is not JSON: {error}", "kwargs") from error
    if not isinstance(kwargs, list):
        raise RowError("must be a list of objects, one for each instruction", "kwargs")
    return kwargs


BUILTIN: Final = IFBenchLoader.shipped()
load_dataset = IFBenchLoader.load
