"""One answer, and what the checkers have already worked out of it."""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Final

from metrics.ifbench.layout import strip_tags
from metrics.ifbench.sentences import Sentence, each_sentence_of
from metrics.ifbench.words import each_joined_word, fold, joined_words, split_words, visible

__all__ = ["Text", "text_of"]


# Bold marks inside a word (**A**nna) do not part it.
_inner_bold = re.compile(r"\*\*(?<=[^\W\d_]\*\*)\*?(?=[^\W\d_])").sub

# An answer's constraints come one after the other, under two readings, and its loose variants after it.
_KEPT: Final = 16
_LONGEST_KEPT: Final = 20_000  # characters; what is worked out of them takes about a megabyte


class Text:
    """An answer. Each property is computed at its first use and kept; callers must not change the lists.

    Args:
        raw: the answer that is graded, not trimmed; what nothing shows goes first, and letters are composed.
    """

    def __init__(self, raw: str) -> None:
        self.raw = visible(raw)
        self._sentences: dict[bool, list[Sentence]] = {}

    @cached_property
    def prose(self) -> str:
        """The answer without markup inside words: what has words and sentences."""
        return strip_tags(_inner_bold("", self.raw) if "**" in self.raw else self.raw)

    @cached_property
    def folded_prose(self) -> str:
        """The prose with case folded and straight apostrophes."""
        return fold(self.prose)

    @cached_property
    def words(self) -> list[str]:
        """Words as written, a hyphenated compound as one."""
        return joined_words(self.prose)

    def each_word(self) -> Iterator[str]:
        """The words one by one: of an answer that fails at its first words only those are looked for."""
        return iter(self.words) if "words" in self.__dict__ else each_joined_word(self.prose)

    @property
    def has_words(self) -> bool:
        """Whether there is a word at all."""
        return next(self.each_word(), None) is not None

    @cached_property
    def folded(self) -> list[str]:
        """Words with case folded and straight apostrophes, a hyphenated compound as one."""
        return joined_words(self.folded_prose)

    @cached_property
    def parts(self) -> list[str]:
        """Words as written, each part of a hyphenated compound as one."""
        return split_words(self.prose)

    @cached_property
    def lines(self) -> list[str]:
        """The prose between line feeds; a carriage return before one goes."""
        return self.prose.replace("\r\n", "\n").split("\n")

    def sentences(self, line_breaks_end: bool) -> list[Sentence]:
        """Sentences under either reading of decision AD1."""
        found = self._sentences.get(line_breaks_end)
        if found is None:
            found = self._sentences[line_breaks_end] = list(each_sentence_of(self.prose, line_breaks_end))
        return found

    def each_sentence(self, line_breaks_end: bool) -> Iterator[Sentence]:
        """The sentences one by one: of an answer that fails at its first ones only those are looked for."""
        found = self._sentences.get(line_breaks_end)
        return each_sentence_of(self.prose, line_breaks_end) if found is None else iter(found)


def text_of(raw: str) -> Text:
    """The answer's Text. The last ones are kept, so that an answer is cut into words once for all its constraints."""
    return _kept(raw) if len(raw) <= _LONGEST_KEPT else Text(raw)


_kept = lru_cache(maxsize=_KEPT)(Text)
