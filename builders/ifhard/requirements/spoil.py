"""Spoiling that several families share: each breaks a passing answer in a small way."""

from typing import Final

from builders.ifhard.edits import filler
from builders.ifhard.requirements.row import Params
from metrics.ifhard.text import sentences_of

__all__ = [
    "EXTRA_SENTENCE",
    "bullet",
    "closed",
    "first_again",
    "number",
    "one_paragraph",
    "one_sentence",
    "opened",
    "upper",
]

EXTRA_SENTENCE: Final = " Вот и всё."


def upper(spec: Params) -> int:
    """The largest number that a count specification allows."""
    return int(spec["max"] if spec.get("op") == "between" else spec["value"])


def one_sentence(text: str, params: Params) -> str:
    """One sentence more, at the end."""
    return text + EXTRA_SENTENCE


def one_paragraph(text: str, params: Params) -> str:
    """One paragraph more, at the end."""
    return text + "\n\n" + EXTRA_SENTENCE.strip()


def first_again(text: str, params: Params) -> str:
    """The first sentence once more, at the end."""
    return f"{text} {sentences_of(text)[0]}"


def opened(text: str, params: Params) -> str:
    """One word more, at the start."""
    return f"{filler(text).capitalize()} {text}"


def closed(text: str, params: Params) -> str:
    """One word more, at the end."""
    return f"{text} {filler(text)}"


def bullet(text: str, params: Params) -> str:
    """One bullet item more."""
    return f"{text}\n- {filler(text)}"


def number(text: str, params: Params) -> str:
    """One numbered item more."""
    return f"{text}\n9. {filler(text)}"
