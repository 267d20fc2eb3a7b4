"""Brackets and quotation marks: what is closed, how deep, and what is an apostrophe instead.

All three scans read the answer once and keep a stack.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Nest", "bracket_nests", "quotations", "quote_depth"]

_OPENING: Final = {"(": 1, "[": 2, "{": 4}  # one bit a kind
_CLOSING: Final = {")": 1, "]": 2, "}": 4}
_brackets = re.compile(r"[()\[\]{}]").findall
# :( and the like, between white space: faces, not brackets.
_faces = re.compile(r"[:;=8](?<!\S.)[-'^o]?[()\[\]{}]+(?!\S)")


class Nest(NamedTuple):
    """Nested brackets, each of which is closed by a bracket of its own kind.

    Attributes:
        depth: number of levels, the outer pair included.
        kinds: number of the kinds of brackets in it, 1 to 3.
    """

    depth: int
    kinds: int


def bracket_nests(text: str) -> list[Nest]:
    """The outermost properly closed nests of a text, one for each depth: the one with the most kinds.

    A closing bracket of the wrong kind breaks every pair that is open there. Pairs inside a broken one still count.
    """
    found: dict[int, int] = {}
    # For each open bracket: its kind, the depth reached inside it, and the kinds inside it, its own included.
    kinds: list[int] = []
    depths: list[int] = []
    inside: list[int] = []

    def keep(depth: int, bits: int) -> None:
        found[depth] = max(found.get(depth, 0), bits.bit_count())

    def break_off() -> None:
        for kind, depth, bits in zip(kinds, depths, inside, strict=True):
            if depth:
                keep(depth, bits & ~kind or kind)
        kinds.clear()
        depths.clear()
        inside.clear()

    for sign in _brackets(_faces.sub(" ", text)):
        opening = _OPENING.get(sign)
        if opening:
            kinds.append(opening)
            depths.append(0)
            inside.append(opening)
        elif kinds and kinds[-1] == _CLOSING[sign]:
            kinds.pop()
            depth, bits = depths.pop() + 1, inside.pop()
            if kinds:
                depths[-1] = max(depths[-1], depth)
                inside[-1] |= bits
            else:
                keep(depth, bits)
        else:
            break_off()
    break_off()
    return [Nest(depth, count) for depth, count in found.items()]


_SINGLE: Final = frozenset("'\u2018\u2019")
_CURLY_OPENING: Final = frozenset("\u201c\u201e\u2018")
_CURLY_CLOSING: Final = frozenset("\u201d\u2019")
_quote_signs = re.compile("[\"\u201c\u201d\u201e'\u2018\u2019]").finditer
# Shortened words and decades begin with an apostrophe.
_shortened = re.compile(
    r"(?i)['\u2018\u2019](?:\d0s|n['\u2018\u2019]|(?:tis|twas|em|cause|til|bout|round|cuz|neath)\b)"
).match
# What an opening mark may follow and a closing mark may precede, white space and the ends aside.
_BEFORE_OPENING: Final = frozenset("([{\u2014\u2013-/*_`\u2026\"'\u201c\u2018")
_AFTER_CLOSING: Final = frozenset(".,;:!?)]}\u2014\u2013-/*_`\u2026\"'\u201d\u2019")


def _marks_of(text: str) -> Iterator[tuple[str, bool, bool, bool]]:
    """For each quotation mark its kind, whether it is straight, whether it can open, whether it can close.

    An apostrophe, in a word or in front of a shortened one, is no mark. Plain tuples: there may be a million.
    """
    padded = f" {text} "
    for found in _quote_signs(padded):
        sign, place = found.group(), found.start()
        before, after = padded[place - 1], padded[place + 1]
        single = sign in _SINGLE
        if single and (after.isalnum() if before.isalnum() else _shortened(padded, place)):
            continue
        kind = "single" if single else "double"
        if sign in ("'", '"'):
            opens = not after.isspace() and (before.isspace() or before in _BEFORE_OPENING)
            closes = not before.isspace() and (after.isspace() or after in _AFTER_CLOSING)
            yield kind, True, opens, closes
        else:
            yield kind, False, sign in _CURLY_OPENING, sign in _CURLY_CLOSING


class _Open:
    """The quotations that are open, and the deepest one that was closed."""

    def __init__(self) -> None:
        self.best = 0
        self.stack: list[tuple[str, int]] = []  # kind of the mark, depth inside it

    def close(self, kind: str) -> None:
        """Close the nearest open quotation of the kind; one that opened after it was never closed."""
        if kind not in [open_kind for open_kind, _ in self.stack[-2:]]:
            return
        while self.stack[-1][0] != kind:
            self.stack.pop()
        depth = self.stack.pop()[1] + 1
        self.best = max(self.best, depth)
        if self.stack and self.stack[-1][0] != kind:
            self.stack[-1] = (self.stack[-1][0], max(self.stack[-1][1], depth))


def quote_depth(text: str, enough: int) -> int:
    """The greatest depth of nested quotations, double and single in turn, all of them closed.

    A straight mark closes the quotation it can close, else opens one where an opening mark can stand. A mark that
    can do neither is an apostrophe, or a sign for feet and inches, and is passed over.

    Args:
        text: any text.
        enough: a depth at which the search may stop.
    """
    quotes = _Open()
    stack = quotes.stack
    for kind, straight, opens, closes in _marks_of(text):
        same = bool(stack) and stack[-1][0] == kind
        if straight and same and (closes or not opens):
            quotes.close(kind)
        elif opens:
            # A paragraph of a long quotation opens with the same mark again.
            if not same:
                stack.append((kind, 0))
        elif closes:
            quotes.close(kind)
        if quotes.best >= enough:
            break
    return quotes.best


class Quotation(NamedTuple):
    """A text in double quotes: where its two marks stand."""

    start: int
    end: int


def quotations(text: str) -> Iterator[Quotation]:
    """The quotations in double quotes, straight or curly, in order; one that nothing closes is none.

    A straight mark after a digit, with no quotation open, stands for inches; one between single quotes
    (``'"'``) is talked about. Neither quotes.
    """
    opened, by = -1, ""
    for match in re.finditer('["\u201c\u201d\u201e]', text):
        sign, place = match.group(), match.start()
        around = text[place - 1 : place] + text[place + 1 : place + 2]
        if len(around) == 2 and _SINGLE.issuperset(around):
            continue
        if opened < 0:
            if sign == "\u201d" or (sign == '"' and text[place - 1 : place].isdigit()):
                continue
            opened, by = place, sign
        elif sign in ('"', "\u201d") or (sign == "\u201c" and by == "\u201e"):
            yield Quotation(opened, place)
            opened = -1
