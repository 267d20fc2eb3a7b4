"""Which of a question's numbered options a reference names."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from metrics.hardmultiqa import fold, question_options

__all__ = ["option_numbers"]

# "1) Волга, 3) Урал": a number that begins a line or follows a space, a stop or a bracket.
_MARK: Final = re.compile(r"(?:(?<=[\s;,:(])|^)(\d{1,3})[.)](?!\d)\s*(?=\S)", re.MULTILINE)
_NUMBERS: Final = re.compile(r"\d{1,3}[.)]?(?:\s*(?:[,;]|\bи\b|\s)\s*\d{1,3}[.)]?)*\.?")


def option_numbers(elements: Sequence[str], question: str) -> list[int]:
    """Numbers of the right options, ascending.

    Args:
        elements: each is ``2``, ``1, 3``, ``2) text``, or exactly one option's text.
        question: the question's text with its numbered options.

    Raises:
        ValueError: the question lists no options, an element names none or contradicts the question.
    """
    options = question_options(question)
    if not options:
        raise ValueError("the question has no numbered options (lines that start with '1)' or '1.')")
    texts = [_plain(text) for text in options.values()]
    by_text = {text: number for number, text in zip(options, texts, strict=True) if texts.count(text) == 1}
    found = {number for element in elements for number in _read(element.strip(), by_text)}
    missing = sorted(found - set(options))
    if missing:
        raise ValueError(f"the reference names option {missing[0]}, the question has {', '.join(map(str, options))}")
    return sorted(found)


def _read(element: str, by_text: Mapping[str, int]) -> list[int]:
    """Numbers that one element names."""
    if _NUMBERS.fullmatch(element):
        return [int(number) for number in re.findall(r"\d+", element)]
    if _plain(element) in by_text:
        return [by_text[_plain(element)]]
    marks = list(_MARK.finditer(element))
    if not marks or marks[0].start() != 0:
        raise ValueError(f"the reference {element!r} is neither option numbers nor an option's text")
    several = _numbered(element, marks)
    if all(by_text.get(_plain(text)) == number for number, text in several):
        return [number for number, _ in several]
    number, text = int(marks[0][1]), _plain(element[marks[0].end() :])
    if by_text.get(text, number) != number:
        raise ValueError(f"the reference {element!r} gives the text of option {by_text[text]}")
    if len(several) > 1 and text not in by_text:
        raise ValueError(f"the reference {element!r} seems to name several options; give a list of their numbers")
    return [number]


def _numbered(text: str, marks: Sequence[re.Match[str]]) -> list[tuple[int, str]]:
    """Each mark's number with the text up to the next mark."""
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [(int(mark[1]), text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)]


def _plain(text: str) -> str:
    return fold(text).strip(" .;,")
