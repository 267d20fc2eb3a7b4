"""The hand tables of the source notations under ``cases/``: documents, and the values or refusals they must get."""

import json
from pathlib import Path

import pytest
import yaml

from builders.sobhard.sources import Column, Layout

FOLDER = Path(__file__).with_name("cases")


def _joined(text):
    """A text, or a list of pieces: a string, or a string and how many times it stands there."""
    pieces = [text] if isinstance(text, str) else text
    return "".join(piece if isinstance(piece, str) else piece[0] * piece[1] for piece in pieces)


def _columns(given):
    """Columns as [name, start, end], or how many columns of one character there are."""
    if isinstance(given, int):
        given = [(str(place), place, place + 1) for place in range(given)]
    return tuple(Column(*column) for column in given)


_FIELDS = {
    "names": tuple,
    "columns": _columns,
    "pattern": str,
    "comment": str,
    "attributes": frozenset,
    "notes": tuple,
}


def _layout(fields):
    return Layout(**{name: _FIELDS[name](given) for name, given in fields.items()})


def load_cases(table):
    """Cases of one table, each a dict of what its kind has: notation, is, layout, text, value, code."""
    cases = []
    groups = yaml.safe_load((FOLDER / f"{table}.yaml").read_text(encoding="utf-8"))
    for notation, entries in groups.items():
        for entry in entries:
            case = {**entry, "notation": notation, "layout": _layout(entry.get("layout", {}))}
            if "text" in case:
                case["text"] = _joined(case["text"])
            if "value_json" in case:
                case["value"] = json.loads(_joined(case.pop("value_json")))
            cases.append(case)
    return cases


def each(cases):
    """Run a test for each case, named after it."""
    return pytest.mark.parametrize("case", cases, ids=[f"{case['notation']} - {case['is']}" for case in cases])
