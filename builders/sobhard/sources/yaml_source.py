"""yaml: block and flow collections, quoted and plain scalars, comments; one document.

Built from parse events, not from a loader, so that what YAML decides by itself never comes up: a plain scalar is null,
a boolean or a decimal number only where YAML 1.1 and 1.2 agree that it is, text only where both agree on that, and
refused otherwise (``yes``, ``2024-05-01``, ``12:30``, ``010``, ``1e5``). Tags, anchors, aliases and merge keys are
refused.
"""

import re
from typing import Any, Final

import yaml

from builders.sobhard.sources.json_family import json_text
from builders.sobhard.sources.model import (
    MAX_DEPTH,
    MAX_NODES,
    Layout,
    SourceRefused,
    Value,
    checked,
    clip,
    number,
    refuse,
)

__all__ = ["plain_scalar", "read_yaml", "write_yaml"]

# The C parser where it is built in: twenty times as fast. Tests compare the two.
_LOADER: Final[Any] = getattr(yaml, "CLoader", yaml.Loader)

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)")
_FLOAT: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)\.[0-9]++(?:[eE][-+][0-9]++)?")
_MAX_DIGITS: Final = 20  # of an integer, its sign included
# What one version or the other resolves to something that is not text.
_DISPUTED_WORD: Final = re.compile(r"y|n|yes|no|on|off|=|<<|[-+]?\.(?:inf|nan)", re.IGNORECASE)
_DISPUTED_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][-+]?[0-9]++)?"  # leading zeros, 1_000, 1., .5, 1e5
    r"|[-+]?0[xob][0-9a-fA-F_]++"
    r"|[-+]?[0-9][0-9_]*+(?::[0-5]?[0-9])++(?:\.[0-9_]*+)?"  # base 60
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]++)[0-9]{1,2}:.*)?"
)
_NUMBER_STARTS: Final = frozenset("-+.0123456789")
_BREAKS: Final = re.compile("[\x80-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_UNPRINTED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COMMENT: Final = re.compile(r"(?:^| )#.*", re.MULTILINE)
_BAD_HEADER: Final = re.compile(r"[|>][-+0-9]*+(?:#| *+\t)")
# Text that no reader takes for anything else without quotes, once it is known not to be a disputed scalar.
_PLAIN_TEXT: Final = re.compile(r"[^\W_](?:[\w ./()@+-]*[\w./()@+-])?")
_LITERAL_LINE: Final = re.compile(r"(?: *+\S.*)?")


def plain_scalar(text: str) -> Value:
    """The value of a scalar without quotes.

    Raises:
        SourceRefused: scalar, number-range.
    """
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        if len(text) > _MAX_DIGITS:
            refuse("number-range", f"the integer {clip(text)} needs more than 64 bits")
        return int(text)
    if _FLOAT.fullmatch(text):
        return number(text)
    if _DISPUTED_WORD.fullmatch(text) or (text[0] in _NUMBER_STARTS and _DISPUTED_NUMBER.fullmatch(text)):
        refuse("scalar", f"versions of YAML differ on the plain scalar {clip(text)}")
    return text


def _scalar(event: Any, in_flow: bool) -> Value:
    """The value of a scalar; ``in_flow``: it stands inside brackets or braces."""
    if not event.implicit[0]:
        return event.value
    if in_flow and ("?" in event.value or "#" in event.value):
        refuse("scalar", f"readers differ on ? and # without quotes inside brackets: {clip(event.value)}")
    return plain_scalar(event.value)


def _check_node(event: Any) -> None:
    """Refuse a node that carries an anchor or a tag, and an alias."""
    if event.anchor is not None:
        refuse("alias", f"line {event.start_mark.line + 1} has an anchor or alias: {clip(event.anchor)}")
    if getattr(event, "tag", None) is not None:
        refuse("tag", f"line {event.start_mark.line + 1} has a tag: {clip(event.tag)}")


class _Open:
    """A collection that is being read; ``key`` is the key whose value comes next, or None."""

    __slots__ = ("in_flow", "key", "made")

    def __init__(self, made: Value, in_flow: bool) -> None:
        self.made = made
        self.in_flow = in_flow
        self.key: str | None = None

    def add(self, value: Value, line: int) -> None:
        """Take the next node: an item, a key or a value."""
        if isinstance(self.made, list):
            self.made.append(value)
        elif self.key is None:
            if not isinstance(value, str):
                refuse("key-not-string", f"line {line} has a key that is not a string")
            if value in self.made:
                refuse("duplicate-key", f"line {line} gives the key {clip(value)} again")
            self.key = value
        else:
            self.made[self.key] = value
            self.key = None


class _Outside:
    """What of a text lies outside its quoted and block scalars: parsers differ on tabs there, and none is wanted."""

    __slots__ = ("pieces", "position", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.pieces: list[str] = []

    def skip(self, event: Any) -> None:
        """Take note of a scalar."""
        if not event.style:
            return
        start, end = event.start_mark.index, event.end_mark.index
        self.pieces.append(self.text[self.position : start] + ("" if event.style in "|>" else "q"))
        self.position = end
        if event.style in "|>" and (_BAD_HEADER.match(self.text, start) or event.value.lstrip("\n").startswith("\t")):
            refuse(
                "syntax", f"the text block of line {event.start_mark.line + 1} starts with a tab or runs into a comment"
            )

    def check(self) -> None:
        """Refuse a tab that is neither in such a scalar nor in a comment."""
        if "\t" in self.text and "\t" in _COMMENT.sub("", "".join(self.pieces) + self.text[self.position :]):
            refuse("control-character", "a tab stands outside quoted scalars, text blocks and comments")


def _built(text: str) -> Value:
    """The value of the one document of ``text``, from its events."""
    root = _Open([], in_flow=False)
    stack = [root]
    outside = _Outside(text)
    documents = 0
    event: Any  # every event of a text has its marks, which the annotations do not say
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        if count > MAX_NODES:
            refuse("too-large", f"more than {MAX_NODES} nodes")
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            _check_node(event)
            outside.skip(event)
            stack[-1].add(_scalar(event, stack[-1].in_flow), line)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            _check_node(event)
            if len(stack) > MAX_DEPTH:
                refuse("too-deep", f"more than {MAX_DEPTH} levels")
            made: Value = {} if isinstance(event, yaml.MappingStartEvent) else []
            stack[-1].add(made, line)
            stack.append(_Open(made, bool(event.flow_style)))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            stack.pop()
        elif isinstance(event, yaml.AliasEvent):
            _check_node(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                refuse("several-documents", f"a second document starts in line {line}")
    outside.check()
    return root.made[0] if root.made else None


def read_yaml(text: str, layout: Layout) -> Value:
    """The value of a YAML document.

    Raises:
        SourceRefused: scalar, alias, tag, directive, several-documents, key-not-string, duplicate-key, syntax,
            too-deep, too-large, number-range, null-document, control-character (a break that is no line feed).
    """
    if found := _BREAKS.search(text):
        refuse(
            "control-character", f"the document holds U+{ord(found[0]):04X}, which YAML takes for a break or refuses"
        )
    if text.startswith("%") or "\n%" in text:
        refuse("directive", "a line starts with a percent sign, as a directive does")
    try:
        return checked(_built(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or "unreadable as YAML"
        return refuse("syntax", problem + (f" at line {mark.line + 1}" if mark else ""))


def _quoted(text: str) -> str:
    """A double-quoted scalar: a JSON string is one, once what YAML does not print is escaped."""
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", json_text(text))


def _is_plain(text: str) -> bool:
    """Whether the text may stand without quotes."""
    if not _PLAIN_TEXT.fullmatch(text):
        return False
    try:
        return isinstance(plain_scalar(text), str)
    except SourceRefused:
        return False


def _literal(text: str) -> str | None:
    """A literal block of a text of several lines, or None where one would need more than its bare lines."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if len(lines) < 2 or not lines[-1] or lines[0][:1] in ("", " ") or not all(map(_LITERAL_LINE.fullmatch, lines)):
        return None
    if not body.replace("\n", "").isprintable():
        return None
    return ("|" if text != body else "|-") + "".join("\n" + ("  " + line if line else "") for line in lines)


def _scalar_text(value: Value, last: bool) -> str:
    """A scalar; the last of its document has no literal block that ends with a line feed, which is lost where the
    document is stripped.
    """
    if isinstance(value, str):
        literal = None if last and value.endswith("\n") else _literal(value)
        return (value if _is_plain(value) else None) or literal or _quoted(value)
    if isinstance(value, float):
        mantissa, exponent, power = repr(value).partition("e")
        return mantissa + (".0" if exponent and "." not in mantissa else "") + exponent + power
    return json_text(value)


def _block(value: Value, last: bool = True) -> list[str]:
    """The lines of a collection that is not empty, at the left margin; ``last``: nothing of the document follows."""
    lines: list[str] = []
    pairs = (
        [("- ", item) for item in value]
        if isinstance(value, list)
        else [((key if _is_plain(key) else _quoted(key)) + ": ", item) for key, item in value.items()]
    )
    for place, (head, item) in enumerate(pairs, 1):
        is_last = last and place == len(pairs)
        if isinstance(item, (dict, list)) and item:
            inner = _block(item, is_last)
            if head == "- ":
                lines.append(head + inner[0])
                inner = inner[1:]
            else:
                lines.append(head.rstrip(" "))
            lines.extend("  " + line if line else line for line in inner)
        else:
            lines.extend((head + _scalar_text(item, is_last)).split("\n"))
    return lines


def write_yaml(value: Value, layout: Layout) -> str:
    """A YAML document in block style; quotes where the text needs them, literal blocks for several lines."""
    if isinstance(value, (dict, list)) and value:
        return "\n".join(_block(value)) + "\n"
    return (_quoted(value) if isinstance(value, str) else _scalar_text(value, True)) + "\n"
