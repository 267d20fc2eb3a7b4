"""One sampler a family: what is asked of a document, and the documents that the recipe names."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from builders.sobhard.breaks import BreakRefused, break_document
from builders.sobhard.documents import document, text_of
from builders.sobhard.operations import schema
from builders.sobhard.samplers.draw import Choice, Draw, after
from builders.sobhard.samplers.edits import draw_ops, draw_version
from builders.sobhard.samplers.joins import merge
from builders.sobhard.samplers.lines import template
from builders.sobhard.samplers.paths import extract
from builders.sobhard.samplers.programs import Unsuitable
from builders.sobhard.samplers.talks import session
from builders.sobhard.sources import NOTATIONS

__all__ = ["SAMPLERS"]

_SCHEMA_KINDS: Final = {
    "easy": ("minimal", "bounds", "enum"),
    "medium": ("bounds", "enum", "union", "oneOf"),
    "hard": ("union", "oneOf", "full"),
}
_TABLES: Final = ("records", "map", "sections")  # shapes of notations whose second version keeps its columns


def _convert(draw: Draw) -> Choice:
    return {}, {}


def _transform(draw: Draw) -> Choice:
    return draw.program(draw.document.value), {}


def _repair(draw: Draw) -> Choice:
    shown = document("it", {"it": draw.document})
    text = text_of(shown, draw.notation, draw.layout)
    try:
        broken, kinds = break_document(draw.rng, draw.notation, text, draw.layout, draw.count("breaks"))
    except BreakRefused as error:
        raise Unsuitable(str(error)) from error
    return {"broken": broken, "kinds": kinds, **draw.program(draw.document.value)}, {}


def _schema_gen(draw: Draw) -> Choice:
    """A kind of schema that is another than the plain one, after rules that the schema shows."""
    rng, value = draw.rng, draw.document.value
    kinds = _SCHEMA_KINDS[draw.slot.difficulty]
    for kind in rng.sample(kinds, len(kinds)):
        recipe = draw.program(value, last=False, answer=lambda result, kind=kind: schema(result, kind))  # type: ignore[misc]
        described = after(value, recipe)
        made = schema(described, kind)
        if (kind == "minimal" or made != schema(described, "minimal")) and draw.holds(made):
            return {**recipe, "schema_kind": kind}, {}
    raise Unsuitable("every kind of schema is the plain one")


def _patch(draw: Draw) -> Choice:
    ops, patched = draw_ops(draw.rng, draw.document.value, draw.count("ops"), uniform=draw.slot.target == "sqlinsert")
    return {"ops": ops, **draw.program(patched)}, {}


def _newer(draw: Draw) -> Any:
    """A second version of the document, which its notation and the target hold."""
    uniform = NOTATIONS[draw.notation].shape in _TABLES or draw.slot.target == "sqlinsert"
    return draw_version(draw.rng, draw.document.value, draw.count("edits"), uniform=uniform)


def _diff(draw: Draw) -> Choice:
    return {"document_b": "newer"}, {"newer": _newer(draw)}


def _apply_diff(draw: Draw) -> Choice:
    newer = _newer(draw)
    notation = draw.rng.choice(["json", "yaml"])
    return {"document_b": "newer", "source_b": notation, **draw.program(newer)}, {"newer": newer}


SAMPLERS: Final[Mapping[str, Callable[[Draw], Choice]]] = {
    "convert": _convert,
    "extract": extract,
    "repair": _repair,
    "transform": _transform,
    "schema_gen": _schema_gen,
    "patch": _patch,
    "diff": _diff,
    "apply_diff": _apply_diff,
    "merge": merge,
    "template": template,
    "session": session,
}
