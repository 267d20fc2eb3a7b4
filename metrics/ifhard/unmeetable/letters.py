"""Texts that one requirement of an IFHardBench row demands and another forbids."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from metrics.ifhard.params import read_int, read_letters
from metrics.ifhard.text import closing_trim, fold

__all__ = ["clashes"]

_Params = Mapping[str, Any]
_Requirement = tuple[str, _Params]
_NUMERALS: Final = ("structure:first_line_count", "structure:checksum")  # a number in digits must stand in the answer
_E: Final = ("е", "ё")  # one letter to requirements that compare words, two to letter bans


class _Piece(NamedTuple):
    """What an answer must hold.

    Attributes:
        text: folded unless ``exact``.
        place: where it must stand, or ``""`` for anywhere; a place holds one text.
        exact: whether letter case and ё are as written.
    """

    text: str
    place: str = ""
    exact: bool = False


def clashes(requirements: Sequence[_Requirement]) -> list[str]:
    """Why no answer holds what the requirements of a row demand, and nothing that they forbid.

    Args:
        requirements: (category, parameters), each of which alone has a meaning.
    """
    demanded = [(category, piece) for category, params in requirements for piece in _pieces(category, params)]
    forbidden = {letter for category, params in requirements for letter in _banned(category, params)}
    return [*_forbidden(requirements, demanded, forbidden), *_places(demanded)]


def _forbidden(
    requirements: Sequence[_Requirement], demanded: Sequence[tuple[str, _Piece]], letters: set[str]
) -> Iterator[str]:
    bans = [(category, test) for category, _ in requirements if (test := _TESTS.get(category)) is not None]
    for category, piece in demanded:
        held = next((letter for letter in sorted(letters) if _holds(piece, letter, letters)), None)
        if held is not None:
            yield f"{category} wants {piece.text!r}, and {held!r} is forbidden"
        yield from (f"{category} wants {piece.text!r}, which {ban} forbids" for ban, test in bans if test(piece))
    for category, params in requirements:
        if category in _NUMERALS and "style:no_digits" in dict(bans):
            yield f"{category} wants a number, which style:no_digits forbids"
        if category == "lexical:exclude_phrases" and params.get("mode") != "start":
            for phrase in map(fold, params["phrases"]):
                for demand, piece in demanded:
                    if phrase in fold(piece.text):
                        yield f"{demand} wants {piece.text!r}, and {phrase!r} is forbidden"
        elif category == "lexical:exclude_word" and "stems" not in params:
            words = {fold(word) for word in params["words"]}
            for demand, piece in demanded:
                if piece.place.startswith("word") and piece.text in words:
                    yield f"{demand} wants {piece.text!r}, which {category} forbids"


def _holds(piece: _Piece, letter: str, letters: set[str]) -> bool:
    """Whether every spelling of the piece holds a forbidden letter: е may be written for ё, and ё for е."""
    if piece.exact:
        return letter in piece.text.lower()
    if not any(e in letter for e in _E):
        return letter in piece.text
    return letter == "е" and letters.issuperset(_E) and letter in piece.text


def _places(demanded: Sequence[tuple[str, _Piece]]) -> Iterator[str]:
    """Two texts for one place."""
    for (one, first), (two, second) in combinations(demanded, 2):
        if not first.place or first.place != second.place:
            continue
        a, b = fold(first.text), fold(second.text)
        fit: Callable[[str], bool] = a.startswith if first.place == "start" else a.endswith
        back: Callable[[str], bool] = b.startswith if first.place == "start" else b.endswith
        alike = fit(b) or back(a) if first.place in ("start", "end") else first.text == second.text
        if not alike:
            yield f"{one} wants {first.text!r} where {two} wants {second.text!r}"


def _pieces(category: str, params: _Params) -> Iterator[_Piece]:
    if category == "lexical:include_keyword" and "any_stems" not in params:
        stem = "stem" in params
        yield _Piece(fold(params["stem" if stem else "word"]), "" if stem else f"word {params['word']!r}")
    elif category == "lexical:include_all":
        stem = "stems" in params
        for text in map(fold, params["stems" if stem else "words"]):
            yield _Piece(text, "" if stem else f"word {text!r}")
    elif category == "lexical:word_exact_count" and read_int(params, "count") > 0:
        yield _Piece(fold(params["stem"]))
    elif category == "lexical:order_words":
        yield from (_Piece(fold(params[name])) for name in ("stem_a", "stem_b"))
    elif category == "lexical:starts_with":
        yield _Piece(fold(params["phrase"].strip()), "start")
    elif category == "lexical:ends_with":
        yield _Piece(fold(closing_trim(params["phrase"])), "end")
    elif category in ("lexical:nth_word", "lexical:nth_word_from_end"):
        end = " from the end" if category.endswith("end") else ""
        yield _Piece(fold(params["word"].strip()), f"word {read_int(params, 'n')}{end}")
    elif category == "lexical:quote_task":
        yield _Piece(params["text"].strip(), "first line", exact=True)
    elif category in ("lexical:acrostic", "lexical:sentence_acrostic"):
        yield from map(_Piece, fold(params["word"]))
    elif category == "style:end_punctuation":
        yield _Piece(params["char"], "last character", exact=True)


def _banned(category: str, params: _Params) -> Iterator[str]:
    if category in ("style:forbid_letter", "style:forbid_letters"):
        letters = [params["letter"]] if category.endswith("letter") else read_letters(params, "letters")
        yield from map(str.lower, letters)
    elif category == "style:no_commas":
        yield ","


_TESTS: Final[Mapping[str, Callable[[_Piece], bool]]] = {
    "style:no_caps": lambda piece: piece.exact and piece.text != piece.text.lower(),
    "style:no_digits": lambda piece: any(map(str.isdigit, piece.text)),
    "style:no_latin": lambda piece: any("a" <= letter <= "z" for letter in piece.text.lower()),
    "style:no_markdown": lambda piece: any(mark in piece.text for mark in ("*", "`", "__")),
}
