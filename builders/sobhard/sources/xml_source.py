"""xml: elements, attributes and text as plain data, with everything that would need a schema refused.

The document is an object with one key, the root's name. An element without attributes and children is its text,
trimmed; any other is an object of its attributes, its children (same names together as a list, in their order) and,
where it has attributes and text, that text under ``text``. Names stay as they are written, prefixes and ``xmlns``
included. No entity beyond the five built in, no mixed content, no declarations.
"""

import re
from collections.abc import Iterable
from typing import Final
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from builders.sobhard.sources.model import MAX_DEPTH, MAX_NODES, Layout, Value, checked, clip, refuse

__all__ = ["TEXT_KEY", "read_xml", "write_xml"]

TEXT_KEY: Final = "text"
_SPACE: Final = " \t\n"
_NAME: Final = re.compile(r"[^\W\d][\w.:-]*")


class _Element:
    """An element that is being read; children of one name share a list."""

    __slots__ = ("attributes", "children", "name", "text")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: dict[str, list[Value]] = {}
        self.text: list[str] = []

    def value(self) -> Value:
        """The element as data.

        Raises:
            SourceRefused: mixed-content, name-clash, edge-whitespace.
        """
        text = "".join(self.text).strip(_SPACE)
        if text and (text[0].isspace() or text[-1].isspace()):
            refuse("edge-whitespace", f"<{self.name}> has an uncommon space at an edge of its text: {clip(text)}")
        if self.children and text:
            refuse("mixed-content", f"<{self.name}> has text beside child elements: {clip(text)}")
        if not self.children and not self.attributes:
            return text
        made: dict[str, Value] = dict(self.attributes)
        children = {name: items[0] if len(items) == 1 else items for name, items in self.children.items()}
        if text:
            children[TEXT_KEY] = text
        for name, child in children.items():
            if name in made:
                refuse("name-clash", f"<{self.name}> has two things called {clip(name)}")
            made[name] = child
        return made


class _Reader:
    """The handlers of one document."""

    def __init__(self) -> None:
        self.root: dict[str, Value] = {}
        self.open: list[_Element] = []
        self.count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_NODES:
            refuse("too-large", f"more than {MAX_NODES} elements")
        if len(self.open) >= MAX_DEPTH:
            refuse("too-deep", f"more than {MAX_DEPTH} levels")
        self.open.append(_Element(name, attributes))

    def end(self, name: str) -> None:
        value = self.open.pop().value()
        if self.open:
            self.open[-1].children.setdefault(name, []).append(value)
        else:
            self.root[name] = value

    def characters(self, data: str) -> None:
        self.open[-1].text.append(data)

    def doctype(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        if has_subset:
            refuse("directive", "the document type has declarations of its own")

    def entity(self, name: str, is_parameter: int) -> None:
        refuse("undeclared-entity", f"the entity {clip(name)} is none of the five that XML defines")


def read_xml(text: str, layout: Layout) -> Value:
    """An object with the root element under its name; comments and processing instructions are skipped.

    Raises:
        SourceRefused: syntax, mixed-content, name-clash, edge-whitespace, directive, undeclared-entity, too-deep,
            too-large.
    """
    reader = _Reader()
    parser = expat.ParserCreate("utf-8")  # the text is decoded already, whatever its declaration says
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.SkippedEntityHandler = reader.entity
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        code = "undeclared-entity" if message == expat.errors.XML_ERROR_UNDEFINED_ENTITY else "syntax"
        return refuse(code, f"{message} at line {error.lineno}")
    return checked(reader.root)


def _children(value: dict[str, Value]) -> Iterable[tuple[str, Value]]:
    """Name and value of each child element: a list is one child an entry."""
    for name, item in value.items():
        if isinstance(item, list):
            if len(item) < 2:
                refuse("not-representable", f"the list {clip(name)} has fewer than two entries: one element is no list")
            yield from ((name, entry) for entry in item)
        else:
            yield name, item


def _element(name: str, value: Value, indent: str, attributes: frozenset[str]) -> str:
    """An element and its descendants, one a line."""
    if not _NAME.fullmatch(name):
        refuse("not-representable", f"{clip(name)} is no XML name")
    if isinstance(value, str):
        return f"{indent}<{name}>{escape(value)}</{name}>\n"
    if not isinstance(value, dict):
        refuse("not-representable", f"the value under {clip(name)} is neither text nor an object")
    marks = {key: item for key, item in value.items() if key in attributes and isinstance(item, str)}
    head = name + "".join(
        f" {key}={quoteattr(item, {chr(10): '&#10;', chr(9): '&#9;'})}" for key, item in marks.items()
    )
    inner = [(key, item) for key, item in _children(value) if key not in marks]
    if not inner:
        return f"{indent}<{head}/>\n"
    if marks and len(inner) == 1 and inner[0][0] == TEXT_KEY and isinstance(inner[0][1], str) and inner[0][1]:
        return f"{indent}<{head}>{escape(inner[0][1])}</{name}>\n"
    body = "".join(_element(key, item, indent + "  ", attributes) for key, item in inner)
    return f"{indent}<{head}>\n{body}{indent}</{name}>\n"


def write_xml(value: Value, layout: Layout) -> str:
    """An XML document of an object with one key; string values under the keys of ``layout.attributes`` are attributes.

    Raises:
        SourceRefused: not-representable.
    """
    if not isinstance(value, dict) or len(value) != 1:
        refuse("not-representable", "an XML document is an object with one key, the root's name")
    ((name, item),) = value.items()
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _element(name, item, "", layout.attributes)
