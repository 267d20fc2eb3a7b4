"""Breaks of JSON in its three source notations, found by tokens: strings and comments are never changed inside."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from builders.sobhard.breaks.edits import Edit, Kind

__all__ = ["JSON_KINDS"]

_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*[\s\S]*?\*/|[{}\[\],:]|[^\s{}\[\],:"/]+')
_PYTHON: Final = {"true": "True", "false": "False", "null": "None"}
_ONE_WORD: Final = re.compile(r'"(?!(?:true|false|null)")[^\W\d]\w*"')
_QUIET: Final = re.compile(r"""[^"'\\]+""")
_OTHER_CLOSER: Final = {"]": "}", "}": "]"}


class _Token(NamedTuple):
    """A token, the opening bracket it stands behind (empty at the root) and whether it is a key."""

    start: int
    end: int
    text: str
    inside: str
    is_key: bool


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    opened: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.startswith(("//", "/*")):
            continue
        if token in "}]":
            opened = opened[:-1]
        inside = opened[-1] if opened else ""
        is_key = inside == "{" and token[0] == '"' and bool(found) and found[-1].text in "{,"
        found.append(_Token(match.start(), match.end(), token, inside, is_key))
        if token in "{[":
            opened.append(token)
    return found


def _pairs(text: str) -> Iterator[tuple[_Token, _Token]]:
    """Each token and the next."""
    tokens = _tokens(text)
    return pairwise(tokens)


def _insert(position: int, text: str) -> Edit:
    return Edit(position, position, text)


def _python_literal(text: str, notation: str) -> list[Edit]:
    return [Edit(token.start, token.end, _PYTHON[token.text]) for token in _tokens(text) if token.text in _PYTHON]


def _trailing_comma(text: str, notation: str) -> list[Edit]:
    return [
        _insert(token.end, ",")
        for token, after in _pairs(text)
        if after.text in _OTHER_CLOSER and token.text not in "{["
    ]


def _missing_comma(text: str, notation: str) -> list[Edit]:
    return [
        Edit(token.start, token.end, "")
        for token, after in _pairs(text)
        if token.text == "," and after.start > token.end and (after.is_key or after.text in "{[")
    ]


def _doubled_comma(text: str, notation: str) -> list[Edit]:
    return [_insert(token.end, ",") for token, after in _pairs(text) if token.text == "," and after.is_key]


def _single_quotes(text: str, notation: str) -> list[Edit]:
    return [
        Edit(token.start, token.end, f"'{token.text[1:-1]}'")
        for token in _tokens(text)
        if token.text[0] == '"' and _QUIET.fullmatch(token.text[1:-1])
    ]


def _bare_key(text: str, notation: str) -> list[Edit]:
    return [
        Edit(token.start, token.end, token.text[1:-1])
        for token in _tokens(text)
        if token.is_key and _ONE_WORD.fullmatch(token.text)
    ]


def _open_key(text: str, notation: str) -> list[Edit]:
    return [
        Edit(token.end - 1, token.end, "")
        for token in _tokens(text)
        if token.is_key and _ONE_WORD.fullmatch(token.text)
    ]


def _equals_for_colon(text: str, notation: str) -> list[Edit]:
    return [
        Edit(after.start, after.end, " =" if text[after.end : after.end + 1] == " " else "=")
        for token, after in _pairs(text)
        if token.is_key
    ]


def _other_bracket(text: str, notation: str) -> list[Edit]:
    return [
        Edit(token.start, token.end, _OTHER_CLOSER[token.text])
        for token in _tokens(text)
        if token.text in _OTHER_CLOSER
    ]


def _missing_last_bracket(text: str, notation: str) -> list[Edit]:
    last = _tokens(text)[-1]
    return [Edit(last.start, last.end, "")] if last.text in _OTHER_CLOSER else []


def _line_ends(text: str) -> list[int]:
    """Line feeds between two records."""
    return [match.start() for match in re.finditer(r"(?<=\S)\n(?=\S)", text)]


def _joined_lines(text: str, notation: str) -> list[Edit]:
    return [Edit(end, end + 1, " ") for end in _line_ends(text)]


def _comma_after_line(text: str, notation: str) -> list[Edit]:
    return [_insert(end, ",") for end in _line_ends(text)]


def _split_record(text: str, notation: str) -> list[Edit]:
    return [Edit(token.end, after.start, "\n") for token, after in _pairs(text) if token.text == "," and after.is_key]


_ALL: Final = ("json", "jsonc", "jsonl")

JSON_KINDS: Final = (
    Kind("json.python-literal", _ALL, _python_literal, "True, False and None outside quotes are no other value"),
    Kind("json.trailing-comma", ("json", "jsonl"), _trailing_comma, "no element follows the comma"),
    Kind("json.missing-comma", _ALL, _missing_comma, "the next key or bracket starts an element of its own"),
    Kind("json.doubled-comma", _ALL, _doubled_comma, "an object has no pair without a key"),
    Kind("json.single-quotes", _ALL, _single_quotes, "the text between the quotes holds no quote and no backslash"),
    Kind("json.bare-key", _ALL, _bare_key, "the key is one word and a colon follows it"),
    Kind("json.open-key", _ALL, _open_key, "the key is one word and a colon follows it"),
    Kind("json.equals-for-colon", _ALL, _equals_for_colon, "only a colon can stand between a key and its value"),
    Kind("json.other-bracket", _ALL, _other_bracket, "the opening bracket says which one closes"),
    Kind("json.missing-last-bracket", ("json", "jsonc"), _missing_last_bracket, "one bracket is open at the end"),
    Kind("jsonl.joined-lines", ("jsonl",), _joined_lines, "each of the two records is a whole value"),
    Kind("jsonl.comma-after-line", ("jsonl",), _comma_after_line, "records are lines; nothing stands between them"),
    Kind(
        "jsonl.split-record",
        ("jsonl",),
        _split_record,
        "the first part is no whole value, the second starts with a key",
    ),
)
