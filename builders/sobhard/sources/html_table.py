"""html: one ``<table>`` written out in full.

The first row names the columns, each other row is a record, whether its cells are ``td`` or ``th``. A cell is its text:
tags of emphasis and links are dropped, ``<br>`` is a line feed, character references are resolved, runs of white space
are one space. Every end tag is written; spans, nested tables, lists, images and fields are refused.
"""

import html
import re
from collections.abc import Iterator
from html.entities import html5
from typing import Final, NamedTuple

from builders.sobhard.sources.model import MAX_NODES, Layout, Value, as_records, clip, refuse, table

__all__ = ["read_html", "write_html"]

_TAG: Final = re.compile(
    r"<(/?)([A-Za-z][A-Za-z0-9-]*+)"
    r"((?:[ \t\n]++[^\s\"'<>/=]++(?:[ \t\n]*+=[ \t\n]*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+)[ \t\n]*+(/?)>"
)
_SPAN: Final = re.compile(r"\b(?:row|col)span[ \t\n]*+=[ \t\n]*+[\"']?([^\"'\s>]*+)", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"&(?:#[0-9]++;|#[xX][0-9a-fA-F]++;|[A-Za-z][A-Za-z0-9]*+;?|#?)")
_SPACES: Final = re.compile(r"[ \t\n]+")
_BREAK: Final = "\x00"  # <br> until white space is collapsed; no document holds the character
_INLINE: Final = frozenset(
    {"a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small", "span"}
    | {"strong", "sub", "sup", "tt", "u", "var"}
)
_PARENTS: Final = {
    "table": ("",),
    "thead": ("table",),
    "tbody": ("table",),
    "tr": ("table", "thead", "tbody"),
    "th": ("tr",),
    "td": ("tr",),
}
_MAX_TOKENS: Final = 4 * MAX_NODES  # a cell is two tags, its text, and the white space before it
_MAX_DIGITS: Final = 8  # of a numeric reference, an x among them
_MAX_INLINE: Final = 20  # tags of emphasis inside one another


class _Token(NamedTuple):
    """A piece of markup or text: ``kind`` is start, end or text, ``name`` the tag in lower case or the text."""

    kind: str
    name: str
    attributes: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    """Tags and texts in order; comments left out."""
    position, end, line = 0, len(text), 1
    while position < end:
        start = position
        if text[position] != "<":
            position = (text.find("<", position) + 1 or end + 1) - 1
            yield _Token("text", text[start:position], "", line)
        elif text.startswith("<!--", position):
            position = text.find("-->", position + 4) + 3
            if position < 3:
                refuse("syntax", f"the comment that starts in line {line} is not closed")
        elif found := _TAG.match(text, position):
            position = found.end()
            yield _Token("end" if found[1] else "start", found[2].lower(), found[3], line)
        else:
            refuse("syntax", f"line {line} has < that starts no tag: {clip(text[position : position + 30])}")
        line += text.count("\n", start, position)


def _character(found: re.Match[str]) -> str:
    """The text of a character reference."""
    reference = found[0]
    if reference == "&":
        return reference
    if reference.startswith("&#"):
        digits = reference[2:-1]
        if reference[-1] != ";" or len(digits) > _MAX_DIGITS:
            refuse("bad-escape", f"{clip(reference)} is no character")
        code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
        if not _is_character(code):
            refuse("bad-escape", f"{clip(reference)} is no character")
        return chr(code)
    if reference[1:] not in html5 or reference[-1] != ";":
        refuse("bad-escape", f"{clip(reference)} is no character reference")
    return html5[reference[1:]]


def _is_character(code: int) -> bool:
    return code in (9, 10) or 32 <= code < 127 or 160 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF


def _cell_text(pieces: list[str], line: int) -> str:
    """The text of a cell from its texts, references resolved, and breaks."""
    parts = [_SPACES.sub(" ", part).strip(" ") for part in "".join(pieces).split(_BREAK)]
    text = "\n".join(parts)
    if text and (text[0].isspace() or text[-1].isspace()):
        refuse("edge-whitespace", f"the cell that ends in line {line} has an uncommon space at an edge: {clip(text)}")
    return text


class _Reader:
    """The rows of the table as its tokens come."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.open: list[str] = []  # the tags that are open, outermost first
        self.cell: list[str] | None = None
        self.head_rows = 0
        self.done = False

    def text(self, token: _Token) -> None:
        """Text of a cell, or white space between tags."""
        if self.cell is not None:
            self.cell.append(_REFERENCE.sub(_character, token.name))
        elif token.name.strip(" \t\n"):
            refuse("markup", f"line {token.line} has text outside the cells: {clip(token.name.strip())}")

    def start(self, token: _Token) -> None:
        """A start tag."""
        name = token.name
        if self.cell is not None:
            if name == "br":
                self.cell.append(_BREAK)
            elif name not in _INLINE:
                refuse("markup", f"line {token.line} has <{name}> inside a cell")
            elif len(self.open) > _MAX_INLINE:
                refuse("too-deep", f"line {token.line} has more than {_MAX_INLINE} tags inside one another")
            else:
                self.open.append(name)
            return
        parents = _PARENTS.get(name)
        if parents is None or self.done:
            refuse("markup", f"line {token.line} has <{name}> where the table has no place for it")
        if (self.open[-1] if self.open else "") not in parents:
            refuse("syntax", f"line {token.line} has <{name}> outside its place, or after a tag that is not closed")
        self.open.append(name)
        if name == "tr":
            self.rows.append([])
            self.head_rows += self.open[-2] == "thead"
        elif name in ("td", "th"):
            if any(span != "1" for span in _SPAN.findall(token.attributes)):
                refuse("span", f"line {token.line} has a cell that spans rows or columns")
            self.cell = []
        elif name == "thead" and self.rows:
            refuse("header", f"line {token.line} has a table head after the first row")

    def end(self, token: _Token) -> None:
        """An end tag: of the innermost open tag, or the document is refused."""
        if not self.open or self.open.pop() != token.name:
            refuse("syntax", f"line {token.line} has </{token.name}> where another tag is open, or none")
        if token.name in ("td", "th"):
            self.rows[-1].append(_cell_text(self.cell or [], token.line))
            self.cell = None
        elif token.name == "table":
            self.done = True


def read_html(text: str, layout: Layout) -> Value:
    """A list of objects of strings, one a row after the first.

    Raises:
        SourceRefused: syntax, markup, span, header, bad-escape, edge-whitespace, too-deep, too-large, and those of a
            table.
    """
    reader = _Reader()
    take = {"text": reader.text, "start": reader.start, "end": reader.end}
    for count, token in enumerate(_tokens(text)):
        if count > _MAX_TOKENS:
            refuse("too-large", f"more than {_MAX_TOKENS} tags and texts")
        take[token.kind](token)
    if not reader.done:
        refuse("syntax", "the document holds no table that is closed")
    if reader.head_rows > 1:
        refuse("header", f"the table head has {reader.head_rows} rows")
    return table(reader.rows[0] if reader.rows else [""], reader.rows[1:])


def _escaped(text: str) -> str:
    return html.escape(text, quote=False).replace("\n", "<br>")


def write_html(value: Value, layout: Layout) -> str:
    """The table of a list of objects of strings, a row a line, the names in ``th``.

    Raises:
        SourceRefused: not-representable.
    """
    header, rows = as_records(value)
    head = "".join(f"<th>{_escaped(name)}</th>" for name in header)
    body = "".join("    <tr>" + "".join(f"<td>{_escaped(cell)}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table>\n  <thead>\n    <tr>{head}</tr>\n  </thead>\n  <tbody>\n{body}  </tbody>\n</table>\n"
