"""What a response looks like as a whole: whether it repeats itself (IFBench notes, 6.1.4)."""

from typing import Final

from metrics.ifbench.text import Text

__all__ = ["DEGENERATE", "is_degenerate", "repeat_share"]

_WORDS: Final = 4
# Half of the runs, and a response counts as degenerate.
DEGENERATE: Final = 0.5


def repeat_share(response: str | None) -> float:
    """Share of the runs of four words that have occurred before in the response, from 0 to 1.

    Words are those of the notes' section 2, case folded; the whole response is read, reasoning included, since loops
    mostly start there. A response of fewer than four words has no run, and so none that repeats.
    """
    words = Text(response or "").folded
    runs = len(words) - _WORDS + 1
    if runs < 1:
        return 0.0
    return 1 - len(set(zip(*(words[start:] for start in range(_WORDS)), strict=False))) / runs


def is_degenerate(share: float) -> bool:
    """Whether a response with that share of repeats is flagged: half or more of its runs."""
    return share >= DEGENERATE
