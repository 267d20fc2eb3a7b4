"""The shapes of verdict that several checkers share."""

from typing import Final

from metrics.reasons import failed, nouns, passed
from metrics.verdict import Verdict

__all__ = ["NO_SENTENCES", "NO_WORDS", "at_least", "exactly", "in_range"]

# A requirement on every word, or every sentence, says nothing about a text that has none: such a text fails.
NO_WORDS: Final = failed("no-words", "the answer has no word", 0, ">= 1")
NO_SENTENCES: Final = failed("no-sentences", "the answer has no sentence", 0, ">= 1")


def at_least(found: int, wanted: int, noun: str) -> Verdict:
    """Codes: ``ok``, ``too-few``."""
    reason = ("at least {} required, {} found", (nouns, wanted, noun), found)
    wish = f">= {wanted}"
    return passed(reason, found, wish) if found >= wanted else failed("too-few", reason, found, wish)


def in_range(found: int, low: int, high: int, noun: str) -> Verdict:
    """Codes: ``ok``, ``too-few``, ``too-many``; both ends are allowed."""
    reason = ("{} to {} required, {} found", low, (nouns, high, noun), found)
    wish = f"{low}..{high}"
    if low <= found <= high:
        return passed(reason, found, wish)
    return failed("too-few" if found < low else "too-many", reason, found, wish)


def exactly(found: int, wanted: int, noun: str) -> Verdict:
    """Codes: ``ok``, ``too-few``, ``too-many``."""
    reason = ("exactly {} required, {} found", (nouns, wanted, noun), found)
    if found == wanted:
        return passed(reason, found, wanted)
    return failed("too-few" if found < wanted else "too-many", reason, found, wanted)
