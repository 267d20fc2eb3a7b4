"""ini and properties: lines of a name and a value, all strings, nothing interpreted (SOBHard contract, 10).

ini: sections of pairs, ``=`` or ``:`` whichever comes first, the last of two equal keys wins. properties: one flat map,
the first ``=`` divides, no escapes.
"""

import re
from typing import Final

from builders.sobhard.sources.model import Layout, Value, clip, no_duplicates, refuse, trimmed

__all__ = ["read_ini", "read_properties", "write_ini", "write_properties"]

_DELIMITER: Final = re.compile("[=:]")
_SPECIAL: Final = "default"  # in any case: configparser, git and others give its pairs to every section
_INI_COMMENTS: Final = ("#", ";")
_PROPERTIES_COMMENTS: Final = ("#", "!")


def _section_name(line: str, place: int) -> str:
    name = line[1:-1]
    if line[-1] != "]" or "[" in name or "]" in name:
        refuse("syntax", f"line {place} starts like a section, but is none: {clip(line)}")
    if not name.strip():
        refuse("blank-name", f"line {place} has a section without a name")
    if name != name.strip():
        refuse("edge-whitespace", f"the section of line {place} has white space at an edge: {clip(name)}")
    if name.lower() == _SPECIAL:
        refuse("special-section", f"line {place} has the section {clip(name)}, which some readers copy into all others")
    return name


def read_ini(text: str, layout: Layout) -> Value:
    """An object of sections, each an object of strings; a section named again goes on.

    Raises:
        SourceRefused: syntax, continuation, no-section, special-section, blank-name, edge-whitespace.
    """
    sections: dict[str, Value] = {}
    pairs: dict[str, Value] | None = None
    for place, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(" \t")
        if not line or line[0] in _INI_COMMENTS:
            continue
        if raw[0] in " \t":
            refuse("continuation", f"line {place} is indented: some readers take it for more of the line before")
        if line[0] == "[":
            pairs = sections.setdefault(_section_name(line, place), {})
            continue
        found = _DELIMITER.search(line)
        if found is None:
            refuse("syntax", f"line {place} has neither = nor a colon: {clip(line)}")
        if pairs is None:
            refuse("no-section", f"line {place} comes before the first section")
        key = trimmed(line[: found.start()], f"the key of line {place}")
        if not key:
            refuse("blank-name", f"line {place} has no key")
        pairs[key] = trimmed(line[found.end() :], f"the value of line {place}")
    if not sections:
        refuse("no-records", "the document has comments only")
    return sections


def read_properties(text: str, layout: Layout) -> Value:
    """An object of strings.

    Raises:
        SourceRefused: syntax, separator, continuation, duplicate-key, blank-name, edge-whitespace, no-records.
    """
    pairs: list[tuple[str, Value]] = []
    for place, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(" \t")
        if not line or line[0] in _PROPERTIES_COMMENTS:
            continue
        if (len(line) - len(line.rstrip("\\"))) % 2:
            refuse("continuation", f"line {place} ends with a backslash: some readers join the next line to it")
        name, equals, value = line.partition("=")
        if not equals:
            refuse("syntax", f"line {place} has no equals sign: {clip(line)}")
        key = trimmed(name, f"the key of line {place}")
        if not key:
            refuse("blank-name", f"line {place} has no key")
        if ":" in key or any(letter.isspace() for letter in key):
            refuse("separator", f"line {place} has a colon or white space inside its key: {clip(key)}")
        pairs.append((key, trimmed(value, f"the value of line {place}")))
    if not pairs:
        refuse("no-records", "the document has comments only")
    return no_duplicates(pairs)


def _pair(key: str, value: Value) -> str:
    if not isinstance(value, str):
        refuse("not-representable", f"the value under {clip(key)} is not a string")
    return f"{key} = {value}".rstrip(" ") + "\n"


def write_ini(value: Value, layout: Layout) -> str:
    """Sections in their order, a blank line between two.

    Raises:
        SourceRefused: not-representable.
    """
    if not isinstance(value, dict) or not all(isinstance(section, dict) for section in value.values()):
        refuse("not-representable", "an INI document is an object of objects of strings")
    return "\n".join(
        f"[{name}]\n" + "".join(_pair(key, item) for key, item in section.items()) for name, section in value.items()
    )


def write_properties(value: Value, layout: Layout) -> str:
    """One pair a line.

    Raises:
        SourceRefused: not-representable.
    """
    if not isinstance(value, dict):
        refuse("not-representable", "a properties document is an object of strings")
    return "".join(_pair(key, item) for key, item in value.items())
