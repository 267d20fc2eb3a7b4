"""Small edits of a finished answer, whatever its shape: put a word in, take words out, exchange one."""

import re
from collections.abc import Callable
from typing import Any, Final

from metrics.ifhard.text import CORE_STRIP, cores_of, fold, words_of

__all__ = ["filler", "insert", "replace", "starts", "swap"]

_FILLERS: Final = ("вдобавок", "кстати", "разумеется", "однако", "притом", "зачастую")
_NEIGHBOURS: Final = re.compile(r"(?<=[а-яё]) (?=[а-яё])")


def filler(text: str, not_letter: str = "") -> str:
    """A word that the text does not hold and that does not begin with a given letter."""
    cores = cores_of(text)
    return next(word for word in _FILLERS if word not in cores and word[0] != not_letter)


def insert(text: str, word: str, count: int = 1) -> str:
    """Put a token ``count`` times between the first two words that stand side by side, else at the end."""
    place = _NEIGHBOURS.search(text)
    position = place.start() if place else len(text)
    return text[:position] + f" {word}" * count + text[position:]


def replace(text: str, is_hit: Callable[[str], bool], limit: int = 0) -> str:
    """Put a filler in the place of words whose core is a hit, at most ``limit`` of them (0: all), marks kept."""
    substitute, done = filler(text), 0

    def put(match: re.Match[str]) -> str:
        nonlocal done
        token = match.group()
        folded = fold(token)
        core = folded.strip(CORE_STRIP)
        if not words_of(token) or not is_hit(core) or (limit and done >= limit):
            return token
        done += 1
        start = folded.index(core)
        return token[:start] + substitute + token[start + len(core) :]

    return re.sub(r"\S+", put, text)


def starts(stem: Any) -> Callable[[str], bool]:
    """A test of cores: does one begin with the folded stem?"""
    folded = fold(str(stem))
    return lambda core: core.startswith(folded)


def swap(text: str, place: int) -> str:
    """Put a filler in the place of one word, counted from 0."""
    counter = iter(range(len(words_of(text))))
    return replace(text, lambda core: next(counter) == place)
