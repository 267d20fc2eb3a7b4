"""Text primitives of the IFHardBench contract, section 4: each defined once, each linear in the text.

No Unicode normalisation happens anywhere: a decomposed ``й`` stays two code points, a no-break space
is white space, a zero-width space is not. ``str`` methods and :mod:`re` agree with the contract on white
space (4.1), line boundaries (4.2) and alphanumerics (4.3); the tests check that over all code points.

Every pattern here is either anchored, or matches runs that cannot overlap, so no text makes one backtrack
over the same characters twice.
"""

import re
from typing import Final

__all__ = [
    "CORE_STRIP",
    "Text",
    "closing_trim",
    "cores_of",
    "first_letter",
    "fold",
    "items_of",
    "paragraphs_of",
    "sentences_of",
    "split_blank",
    "words_of",
]

# 4.7: the 31 characters that a core sheds at both ends. The right curly quote (U+201D) is not among them.
CORE_STRIP: Final = " .,;:!?()[]{}<>*_`|/\\-\"'…«»„“—–"
# 4.13: what the closing trim takes off the right end.
_CLOSING: Final = ".!?…\"'»)]}„“ "

_has_alnum = re.compile(r"[^\W_]").search  # 4.3
_find_letter = re.compile(r"[^\W\d_]").search  # 4.4: alphanumeric, not a decimal digit
_two_letters = re.compile(r"[^\W\d_]{2}").match
_stop_runs = re.compile(r"[.!?…]+").finditer  # 4.8
_blank_stretch = re.compile(r"\n\s*\n")  # 4.9: \s* is greedy, so the stretch is the longest one
_item_marker = re.compile(r"(?:([-*•])|\d+[.)])\s").match  # 4.10, on a trimmed line


def fold(text: str) -> str:
    """Lower-case the Unicode way, then ``ё`` becomes ``е`` (IFHardBench contract, 4.5)."""
    return text.lower().replace("ё", "е")


def words_of(text: str) -> list[str]:
    """Words as written: runs of non-white-space that hold an alphanumeric character (4.6)."""
    # Most words start with a letter, which spares them the search.
    return [token for token in text.split() if token[0].isalnum() or _has_alnum(token)]


def cores_of(text: str) -> list[str]:
    """Cores of the words of ``text``, in order, one for each of :func:`words_of` (4.7); none is empty.

    The text is folded as a whole: lower-casing neither makes nor removes white space or alphanumerics,
    and the only context it looks at (final sigma) ends at white space.
    """
    return _cores_in(fold(text))


def _cores_in(folded: str) -> list[str]:
    # What a core sheds holds no alphanumeric, so that a word has one where its core has one.
    return [
        core
        for token in folded.split()
        if (core := token.strip(CORE_STRIP)) and (core[0].isalnum() or _has_alnum(core))
    ]


def sentences_of(text: str) -> list[str]:
    """Sentences, trimmed, none blank, some perhaps without a word (4.8).

    A run of terminators cuts if white space or the end follows it; a single full stop also needs two
    letter-like characters right before it, so ``3. ``, ``т. е. `` and ``И. И. `` do not cut.
    """
    pieces: list[str] = []
    start = 0
    length = len(text)
    for run in _stop_runs(text):
        first, end = run.span()
        if end < length and not text[end].isspace():
            continue
        if end - first == 1 and text[first] == "." and (first < 2 or not _two_letters(text, first - 2)):
            continue
        pieces.append(text[start:end].strip())
        start = end
    rest = text[start:].strip()
    if rest:
        pieces.append(rest)
    return pieces


def split_blank(trimmed: str, limit: int = 0) -> list[str]:
    """Split a trimmed text at its blank-line stretches, at most ``limit`` times when that is positive (4.9)."""
    return _blank_stretch.split(trimmed, limit)


def paragraphs_of(text: str) -> list[str]:
    """Paragraphs, trimmed, none blank (4.9)."""
    return [piece for part in split_blank(text.strip()) if (piece := part.strip())]


def items_of(text: str) -> list[tuple[bool, str]]:
    """List items in order, as (is a bullet, trimmed payload) (4.10)."""
    found: list[tuple[bool, str]] = []
    for line in text.splitlines():
        body = line.strip()
        # The line is trimmed, so white space after the marker means that a payload follows.
        marker = _item_marker(body)
        if marker:
            found.append((marker.lastindex is not None, body[marker.end() :].lstrip()))
    return found


def first_letter(text: str) -> str | None:
    """The first letter-like character, folded, or None (4.11)."""
    found = _find_letter(text)
    return fold(found.group()) if found else None


def closing_trim(text: str) -> str:
    """Trim, take terminators, closing marks and spaces off the right end, trim again (4.13)."""
    return text.strip().rstrip(_CLOSING).strip()


class Text:
    """One answer and what the verifiers have already worked out of it.

    The requirements of a stack ask for the same words, sentences and items again and again; each is computed
    at the first asking and kept. Treat the returned lists as read-only.

    Args:
        raw: the answer exactly as the verifiers get it (section 3 is over by then); it is not trimmed.
    """

    # Class-level None marks "not computed yet" and keeps construction to one assignment.
    _trimmed: str | None = None
    _folded: str | None = None
    _lowered: str | None = None
    _words: list[str] | None = None
    _cores: list[str] | None = None
    _core_lines: str | None = None
    _sentences: list[str] | None = None
    _sentence_words: list[int] | None = None
    _paragraphs: list[str] | None = None
    _items: list[tuple[bool, str]] | None = None
    _lines: list[str] | None = None

    def __init__(self, raw: str) -> None:
        self.raw = raw

    @property
    def trimmed(self) -> str:
        """The text without white space at its ends."""
        value = self._trimmed
        if value is None:
            value = self._trimmed = self.raw.strip()
        return value

    @property
    def folded(self) -> str:
        """The untrimmed text, folded (4.5)."""
        value = self._folded
        if value is None:
            value = self._folded = fold(self.raw)
        return value

    @property
    def lowered(self) -> str:
        """The untrimmed text in lower case, where ``ё`` stays."""
        value = self._lowered
        if value is None:
            value = self._lowered = self.raw.lower()
        return value

    @property
    def words(self) -> list[str]:
        """Words as written (4.6)."""
        value = self._words
        if value is None:
            value = self._words = words_of(self.raw)
        return value

    @property
    def cores(self) -> list[str]:
        """Cores of the words (4.7), index for index."""
        value = self._cores
        if value is None:
            value = self._cores = _cores_in(self.folded)
        return value

    @property
    def sentences(self) -> list[str]:
        """Sentences (4.8)."""
        value = self._sentences
        if value is None:
            value = self._sentences = sentences_of(self.raw)
        return value

    @property
    def sentence_words(self) -> list[int]:
        """Word count of each sentence."""
        value = self._sentence_words
        if value is None:
            value = self._sentence_words = [len(words_of(sentence)) for sentence in self.sentences]
        return value

    @property
    def paragraphs(self) -> list[str]:
        """Paragraphs (4.9)."""
        value = self._paragraphs
        if value is None:
            value = self._paragraphs = paragraphs_of(self.raw)
        return value

    @property
    def lines(self) -> list[str]:
        """Raw lines of the untrimmed text (4.2)."""
        value = self._lines
        if value is None:
            value = self._lines = self.raw.splitlines()
        return value

    def items(self, kind: object = "any") -> list[str]:
        """Payloads of the list items of a kind: ``any``, ``bullet`` or ``numbered``; any other kind has none (4.10)."""
        value = self._items
        if value is None:
            value = self._items = items_of(self.raw)
        if kind == "any":
            return [payload for _, payload in value]
        if kind == "bullet":
            return [payload for bullet, payload in value if bullet]
        if kind == "numbered":
            return [payload for bullet, payload in value if not bullet]
        return []

    @property
    def _joined(self) -> str:
        # Every core between line feeds, which no core can hold: one substring search then answers what would
        # take a pass over all words, whatever the number of stems.
        value = self._core_lines
        if value is None:
            cores = self.cores
            value = self._core_lines = "\n" + "\n".join(cores) + "\n" if cores else ""
        return value

    def stem_at(self, stem: str) -> int:
        """Where the first word that starts with the folded ``stem`` stands, or -1 (4.12).

        The positions of two stems compare as their words do; they count nothing else.
        """
        return -1 if "\n" in stem else self._joined.find("\n" + stem, 0, len(self._joined) - 1)

    def has_stem(self, stem: str) -> bool:
        """Whether some word starts with the folded ``stem``."""
        return self.stem_at(stem) >= 0

    def stem_count(self, stem: str) -> int:
        """How many words start with the folded ``stem`` (4.12); the empty stem hits every word."""
        return 0 if "\n" in stem else self._joined.count("\n" + stem, 0, len(self._joined) - 1)

    def has_core(self, word: str) -> bool:
        """Whether the core of some word equals the folded ``word`` exactly."""
        return "\n" not in word and f"\n{word}\n" in self._joined
