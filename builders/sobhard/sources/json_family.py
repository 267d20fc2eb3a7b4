"""json, jsonl and jsonc: JSON as its standard has it, one value, one value a line, or one value with comments.

Stricter than most readers where they differ in silence: no ``NaN`` or ``Infinity``, no key twice, no number that 64
bits do not hold.
"""

import json
import re
from typing import Final, NoReturn

from builders.sobhard.sources.model import (
    MAX_DEPTH,
    Layout,
    Value,
    checked,
    clip,
    line_of,
    no_duplicates,
    number,
    refuse,
)

__all__ = ["json_text", "read_json", "read_jsonc", "read_jsonl", "write_json", "write_jsonc", "write_jsonl"]

_MAX_DIGITS: Final = 20  # of an integer, its sign included; 64 bits need no more, and int() is quadratic
# What is not closed is taken to its end all the same, or looking for the end again and again would be quadratic.
_STRING: Final = r'"(?:[^"\\\n]++|\\.)*+"?'
_COMMENT_OR_STRING: Final = re.compile(_STRING + r"|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(\*/)?")
_COMMA_OR_STRING: Final = re.compile(_STRING + r"|,(?=[ \t\n]*+[\]}])")


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        refuse("number-range", f"the integer {clip(text)} needs more than 64 bits")
    return int(text)


def _constant(text: str) -> NoReturn:
    refuse("number-range", f"{text} is no JSON number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=no_duplicates, parse_float=number, parse_int=_integer, parse_constant=_constant
)


def _decoded(text: str, first_line: int = 1) -> Value:
    """The one JSON value of ``text``, whose first line is line ``first_line`` of the document."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return refuse("syntax", f"{error.msg} at line {first_line + error.lineno - 1}, column {error.colno}")
    except RecursionError:
        return refuse("too-deep", f"more than {MAX_DEPTH} levels")


def read_json(text: str, layout: Layout) -> Value:
    """The one value of a JSON document.

    Raises:
        SourceRefused: syntax, duplicate-key, number-range, lone-surrogate, too-deep, null-document.
    """
    return checked(_decoded(text))


def read_jsonl(text: str, layout: Layout) -> Value:
    """The list of the values of the lines; blank lines are skipped.

    Raises:
        SourceRefused: no-records, and those of a JSON document.
    """
    return checked([_decoded(line, place) for place, line in enumerate(text.split("\n"), 1) if line.strip(" \t")])


def _comment_blanked(found: re.Match[str]) -> str:
    """A string as it is; a comment as a space, with its line feeds so that lines keep their numbers."""
    token = found[0]
    if token.startswith("/*") and not found[1]:
        refuse("syntax", f"the comment that starts in line {line_of(found.string, found.start())} is not closed")
    return token if token[0] == '"' else " " + "\n" * token.count("\n")


def _comma_dropped(found: re.Match[str]) -> str:
    """A string as it is; nothing for the comma before a closing bracket, if a value stands before the comma."""
    if found[0] != ",":
        return found[0]
    text, place = found.string, found.start() - 1
    while place >= 0 and text[place] in " \t\n":
        place -= 1
    return "," if place < 0 or text[place] in "[{,:" else ""


def read_jsonc(text: str, layout: Layout) -> Value:
    """The value of a JSON document with ``//`` and ``/* */`` comments and a comma allowed after the last entry.

    Raises:
        SourceRefused: those of a JSON document.
    """
    without_comments = _COMMENT_OR_STRING.sub(_comment_blanked, text)
    return checked(_decoded(_COMMA_OR_STRING.sub(_comma_dropped, without_comments)))


def json_text(value: Value, indent: int | None = None) -> str:
    """``value`` as JSON: letters of all scripts as they are, control characters (DEL too) escaped, keys in order.

    The value is one that ``checked`` lets pass.
    """
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False).replace("\x7f", "\\u007f")


def write_json(value: Value, layout: Layout) -> str:
    """A JSON document indented by two spaces."""
    return json_text(value, 2) + "\n"


def write_jsonl(value: Value, layout: Layout) -> str:
    """One line for each entry of a list."""
    if not isinstance(value, list):
        refuse("not-representable", "a JSONL document is a list")
    return "".join(json_text(item) + "\n" for item in value)


def write_jsonc(value: Value, layout: Layout) -> str:
    """A JSON document with ``layout.notes`` as comments, each above an entry of the root, from the first."""
    lines = []
    notes = list(layout.notes)
    for line in json_text(value, 2).split("\n"):
        if notes and line[:2] == "  " and line[2] not in " ]}":
            lines.append("  // " + notes.pop(0))
        lines.append(line)
    return "\n".join(lines) + "\n"
