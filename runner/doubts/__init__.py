"""Rows of a dataset that can be scored, but whose requirements no answer can meet: warned about before a run.

They are the dataset's mistakes (a minimum above its maximum, an empty letter to be avoided) and lower every model's
score alike. Rows that cannot be scored at all are refused elsewhere (``tasks/loading.py``). What is said is proven; a
row of which nothing is said may still be beyond any answer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from runner.doubts import ifbench, ifhard, sobhard
from tasks.benchmark import DatasetHandle
from tasks.rows import read_rows

__all__ = ["doubts", "doubts_of_rows"]

_NAMED: Final = 3  # rows that the warning names
# By benchmark: a checked row -> its id, and what no answer can meet in it, each with the reason.
_READ: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, list[str]]]]] = {
    "ifhard": ifhard.unmeetable,
    "ifbench": ifbench.unmeetable,
    "sobhard": sobhard.unmeetable,
}


def doubts(name: str, handle: DatasetHandle) -> str | None:
    """One line on the rows of a dataset that no answer can meet; None where no such row is known.

    Args:
        name: the benchmark's name.
        handle: its dataset.
    """
    if name not in _READ or not handle.graded:
        return None
    return doubts_of_rows(name, f"--dataset {handle.name}", read_rows(handle.folder / "test.jsonl"))


def doubts_of_rows(name: str, where: str, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """As :func:`doubts`, of the checked rows themselves; ``where`` opens the line."""
    found = []
    for number, row in enumerate(rows, start=1):
        ident, reasons = _READ[name](row)
        if reasons:
            more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
            found.append(f"row {number} ({ident}), {reasons[0]}{more}")
    if not found:
        return None
    rest = f"; and {len(found) - _NAMED} more rows" if len(found) > _NAMED else ""
    listed = "; ".join(found[:_NAMED])
    return f"{where}: no answer can meet {len(found)} of {len(rows)} rows of the test split: {listed}{rest}"
