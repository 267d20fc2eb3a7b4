"""Building verdicts: the few shapes of sentence that reasons are made of.

A reason may be given unworded, as a template and its parts (:data:`metrics.wording.Reason`): then it costs nothing
until it is read. A fragment of an answer goes in as ``fragment[:KEPT]``, so that no verdict keeps an answer in memory.

Reasons, and the observed and wanted values, are bounded whatever the answer holds, and printable: a quoted
fragment is cut to 60 characters and its invisible characters and lone surrogates are escaped, so that it can
be written as UTF-8 and the invisible cause of a failure can be seen.
"""

import unicodedata
from typing import Any, Final

from metrics.verdict import Verdict
from metrics.wording import KEPT, MAX_QUOTE, Reason, clip, nouns, printable, quoted, worded

__all__ = ["KEPT", "MAX_QUOTE", "clip", "failed", "nouns", "passed", "prefixed", "printable", "quoted"]

_new: Final = tuple.__new__  # without the call of Verdict.__new__ in between
_NAMED: Final = 4  # code points that a reason names of either text
# Letters that look alike, small or capital, Latin to Cyrillic; and quotes.
_ALIKE: Final = str.maketrans("aceopxyikmthb\u2019\u02bc\u2018\u201c\u201d", "асеорхуікмтнв'''\"\"")


class _Plain(dict[int, str]):
    """For str.translate: any hyphen and any space as one, and no marks that nobody sees."""

    _KINDS: Final = {"Pd": "-", "Zs": " ", "Cf": ""}

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = self._KINDS.get(unicodedata.category(char), char)
        if code < _COMMON:
            self[code] = plain
        return plain


_COMMON: Final = 0x2100  # code points below are looked up once: the alphabets and their punctuation
_PLAIN: Final = _Plain()


def passed(reason: Reason, observed: Any = None, wanted: Any = None) -> Verdict:
    """A passing verdict; its code is always ``ok``."""
    return _new(Verdict, (True, "ok", reason, observed, wanted))


def failed(code: str, reason: Reason, observed: Any = None, wanted: Any = None) -> Verdict:
    """A failing verdict; where what was wanted and what was found look alike, the reason names their code points."""
    if type(observed) is str and type(wanted) is str:
        reason = (_with_code_points, reason, observed, wanted)
    return _new(Verdict, (False, code, reason, observed, wanted))


def prefixed(prefix: Reason, verdict: Verdict) -> Verdict:
    """The same verdict, its reason behind another and a colon."""
    reason = (_behind, prefix, verdict.told)
    return _new(Verdict, (verdict.passed, verdict.code, reason, verdict.observed, verdict.wanted))


def _behind(prefix: Reason, reason: Reason) -> str:
    return f"{worded(prefix)}: {worded(reason)}"


def _with_code_points(reason: Reason, observed: str, wanted: str) -> str:
    return worded(reason) + _told_apart(observed, wanted)


def _told_apart(observed: str, wanted: str) -> str:
    """Code points that one text has and the other lacks, if to the eye the one holds the other; else empty."""
    if not wanted or wanted.casefold() in observed.casefold() or _looks(wanted) not in _looks(observed):
        return ""
    pairs = ((wanted, observed), (observed, wanted))
    only = [[char for char in dict.fromkeys(one) if char not in other] for one, other in pairs]
    names = [" ".join(f"U+{ord(char):04X}" for char in chars[:_NAMED]) or "nothing of its own" for chars in only]
    return f" (they look alike: wanted {names[0]}, found {names[1]})"


def _looks(text: str) -> str:
    """Texts that look alike, as one: composed or not, in Cyrillic or Latin letters, with any hyphen, quote or space."""
    folded = unicodedata.normalize("NFKD", text).casefold().translate(_ALIKE)
    return unicodedata.normalize("NFC", folded).translate(_PLAIN)
