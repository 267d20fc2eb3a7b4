"""Pass rates over two axes: family and difficulty, or what a benchmark has in their place."""

import math
from collections import defaultdict
from typing import Final, NamedTuple

from report.html.view import TaskView

__all__ = ["Grid", "grid"]

ALL: Final = "all"
_LADDER: Final = ("easy", "medium", "hard", "expert")


class Grid(NamedTuple):
    """A heat map.

    Attributes:
        axis: what the rows are.
        across: what the columns are; empty where there is one for all.
        rows, columns: their labels.
        cells: (row, column) -> rate and how many it is over; pairs without an answer are left out.
    """

    axis: str
    across: str
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], tuple[float, int]]


def grid(task: TaskView) -> Grid | None:
    """What was met, by family (or the benchmark's first group) and by the other label of the question's cell.

    None where no answer was scored, or the benchmark has no groups.
    """
    groups = task.bench.groups
    if not groups:
        return None
    axis = "family" if "family" in groups else next(iter(groups))
    across = next((label for label in task.bench.cells if label != axis), "")
    met = defaultdict(list)
    for shown in task.answers:
        if shown.record["outcome"] != "answered":
            continue
        column = str(shown.labels.get(across, "?")) if across else ALL
        for row, value in groups[axis](shown.record):
            if value is not None:
                met[row, column].append(value)
                if across:
                    met[row, ALL].append(value)
    if not met:
        return None
    rows = sorted({row for row, _ in met})
    columns = sorted({column for _, column in met}, key=_place)
    cells = {place: (math.fsum(values) / len(values), len(values)) for place, values in met.items()}
    return Grid(axis, across, rows, columns, cells)


def _place(label: str) -> tuple[int, str]:
    """Rungs of difficulty upwards, then other labels by name, the sum last."""
    if label == ALL:
        return len(_LADDER) + 1, label
    return _LADDER.index(label) if label in _LADDER else len(_LADDER), label
