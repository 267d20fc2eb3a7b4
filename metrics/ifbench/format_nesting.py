"""The ``format`` checkers over brackets and quotation marks (IFBench notes, section 3)."""

from itertools import chain, pairwise
from typing import Final

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.nesting import Nest, Quotation, bracket_nests, quotations, quote_depth
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import at_least
from metrics.ifbench.words import has_word
from metrics.reasons import KEPT, failed, passed
from metrics.verdict import Verdict

__all__ = ["parentheses", "quote_unquote", "quotes"]

_BRACKET_LEVELS: Final = 5
_QUOTE_LEVELS: Final = 3


def parentheses(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Five brackets inside one another, each closed by its own kind.

    Codes: ``ok``, ``too-few``, ``too-few-kinds``.
    """
    nests = bracket_nests(text.raw)
    deep = [nest for nest in nests if nest.depth >= _BRACKET_LEVELS]
    if not deep:
        deepest = max(nests, default=Nest(0, 0))
        return at_least(deepest.depth, _BRACKET_LEVELS, "closed level")
    kinds = max(nest.kinds for nest in deep)
    if kinds < readings.bracket_kinds:
        return at_least(kinds, readings.bracket_kinds, "bracket kind")._replace(code="too-few-kinds")
    return at_least(max(nest.depth for nest in deep), _BRACKET_LEVELS, "closed level")


def quotes(text: Text, _: Arguments, __: Readings) -> Verdict:
    """Three quotations inside one another, double and single marks in turn, all closed.

    Codes: ``ok``, ``too-few``.
    """
    return at_least(quote_depth(text.prose, _QUOTE_LEVELS), _QUOTE_LEVELS, "quotation level")


def quote_unquote(text: Text, _: Arguments, __: Readings) -> Verdict:
    """After every quotation in double quotes comes a word before the next one, or the end.

    Codes: ``ok``, ``unexplained``.
    """
    prose = text.prose
    count = 0
    end = Quotation(len(prose), len(prose))
    for quotation, following in pairwise(chain(quotations(prose), (end,))):
        if not has_word(prose[quotation.end + 1 : following.start]):
            inside = prose[quotation.start + 1 : quotation.end]
            return failed("unexplained", ("no words follow the quotation {:quoted}", inside[:KEPT]), quotation.start)
        count += 1
    return passed(("{} quotations, each followed by words of its own", count), count)
