"""Three scripted solvers, which tell two sets of questions apart if these are not of one difficulty.

None reads the instruction: what they score is what a set gives away.
"""

import configparser
import csv
import io
import json
import random
from collections.abc import Callable, Mapping
from typing import Any, Final

import tomli
import yaml

from builders.sobhard.damage import wrong_answers
from builders.sobhard.rows import fenced

__all__ = ["SOLVERS"]

Row = Mapping[str, Any]


def _copy(row: Row) -> str:
    """The input handed back in the right fence."""
    return fenced(row, row["inputs"]["input_data"])


def _library(row: Row) -> str:
    """The input read and written by libraries that a programmer would take, where the notation has one."""
    categories = row["meta"]["categories"]
    try:
        value = _READERS[categories["source_format"]](row["inputs"]["input_data"])
        return fenced(row, _WRITERS[categories["target_format"]](value))
    except Exception:  # a solver that cannot read its question has no answer
        return ""


def _slip(row: Row) -> str:
    """The reference with one value changed."""
    rng = random.Random(row["meta"]["base_id"])
    changed = (wrong.answer for wrong in wrong_answers(rng, row) if wrong.constraint.startswith("val."))
    return next(changed, "")


def _table(separator: str) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))

    return read


def _pairs(text: str) -> Any:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way to keep the case of keys
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def _insert(records: Any) -> str:
    lines = []
    for record in records:
        cells = ", ".join("'" + str(cell).replace("'", "''") + "'" for cell in record.values())
        lines.append(f"INSERT INTO records ({', '.join(record)}) VALUES ({cells});")
    return "\n".join(lines)


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "csv": _table(","),
    "tsv": _table("\t"),
    "scsv": _table(";"),
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines() if line],
    "yaml": yaml.safe_load,
    "toml": tomli.loads,
    "ini": _pairs,
    "properties": lambda text: dict(_pairs(f"[it]\n{text}")["it"]),
}
_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = {
    "json": lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    "jsonl": lambda value: "\n".join(json.dumps(entry, ensure_ascii=False) for entry in value),
    "yaml": lambda value: str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False)),
    "properties": lambda value: "\n".join(f"{key} = {entry}" for key, entry in value.items()),
    "sqlinsert": _insert,
}

SOLVERS: Final[Mapping[str, Callable[[Row], str]]] = {
    "input handed back": _copy,
    "read and written by libraries": _library,
    "reference with one value changed": _slip,
}
