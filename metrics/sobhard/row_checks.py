"""Refusing a broken row when a dataset is loaded, with the row and the field named (SOBHard contract, section 1)."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from metrics.row_error import RowError
from metrics.sobhard.question import FAMILIES, Question
from metrics.sobhard.rows import SCORING_FIELDS, field, question_of, row_id
from metrics.sobhard.rules import RULES
from metrics.sobhard.schemas import KINDS as SCHEMA_KINDS

__all__ = ["DIFFICULTIES", "NEEDS", "RULE_PARAMS", "Need", "check_row", "check_scoring"]

DIFFICULTIES: Final = ("easy", "medium", "hard")
_OPS: Final = ("set", "delete", "insert")
_tag = re.compile(r"[A-Za-z0-9_+-]+").fullmatch

# What each rule's property reads; a step without it fails every answer.
RULE_PARAMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        **dict.fromkeys(RULES, ()),
        "filter_records": ("field", "op", "value"),
        "sort_records": ("field", "numeric"),
        "group_records": ("field",),
        "project_fields": ("fields",),
        "dedup_records": ("field",),
        "renumber": ("field",),
        "top_n_per_group": ("field", "n"),
        "melt": ("fields",),
    }
)


class Need(NamedTuple):
    """What a well-formed row of a family carries (contract, 1.4).

    Attributes:
        task_meta: keys that must be there.
        checks: keys that must be there and not null.
        derived: whether a program also needs ``derived``.
        expected: property of Question whose value must come out of the row's own data, or "".
    """

    task_meta: tuple[str, ...] = ()
    checks: tuple[str, ...] = ("source",)
    derived: bool = False
    expected: str = ""


NEEDS: Final[Mapping[str, Need]] = MappingProxyType(
    {
        "convert": Need(),
        "extract": Need(("paths",)),
        "repair": Need(("program",), ("source", "derived")),
        "transform": Need(("program",)),
        "schema_gen": Need(derived=True, expected="schema"),
        "patch": Need(("ops",), derived=True, expected="patched"),
        "diff": Need((), ("source", "source_b"), expected="difference"),
        "apply_diff": Need((), ("source", "source_b"), derived=True, expected="changed"),
        "merge": Need(("join",), ("source", "source_b"), derived=True, expected="joined"),
        "template": Need((), ("source", "source_b"), derived=True, expected="rendered"),
    }
)


def check_row(row: Mapping[str, Any]) -> Question | None:
    """Read a row and check all that scoring rests on.

    Returns:
        The question; None for a blanked row, which can be asked and not scored.

    Raises:
        RowError: the row cannot be used; the message names the row and the field's dotted path.
    """
    try:
        question = question_of(row)
        if question.blanked:
            return None
        _check_categories(row, question)
        _check_reference(row, question)
        _check_family(question)
        _check_gates(question.checks.get("gates") or {})
    except RowError as error:
        raise error.within(row_id(row)) from None
    return question


def check_scoring(scoring: str) -> Question | None:
    """Read a rows.scoring_key as strictly as the row that it was made of.

    Returns:
        As :func:`check_row`.

    Raises:
        RowError: it has another form, or says what no row may say.
    """
    try:
        key = json.loads(scoring)
        names = {path: path.rpartition(".")[2] for path in SCORING_FIELDS}
        row = {path: key.pop(name) for path, name in names.items()}
        row["meta.categories.difficulty"] = key.pop("cell").partition("/")[2]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RowError(f"the scoring key has another form: {type(error).__name__}: {error}") from None
    if key:
        raise RowError(f"the scoring key has another form: {', '.join(sorted(key))}")
    return check_row(row)


def _check_categories(row: Mapping[str, Any], question: Question) -> None:
    for name, known in (("family", FAMILIES), ("difficulty", DIFFICULTIES)):
        value = field(row, f"meta.categories.{name}")
        if value not in known:
            raise RowError(f"is none of {', '.join(known)}: {value!r}", f"meta.categories.{name}")
    if not _tag(question.tag):
        raise RowError(f"cannot stand on a fence: {question.tag!r}", "meta.fence_tag")


def _check_reference(row: Mapping[str, Any], question: Question) -> None:
    if question.gold is None:
        raise RowError("does not parse as the target notation", "meta.reference")
    stated, reference = field(row, "meta.reference_sha256"), field(row, "meta.reference") or ""
    if stated and hashlib.sha256(reference.encode("utf-8", "surrogatepass")).hexdigest() != stated:
        raise RowError("is not the hash of meta.reference", "meta.reference_sha256")


def _check_family(question: Question) -> None:
    meta = question.task_meta
    if question.is_session:
        if question.family not in NEEDS:
            raise RowError(f"is no family of a turn: {meta.get('turn_family')!r}", "meta.task_meta.turn_family")
        turn = meta.get("session", {}).get("turn_index") if isinstance(meta.get("session"), dict) else None
        if type(turn) is not int or turn < 1:
            raise RowError("is no turn number", "meta.task_meta.session.turn_index")
    need = NEEDS[question.family]
    for name in need.task_meta:
        if name not in meta:
            raise RowError(f"is missing, and {question.family} needs it", f"meta.task_meta.{name}")
    for name in need.checks:
        value = question.source if name == "source" else question.checks.get(name)
        if value is None:
            raise RowError(f"is missing, and {question.family} needs it", f"meta.checks.{name}")
    for name, check in _SHAPES.items():
        if name in meta:
            check(meta[name])
    if need.derived and meta.get("program") and question.derived is None:
        raise RowError("is missing beside a program", "meta.checks.derived")
    problem = getattr(question, need.expected).problem if need.expected else ""
    if problem:
        raise RowError(f"gives nothing to compare with: {problem}", "meta.checks")


def _check_paths(name: str) -> Callable[[Any], None]:
    def check(value: Any) -> None:
        if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
            raise RowError("is no list of strings", f"meta.task_meta.{name}")

    return check


def _check_program(steps: Any) -> None:
    for place, step in _entries(steps, "program"):
        rule = step.get("rule")
        if not isinstance(rule, str) or rule not in RULES:
            raise RowError(f"is no known rule: {rule!r}", f"{place}.rule")
        params = step.get("params", {})
        for name in RULE_PARAMS[rule]:
            if not isinstance(params, dict) or name not in params:
                raise RowError("is missing", f"{place}.params.{name}")


def _check_ops(ops: Any) -> None:
    for place, op in _entries(ops, "ops"):
        if op.get("op") not in _OPS:
            raise RowError(f"is none of {', '.join(_OPS)}: {op.get('op')!r}", f"{place}.op")
        if not isinstance(op.get("path"), str) or not op["path"]:
            raise RowError("is no path", f"{place}.path")
        if op["op"] != "delete" and "value" not in op:
            raise RowError("is missing", f"{place}.value")


def _entries(value: Any, name: str) -> Sequence[tuple[str, dict[str, Any]]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise RowError("is no list of objects", f"meta.task_meta.{name}")
    return [(f"meta.task_meta.{name}[{index}]", entry) for index, entry in enumerate(value)]


def _check_join(join: Any) -> None:
    if not isinstance(join, dict) or not isinstance(join.get("key"), str):
        raise RowError("is missing", "meta.task_meta.join.key")
    for name in ("winner", "order"):
        if join.get(name) not in ("A", "B"):
            raise RowError(f"is neither A nor B: {join.get(name)!r}", f"meta.task_meta.join.{name}")


def _check_schema_kind(kind: Any) -> None:
    if kind not in SCHEMA_KINDS:
        raise RowError(f"is none of {', '.join(SCHEMA_KINDS)}: {kind!r}", "meta.task_meta.schema_kind")


_SHAPES: Final[Mapping[str, Callable[[Any], None]]] = {
    "paths": _check_paths("paths"),
    "absent": _check_paths("absent"),
    "program": _check_program,
    "ops": _check_ops,
    "join": _check_join,
    "schema_kind": _check_schema_kind,
}


def _check_gates(gates: Any) -> None:
    if not isinstance(gates, dict):
        raise RowError("is no object", "meta.checks.gates")
    for name, value in gates.items():
        if not isinstance(value, bool):
            raise RowError("is no boolean", f"meta.checks.gates.{name}")
