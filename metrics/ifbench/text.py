"""One answer, and what the checkers have already worked out of it."""

import re
from functools import cached_property

from metrics.ifbench.layout import strip_tags
from metrics.ifbench.sentences import Sentence, sentences_of
from metrics.ifbench.words import fold, joined_words, split_words, visible

__all__ = ["Text"]


# Bold marks inside a word (**A**nna) do not part it.
_inner_bold = re.compile(r"(?<=[^\W\d_])\*{2,3}(?=[^\W\d_])").sub


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
            found = self._sentences[line_breaks_end] = sentences_of(self.prose, line_breaks_end)
        return found
