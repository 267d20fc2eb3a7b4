"""The habits that decoys describe, and which requirements leave no room for them.

A decoy is a background whose narrator writes in a certain form. It is a fair trap only if who copies it must fail. So
each habit is a form, told by a predicate on answers, and for each type of requirement that excludes it a test of the
parameters under which *no* answer of that form meets the requirement. The reasons follow from the scorer's rules
(IFHardBench contract, section 6); the tests try them on answers of every form.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from metrics.ifhard.counts import meets, read_count, read_unit_count
from metrics.ifhard.registry import OVERRIDE, winner_of
from metrics.ifhard.style import ending
from metrics.ifhard.text import paragraphs_of, sentences_of

__all__ = ["HABITS", "Habit", "overruling"]

Params = Mapping[str, Any]
Test = Callable[[Params], bool]

_DASH: Final = re.compile(r"\s*([-–—*•])\s")
_NUMBER: Final = re.compile(r"\s*\d+[.)]\s")
_POSTSCRIPT: Final = re.compile(r"\s*(?:P\. ?S\.|П\. ?С\.|Постскриптум)")
_END_OF_SPEECH: Final = "\"'»)“„” "
_SHORT: Final = 2
_LONG: Final = 10
_CRIES: Final = 3


@dataclass(frozen=True)
class Habit:
    """A form of answers.

    Attributes:
        shown_by: whether an answer has the form.
        excluded_by: type of requirement -> of which parameters it is true that no answer of the form meets it.
    """

    shown_by: Callable[[str], bool]
    excluded_by: Mapping[str, Test]


def _lines(text: str) -> list[str]:
    """Lines that are not blank; none where anything but a line feed divides lines, which no form does."""
    plain = text.replace("\r\n", "\n").strip("\n")
    rows = plain.split("\n")
    return [line for line in rows if line.strip()] if rows == plain.splitlines() else []


def _dashes(text: str) -> bool:
    """Two lines or more, each opened by the same dash or bullet."""
    marks = [_DASH.match(line) for line in _lines(text)]
    return len(marks) >= 2 and None not in marks and len({mark.group(1) for mark in marks if mark}) == 1


def _numbers(text: str) -> bool:
    """Two lines or more, each opened by a number."""
    return len(_lines(text)) >= 2 and all(map(_NUMBER.match, _lines(text)))


def _table(text: str) -> bool:
    """Two lines or more, each between two pipes."""
    rows = [line.strip() for line in _lines(text)]
    return len(rows) >= 2 and all(len(row) > 1 and row[0] == row[-1] == "|" for row in rows)


def _question(text: str) -> bool:
    """The last thing said is a question."""
    return "?" in re.split(r"[^.!?…]", text.rstrip().rstrip(_END_OF_SPEECH))[-1]


def _caps(text: str) -> bool:
    """A word in capitals, of two letters at least."""
    return any(word.isupper() and sum(map(str.isalpha, word)) >= 2 for word in text.split())


def _digits(text: str) -> bool:
    """A number in digits."""
    return any(map(str.isdigit, text))


def _cries(text: str) -> bool:
    """Exactly three exclamations."""
    return sum("!" in ending(sentence) for sentence in sentences_of(text)) == _CRIES


def _postscript(text: str) -> bool:
    """Something, and a postscript on the last line."""
    lines = _lines(text)
    return len(lines) >= 2 and _POSTSCRIPT.match(lines[-1]) is not None


def _stairs(text: str) -> bool:
    """Two sentences or more with a blank line after each."""
    paragraphs = paragraphs_of(text)
    return len(paragraphs) >= 2 and all(len(sentences_of(paragraph)) == 1 for paragraph in paragraphs)


def _short(text: str) -> bool:
    """One sentence or two."""
    return 1 <= len(sentences_of(text)) <= _SHORT


def _long(text: str) -> bool:
    """Ten sentences or more."""
    return len(sentences_of(text)) >= _LONG


def _solid(text: str) -> bool:
    """No blank line."""
    return len(paragraphs_of(text)) == 1


def _commas(text: str) -> bool:
    """A comma at least."""
    return "," in text


def _always(params: Params) -> bool:
    return True


def _strict(params: Params) -> bool:
    return bool(params.get("strict", True))


def _not_opened_by(marks: str, name: str) -> Test:
    """The parameter of that name stands at the very start of the answer, where the form has one of the marks."""
    return lambda params: str(params[name]).strip()[:1] not in marks


def _no_number_meets(counts: Iterable[int]) -> Test:
    """None of the counts that the form allows meets the (per-unit) specification."""
    options = tuple(counts)
    return lambda params: not any(meets(count, read_unit_count(params)) for count in options)


def _below(limit: int) -> Test:
    """No count from the limit on meets the specification."""

    def test(params: Params) -> bool:
        count = read_count(params)
        return count.op in {"eq", "le", "between"} and count.high < limit

    return test


# One line only, or a first or last line of a form of its own.
_LINES: Final = dict.fromkeys(
    ("format:json_object", "format:json_list_value", "format:json_array", "format:csv_line", "format:hashtags"), _always
)
_AT_START: Final = "-–—*•"

HABITS: Final[Mapping[str, Habit]] = {
    "list": Habit(
        _dashes,
        _LINES
        | {
            "format:numbered_list": _strict,
            "format:markdown_table": _always,
            "format:two_parts": _always,  # its last part is no item, its first has only items of the other kind
            "structure:first_line_count": _always,
            "lexical:starts_with": _not_opened_by(_AT_START, "phrase"),
            "lexical:quote_task": _not_opened_by(_AT_START, "text"),
        },
    ),
    "numbers": Habit(
        _numbers,
        _LINES
        | {
            "format:bullet_list": _strict,
            "format:markdown_table": _always,
            "format:two_parts": _always,
            "structure:first_line_count": _always,
            "style:no_digits": _always,
            "lexical:starts_with": _not_opened_by("0123456789", "phrase"),
            "lexical:quote_task": _not_opened_by("0123456789", "text"),
        },
    ),
    "table": Habit(
        _table,
        _LINES
        | {
            "format:bullet_list": _strict,
            "format:numbered_list": _strict,
            "format:two_parts": _always,
            "structure:first_line_count": _always,
            "structure:checksum": _always,
            "style:end_punctuation": lambda params: params["char"] != "|",
            "lexical:starts_with": _not_opened_by("|", "phrase"),
            "lexical:ends_with": lambda params: str(params["phrase"])[-1:] != "|",
            "lexical:quote_task": _not_opened_by("|", "text"),
        },
    ),
    "question": Habit(
        _question,
        dict.fromkeys(
            (
                "format:json_object",
                "format:json_list_value",
                "format:json_array",
                "format:markdown_table",
                "format:hashtags",
                "structure:checksum",
            ),
            _always,
        ),
    ),
    "postscript": Habit(
        _postscript,
        _LINES | {"format:bullet_list": _strict, "format:numbered_list": _strict, "format:markdown_table": _always},
    ),
    "lines": Habit(_stairs, {"format:csv_line": _always, "structure:paragraph_sentences": _no_number_meets((1,))}),
    "short": Habit(
        _short,
        {
            "structure:sentence_count": _no_number_meets(range(1, _SHORT + 1)),
            # Every sentence of a paragraph is one of the answer.
            "structure:paragraph_sentences": _no_number_meets(range(1, _SHORT + 1)),
            "lexical:sentence_acrostic": lambda params: len(str(params["word"])) > _SHORT,
            "style:question_count": _no_number_meets(range(_SHORT + 1)),
            "style:exclamation_count": _no_number_meets(range(_SHORT + 1)),
        },
    ),
    "long": Habit(
        _long,
        {
            "structure:sentence_count": _below(_LONG),
            "lexical:sentence_acrostic": lambda params: len(str(params["word"])) < _LONG,
        },
    ),
    "solid": Habit(
        _solid,
        {
            "structure:paragraph_count": _no_number_meets((1,)),
            "format:two_parts": _always,
            "lexical:paragraph_echo": _always,
            "lexical:epiphora": lambda params: params.get("unit", "items") != "items",
            "style:anaphora": _always,
        },
    ),
    "caps": Habit(_caps, {"style:no_caps": _always}),
    "digits": Habit(_digits, {"style:no_digits": _always}),
    "exclamation": Habit(_cries, {"style:exclamation_count": _no_number_meets((_CRIES,))}),
    "commas": Habit(_commas, {"style:no_commas": _always}),
}


def overruling(habit: str, constraints: Iterable[Mapping[str, Any]]) -> list[str]:
    """Types of those requirements of a question that no answer of the habit's form meets; empty if there are none.

    Raises:
        KeyError: there is no such habit.
    """
    found = []
    for constraint in constraints:
        category, params = constraint["category"], constraint["params"]
        if category == OVERRIDE:
            category, params, _ = winner_of(params)
        excludes = HABITS[habit].excluded_by.get(category)
        if excludes is not None and excludes(params):
            found.append(str(constraint["category"]))
    return found
