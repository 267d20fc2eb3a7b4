"""What a document must be, beyond having one reading, to be shown in a question; each refusal has its reason."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from builders.sobhard.corpus.model import Document, Refusal
from builders.sobhard.sources.model import Value

__all__ = ["FENCE", "RULES", "refusal"]

RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bidirectional": "a mark that turns the direction of writing: what is seen is not what is compared",
        "control-character": "a control character other than tab and line feed",
        "fence": "a line that opens or closes a fenced block: a right answer that quotes it is cut there",
        "line-separator": "a character that some readers take for the end of a line",
        "personal-data": "an e-mail address that is no made-up one",
        "reasoning-tag": "a tag that is cut out of answers as reasoning",
        "scalar": "a single value, no object or list",
        "too-long": "more characters than any question shows",
        "too-short": "fewer characters than make a question",
    }
)

_MIN_CHARS: Final = 400
_MAX_CHARS: Final = 70_000
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SEPARATOR: Final = re.compile("[\r\x85\u2028\u2029]")
_BIDIRECTIONAL: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
# A line that would end the block of an answer (contract, 3.1).
FENCE: Final = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*[A-Za-z0-9_+-]*[ \t]*$", re.MULTILINE)
_TAG: Final = re.compile(r"</?(?:think|thinking|reason|reasoning|thought|scratchpad)>", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"[\w.%+-]+@([\w-]+(?:\.[\w-]+)*\.[A-Za-zА-Яа-я]{2,})")
_MADE_UP: Final = re.compile(r"(?:.*\.)?(?:example\.(?:com|org|net)|example|test|invalid|пример)", re.IGNORECASE)


def refusal(document: Document) -> Refusal | None:
    """Why the document is not shown, or None."""
    if not isinstance(document.value, (dict, list)):
        return Refusal(document.id, "scalar", "the document is a single value")
    if len(document.text) < _MIN_CHARS:
        return Refusal(document.id, "too-short", f"{len(document.text)} characters, at least {_MIN_CHARS} are shown")
    if len(document.text) > _MAX_CHARS:
        return Refusal(document.id, "too-long", f"{len(document.text)} characters, at most {_MAX_CHARS} are shown")
    for text in (document.text, *_strings(document.value)):
        if (found := _unfit(text)) is not None:
            return Refusal(document.id, *found)
    return None


def _unfit(text: str) -> tuple[str, str] | None:
    """The rule that a text breaks, and what was found."""
    for code, pattern in (
        ("control-character", _CONTROL),
        ("line-separator", _SEPARATOR),
        ("bidirectional", _BIDIRECTIONAL),
    ):
        if found := pattern.search(text):
            return code, f"it holds U+{ord(found[0]):04X}"
    for code, pattern in (("fence", FENCE), ("reasoning-tag", _TAG)):
        if found := pattern.search(text):
            return code, f"it holds {found[0].strip()!r}"
    for found in _ADDRESS.finditer(text):
        if not _MADE_UP.fullmatch(found[1]):
            return "personal-data", f"it holds an address at {found[1]}"
    return None


def _strings(value: Value) -> Iterator[str]:
    """Every key and string of a value."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
