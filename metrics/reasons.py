"""Building verdicts: the few shapes of sentence that reasons are made of.

Reasons, and the observed and wanted values, are bounded whatever the answer holds, and printable: a quoted
fragment is cut to 60 characters and its invisible characters and lone surrogates are escaped, so that it can
be written as UTF-8 and the invisible cause of a failure can be seen.
"""

from typing import Any, Final

from metrics.verdict import Verdict

__all__ = ["MAX_QUOTE", "clip", "failed", "nouns", "passed", "quoted"]

MAX_QUOTE: Final = 60


def passed(reason: str, observed: Any = None, wanted: Any = None) -> Verdict:
    """A passing verdict; its code is always ``ok``."""
    return Verdict(True, "ok", reason, observed, wanted)


def failed(code: str, reason: str, observed: Any = None, wanted: Any = None) -> Verdict:
    """A failing verdict."""
    return Verdict(False, code, reason, observed, wanted)


def clip(fragment: str) -> str:
    """At most 60 printable characters that stand for the fragment."""
    if len(fragment) <= MAX_QUOTE and fragment.isprintable():
        return fragment
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in fragment[:MAX_QUOTE]
    )
    if len(fragment) > MAX_QUOTE or len(shown) > MAX_QUOTE:
        return shown[: MAX_QUOTE - 1] + "…"
    return shown


def quoted(fragment: str) -> str:
    """The fragment, clipped, in double quotes."""
    return f'"{clip(fragment)}"'


def nouns(count: int, noun: str) -> str:
    """A count with its noun: ``1 word``, ``2 words``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
