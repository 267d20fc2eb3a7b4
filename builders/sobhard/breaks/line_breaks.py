"""Breaks of notations whose pairs are lines: YAML, TOML and INI."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Final, TypeAlias

import yaml

from builders.sobhard.breaks.edits import Edit, Kind

__all__ = ["LINE_KINDS"]

_Line: TypeAlias = tuple[int, str]  # where it starts, and its text
_QUIET: Final = r"""[^"'\\\n]+"""


def _lines(text: str) -> list[_Line]:
    found, position = [], 0
    for line in text.split("\n"):
        found.append((position, line))
        position += len(line) + 1
    return found


def _edits(lines: Iterable[_Line], pattern: str, replacement: str = "") -> list[Edit]:
    """The group ``x`` of the pattern replaced, in each line that matches as a whole."""
    compiled = re.compile(pattern)
    return [
        Edit(start + match.start("x"), start + match.end("x"), match.expand(replacement))
        for start, line in lines
        if (match := compiled.fullmatch(line))
    ]


# YAML -----------------------------------------------------------------------------------------------------------------

_KEY: Final = r"(?P<lead> *(?:- )*[\w-]+)"
_PAIR: Final = re.compile(r"( *)[\w-]+: +[^\s|>&*!#{\[].*")


def _whole(text: str) -> list[_Line]:
    """Lines that no scalar and no bracket of several lines takes part in."""
    taken: set[int] = set()
    opened: list[Any] = []
    event: Any  # every event of a text has its marks, which the annotations do not say
    for event in yaml.parse(text, Loader=getattr(yaml, "CLoader", yaml.Loader)):
        first, last = event.start_mark.line, event.end_mark.line
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            opened.append(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            start = opened.pop()
            first = start.start_mark.line if start.flow_style else last
        elif not isinstance(event, yaml.ScalarEvent):
            continue
        if last > first:
            taken.update(range(first, last + 1))
    return [line for number, line in enumerate(_lines(text)) if number not in taken]


def _yaml_no_space(text: str, notation: str) -> list[Edit]:
    return _edits(_whole(text), _KEY + r":(?P<x> +)\S.*")


def _yaml_equals(text: str, notation: str) -> list[Edit]:
    return _edits(_whole(text), _KEY + r"(?P<x>:) +\S.*", " =")


def _yaml_open_quote(text: str, notation: str) -> list[Edit]:
    return _edits(_whole(text), rf' *(?:- )*(?:[\w-]+: )?"{_QUIET}(?P<x>")')


def _yaml_open_bracket(text: str, notation: str) -> list[Edit]:
    return _edits(_whole(text), _KEY + r""": +\[[^][{}"'#]+(?P<x>\])""")


def _second_of_two(text: str) -> list[tuple[int, str]]:
    """Place and indent of each pair below a pair at the same indent, both with a scalar in their line."""
    found = []
    for (before_start, before), (start, line) in pairwise(_whole(text)):
        above, pair = _PAIR.fullmatch(before), _PAIR.fullmatch(line)
        if above and pair and above[1] == pair[1] and before_start + len(before) + 1 == start:
            found.append((start, pair[1]))
    return found


def _yaml_shifted(text: str, notation: str) -> list[Edit]:
    return [Edit(start, start, " ") for start, _ in _second_of_two(text)]


def _yaml_tab(text: str, notation: str) -> list[Edit]:
    return [Edit(start, start + len(indent), "\t") for start, indent in _second_of_two(text) if indent]


# TOML -----------------------------------------------------------------------------------------------------------------

_NAME: Final = r"""(?:[\w.-]+|"[^"\n]+") *"""
_BARE: Final = r"(?!(?:true|false|inf|nan)\b)[^\W\d]\w*"


def _pairs(text: str) -> list[_Line]:
    """Lines that no text of several lines takes part in."""
    found: list[_Line] = []
    open_mark = ""
    for start, line in _lines(text):
        if open_mark:
            open_mark = "" if open_mark in line else open_mark
            continue
        open_mark = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        if not open_mark:
            found.append((start, line))
    return found


def _toml_bare_text(text: str, notation: str) -> list[Edit]:
    return _edits(_pairs(text), rf'{_NAME}= *(?P<x>"(?P<word>{_BARE})")', r"\g<word>")


def _toml_colon(text: str, notation: str) -> list[Edit]:
    return _edits(_pairs(text), _NAME + r"(?P<x>=) *\S.*", ":")


def _toml_literal(text: str, notation: str) -> list[Edit]:
    return _edits(_pairs(text), rf"{_NAME}= *(?P<x>t)rue", "T") + _edits(_pairs(text), rf"{_NAME}= *(?P<x>f)alse", "F")


def _toml_comma(text: str, notation: str) -> list[Edit]:
    return _edits(_pairs(text), rf'{_NAME}= *(?:"{_QUIET}"|[\d.+-]+|true|false)(?P<x>)', ",")


def _toml_open_quote(text: str, notation: str) -> list[Edit]:
    return _edits(_pairs(text), rf'{_NAME}= *"{_QUIET}(?P<x>")')


def _toml_header(text: str, notation: str) -> list[Edit]:
    return _edits(_pairs(text), r"""\[{1,2}[\w."' -]+\]?(?P<x>\])(?: *#.*)?""")


# INI ------------------------------------------------------------------------------------------------------------------


def _ini_unclosed(text: str, notation: str) -> list[Edit]:
    return _edits(_lines(text), r"\[[^][=:#;]+(?P<x>\])")


def _ini_unopened(text: str, notation: str) -> list[Edit]:
    return _edits(_lines(text), r"(?P<x>\[)[^][=:#;]+\]")


def _ini_doubled(text: str, notation: str) -> list[Edit]:
    return _edits(_lines(text), r"\[[^][=:#;]+\](?P<x>)", "]")


def _ini_no_sign(text: str, notation: str) -> list[Edit]:
    return _edits(_lines(text), r"[\w.-]+(?P<x> *[=:] *)[^\s=:]+", " ")


LINE_KINDS: Final = (
    Kind("yaml.no-space", ("yaml",), _yaml_no_space, "the first colon of the line stands behind a key of one word"),
    Kind("yaml.equals-for-colon", ("yaml",), _yaml_equals, "a line of a mapping is a key of one word and its value"),
    Kind("yaml.open-quote", ("yaml",), _yaml_open_quote, "the text holds no quote and ends with its line"),
    Kind("yaml.open-bracket", ("yaml",), _yaml_open_bracket, "the list holds no bracket and ends with its line"),
    Kind("yaml.shifted", ("yaml",), _yaml_shifted, "the pair above has its value, so this one stands beside it"),
    Kind("yaml.tab", ("yaml",), _yaml_tab, "the pair above has its value, so this one stands beside it"),
    Kind("toml.bare-text", ("toml",), _toml_bare_text, "a word without quotes can only be a text"),
    Kind("toml.colon-for-equals", ("toml",), _toml_colon, "the colon stands behind the key, which holds none"),
    Kind("toml.python-literal", ("toml",), _toml_literal, "True and False outside quotes are no other value"),
    Kind("toml.trailing-comma", ("toml",), _toml_comma, "nothing follows the comma"),
    Kind("toml.open-quote", ("toml",), _toml_open_quote, "the text holds no quote and ends with its line"),
    Kind("toml.open-header", ("toml",), _toml_header, "a name in a line that starts with a bracket is a section"),
    Kind("ini.unclosed-section", ("ini",), _ini_unclosed, "a name in a line that starts with a bracket is a section"),
    Kind("ini.unopened-section", ("ini",), _ini_unopened, "a name in a line that ends with a bracket is a section"),
    Kind("ini.doubled-bracket", ("ini",), _ini_doubled, "a section has one bracket on either side of its name"),
    Kind("ini.no-sign", ("ini",), _ini_no_sign, "the line is two words: a key and its value"),
)
