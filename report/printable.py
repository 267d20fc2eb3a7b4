"""Text of strangers made harmless for a terminal: what would steer it, or could not be seen, is spelled out."""

from typing import Final

import regex

__all__ = ["one_line", "printable"]

# Control characters, half surrogates, line separators, bidirectional controls and whatever else has no shape of its
# own. The selectors that make an emoji of a sign are common, and harmless.
_UNSEEN: Final = regex.compile(
    r"[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t\uFE0E\uFE0F]]", regex.V1
)
_LINES: Final = regex.compile(
    r"[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\uFE0E\uFE0F]]", regex.V1
)


def printable(text: str) -> str:
    """The text with every such character as ``<U+202E>``; line breaks and tabs stay."""
    return _UNSEEN.sub(_spelled, text)


def one_line(text: str) -> str:
    """The same on one line: line breaks and tabs are spelled out too."""
    return _LINES.sub(_spelled, text)


def _spelled(found: "regex.Match[str]") -> str:
    return f"<U+{ord(found[0]):04X}>"
