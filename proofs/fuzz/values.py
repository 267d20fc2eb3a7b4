"""Values of JSON: any, such as numeric parameters may be, and known ones spoiled at a place."""

import copy
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from proofs.fuzz.pieces import ENGLISH, ODD, RUSSIAN

__all__ = ["anything", "nested", "number", "spoiled", "word"]

_NUMBERS: Final = (
    -1,
    0,
    0,
    1,
    1,
    2,
    2,
    3,
    3,
    4,
    5,
    7,
    12,
    100,
    10**9,
    10**30,
    -(10**15),
    2.0,
    2.5,
    -0.0,
    1e308,
    True,
    "3",
    " 2 ",
)
_SCALARS: Final = (
    None,
    True,
    False,
    "",
    "any",
    "1",
    "NaN",
    "a.b[0]",
    float("nan"),
    float("inf"),
    2**63,
    "\ud800",
    "а" * 3_000,
)
# About the depth at which Python's own JSON gives up: what reads such a text must be able to say so.
_DEPTHS: Final = (2, 5, 60, 200, 330, 480, 700, 900, 940, 960, 970, 980, 990, 1_000, 3_000)
_CHANGES: Final = (1, 1, 1, 2, 4)


def number(source: Random) -> Any:
    """A number as rows may have it."""
    return source.choice(_NUMBERS)


def word(source: Random) -> str:
    """A word, a letter or an odd sign."""
    kind = source.random()
    if kind < 0.75:
        found = source.choice(RUSSIAN if kind < 0.5 else ENGLISH)
        return found if source.random() < 0.5 else found[: source.choice((1, 2, 4))]
    return source.choice((source.choice(ODD), "", " ", ".", "!", "а б", "- ", "\n", "кот "))


def anything(source: Random, depth: int = 2, names: Sequence[str] = ()) -> Any:
    """A value of any type and small size; keys are taken from ``names`` if there are any."""
    kind = source.random()
    if depth and kind < 0.2:
        return [anything(source, depth - 1, names) for _ in range(source.randrange(4))]
    if depth and kind < 0.45:
        keys = [
            source.choice(names) if names and source.random() < 0.9 else word(source)
            for _ in range(source.randrange(4))
        ]
        return {key: anything(source, depth - 1, names) for key in keys}
    if kind < 0.65:
        return word(source)
    return number(source) if kind < 0.85 else source.choice(_SCALARS)


def nested(source: Random) -> str:
    """A deep JSON text; one in five is not closed."""
    depth = source.choice(_DEPTHS) + source.randrange(10)
    opening, closing = source.choice(
        (("[", "]"), ('{"a":', "}"), ('{"error":', "}"), ('{"message":', "}"), ('[{"a":', "}]"))
    )
    return opening * depth + "1" + (closing * depth if source.random() < 0.8 else "")


def spoiled(source: Random, value: Any, names: Sequence[str] = ()) -> Any:
    """A copy with one to four places changed: a value replaced, taken away, wrapped, or put under another key."""
    whole = [copy.deepcopy(value)]
    for _ in range(source.choice(_CHANGES)):
        holder, key = _place(source, whole)
        kind = source.random()
        if kind < 0.55:
            holder[key] = anything(source, 2, names)
        elif kind < 0.7 and holder is not whole:
            del holder[key]
        elif kind < 0.8:
            holder[key] = [holder[key]]
        elif kind < 0.9 and isinstance(holder, dict):
            holder[source.choice(names) if names else word(source)] = holder[key]
        else:
            holder[key] = [holder[key], holder[key]]
    return whole[0]


def _place(source: Random, whole: list[Any]) -> tuple[Any, Any]:
    """Any place in a value: where it hangs, and under which key."""
    holder: Any = whole
    key: Any = 0
    while source.random() < 0.75:
        inner = holder[key]
        if isinstance(inner, dict) and inner:
            holder, key = inner, source.choice(list(inner))
        elif isinstance(inner, list) and inner:
            holder, key = inner, source.randrange(len(inner))
        else:
            break
    return holder, key
