"""The fifteen source notations of SOBHard: readers that refuse what has more than one reading, and writers.

    read("csv", "a,b\\n1,2\\n")            -> [{"a": "1", "b": "2"}]
    write("toml", {"a": 1})               -> "a = 1\\n"
    convention("csv")                     -> what a prompt says about reading, in Russian

The scorer does not use them: it takes a row's canonical structures. They serve whoever builds questions and whoever
derives an answer again.
"""

from builders.sobhard.sources.model import REFUSALS, Column, Layout, LayoutError, SourceRefused
from builders.sobhard.sources.pages import html_tables, markdown_tables
from builders.sobhard.sources.registry import NOTATIONS, Notation, convention, read, write
from builders.sobhard.sources.xml_source import xml_attributes

__all__ = [
    "NOTATIONS",
    "REFUSALS",
    "Column",
    "Layout",
    "LayoutError",
    "Notation",
    "SourceRefused",
    "convention",
    "html_tables",
    "markdown_tables",
    "read",
    "write",
    "xml_attributes",
]
