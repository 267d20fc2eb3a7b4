"""How reasons are worded: templates that are filled when somebody reads them, fragments in quotes, nouns in number."""

import functools
import string
from collections.abc import Callable
from typing import Any, Final

__all__ = ["KEPT", "MAX_QUOTE", "Reason", "clip", "nouns", "printable", "quoted", "worded"]

MAX_QUOTE: Final = 60
KEPT: Final = MAX_QUOTE + 1  # characters of a fragment that a reason needs: those it shows, and whether there are more

# A sentence; or what makes one when somebody reads it: a template and its parts, ``("{:word} required, {:quoted}
# found", 3, "x")``. A field's format is ``quoted``, or the noun that is counted, or nothing. A tuple is a call written
# down, ``(required, count, noun)``, as a part or as the whole. What a reason holds is small and never changes: no
# parameter object, no whole answer.
Reason = str | tuple[Any, ...]


def worded(reason: Reason) -> str:
    """The sentence that a reason is."""
    if isinstance(reason, str):
        return reason
    head = reason[0]
    sentence: str = (_filled(head) if type(head) is str else head)(*reason[1:])
    return sentence


@functools.lru_cache(maxsize=1_024)
def _filled(template: str) -> Callable[..., str]:
    """What fills a template: the f-string that it stands for, made once, since most reasons are read in the end.

    Templates are the checkers' own. Nothing of one becomes code: what stands between the fields is quoted, and nouns
    are values.
    """
    body = ""
    parts: list[str] = []
    known: dict[str, Any] = {"quoted": quoted, "nouns": nouns, "said": _said}
    for literal, name, spec, _ in string.Formatter().parse(template):
        body += literal.replace("{", "{{").replace("}", "}}")
        if name is None:
            continue
        part, noun = f"part{len(parts)}", f"noun{len(parts)}"
        parts.append(part)
        known[noun] = spec
        if not spec:  # most parts are values: no call for them
            call = f"{part} if type({part}) is not tuple else said({part})"
        else:
            call = f"quoted({part})" if spec == "quoted" else f"nouns({part}, {noun})"
        body += "{" + call + "}"
    filled: Callable[..., str] = eval(f"lambda {', '.join(parts)}: f{body!r}", known)
    return filled


def _said(call: tuple[Any, ...]) -> Any:
    return call[0](*call[1:])


def printable(text: str) -> str:
    """The text with an escape in place of each character that cannot be printed, or changes how others are shown."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def clip(fragment: str) -> str:
    """At most 60 printable characters that stand for the fragment."""
    if len(fragment) <= MAX_QUOTE and fragment.isprintable():
        return fragment
    shown = printable(fragment[:MAX_QUOTE])
    if len(fragment) > MAX_QUOTE or len(shown) > MAX_QUOTE:
        return shown[: MAX_QUOTE - 1] + "…"
    return shown


def quoted(fragment: str) -> str:
    """The fragment, clipped, in double quotes."""
    if len(fragment) <= MAX_QUOTE and fragment.isprintable():  # as clip has it, without the call
        return f'"{fragment}"'
    return f'"{clip(fragment)}"'


def nouns(count: int, noun: str) -> str:
    """A count with its noun: ``1 word``, ``2 words``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
