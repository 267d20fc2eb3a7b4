"""Rows of a dataset that can be scored, but whose requirements no answer can meet: warned about before a run.

They are the dataset's mistakes (a minimum above its maximum, an empty letter to be avoided) and lower every model's
score alike. Rows that cannot be scored at all are refused elsewhere (``tasks/loading.py``). What is said is proven; a
row of which nothing is said may still be beyond any answer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tasks.benchmark import Benchmark, DatasetHandle
from tasks.rows import read_rows

__all__ = ["doubts", "doubts_of_rows"]

Unmeetable = Callable[[Mapping[str, Any]], tuple[str, list[str]]]
_NAMED: Final = 3  # rows that the warning names


def doubts(bench: Benchmark, handle: DatasetHandle) -> str | None:
    """One line on the rows of a dataset that no answer can meet; None where no such row is known.

    Args:
        bench: the benchmark.
        handle: its dataset.
    """
    if bench.unmeetable is None or not handle.graded:
        return None
    return doubts_of_rows(bench.unmeetable, f"--dataset {handle.name}", read_rows(handle.folder / "test.jsonl"))


def doubts_of_rows(unmeetable: Unmeetable, where: str, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """As :func:`doubts`, of the checked rows themselves; ``where`` opens the line."""
    found = []
    for number, row in enumerate(rows, start=1):
        ident, reasons = unmeetable(row)
        if reasons:
            more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
            found.append(f"row {number} ({ident}), {reasons[0]}{more}")
    if not found:
        return None
    rest = f"; and {len(found) - _NAMED} more rows" if len(found) > _NAMED else ""
    listed = "; ".join(found[:_NAMED])
    return f"{where}: no answer can meet {len(found)} of {len(rows)} rows of the test split: {listed}{rest}"
