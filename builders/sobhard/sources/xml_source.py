"""xml: elements, attributes and text as plain data, with everything that would need a schema refused.

The document is an object with one key, the root's name. An element without attributes and children is its text,
trimmed; any other is an object of its attributes, its children (same names together as a list, in their order) and,
where it has attributes and text, that text under ``text``. Names stay as they are written, prefixes and ``xmlns``
included (an element's namespaces come before its attributes). No entity beyond the five built in, no mixed content, no
declarations, no prefix without its namespace; nothing is fetched.
"""

import re
from collections.abc import Iterable
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from builders.sobhard.sources.model import MAX_DEPTH, MAX_NODES, Layout, Value, checked, clip, prepared, refuse

__all__ = ["TEXT_KEY", "read_xml", "write_xml", "xml_attributes"]

TEXT_KEY: Final = "text"
_SPACE: Final = " \t\n"
_NAME: Final = re.compile(r"[^\W\d][\w.:-]*")
_XML: Final = ("xml", "http://www.w3.org/XML/1998/namespace")
_CHUNK: Final = 1 << 15  # bytes between two looks at how deep and large the document is
_ENTITIES: Final = frozenset({"amp", "apos", "gt", "lt", "quot"})
# Comments, CDATA and instructions are taken whole, to their end or to that of the text.
_DECLARATION: Final = re.compile(
    r"<!--(?:(?!-->).)*+|<!\[CDATA\[(?:(?!\]\]>).)*+|<\?(?:(?!\?>).)*+"
    r"|<!DOCTYPE(?:[^\[>\"']++|\"[^\"]*+\"?|'[^']*+'?)*+(?P<subset>\[)?|&(?P<entity>[\w:][\w:.-]*+);",
    re.DOTALL,
)


class _Reader:
    """The value of a document from the events of lxml; nothing of the tree is kept but the text of open elements."""

    def __init__(self) -> None:
        self.root: dict[str, Value] = {}
        self.open: list[tuple[str, dict[str, str], dict[str, list[Value]]]] = []  # name, attributes, children by name
        self.declared: dict[str, str] = {}  # the namespaces that the next element declares
        self.attributes: set[str] = set()  # names of all attributes
        self.count = 0

    def take(self, events: Iterable[tuple[str, Any]]) -> None:
        """Go on with the next events."""
        for kind, item in events:
            if kind == "start-ns":
                prefix, uri = item
                self.declared[f"xmlns:{prefix}" if prefix else "xmlns"] = uri
            elif kind == "start":
                self.start(item)
            else:
                self.end(item)

    def start(self, element: Any) -> None:
        """An element opens: its attributes are known, its text is not."""
        self.count += 1
        if self.count > MAX_NODES:
            refuse("too-large", f"more than {MAX_NODES} elements")
        if len(self.open) >= MAX_DEPTH:
            refuse("too-deep", f"more than {MAX_DEPTH} levels")
        name = element.tag.rpartition("}")[2]
        if element.prefix:
            name = f"{element.prefix}:{name}"
        attributes = self.declared | {_attribute(element, key): value for key, value in element.attrib.items()}
        self.attributes.update(attributes)
        self.open.append((name, attributes, {}))
        self.declared = {}

    def end(self, element: Any) -> None:
        """An element closes."""
        name, attributes, children = self.open.pop()
        text = (element.text or "") + "".join(child.tail or "" for child in element)
        value = _value(name, attributes, children, text.strip(_SPACE))
        del element[:]
        if self.open:
            self.open[-1][2].setdefault(name, []).append(value)
        else:
            self.root[name] = value


def _attribute(element: Any, key: str) -> str:
    """The name of an attribute as it is written."""
    if not key.startswith("{"):
        return key
    namespace, _, name = key[1:].partition("}")
    prefixes = [prefix for prefix, uri in (*element.nsmap.items(), _XML) if prefix and uri == namespace]
    if len(prefixes) > 1:
        refuse("markup", f"the attribute {clip(name)} has a namespace with the prefixes {', '.join(prefixes)}")
    return f"{prefixes[0]}:{name}"


def _value(name: str, attributes: dict[str, str], children: dict[str, list[Value]], text: str) -> Value:
    """An element as data."""
    if text and (text[0].isspace() or text[-1].isspace()):
        refuse("edge-whitespace", f"<{name}> has an uncommon space at an edge of its text: {clip(text)}")
    if children and text:
        refuse("mixed-content", f"<{name}> has text beside child elements: {clip(text)}")
    if not children and not attributes:
        return text
    made: dict[str, Value] = dict(attributes)
    inner = {key: items[0] if len(items) == 1 else items for key, items in children.items()}
    if text:
        inner[TEXT_KEY] = text
    for key, child in inner.items():
        if key in made:
            refuse("name-clash", f"<{name}> has two things called {clip(key)}")
        made[key] = child
    return made


def _check_declarations(text: str) -> None:
    """Refuse declarations and entities before anything is parsed: lxml would drop an entity it does not know."""
    for found in _DECLARATION.finditer(text):
        if found["subset"]:
            refuse("directive", "the document type has declarations of its own")
        if (name := found["entity"]) and name not in _ENTITIES:
            refuse("undeclared-entity", f"the entity {clip(name)} is none of the five that XML defines")


def read_xml(text: str, layout: Layout) -> Value:
    """An object with the root element under its name; comments and processing instructions are skipped.

    Raises:
        SourceRefused: syntax, mixed-content, name-clash, edge-whitespace, directive, undeclared-entity, markup,
            too-deep, too-large.
    """
    return checked(_read(text).root)


def xml_attributes(text: str) -> frozenset[str]:
    """The names of the attributes of a document: with them ``write_xml`` writes its value much as it was.

    Raises:
        SourceRefused: as ``read_xml``.
    """
    return frozenset(_read(prepared(text)).attributes)


def _read(text: str) -> _Reader:
    _check_declarations(text)
    reader = _Reader()
    parser = etree.XMLPullParser(
        events=("start-ns", "start", "end"),
        encoding="utf-8",  # the text is decoded already, whatever its declaration says
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
    )
    data = text.encode("utf-8")
    try:
        for place in range(0, len(data), _CHUNK):
            parser.feed(data[place : place + _CHUNK])
            reader.take(parser.read_events())
        parser.close()
        reader.take(parser.read_events())  # what is shorter than lxml's first look comes at the end
    except etree.XMLSyntaxError as error:
        reader.take(parser.read_events())
        return refuse("syntax", f"{error.msg} at line {error.lineno}")
    return reader


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
