"""The ``logic`` family: rules that a condition or another rule decides (IFHardBench contract, 6.5).

``logic:override`` needs the table of all categories and so lives beside it, in ``registry``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from metrics.ifhard.counts import read_count
from metrics.ifhard.format import bullet_list, numbered_list
from metrics.ifhard.lexical import stem_required
from metrics.ifhard.params import Folded, Params, ParamsError, read_string, value_of
from metrics.ifhard.structure import paragraph_count, sentence_count
from metrics.ifhard.text import Text
from metrics.reasons import KEPT, clip, failed, passed, prefixed
from metrics.verdict import Verdict

__all__ = ["SHAPES", "branch_of", "conditional_format", "conditional_include", "read_branch"]


class Shape(NamedTuple):
    """A shape that a condition may ask for.

    Attributes:
        verify: the verifier of the type that it is.
        strict: whether that reads ``strict`` beside the count.
    """

    verify: Callable[..., Verdict]
    strict: bool


SHAPES: Final[Mapping[str, Shape]] = {
    "bullet_list": Shape(bullet_list, True),
    "numbered_list": Shape(numbered_list, True),
    "sentences": Shape(sentence_count, False),
    "paragraphs": Shape(paragraph_count, False),
}
Branch = tuple[Callable[..., Verdict], tuple[Any, ...]]  # a verifier, and what it takes beside the text


def conditional_include(text: Text, holds: object, sought: Folded) -> Verdict:
    """Some word starts with ``stem`` if ``holds`` is truthy, else none does.

    Codes: ``ok``, ``missing-stem``, ``forbidden-stem``.
    """
    if holds:
        return prefixed("the condition holds", stem_required(text, sought))
    stem, folded = sought
    if not text.has_stem(folded):
        return passed(("the condition does not hold: no word starts with {:quoted}", stem))
    found = next(core for core in text.cores if core.startswith(folded))
    reason = ("the condition does not hold: no word may start with {:quoted}, found {:quoted}", stem, found[:KEPT])
    return failed("forbidden-stem", reason, clip(found))


def conditional_format(text: Text, holds: object, then: Branch, otherwise: Branch) -> Verdict:
    """The text has the shape and count of ``then`` if ``holds`` is truthy, else of ``otherwise``.

    The other branch is None: it is never read.

    Codes: those of the shape.
    """
    condition, (verify, values) = ("the condition holds", then) if holds else ("the condition does not hold", otherwise)
    return prefixed(condition, verify(text, *values))


def read_branch(params: Params, name: str) -> Branch:
    """The branch that ``holds`` picks, which stands under ``name``."""
    picked, branch = branch_of(params)
    try:
        shape = read_string(branch, "shape")
        if shape not in SHAPES:
            raise ParamsError(f"is none of {', '.join(SHAPES)}", "shape")
        count = read_count(branch)
    except ParamsError as error:
        raise error.within(parent=picked) from None
    verify, strict = SHAPES[shape]
    return verify, (count, branch.get("strict", True)) if strict else (count,)


def branch_of(params: Params) -> tuple[str, Mapping[str, Any]]:
    """The branch that ``holds`` picks, with its name; the other one is never read."""
    name = "then" if value_of(params, "holds") else "otherwise"
    branch = value_of(params, name)
    if not isinstance(branch, Mapping):
        raise ParamsError("is not an object", name)
    return name, branch
