"""html: one ``<table>``, read by lxml as browsers read it: end tags that HTML leaves out may be left out.

The first row names the columns, each other row is a record, whether its cells are ``td`` or ``th``. A cell is its text:
tags of emphasis and links are dropped, ``<br>`` is a line feed, character references are resolved, runs of white space
are one space. Spans, nested tables, lists, images and fields are refused, and so is what lxml would have to repair.
"""

import html
import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any, Final

from lxml import etree

from builders.sobhard.sources.model import MAX_NODES, Layout, Value, as_records, clip, line_of, refuse, table

__all__ = ["read_html", "write_html"]

_PIECE: Final = re.compile(
    r"<!--(?:(?!-->).)*+(?P<comment_end>-->)?"
    r"|(?P<tag></?[A-Za-z][A-Za-z0-9-]*+"
    r"(?:[ \t\n]++[^\s\"'<>/=]++(?:[ \t\n]*+=[ \t\n]*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+[ \t\n]*+/?>)"
    r"|(?P<stray><)"
    r"|(?P<reference>&(?:#[0-9]++;|#[xX][0-9a-fA-F]++;|[A-Za-z][A-Za-z0-9]*+;?|#?))",
    re.DOTALL,
)
_PART: Final = re.compile(r"<(?:table|thead|tbody|tr|td|th)\b", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \t\n]+")
_BREAK: Final = "\x00"  # <br> until white space is collapsed; no document holds the character
_INLINE: Final = frozenset(
    {"a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small", "span"}
    | {"strong", "sub", "sup", "tt", "u", "var"}
)
_PARTS: Final = frozenset({"table", "thead", "tbody", "tr", "td", "th"})  # of a table, each in its place alone
_MAX_TAGS: Final = 3 * MAX_NODES  # a cell is two
_MAX_DIGITS: Final = 8  # of a numeric reference, an x among them
_MAX_INLINE: Final = 20  # tags of emphasis inside one another, and of a table around them


def _check_pieces(text: str) -> None:
    """Refuse what readers of HTML differ on, before lxml decides; and what is too large for it."""
    closed = False
    for count, found in enumerate(_PIECE.finditer(text)):
        if count > _MAX_TAGS:
            refuse("too-large", f"more than {_MAX_TAGS} tags and references")
        if found["stray"]:
            line = line_of(text, found.start())
            refuse("syntax", f"line {line} has < that starts no tag: {clip(text[found.start() : found.start() + 30])}")
        if found["reference"]:
            _check_reference(found["reference"])
        elif tag := found["tag"]:
            closed = closed or tag.lower().startswith("</table")
        elif not found["comment_end"]:
            refuse("syntax", f"the comment that starts in line {line_of(text, found.start())} is not closed")
    if not closed:
        refuse("syntax" if _PART.search(text) else "markup", "the document holds no table that is closed")


def _check_reference(reference: str) -> None:
    """Refuse a character reference that is none, or not the same everywhere."""
    if reference == "&":
        return
    if reference.startswith("&#"):
        digits = reference[2:-1]
        if reference[-1] != ";" or len(digits) > _MAX_DIGITS:
            refuse("bad-escape", f"{clip(reference)} is no character")
        code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
        if not _is_character(code):
            refuse("bad-escape", f"{clip(reference)} is no character")
    elif reference[1:] not in html5 or reference[-1] != ";":
        refuse("bad-escape", f"{clip(reference)} is no character reference")


def _is_character(code: int) -> bool:
    return code in (9, 10) or 32 <= code < 127 or 160 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF


def _elements(parent: Any, allowed: str) -> Iterator[Any]:
    """The child elements of a part of a table, no text beside them, each one of the ``allowed`` kinds."""
    if (text := (parent.text or "") + "".join(child.tail or "" for child in parent)).strip(" \t\n"):
        refuse("markup", f"there is text outside the cells: {clip(text.strip())}")
    for child in parent:
        if child.tag is etree.Comment:
            continue
        if child.tag not in allowed.split():
            code = "syntax" if child.tag in _PARTS - {"table"} else "markup"
            refuse(code, f"line {child.sourceline} has <{child.tag}> inside <{parent.tag}>")
        yield child


def _text(element: Any, depth: int) -> Iterator[str]:
    """The texts of a cell or of a tag of emphasis in it, and its breaks."""
    if depth > _MAX_INLINE:
        refuse("too-deep", f"line {element.sourceline} has more than {_MAX_INLINE} tags inside one another")
    yield element.text or ""
    for child in element:
        if child.tag == "br":
            yield _BREAK
        elif child.tag in _INLINE:
            yield from _text(child, depth + 1)
        elif child.tag is not etree.Comment:
            refuse("markup", f"line {child.sourceline} has <{child.tag}> inside a cell")
        yield child.tail or ""


def _cell(element: Any) -> str:
    """The text of a cell."""
    if element.get("rowspan", "1") != "1" or element.get("colspan", "1") != "1":
        refuse("span", f"line {element.sourceline} has a cell that spans rows or columns")
    parts = [_SPACES.sub(" ", part).strip(" ") for part in "".join(_text(element, 1)).split(_BREAK)]
    text = "\n".join(parts)
    if text and (text[0].isspace() or text[-1].isspace()):
        refuse("edge-whitespace", f"a cell of line {element.sourceline} has an uncommon space at an edge: {clip(text)}")
    return text


def _rows(whole: Any) -> list[list[str]]:
    """The cells of the rows of a table."""
    rows: list[list[str]] = []
    head_rows = 0
    for part in _elements(whole, "thead tbody tr"):
        if part.tag == "thead" and rows:
            refuse("header", f"line {part.sourceline} has a table head after the first row")
        for row in [part] if part.tag == "tr" else _elements(part, "tr"):
            rows.append([_cell(cell) for cell in _elements(row, "td th")])
            head_rows += part.tag == "thead"
    if head_rows > 1:
        refuse("header", f"the table head has {head_rows} rows")
    return rows


def read_html(text: str, layout: Layout) -> Value:
    """A list of objects of strings, one a row after the first.

    Raises:
        SourceRefused: syntax, markup, span, header, bad-escape, edge-whitespace, too-deep, too-large, and those of a
            table.
    """
    _check_pieces(text)
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, recover=True)
    page = etree.fromstring(text.encode("utf-8"), parser)
    body = page.find("body") if page is not None else None
    tables = [] if body is None else list(_elements(body, "table"))
    if len(tables) != 1:
        refuse("markup", f"the document has {len(tables)} tables, no single one")
    rows = _rows(tables[0])
    if len(parser.error_log):
        error = parser.error_log[0]
        refuse("syntax", f"{error.message} at line {error.line}")
    return table(rows[0] if rows else [""], rows[1:])


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
