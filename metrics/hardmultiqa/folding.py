"""When two pieces of text count as the same for code: the one normalisation of references, elements and quotes."""

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["fold", "occurs", "places"]


def fold(text: str) -> str:
    """NFKC, case folding, ё to е, runs of white space to one space, trimmed.

    Nothing else: punctuation, hyphens and look-alike letters of another script keep texts apart.
    """
    # Case folding can leave composed forms behind that NFKC would change once more.
    flat = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(flat.replace("ё", "е").split())


def places(wanted: str, folded_text: str) -> Iterator[tuple[int, int]]:
    """Where a text stands in another one as whole words: beginnings and ends, from the left, none overlapping.

    A text that begins or ends inside a word of the other does not stand there: ``Ока`` is not in ``Окава``.

    Args:
        wanted: folded already; one that is empty stands nowhere.
        folded_text: folded already.
    """
    first = folded_text.find(wanted)
    if not wanted or first < 0:
        return
    # The underscore is Markdown's emphasis here, not part of a word.
    before = r"(?<![^\W_])" if wanted[0].isalnum() else ""
    after = r"(?![^\W_])" if wanted[-1].isalnum() else ""
    # The expression is slow to find a place, so it begins at the first one that can be right.
    for found in re.compile(before + re.escape(wanted) + after).finditer(folded_text, first):
        yield found.span()


def occurs(quote: str, folded_text: str) -> bool:
    """Whether the quote stands in a text, as whole words (places).

    Args:
        quote: the quote, not folded yet; a quote that folds to nothing occurs nowhere.
        folded_text: the text, folded already.
    """
    return next(places(fold(quote), folded_text), None) is not None
