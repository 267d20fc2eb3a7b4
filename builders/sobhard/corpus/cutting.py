"""Cuts a part out of a file: its own characters where the part is contiguous, else the part written anew."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from lxml import etree

from builders.sobhard.corpus.model import CorpusError
from builders.sobhard.corpus.pins import File, Part
from builders.sobhard.sources import Layout, html_tables, markdown_tables, read, write
from builders.sobhard.sources.model import Value

__all__ = ["part_text"]

_STEP: Final = re.compile(r'\.([^.\[\]"]+)|\[(\d+)\]|\["([^"]+)"\]')
_ROW: Final = re.compile(r"<tr(?=[\s>])", re.IGNORECASE)
_ROW_END: Final = re.compile(r"</tr\s*>", re.IGNORECASE)
_TREES: Final = frozenset({"json", "jsonc", "toml", "yaml"})
_INI_SECTION: Final = re.compile(r"^\[", re.MULTILINE)


class _Rows(NamedTuple):
    """A document taken apart: what stands before its records, the records with what separates them, what follows."""

    head: str
    rows: list[str]
    tail: str = ""


def part_text(file: File, part: Part, text: str) -> str:
    """The document that ``part`` of ``file`` is; ``text`` is the whole file, LF at line ends.

    Raises:
        CorpusError: the file has no such part.
        SourceRefused: the whole file has to be read for the part, and is refused.
    """
    try:
        if part.table is not None:
            text = (html_tables if file.notation == "html" else markdown_tables)(text)[part.table]
        if part.lines is not None:
            text = "".join(text.splitlines(keepends=True)[slice(*part.lines)])
        if file.notation in _TREES and (part.path or part.rows):
            return _tree(file, part, text)
        if file.notation == "xml" and (part.path or part.rows):
            return _element(part, text)
        if part.rows is not None:
            head, rows, tail = _SPLIT[file.notation](text, file.layout)
            if part.rows[1] > len(rows):
                raise CorpusError(f"{file.id} has {len(rows)} rows, no {part.name}")
            text = head + "".join(rows[slice(*part.rows)]) + tail
    except (LookupError, TypeError) as error:
        raise CorpusError(f"{file.id} has no part {part.name}") from error
    return text


# Lines ----------------------------------------------------------------------------------------------------------------


def _lines(head: int, text: str, comments: tuple[str, ...], quotes: bool = False) -> _Rows:
    """Records of a line or, with line feeds in quotes, of several; ``head`` of them are the head.

    A comment or blank line belongs to the record after it.
    """
    records: list[str] = []
    pending, complete = "", True
    for line in text.splitlines(keepends=True) if "\n" in text else [text]:
        pending += line
        skipped = complete and (not line.strip() or line.startswith(comments))
        if quotes and not skipped:
            complete = complete if line.count('"') % 2 == 0 else not complete
        if complete and not skipped:
            records.append(pending)
            pending = ""
    if records and not records[-1].endswith("\n"):
        records[-1] += "\n"
    return _Rows("".join(records[:head]), records[head:])


def _comments(layout: Layout) -> tuple[str, ...]:
    return (layout.comment,) if layout.comment else ()


def _delimited(text: str, layout: Layout) -> _Rows:
    return _lines(0 if layout.names else 1, text, _comments(layout), quotes=True)


def _fixed(text: str, layout: Layout) -> _Rows:
    return _lines(0 if layout.columns else 1, text, _comments(layout))


def _plain(text: str, layout: Layout) -> _Rows:
    return _lines(0, text, _comments(layout))


def _properties(text: str, layout: Layout) -> _Rows:
    return _lines(0, text, ("#", "!"))


def _markdown(text: str, layout: Layout) -> _Rows:
    return _lines(2, text, ())


def _ini(text: str, layout: Layout) -> _Rows:
    """Sections; the comments above a section stay with the one before."""
    starts = [found.start() for found in _INI_SECTION.finditer(text)]
    ends = [*starts[1:], len(text)]
    return _Rows("", [text[start:end] for start, end in zip(starts, ends, strict=True)])


def _html(text: str, layout: Layout) -> _Rows:
    """Rows under the first; the markup between two rows belongs to the one before."""
    starts = [found.start() for found in _ROW.finditer(text)]
    last = max(found.end() for found in _ROW_END.finditer(text))
    ends = [*starts[2:], last]
    return _Rows(text[: starts[1]], [text[start:end] for start, end in zip(starts[1:], ends, strict=True)], text[last:])


_SPLIT: Final[Mapping[str, Callable[[str, Layout], _Rows]]] = MappingProxyType(
    {
        "csv": _delimited,
        "fwf": _fixed,
        "html": _html,
        "ini": _ini,
        "jsonl": _plain,
        "logline": _plain,
        "mdtable": _markdown,
        "properties": _properties,
        "scsv": _delimited,
        "tsv": _delimited,
    }
)

# Trees ----------------------------------------------------------------------------------------------------------------


def _tree(file: File, part: Part, text: str) -> str:
    value = _resolved(read(file.notation, text, file.layout), part.path or "$")
    if part.rows is not None:
        if part.rows[1] > len(value):
            raise CorpusError(f"{file.id} has {len(value)} entries, no {part.name}")
        value = dict(list(value.items())[slice(*part.rows)]) if isinstance(value, dict) else value[slice(*part.rows)]
    return write(file.notation, value, file.layout)


def _resolved(value: Value, path: str) -> Value:
    """The value at a path of a part: unlike the paths of questions it can name any key, in quotes."""
    position = 1
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            raise CorpusError(f"no path of a part: {path}")
        value = value[int(found[2])] if found[2] else value[found[1] or found[3]]
        position = found.end()
    return value


def _element(part: Part, text: str) -> str:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    root = etree.fromstring(text.encode("utf-8"), parser)
    element = root.find(part.path) if part.path else root
    if element is None:
        raise CorpusError(f"no element {part.path}")
    if part.rows is not None:
        children = list(element)
        for child in children[: part.rows[0]] + children[part.rows[1] :]:
            element.remove(child)
    return str(etree.tostring(element, encoding="unicode", with_tail=False)) + "\n"
