"""Writes and reads a panel as a parquet file: the columns of the published ``panel_verdicts``, and those of a review.

Each row is one response. Its ``constraints`` is a list of structs with these fields: ``instruction_id``,
``kwargs_json``, ``instruction``; for each grader a boolean under its name (null: no verdict) and a text
``<grader>_reason``; ``crash``, whether any grader's checker raised an exception; ``crashed``, the names of those
graders. A panel of other checkers that another program wrote in this form can be read as well.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from audit.errors import AuditError
from audit.panel import Graded, Panel, Row

__all__ = ["COLUMNS", "read_panel", "write_panel"]

# Published columns first, in their order.
COLUMNS: Final[Mapping[str, pa.DataType]] = {
    "config": pa.string(),
    "run": pa.string(),
    "prompt_key": pa.string(),
    "response_sha256": pa.string(),
    "extraction": pa.string(),
    "tokens": pa.int64(),
    "finish_reason": pa.string(),
    "truncated": pa.bool_(),
    "repeat_share": pa.float64(),
    "degenerate": pa.bool_(),
    "infrastructure": pa.bool_(),
}
_OURS: Final[Mapping[str, pa.DataType]] = {
    "repeat": pa.int64(),
    "benchmark": pa.string(),
    "task": pa.string(),
    "error": pa.string(),
    "prompt": pa.string(),
    "response": pa.string(),
}
_NAMED: Final = ("instruction_id", "kwargs_json", "instruction")
_REASON: Final = "_reason"
_RESERVED: Final = frozenset({*_NAMED, "crash", "crashed"})


def write_panel(path: Path, panel: Panel) -> None:
    """Write a panel; equal panels give equal rows in equal order.

    Raises:
        AuditError: a grader's name is that of another field of the struct, or the file cannot be written.
    """
    for grader in panel.graders:
        if grader in _RESERVED or grader.endswith(_REASON):
            raise AuditError(f"a grader cannot be named {grader!r} in a panel: the name is a column's")
    constraint = pa.struct(
        [
            *(pa.field(name, pa.string()) for name in _NAMED),
            *(pa.field(grader, pa.bool_()) for grader in panel.graders),
            *(pa.field(grader + _REASON, pa.string()) for grader in panel.graders),
            pa.field("crash", pa.bool_()),
            pa.field("crashed", pa.list_(pa.string())),
        ]
    )
    fields = [pa.field(name, kind) for name, kind in {**COLUMNS, **_OURS}.items()]
    schema = pa.schema([*fields, pa.field("constraints", pa.list_(constraint))])
    rows = [_flat(row, panel.graders) for row in panel.rows]
    try:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")
    except OSError as error:
        raise AuditError(f"{path} cannot be written: {error}") from error


def _flat(row: Row, graders: tuple[str, ...]) -> dict[str, Any]:
    plain = {name: getattr(row, name) for name in (*COLUMNS, *_OURS)}
    return plain | {
        "constraints": [
            {
                **{name: getattr(graded, name) for name in _NAMED},
                **{grader: graded.verdicts.get(grader) for grader in graders},
                **{grader + _REASON: graded.reasons.get(grader) for grader in graders},
                "crash": bool(graded.crashed),
                "crashed": list(graded.crashed),
            }
            for graded in row.constraints
        ]
    }


def read_panel(path: Path) -> Panel:
    """Read a panel with prompts and responses, as :func:`write_panel` writes it.

    The graders are the boolean fields of the constraints' struct, except ``crash``. The fields for reasons, crashes
    and ``kwargs_json`` may be missing.

    Raises:
        AuditError: the file is no parquet file, or lacks a column that a review needs (the published panel has no
            responses).
    """
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise AuditError(f"{path} cannot be read as a panel: {error}") from None
    needed = [*COLUMNS, *_OURS, "constraints"]
    missing = [name for name in needed if name not in table.column_names]
    if missing:
        raise AuditError(f"{path} is no panel that can be reviewed: no column {', '.join(missing)}")
    kind = table.schema.field("constraints").type
    fields = {field.name: field.type for field in kind.value_type} if pa.types.is_list(kind) else {}
    graders = tuple(name for name, of in fields.items() if pa.types.is_boolean(of) and name != "crash")
    lacking = [name for name in ("instruction_id", "instruction") if name not in fields]
    if lacking or not graders:
        raise AuditError(f"{path}: the constraints have no {', '.join(lacking) or 'grader'}")
    rows = [_row(found, graders) for found in table.select(needed).to_pylist()]
    return Panel(sorted(rows, key=lambda row: row.place), graders)


def _row(found: Mapping[str, Any], graders: tuple[str, ...]) -> Row:
    plain = {name: found[name] for name in (*COLUMNS, *_OURS)}
    return Row(**plain, constraints=tuple(_graded(graded, graders) for graded in found["constraints"] or ()))


def _graded(found: Mapping[str, Any], graders: tuple[str, ...]) -> Graded:
    # A grader that never looked at a benchmark's constraints has neither verdict nor reason there.
    asked = [name for name in graders if found[name] is not None or found.get(name + _REASON) is not None]
    return Graded(
        instruction_id=found["instruction_id"],
        kwargs_json=found.get("kwargs_json") or "{}",
        instruction=found["instruction"],
        verdicts={name: found[name] for name in asked},
        reasons={name: found.get(name + _REASON) or "" for name in asked},
        crashed=tuple(found.get("crashed") or ()),
    )
