"""The document of a recipe: its value, and the text a prompt shows of it.

A document of the corpus brings its own text, which is shown when the question's source notation is the document's own;
in any other notation, and for a plain value, the text is written.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from builders.sobhard import sources
from builders.sobhard.corpus import Document
from builders.sobhard.corpus.pins import layout_from
from builders.sobhard.reconciled import RecipeError
from builders.sobhard.sources import Layout
from builders.sobhard.sources.model import PLAIN, prepared, same_value

__all__ = ["Given", "document", "layout_of", "text_of"]


class Given(NamedTuple):
    """A document of a recipe.

    Attributes:
        value: the data.
        origin: of the row.
        notation, layout, text: of a document with a text of its own; empty without.
    """

    value: Any
    origin: str
    notation: str = ""
    layout: Layout = PLAIN
    text: str = ""


def document(name: str, documents: Mapping[str, Any]) -> Given:
    """The document of that name.

    Raises:
        KeyError: there is none.
    """
    held = documents[name]
    if isinstance(held, Document):
        return Given(held.value, held.origin, held.notation, held.layout, held.text)
    return Given(held, f"small/{name}")


def layout_of(recipe: Mapping[str, Any], documents: Mapping[str, Any]) -> Layout:
    """The layout that the question states and its documents follow: that of the first document's own text, or the
    recipe's.
    """
    given = document(recipe["document"], documents)
    if given.notation == recipe["source"]:
        return given.layout
    return layout_from(recipe.get("layout", {}))


def text_of(given: Given, notation: str, layout: Layout = PLAIN) -> str:
    """What the prompt shows, without a final line feed that is no part of a value.

    Raises:
        RecipeError: the document's own text reads as another value.
        SourceRefused: the notation does not hold the value.
    """
    if given.notation != notation or given.layout != layout:
        return sources.write(notation, given.value, layout).removesuffix("\n")
    whole = prepared(given.text)
    # The line feed at the end of a block of YAML belongs to its value.
    for shown in (whole.removesuffix("\n"), whole):
        if same_value(sources.read(notation, shown, layout), given.value):
            return shown
    raise RecipeError(f"{given.origin}: the text does not read as the document")
