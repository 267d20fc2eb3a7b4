"""Edits of a text such as models, servers and people make, and shrinking a text that shows a fault."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from proofs.fuzz.pieces import ODD, PIECES, RUNS

__all__ = ["edited", "long_run", "shrunk", "soup"]

_EDITS: Final = (1, 1, 1, 2, 3, 6)
_LENGTHS: Final = (1, 1, 3, 20, 200)
_LONG_SHARE: Final = 0.002  # of edits that repeat one piece very often
_LONGEST: Final = 200_000  # characters of such a run
_SHRINK_TRIES: Final = 400


def soup(source: Random, most: int = 25) -> str:
    """Pieces in any order."""
    joint = source.choice(("", "", " ", "\n"))
    return joint.join(source.choices(PIECES, k=source.randrange(1, most)))


def long_run(source: Random, longest: int = _LONGEST) -> str:
    """One or two pieces, repeated: from a hundred characters up to the longest, each magnitude as often."""
    piece = source.choice(RUNS) + (source.choice(RUNS) if source.random() < 0.3 else "")
    wanted: float = 10.0 ** source.uniform(2, len(str(longest)) - 1) * source.uniform(1, 2)
    return piece * max(1, int(min(wanted, longest) / len(piece)))


def edited(source: Random, text: str, others: Sequence[str] = ()) -> str:
    """One to six edits of a text; ``others`` are texts that pieces may be taken from."""
    for _ in range(source.choice(_EDITS)):
        text = _edit(source, text, others)
    return text


def _edit(source: Random, text: str, others: Sequence[str]) -> str:
    at, kind = source.randrange(len(text) + 1), source.random()
    end = min(len(text), at + source.choice(_LENGTHS))
    if kind < 0.32:
        return text[:at] + source.choice(PIECES) + text[at:]
    if kind < 0.40:
        return text[:at] + source.choice(ODD) + text[end:]
    if kind < 0.54:
        return text[:at] + text[end:]
    if kind < 0.64:
        return text[:end] + text[at:end] * source.choice((1, 2, 30)) + text[end:]
    if kind < 0.72:
        lines = text.split("\n")
        first, second = source.randrange(len(lines)), source.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
        return "\n".join(lines)
    if kind < 0.80:
        place = next((i for i in range(at, len(text)) if text[i].isdigit()), None)
        return text if place is None else text[:place] + source.choice("0123456789.eE-_٣²") + text[place + 1 :]
    if kind < 0.84:
        return text[:at] + source.choice((str.upper, str.lower, str.swapcase, str.title))(text[at:end]) + text[end:]
    if kind < 0.93 and others:
        other = source.choice(others)
        start = source.randrange(len(other) + 1)
        return text[:at] + other[start : start + source.choice((5, 50, 500))] + text[at:]
    if kind < 1 - _LONG_SHARE:
        return text[:at] if source.random() < 0.5 else text[at:]
    return text[:at] + long_run(source) + text[at:]


def shrunk(text: str, holds: Callable[[str], bool], tries: int = _SHRINK_TRIES) -> str:
    """A shorter text of which ``holds`` is still true: pieces are left out, halves first, single characters last."""
    size = max(len(text) // 2, 1)
    while size and tries > 0:
        start, found = 0, False
        while start < len(text) and tries > 0:
            shorter = text[:start] + text[start + size :]
            tries -= 1
            if holds(shorter):
                text, found = shorter, True
            else:
                start += size
        size = min(size, len(text)) if found and size == 1 else size // 2
    return text
