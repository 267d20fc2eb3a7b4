"""Dataset rows: what a question carries, read once, and checked when a dataset is loaded (SOBHard contract, section 1).

A row is nested (``meta`` an object) or flattened (``meta.reference`` a key); ``task_meta`` and ``checks`` are JSON
texts or objects.
"""

import functools
import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from metrics.row_error import RowError
from metrics.sobhard.question import Question
from metrics.sobhard.targets import TARGETS

__all__ = [
    "SCORING_FIELDS",
    "answer_size",
    "answer_text",
    "cell",
    "field",
    "is_blanked",
    "labels",
    "question",
    "question_of",
    "row_id",
    "scoring_key",
]

SCORING_FIELDS: Final = (
    "outputs",
    "meta.fence_tag",
    "meta.reference",
    "meta.task_meta",
    "meta.checks",
    "meta.categories.target_format",
    "meta.categories.family",
)
_LABELS: Final = ("family", "difficulty", "source_format", "target_format", "length_tier", "prompt_style", "origin")
_PREPARED: Final = 64  # questions kept ready; a long one weighs a few megabytes


class _Key(NamedTuple):
    """The fields that a score depends on, as texts."""

    outputs: str
    fence_tag: str
    reference: str
    task_meta: str
    checks: str
    target_format: str
    family: str
    cell: str


def field(row: Mapping[str, Any], path: str) -> Any:
    """A field by its dotted path, nested or flattened; None if it is absent."""
    if path in row:
        return row[path]
    value: Any = row
    for step in path.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return None
        value = value[step]
    return value


def row_id(row: Mapping[str, Any]) -> str:
    """The row's stable id for messages: ``meta.base_id``, else ``meta.id``, else a phrase."""
    return next((str(found) for path in ("meta.base_id", "meta.id", "id") if (found := field(row, path))), "without id")


def labels(row: Mapping[str, Any]) -> str:
    """The row's categories as the JSON object that results are broken down by; ``?`` for what is missing."""
    return json.dumps(
        {name: field(row, f"meta.categories.{name}") or "?" for name in _LABELS}, ensure_ascii=False, sort_keys=True
    )


def cell(row: Mapping[str, Any]) -> str:
    """The ``family/difficulty`` that balance_score groups by; ``?`` for an absent part, nothing for a blanked one."""
    parts = [field(row, f"meta.categories.{name}") for name in ("family", "difficulty")]
    return "/".join("?" if part is None else str(part) for part in parts)


def scoring_key(row: Mapping[str, Any]) -> str:
    """What a score of this row depends on, as one JSON text, which question() reads; it travels with a document."""
    return json.dumps(_key(row)._asdict(), ensure_ascii=False)


def question(scoring: str) -> Question:
    """The question of a scoring_key; the last ones asked for are kept ready.

    Raises:
        RowError: the row cannot be scored.
    """
    return _prepared(_Key(**json.loads(scoring)))


def answer_size(scoring: str) -> int | None:
    """Tokens that the answer to the question of a scoring_key needs, in classes of twice the size each.

    Half a token is counted for a character of the reference. None where there is no reference.
    """
    characters = len(_answer_text(_Key(**json.loads(scoring))))
    return 1 << (characters // 2).bit_length() if characters else None


def question_of(row: Mapping[str, Any]) -> Question:
    """The question of a row. The questions of the last rows are kept in memory.

    Raises:
        RowError: the row cannot be used; the message names the row and the field.
    """
    try:
        return _prepared(_key(row))
    except RowError as error:
        raise error.within(row_id(row)) from None


def is_blanked(row: Mapping[str, Any]) -> bool:
    """Whether a row holds neither answer nor reference, as the graded rows of the public Hub copy do (contract, 1.1).

    Such a row can be asked, not scored.
    """
    return not answer_text(row).strip()


def answer_text(row: Mapping[str, Any]) -> str:
    """The answer that a shot shows (contract, 2.2): ``outputs``, or the reference in a fence, or ""."""
    return _answer_text(_key(row))


def _key(row: Mapping[str, Any]) -> _Key:
    texts: list[str] = []
    for path in SCORING_FIELDS:
        value = field(row, path)
        if value is None:
            value = ""
        elif path in ("meta.task_meta", "meta.checks") and not isinstance(value, str):
            value = json.dumps(value, ensure_ascii=False)
        if not isinstance(value, str):
            raise RowError(f"is no string but {type(value).__name__}", path, row_id(row))
        texts.append(value)
    return _Key._make([*texts, cell(row)])


def _answer_text(key: _Key) -> str:
    if key.outputs:
        return key.outputs
    return f"```{_tag(key)}\n{key.reference}\n```" if key.reference else ""


def _tag(key: _Key) -> str:
    if key.fence_tag:
        return key.fence_tag
    target = TARGETS.get(key.target_format)
    return target.tag if target else key.target_format


@functools.lru_cache(maxsize=_PREPARED)
def _prepared(key: _Key) -> Question:
    blanked = not _answer_text(key).strip()
    target = TARGETS.get(key.target_format)
    if target is None and not blanked:
        raise RowError(f"is no known target: {key.target_format!r}", "meta.categories.target_format")
    return Question(
        family=key.family,
        cell=key.cell,
        target=target,
        tag=_tag(key),
        reference=key.reference,
        outputs=key.outputs,
        task_meta={} if blanked else _object(key.task_meta, "meta.task_meta"),
        checks={} if blanked else _object(key.checks, "meta.checks"),
        blanked=blanked,
    )


def _object(text: str, path: str) -> dict[str, Any]:
    """An object that a field holds; blank and null are the empty one."""
    if not text:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RowError(f"is not JSON: {error}", path) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RowError(f"is no object but {type(value).__name__}", path)
    return value
