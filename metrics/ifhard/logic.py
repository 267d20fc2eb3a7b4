"""The ``logic`` family: rules that a condition or another rule decides (IFHardBench contract, 6.5).

``logic:override`` needs the table of all categories and so lives beside it, in ``registry``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from metrics.ifhard.format import bullet_list, numbered_list
from metrics.ifhard.lexical import stem_required
from metrics.ifhard.params import Params, ParamsError, read_string, value_of
from metrics.ifhard.structure import paragraph_count, sentence_count
from metrics.ifhard.text import Text, fold
from metrics.reasons import KEPT, clip, failed, passed, prefixed, quoted
from metrics.verdict import Verdict

__all__ = ["SHAPES", "branch_of", "conditional_format", "conditional_include"]

SHAPES: Final[Mapping[str, Callable[[Text, Params], Verdict]]] = {
    "bullet_list": bullet_list,
    "numbered_list": numbered_list,
    "sentences": sentence_count,
    "paragraphs": paragraph_count,
}


def conditional_include(text: Text, params: Params) -> Verdict:
    """Some word starts with ``stem`` if ``holds`` is truthy, else none does.

    Codes: ``ok``, ``missing-stem``, ``forbidden-stem``.
    """
    holds, stem = bool(value_of(params, "holds")), read_string(params, "stem")
    if holds:
        return prefixed("the condition holds", stem_required(text, stem))
    folded = fold(stem)
    if text.stem_at(folded) < 0:
        return passed(("the condition does not hold: no word starts with {}", (quoted, stem)))
    found = next(core for core in text.cores if core.startswith(folded))
    told = (quoted, stem), (quoted, found[:KEPT])
    reason = ("the condition does not hold: no word may start with {}, found {}", *told)
    return failed("forbidden-stem", reason, clip(found))


def conditional_format(text: Text, params: Params) -> Verdict:
    """The text has the shape and count of ``then`` if ``holds`` is truthy, else of ``otherwise``.

    Codes: those of the shape.
    """
    name, branch = branch_of(params)
    shape = value_of(branch, "shape")
    if not isinstance(shape, str) or shape not in SHAPES:
        raise ParamsError(f"is none of {', '.join(SHAPES)}", f"{name}.shape")
    condition = "the condition holds" if name == "then" else "the condition does not hold"
    return prefixed(condition, SHAPES[shape](text, branch))


def branch_of(params: Params) -> tuple[str, Mapping[str, Any]]:
    """The branch that ``holds`` picks, with its name; the other one is never read."""
    name = "then" if value_of(params, "holds") else "otherwise"
    branch = value_of(params, name)
    if not isinstance(branch, Mapping):
        raise ParamsError("is not an object", name)
    return name, branch
