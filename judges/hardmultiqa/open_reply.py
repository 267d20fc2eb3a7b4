"""Reading the reply about an open question: one of three grades, in a JSON object or in the last line of a text.

The line ``Оценка: N`` is the contract's form, read in any spelling that can mean one verdict alone: Markdown, quotes,
case, spaces, minus signs and a full stop do not matter. Where the judge was asked for an object, its object is read;
a text is read too, for there are servers that take a schema and do not apply it.
"""

import re
import unicodedata
from typing import Any, Final

from judges.hardmultiqa.reply_parts import UnreadableReply, fields_of, json_object, whole_number
from judges.hardmultiqa.signature import has_verdict, verdicts_in

__all__ = ["open_grade", "open_schema"]

_GRADES: Final = {"1": 1, "+1": 1, "-1": -1, "0": 0}
_verdict_line = re.compile(r"(?:итоговая )?оценка ?: ?(\+?1|-1|0)\.?").fullmatch
# Markdown, quotes and brackets say nothing in a line; signs that are drawn as a minus are one before a digit.
_DECORATION: Final = str.maketrans("", "", "*_`~#>|\"'«»“”„[]")
_minus = re.compile("[\u2010\u2012\u2013\u2212](?=[0-9])")
_KEYS: Final = ("explanation", "grade")


def open_schema() -> dict[str, Any]:
    """Fields of the reply's JSON object: reasons first, as in the text."""
    return {"explanation": {"type": "string"}, "grade": {"type": "integer", "enum": [1, -1, 0]}}


def open_grade(reply: str, mark: str | None, *, structured: bool) -> int:
    """The grade that a reply gives: 1 right, -1 wrong, 0 not attempted.

    Args:
        reply: the judge's text.
        mark: what the reply must hold, None where it need not be signed.
        structured: whether the judge was asked for a JSON object.

    Raises:
        UnreadableReply: it gives none.
    """
    if not structured:
        return _line_grade(reply, mark)
    try:
        found = json_object(reply)
    except UnreadableReply as error:
        if error.code != "not-json":
            raise
        try:
            return _line_grade(reply, mark)
        except UnreadableReply as other:
            raise (error if other.code == "no-verdict-line" else other) from None
    return _object_grade(found, mark)


def _object_grade(reply: dict[str, Any], mark: str | None) -> int:
    found = fields_of(reply, {*_KEYS} if mark is None else {*_KEYS, "mark"}, "JSON-объект")
    if mark is not None and found["mark"] != mark:
        raise UnreadableReply("wrong-mark", "the reply does not hold the mark", 'в поле "mark" стоит не та метка')
    if not isinstance(found["explanation"], str):
        raise UnreadableReply("wrong-type", "the explanation is not a text", '"explanation" должно быть строкой')
    grade = whole_number(found["grade"], "grade")
    if grade not in _GRADES.values():
        raise UnreadableReply("wrong-vocabulary", "the grade is neither 1, -1 nor 0", '"grade" должно быть 1, -1 или 0')
    if any(other != grade for other in verdicts_in(found["explanation"])):
        note = '"explanation" противоречит "grade"; оценка должна стоять только в поле "grade"'
        raise UnreadableReply("contradiction", "explanation and grade contradict each other", note)
    return grade


def _line_grade(reply: str, mark: str | None) -> int:
    raw = reply.splitlines()
    lines = [_bare(line) for line in raw]
    while lines and not lines[-1].strip("-=. "):  # an ended fence or emphasis, a rule, a blank line
        lines.pop()
    found = _verdict_line(lines[-1]) if lines else None
    if found is None:
        note = "последняя строка должна быть ровно «Оценка: 1», «Оценка: -1» или «Оценка: 0»"
        raise UnreadableReply("no-verdict-line", "the last line is no verdict", note)
    rest = len(lines) - 1
    if mark is not None:
        while rest and not lines[rest - 1]:
            rest -= 1
        if not rest or lines[rest - 1].replace(" ", "").removesuffix(".") != f"метка:{mark}":
            note = "предпоследней строкой должна стоять метка, как указано в задании"
            raise UnreadableReply("wrong-mark", "the reply does not hold the mark", note)
        rest -= 1
    if has_verdict("\n".join(raw[:rest])):
        note = "слово «оценка» с числом должно встретиться один раз, в последней строке"
        raise UnreadableReply("two-verdicts", "the reply holds more than one verdict", note)
    return _GRADES[found[1]]


def _bare(line: str) -> str:
    """A line of a reply without what has no meaning there; look-alike letters stay other letters."""
    flat = unicodedata.normalize("NFKC", line)
    visible = "".join(sign for sign in flat if unicodedata.category(sign) != "Cf").translate(_DECORATION)
    return " ".join(_minus.sub("-", visible).casefold().split())
