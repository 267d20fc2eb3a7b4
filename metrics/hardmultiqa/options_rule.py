"""A rule that reads which options an answer names, where that is plain; the judge is checked against it.

It decides these forms alone, after folding and without Markdown emphasis:

- numbers and nothing else: ``2``, ``1, 3``, ``1) и 3)``;
- one announced line, first or last of the answer: ``Ответ: 1, 3``, ``Правильные варианты: 1 и 3.``;
- every line is an option as the question has it, with its number: ``2) Байкал``;
- the whole answer is one option's text, without its number.

Anything else is undecided, and so is an answer of such a form that names a number the question does not have.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from metrics.hardmultiqa.folding import fold

__all__ = ["decide"]

_NUMBER: Final = r"[0-9]{1,3}[.)]?"
# Folded lines have single spaces, so each separator reads in one way alone.
_LIST: Final = rf"{_NUMBER}(?:(?: ?[,;] ?(?:и )?| и | ){_NUMBER})*"
_numbers_only = re.compile(rf"(?:варианты?\s+|№\s*)?({_LIST})\s*\.?").fullmatch
_announced = re.compile(
    r"(?:итак,?\s*|итоговый\s+)?(?:правильн\w+\s+|верн\w+\s+)?(?:ответы?|варианты?(?:\s+ответа)?)\s*"
    rf"[:—–-]\s*(?:варианты?\s+|№\s*)?({_LIST})\s*\.?"
).fullmatch
_numbered_line = re.compile(r"([0-9]{1,3})[.)]\s*(.+)").fullmatch
_LONGEST: Final = 20_000  # characters; a longer answer is no plain one


def decide(answer: str, options: Mapping[int, str]) -> frozenset[int] | None:
    """The numbers of the options that an answer names; None if the rule cannot decide.

    Args:
        answer: the answer that is judged (answers.split_answer).
        options: the options' texts by number (scoring_key.question_options); if empty, any number is accepted.
    """
    if len(answer) > _LONGEST:
        return None
    lines = [line for line in (_plain(line) for line in answer.splitlines()) if line]
    chosen = _numbers(lines) or _as_options(lines, options) or _as_text(lines, options)
    if not chosen or (options and not chosen <= set(options)):
        return None
    return chosen


def _plain(line: str) -> str:
    return fold(re.sub(r"[*_`]+", "", line))


def _numbers(lines: Sequence[str]) -> frozenset[int]:
    """Numbers of a bare answer, or of the one announced line at either end."""
    if len(lines) == 1 and (found := _numbers_only(lines[0])):
        return _read(found[1])
    # An answer that announces twice, or that announces in the middle, may have changed its mind.
    announced = [line for line in lines if re.match(r"\W*(?:итак|итогов|правильн|верн|ответ|вариант)", line)]
    if len(announced) == 1 and announced[0] in (lines[0], lines[-1]) and (found := _announced(announced[0])):
        return _read(found[1])
    return frozenset()


def _read(numbers: str) -> frozenset[int]:
    return frozenset(map(int, re.findall("[0-9]+", numbers)))


def _as_options(lines: Sequence[str], options: Mapping[int, str]) -> frozenset[int]:
    chosen = set()
    for line in lines:
        found = _numbered_line(line)
        number = int(found[1]) if found else 0
        if found is None or number not in options or _bare(found[2]) != _bare(fold(options[number])):
            return frozenset()
        chosen.add(number)
    return frozenset(chosen)


def _as_text(lines: Sequence[str], options: Mapping[int, str]) -> frozenset[int]:
    if len(lines) != 1:
        return frozenset()
    named = [number for number, text in options.items() if _bare(fold(text)) == _bare(lines[0])]
    return frozenset(named) if len(named) == 1 else frozenset()


def _bare(text: str) -> str:
    return text.rstrip(".;, ")
