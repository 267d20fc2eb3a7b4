"""Emoji sequences as a pattern: Unicode Technical Standard 51, without the exotic.

An emoji is a flag of two regional letters, a keycap, or a pictograph with an optional presentation selector, skin
tone, tag sequence, and further pictographs joined by zero-width joiners. Signs that are text by nature (the copyright
sign, plain arrows) count only with the selector that makes them emoji.
"""

import re
from typing import Final

from metrics.ifbench.word_lists import EMOJI_RANGES

__all__ = ["EMOJI", "ends_in_emoji", "is_emoji"]

# Longest emoji that is looked for at the end of a text; family and flag sequences have up to 14 code points.
_LONGEST: Final = 32


def _char_class(ranges: str) -> str:
    """``231A-231B 2328`` as the inside of a character class."""
    return "".join("-".join(chr(int(end, 16)) for end in piece.split("-")) for piece in ranges.split())


_PICTOGRAPH: Final = (
    rf"(?:[{_char_class(EMOJI_RANGES)}](?!\ufe0e)|[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa]\ufe0f)"
)
_ONE: Final = rf"{_PICTOGRAPH}\ufe0f?[\U0001f3fb-\U0001f3ff]?"
# The source of a pattern without groups that capture, for use inside larger ones.
EMOJI: Final = (
    r"(?:[\U0001f1e6-\U0001f1ff]{2}|[0-9#*]\ufe0f?\u20e3"
    rf"|{_ONE}(?:\u200d{_ONE})*(?:[\U000e0020-\U000e007e]+\U000e007f)?)"
)

_whole = re.compile(EMOJI).fullmatch
_final = re.compile(rf"{EMOJI}\Z").search


def is_emoji(text: str) -> bool:
    """Whether a text is one emoji and nothing else."""
    return _whole(text) is not None


def ends_in_emoji(text: str) -> bool:
    """Whether an emoji ends at the very end of a text."""
    return not text[-1:].isascii() and _final(text[-_LONGEST:]) is not None
