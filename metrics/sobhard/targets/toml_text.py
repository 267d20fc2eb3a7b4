"""TOML 1.0 as a target: a pinned reader behind a guard (SOBHard contract, section 4).

``tomli`` 2.0.2 is the code of Python 3.11's ``tomllib``. Newer interpreters and newer ``tomli`` read TOML 1.1, which
the contract refuses, and a verdict must not depend on the interpreter.
"""

import re
from typing import Final

import tomli

from metrics.sobhard.targets.parsed import Parsed, TargetError, on_fresh_stack

__all__ = ["parse_toml"]

# tomli walks a dotted key once for every part of it, and a table's path once for every line under it.
# The pattern starts with its rarest character, which makes the search fast.
_PART: Final = r"""\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_long_paths = re.compile(rf"""{_PART}(?:{_PART}){{31,}}+""").finditer
_MAX_STEPS: Final = 5_000_000


def parse_toml(text: str, usual: int) -> Parsed:
    """A TOML document.

    Codes: ``empty-toml`` (an empty text, though it is TOML), ``invalid-toml``, ``too-deep`` (nesting beyond the
    recursion limit, or keys of so many parts that reading them would take seconds, a deviation from the contract that
    no document of sense meets).
    """
    if not text.strip():
        raise TargetError("empty-toml", "an empty text counts as no TOML document")
    parts = [path.group().count(".") for path in _long_paths(text)]
    if parts and sum(n * n for n in parts) + max(parts) * (text.count("\n") + text.count(",") + 1) > _MAX_STEPS:
        raise TargetError("too-deep", f"a dotted key has {max(parts) + 1} parts")
    try:
        return Parsed(on_fresh_stack(tomli.loads, text))
    except tomli.TOMLDecodeError as error:
        raise TargetError("invalid-toml", f"not TOML: {error}") from None
