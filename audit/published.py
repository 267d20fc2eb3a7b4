"""Reads an audit in its published form, from a folder or the Hub: six tables, each a config of one dataset.

A missing column that a rate needs is an error; another missing column is a warning. Graders are those whose columns are
documented, or named; a column of true and false is no grader for that alone. Other columns are named and ignored. The
published findings and decisions (F1, D1, G1 ...) keep their ids; the ids of ours begin with A.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from audit.errors import AuditError
from audit.estimates import Case
from runs.files import read_json, read_jsonl

__all__ = [
    "CONFIGS",
    "GRADERS",
    "PublishedRound",
    "Tables",
    "constraints_of",
    "graders_beside",
    "ignored_columns",
    "read_folder",
    "read_hub",
    "rounds",
    "warnings_of",
]

# For each table: its columns, and those of them that a rate needs.
CONFIGS: Final[Mapping[str, tuple[tuple[str, ...], frozenset[str]]]] = {
    "fixtures": (
        (
            *("id", "family", "name", "instruction_id", "kwargs_json", "response", "expected"),
            *("finding", "decision", "note", "content_sha256"),
        ),
        frozenset(),
    ),
    "findings": (
        (
            *("id", "kind", "instruction_ids", "n_test_constraints", "defect", "counterexample", "decisions"),
            "rests_on_decision",
        ),
        frozenset(),
    ),
    "decisions": (("id", "question", "official_reading", "proposal"), frozenset()),
    "blind_review": (
        (
            *("case_id", "round", "source", "stratum", "config", "prompt_key", "fixture_name", "fixture_expected"),
            *("finding", "decision", "instruction_id", "instruction", "prompt", "response"),
            *("reviewer_a_verdict", "reviewer_a_lean", "reviewer_a_confidence", "reviewer_a_reason"),
            *("reviewer_b_verdict", "reviewer_b_lean", "reviewer_b_confidence", "reviewer_b_reason", "consensus"),
        ),
        frozenset({"round", "stratum", "consensus"}),
    ),
    "blind_review_strata": (
        ("round", "stratum", "population", "sampled"),
        frozenset({"round", "stratum", "population"}),
    ),
    "panel_verdicts": (
        (
            *("config", "run", "prompt_key", "response_sha256", "extraction", "tokens", "finish_reason", "truncated"),
            *("repeat_share", "degenerate", "infrastructure", "constraints"),
        ),
        frozenset(),
    ),
}
# The graders of the published audit. A round of this project names its own in the file beside its tables.
GRADERS: Final = ("marin_strict", "marin_loose", "upstream_strict", "upstream_loose", "fixes_only", "proposed")
_OF_CONSTRAINTS: Final = frozenset({"instruction_id", "kwargs_json", "instruction", "crash", "crashed"})
_NEEDED: Final = ("blind_review", "blind_review_strata")
_SUFFIXES: Final = (".parquet", ".jsonl", ".csv")
_LEANS: Final = ("reviewer_a_lean", "reviewer_b_lean")

Rows = list[dict[str, Any]]
Tables = Mapping[str, Rows]


class PublishedRound(NamedTuple):
    """One round of a published review.

    Attributes:
        number: the round's number.
        cases: the round's cases; their consensus is the one that the table states.
        populations: number of verdicts of each stratum, by the stratum's name.
        graders: names of the graders whose verdicts the table holds.
        warnings: contradictions within the tables, one sentence each.
    """

    number: int
    cases: list[Case]
    populations: dict[str, int]
    graders: tuple[str, ...]
    warnings: tuple[str, ...]


def read_folder(folder: Path) -> Tables:
    """Read the tables of a folder.

    A table's files are called ``NAME.EXT``, ``NAME-*.EXT`` or ``NAME/**/*.EXT`` and may lie anywhere below the folder.
    If a table exists in several formats, parquet is preferred to JSON Lines, and JSON Lines to CSV.

    Returns:
        the rows of each table that was found, by the table's name.

    Raises:
        FileError: a file in JSON Lines cannot be read.
        AuditError: there is no such folder, a table that the rates need is missing, or a file in another format cannot
            be read.
    """
    if not folder.is_dir():
        raise AuditError(f"{folder} is no folder")
    found = {name: rows for name in CONFIGS if (rows := _rows(folder, name)) is not None}
    return _checked(found, str(folder))


def _rows(folder: Path, name: str) -> Rows | None:
    for suffix in _SUFFIXES:
        patterns = (f"**/{name}{suffix}", f"**/{name}-*{suffix}", f"**/{name}/**/*{suffix}")
        files = sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})
        if files:
            return [row for file in files for row in _file(file)]
    return None


def _file(path: Path) -> Rows:
    try:
        if path.suffix == ".parquet":
            return list(pq.read_table(path).to_pylist())
        if path.suffix == ".csv":
            return list(pacsv.read_csv(path, parse_options=pacsv.ParseOptions(newlines_in_values=True)).to_pylist())
    except (OSError, ValueError) as error:
        raise AuditError(f"{path} cannot be read: {error}") from None
    return read_jsonl(path)


def read_hub(name: str, revision: str | None = None, configs: Sequence[str] = tuple(CONFIGS)) -> Tables:
    """Read the tables of a dataset on the Hub.

    Args:
        name: id of the dataset.
        revision: revision of the dataset; None for the newest.
        configs: names of the tables to read.

    Returns:
        the rows of each table that the dataset has, by the table's name.

    Raises:
        OSError, ValueError: ``datasets`` raised it: there is no network, or no such dataset.
        AuditError: a table that the rates need is missing.
    """
    from datasets import get_dataset_config_names, load_dataset

    there = get_dataset_config_names(name, revision=revision)
    found = {
        config: list(load_dataset(name, config, split="train", revision=revision))
        for config in configs
        if config in there
    }
    return _checked(found, name)


def _checked(tables: Tables, where: str) -> Tables:
    missing = [name for name in _NEEDED if name not in tables]
    if missing:
        raise AuditError(f"{where} has no {' and no '.join(missing)}: no rate can be estimated")
    for name, rows in tables.items():
        lacking = CONFIGS[name][1].difference(_columns(rows))
        if lacking or not rows:
            raise AuditError(f"{where}: {name} has no {', '.join(sorted(lacking)) or 'rows'}")
    return tables


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def warnings_of(tables: Tables) -> list[str]:
    """One sentence for each table or set of columns of the published form that is missing, or cannot be read."""
    found = []
    for name, (columns, _) in CONFIGS.items():
        if name not in tables:
            found.append(f"no table {name}")
            continue
        missing = [column for column in columns if column not in _columns(tables[name])]
        if missing:
            found.append(f"{name} has no column {', '.join(missing)}")
    unread = sum(_constraints(row) is None for row in tables.get("panel_verdicts", ()))
    if unread:
        found.append(f"panel_verdicts: constraints of {unread} rows cannot be read and are left out")
    return found


def graders_beside(folder: Path) -> tuple[str, ...]:
    """Names of the graders of a round of this project whose folder this is; empty for another folder.

    Raises:
        FileError: its ``round.json`` cannot be read.
    """
    path = folder / "round.json"
    about = read_json(path) if path.is_file() else {}
    return tuple(about.get("panel_graders") or about.get("graders") or ())


def ignored_columns(tables: Tables, graders: Sequence[str]) -> dict[str, list[str]]:
    """The columns that are neither of the published form nor a grader's, by table, in their order.

    Args:
        tables: the tables.
        graders: names of the graders.
    """
    review = [name for name in _columns(tables["blind_review"]) if name not in CONFIGS["blind_review"][0]]
    panel = _columns([one for row in tables.get("panel_verdicts", ()) for one in constraints_of(row)])
    inner = [name for name in panel if name not in _OF_CONSTRAINTS and not name.endswith("_reason")]
    found = {"blind_review": review, "panel_verdicts.constraints": inner}
    return {table: kept for table, names in found.items() if (kept := [name for name in names if name not in graders])}


def constraints_of(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The constraints of a row of ``panel_verdicts``: a list, or its JSON in tables that hold no lists.

    Those that cannot be read are none; :func:`warnings_of` counts their rows.
    """
    return _constraints(row) or []


def _constraints(row: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """None for constraints that cannot be read."""
    found = row.get("constraints")
    if found is None or found == "":  # a CSV's way to have none
        return []
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            return None
    return found if isinstance(found, list) and all(isinstance(one, Mapping) for one in found) else None


def rounds(tables: Tables, number: int | None = None, graders: Sequence[str] = GRADERS) -> list[PublishedRound]:
    """The rounds of a published review.

    Args:
        tables: the tables.
        number: the one round to return; None for all.
        graders: names of the columns that hold graders' verdicts; those that the table lacks are left out.

    Raises:
        AuditError: there is no such round, no column holds a grader's verdicts, or a verdict or a consensus cannot be
            read.
    """
    review, strata = tables["blind_review"], tables["blind_review_strata"]
    there = sorted({int(row["round"]) for row in review})
    if number is not None and number not in there:
        raise AuditError(f"there is no round {number}, only {', '.join(map(str, there))}")
    found = _graders(review, graders)
    return [_round(one, review, strata, found) for one in there if number in (None, one)]


def _graders(review: Rows, wanted: Sequence[str]) -> tuple[str, ...]:
    """Those of the wanted graders that have verdicts, in the order of the table's columns."""
    graders = []
    for name in (name for name in _columns(review) if name in wanted):
        values = [row.get(name) for row in review]
        odd = next((value for value in values if not isinstance(value, _READ) or value not in _VERDICTS), None)
        if odd is not None:
            raise AuditError(f"blind_review: {name} has {odd!r}, which is no verdict")
        if any(_VERDICTS[value] is not None for value in values):
            graders.append(name)
    if not graders:
        raise AuditError(
            f"blind_review has no column of a grader's verdicts ({', '.join(wanted)}); name its columns by --graders"
        )
    return tuple(graders)


_READ: Final = (bool, str, type(None))
_VERDICTS: Final[Mapping[Any, bool | None]] = {
    True: True,
    False: False,
    None: None,
    "": None,
    "true": True,
    "false": False,
    "True": True,
    "False": False,
    "pass": True,
    "fail": False,
}


def _round(number: int, review: Rows, strata: Rows, graders: tuple[str, ...]) -> PublishedRound:
    sizes = {row["stratum"]: int(row["population"] or 0) for row in strata if int(row["round"]) == number}
    sampled = {row["stratum"]: row.get("sampled") for row in strata if int(row["round"]) == number}
    rows = [row for row in review if int(row["round"]) == number]
    warnings = []
    for name, wanted in sampled.items():
        count = sum(row["stratum"] == name for row in rows)
        if wanted is not None and count != int(wanted):
            warnings.append(f"round {number}: {count} cases of {name}, but {wanted} were sampled")
    cases = []
    unlike = 0
    for place, row in enumerate(rows):
        case, agrees = _case(row, place, graders)
        cases.append(case)
        unlike += not agrees
    if unlike:
        warnings.append(f"round {number}: of {unlike} cases the consensus is not that of the leans; the column is used")
    return PublishedRound(number, cases, sizes, graders, tuple(warnings))


def _case(row: Mapping[str, Any], place: int, graders: tuple[str, ...]) -> tuple[Case, bool]:
    """The case of one row, and whether its stated consensus is the one that its leans give."""
    said = row["consensus"] or ""
    if said not in ("pass", "fail", ""):
        raise AuditError(f"case {row.get('case_id', place)}: the consensus is {said!r}")
    leans = tuple(row.get(name) or None for name in _LEANS)
    verdicts = tuple(row.get(name.replace("lean", "verdict")) or None for name in _LEANS)
    known = all(name in row for name in _LEANS)
    shared = leans[0] if leans[0] == leans[1] else None
    agrees = not known or (shared or "") == said
    case = Case(
        id=str(row.get("case_id", place)),
        stratum=row["stratum"],
        instruction_id=str(row.get("instruction_id", "")),
        leans=leans,
        verdicts_given=verdicts,
        verdicts={grader: _VERDICTS[row.get(grader)] for grader in graders},
        fixture=str(row.get("fixture_name") or ""),
        expected=str(row.get("fixture_expected") or ""),
        shows=", ".join(str(row[name]) for name in ("finding", "decision") if row.get(name)),
        given_consensus=said,
    )
    return case, agrees
