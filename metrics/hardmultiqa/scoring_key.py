"""Reading and checking what a question is judged by, the JSON text ``scoring`` of a document."""

import functools
import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from metrics.hardmultiqa.folding import fold
from metrics.row_error import RowError

__all__ = ["LIST_TYPES", "TYPES", "Key", "RowError", "parse_key", "question_options"]

TYPES: Final[tuple[str, ...]] = ("one-option-many-options", "open", "strict-list", "not-strict-list", "mistakes")
LIST_TYPES: Final[tuple[str, ...]] = ("strict-list", "not-strict-list", "mistakes")

_option_line = re.compile(r"^[^\S\n]*(\d{1,3})[.)][^\S\n]*(\S.*?)[^\S\n]*$", re.MULTILINE)
# "1) Волга; 2) Дон": a number that begins a line or follows a space, a stop or a bracket.
_option_mark = re.compile(r"(?:(?<=[\s;,:(])|^)(\d{1,3})[.)](?!\d)\s*(?=\S)", re.MULTILINE)


class Key(NamedTuple):
    """One question with its reference.

    Attributes:
        type: one of TYPES.
        question: the question's text, as the dataset has it.
        reference: elements, no two equal after folding (folding.fold), the first spelling kept; option numbers in
            plain decimal for options, accepted answers for open questions.
        cut: beginnings of lines at which a continuation is cut.
        options: texts of the question's numbered options by number; empty for other types, or where the question
            numbers none.
    """

    type: str
    question: str
    reference: tuple[str, ...]
    cut: tuple[str, ...]
    options: Mapping[int, str]

    @property
    def right_options(self) -> frozenset[int]:
        """The reference of an options question as numbers."""
        return frozenset(map(int, self.reference))


def question_options(question: str) -> dict[int, str]:
    """Texts of a question's options by number: lines such as ``1) текст`` or ``1. текст``.

    Where no two lines are options, those inside lines count (``1) Волга; 2) Дон``) if they are numbered from 1 on. A
    single one is none; where a line's number occurs twice the options are not known, and the result is empty.
    """
    found = [(int(number), text) for number, text in _option_line.findall(question)]
    if len(found) > 1:
        options = dict(found)
        return options if len(options) == len(found) else {}
    marks: list[re.Match[str]] = []
    for mark in _option_mark.finditer(question):
        if int(mark[1]) == len(marks) + 1:
            marks.append(mark)
    if len(marks) < 2:
        return {}
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    return {int(mark[1]): question[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)}


@functools.lru_cache(maxsize=4_096)
def parse_key(scoring: str) -> Key:
    """Read and check a scoring key.

    Args:
        scoring: JSON text ``{"type": ..., "question": ..., "reference": [...], "cut": [...]}``, ``cut`` optional.

    Raises:
        RowError: the text has another form, the type is unknown, the reference is empty or has a blank element, or an
            option is no number or not among the question's.
    """
    try:
        entry = json.loads(scoring)
    except (ValueError, RecursionError) as error:
        raise RowError(f"the scoring key is not JSON: {error}") from None
    if not isinstance(entry, Mapping):
        raise RowError("the scoring key is not an object")
    kind, question = entry.get("type"), entry.get("question")
    if kind not in TYPES:
        raise RowError(f"must be one of {', '.join(TYPES)}, found {kind!r}", "type")
    if not isinstance(question, str) or not question.strip():
        raise RowError("must be a text", "question")
    cut = entry.get("cut", [])
    if not isinstance(cut, list) or not all(isinstance(mark, str) and mark for mark in cut):
        raise RowError("must be a list of texts", "cut")
    reference = _reference(entry.get("reference"))
    options = question_options(question) if kind == TYPES[0] else {}
    if kind == TYPES[0]:
        reference = _option_numbers(reference, options)
    return Key(kind, question, reference, tuple(cut), options)


def _reference(found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(element, str) for element in found):
        raise RowError("must be a list of texts", "reference")
    if not found:
        raise RowError("is empty: nothing to judge by", "reference")
    unique: dict[str, str] = {}
    for element in found:
        folded = fold(element)
        if not folded:
            raise RowError("has a blank element", "reference")
        unique.setdefault(folded, element.strip())
    return tuple(unique.values())


def _option_numbers(reference: tuple[str, ...], options: Mapping[int, str]) -> tuple[str, ...]:
    for element in reference:
        if not re.fullmatch(r"[1-9][0-9]{0,2}", element):
            raise RowError(f'must hold option numbers such as "1", found {element[:40]!r}', "reference")
        if options and int(element) not in options:
            numbers = ", ".join(map(str, sorted(options)))
            raise RowError(f"names option {element}, the question has {numbers}", "reference")
    return reference
