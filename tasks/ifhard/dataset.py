"""Which rows are an IFHardBench dataset (contract, section 1), and what is asked of them."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from metrics.ifhard import ParamsError, check_params
from metrics.ifhard.scoring_key import parse_constraints, scoring_key
from metrics.record import Sample
from metrics.row_error import RowError
from tasks.ifhard.prompts import render
from tasks.loading import DatasetLoader, Splits
from tasks.names import TaskName
from tasks.rows import Row, text_at, value_at

__all__ = ["BUILTIN", "TIERS", "IFHardLoader", "load_dataset", "sample_of"]

TIERS: Final = ("easy", "medium", "hard", "expert")


def sample_of(line: Mapping[str, Any], task: TaskName) -> Sample | None:
    """What scoring needs to know of a checked row; None for a row of another tier."""
    categories = line["meta"]["categories"]
    if task.subset not in ("all", categories["tier"]):
        return None
    # Questions of one text of the bank move together.
    labels = {**categories, "task": line["inputs"]["question"]}
    words = json.dumps(labels, ensure_ascii=False, sort_keys=True)
    return Sample(line["meta"]["base_id"], 0, line["meta"]["constraints"], words)


class IFHardLoader(DatasetLoader):
    """``test.jsonl``, and maybe ``shots.jsonl`` with few-shot examples."""

    benchmark = "ifhard"

    def read_row(self, row: Row, split: str) -> dict[str, Any]:
        """The row with its scoring key as one JSON string, the form every reader accepts."""
        text_at(row, "meta.base_id", blank=False)
        if value_at(row, "meta.categories.tier") not in TIERS:
            raise RowError(f"must be one of {', '.join(TIERS)}", "meta.categories.tier")
        for name in ("question", "constraints", "context"):
            text_at(row, f"inputs.{name}")
        text_at(row, "outputs", optional=True, blank=split == "test")  # an example needs an answer
        render(row)
        _check_constraints(row)
        meta = dict(row["meta"])
        if not isinstance(meta["constraints"], str):
            meta["constraints"] = json.dumps(meta["constraints"], ensure_ascii=False)
        return {**row, "meta": meta}

    def row_id(self, row: Row, split: str) -> str:
        """The id within the split."""
        base_id: str = row["meta"]["base_id"]
        return base_id

    def prompts(self, splits: Splits) -> Iterable[Any]:
        """Ids and user turns."""
        return ([row["meta"]["base_id"], render(row)] for row in splits["test"])

    def details(self, splits: Splits) -> dict[str, Any]:
        """Questions by tier."""
        tiers = Counter(row["meta"]["categories"]["tier"] for row in splits["test"])
        return {"questions": {"ifhard:all": tiers.total()} | {f"ifhard:{tier}": tiers[tier] for tier in TIERS}}


def _check_constraints(row: Row) -> None:
    """Every requirement has parameters that its verifier takes.

    Raises:
        RowError: one has not.
    """
    place = "meta.constraints"
    try:
        for number, constraint in enumerate(parse_constraints(scoring_key(row))):
            place = f"meta.constraints[{number}].params"
            check_params(constraint.category, constraint.params)
    except ParamsError as error:
        raise RowError(str(error), place) from error


BUILTIN: Final = IFHardLoader.shipped()
load_dataset = IFHardLoader.load
