"""Which column of an unknown table holds what.

The official table is documented as far as ``task`` and ``question``; what its reference column is called is not, so it
is looked for among the usual names. Two candidates are never chosen between.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tasks.benchmark import DatasetError

__all__ = ["FIELDS", "find_columns"]

_USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "task": ("task",),
    "question": ("question",),
    "answer": (
        *("answer", "answers", "correct_answer", "correct_answers", "right_answer", "right_answers"),
        *("reference", "references", "reference_answer", "reference_answers", "gold", "golds", "gold_answer"),
        *("gold_answers", "golden_answer", "golden_answers", "target", "targets", "ground_truth", "expected"),
        *("expected_answer", "expected_answers", "output", "outputs", "solution", "label", "labels"),
        *("ответ", "ответы", "правильный_ответ", "правильные_ответы", "эталон", "эталоны", "эталонный_ответ"),
    ),
    "topic": ("topic",),
}
FIELDS: Final = tuple(_USUAL)
_OPTIONAL: Final = ("topic",)


def find_columns(rows: Sequence[Mapping[str, Any]], given: Mapping[str, str], where: str) -> dict[str, str]:
    """The column of each field.

    Args:
        rows: the rows of one split; every key of a row is a column.
        given: columns that the user named, by field.
        where: name of the split, for messages.

    Returns:
        The column's name by field; ``topic`` only if there is such a column.

    Raises:
        DatasetError: a field has no column or several, or a named column is not there; all columns are listed.
    """
    unknown = sorted(set(given) - set(FIELDS))
    if unknown:
        raise DatasetError(f"--column-map: no field {', '.join(map(repr, unknown))}; fields: {', '.join(FIELDS)}")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    listed = ", ".join(map(repr, columns))
    found = {}
    for field, usual in _USUAL.items():
        if field in given:
            if given[field] not in columns:
                raise DatasetError(
                    f"--column-map {field}={given[field]}: {where} has no such column; its columns: {listed}"
                )
            found[field] = given[field]
            continue
        candidates = [column for column in columns if _plain(column) in usual and column not in given.values()]
        if len(candidates) > 1:
            raise DatasetError(
                f"{where}: several columns could be the {field}: {', '.join(map(repr, candidates))}; "
                f"name one: --column-map {field}=COLUMN"
            )
        if candidates:
            found[field] = candidates[0]
        elif field not in _OPTIONAL:
            raise DatasetError(
                f"{where}: no column looks like the {field}; its columns: {listed}; "
                f"name one: --column-map {field}=COLUMN"
            )
    return found


def _plain(column: str) -> str:
    return column.strip().casefold().replace(" ", "_").replace("-", "_")
