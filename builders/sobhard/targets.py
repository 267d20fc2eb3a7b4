"""References written out: a value in a target notation, read back by the scorer's own parser."""

from typing import Any

from builders.sobhard import sources
from metrics.sobhard.targets import TARGETS, parse

__all__ = ["write_target"]


def write_target(target: str, value: Any) -> str:
    """A value as a reference document, without a final newline.

    Raises:
        ValueError: the notation does not hold the value.
    """
    text = _insert_statements(value) if target == "sqlinsert" else sources.write(target, value)
    text = text.removesuffix("\n")
    if parse(TARGETS[target], text).value != value:
        raise ValueError(f"{target} reads the value back as another")
    return text


def _insert_statements(records: list[dict[str, str | None]]) -> str:
    """One INSERT statement a record.

    Raises:
        ValueError: a value that is neither a string nor null; ragged records are found when the text is read back.
    """
    lines = []
    for record in records:
        cells = []
        for cell in record.values():
            if cell is not None and not isinstance(cell, str):
                raise ValueError(f"no string: {cell!r}")
            cells.append("NULL" if cell is None else "'" + cell.replace("'", "''") + "'")
        lines.append(f"INSERT INTO records ({', '.join(record)}) VALUES ({', '.join(cells)});\n")
    return "".join(lines)
