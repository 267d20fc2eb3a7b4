"""Section 6 of the IFHardBench contract read a second time: each type by the wording of its row, and no faster.

Formats (6.4) have a module of their own.
"""

import csv
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from proofs.differential.contract_formats import FORMATS, Params, counted_list
from proofs.differential.contract_text import (
    closing_trimmed,
    cores,
    digits_value,
    ends_with_sign,
    first_letter,
    fold,
    hits,
    is_blank,
    items,
    meets,
    paragraphs,
    raw_lines,
    sentences,
    trim,
    unit_spec,
    word_count,
    words,
)

__all__ = ["READINGS", "passes"]

Reading = Callable[[str, Params], bool]


def _each(pieces: Sequence[str], count: Callable[[str], int], spec: Params) -> bool:
    met = [meets(count(piece), spec) for piece in pieces]
    meets(0, spec)  # a spec that cannot be read is an error without any piece too
    return bool(met) and all(met)


def _kind(params: Params, default: str = "any") -> Any:
    return params.get("kind", default)


def _rising(numbers: Sequence[Any]) -> bool:
    return all(a < b for a, b in itertools.pairwise(numbers))


# 6.1


def _ascending(text: str, params: Params) -> bool:
    counts = [word_count(sentence) for sentence in sentences(text)]
    if params.get("direction") == "desc":
        counts.reverse()
    return len(counts) >= 2 and _rising(counts)


def _items_total(text: str, params: Params) -> bool:
    factor, found = int(params["factor"]), items(text, _kind(params, "bullet"))
    return bool(found) and word_count(text) == factor * len(found)


def _ladder(text: str, params: Params) -> bool:
    start = int(params["start"])
    counts = [word_count(payload) for payload in items(text, _kind(params))]
    wanted = [start + step for step in range(len(counts))]
    if params.get("direction") == "desc":
        wanted.reverse()
    return len(counts) >= 2 and counts == wanted


def _first_line(text: str, params: Params) -> bool:
    head, found, rest = text.partition("\n")
    head = trim(head)
    return bool(found) and not is_blank(rest) and head.isdigit() and digits_value(head) == word_count(rest)


def _checksum(text: str, params: Params) -> bool:
    whole = trim(text)
    if not whole.endswith(")") or "(" not in whole:
        return False
    body, _, inside = whole[:-1].rpartition("(")
    if not inside or not all(char.isdecimal() for char in inside):
        return False
    stated, kind = digits_value(inside), params["kind"]
    counts: dict[str, Callable[[], int]] = {
        "commas": lambda: text.count(","),
        "letter_words": lambda: _letter_starts(text, params["letter"]),
        "sentences": lambda: len(sentences(trim(body))),
        "words": lambda: word_count(trim(body)),
    }
    return stated == counts[kind]()


def _mirror(text: str, params: Params) -> bool:
    found = sentences(text)
    return len(found) >= 2 and word_count(found[0]) == word_count(found[-1])


# 6.2


def _include_keyword(text: str, params: Params) -> bool:
    if "any_stems" in params:
        return any(hits(text, stem) for stem in params["any_stems"])
    if "stem" in params:
        return bool(hits(text, params["stem"]))
    return fold(params["word"]) in cores(text)


def _included(text: str, params: Params) -> list[bool]:
    if "stems" in params:
        return [bool(hits(text, stem)) for stem in params["stems"]]
    return [fold(word) in cores(text) for word in params["words"]]


def _nth_word(text: str, params: Params, backwards: bool) -> bool:
    n, found = int(params["n"]), cores(text)
    wanted = trim(fold(params["word"]))
    if backwards:
        found.reverse()
    return 1 <= n <= len(found) and found[n - 1] == wanted


def _spells(pieces: Sequence[str], word: str) -> bool:
    return [first_letter(piece) for piece in pieces] == [*fold(word)]


def _ring(text: str, params: Params) -> bool:
    found = cores(text)
    return len(found) >= 2 and found[0] == found[-1]


def _paragraph_echo(text: str, params: Params) -> bool:
    found = paragraphs(text)
    return len(found) >= 2 and bool(words(found[0])) and cores(found[0])[-1] in cores(found[-1])


def _item_chain(text: str, params: Params) -> bool:
    pieces = [words(payload) for payload in items(text, _kind(params))]
    if len(pieces) < 2 or not all(pieces):
        return False
    pairs = [(first_letter(a[-1]), first_letter(b[0])) for a, b in itertools.pairwise(pieces)]
    return all(last is not None and last == first for last, first in pairs)


def _order_words(text: str, params: Params) -> bool:
    first, second = hits(text, params["stem_a"]), hits(text, params["stem_b"])
    return bool(first and second) and first[0] < second[0]


def _alpha_items(text: str, params: Params) -> bool:
    letters = [first_letter(payload) for payload in items(text, _kind(params))]
    known = [letter for letter in letters if letter is not None and letter in _ALPHABET]
    return len(letters) >= 2 and len(known) == len(letters) and _rising([_ALPHABET.index(letter) for letter in known])


_ALPHABET: Final = tuple("абвгдежзийклмнопрстуфхцчшщъыьэюя")


def _exclude_phrases(text: str, params: Params) -> bool:
    whole = fold(trim(text))
    phrases = [fold(phrase) for phrase in params["phrases"]]
    if params.get("mode") != "start":
        return not any(phrase in whole for phrase in phrases)
    while whole and whole[0] in "«\"'“„—– \t\n":
        whole = whole[1:]
    return not any(whole.startswith(phrase) for phrase in phrases)


def _quote_task(text: str, params: Params) -> bool:
    lines = raw_lines(trim(text))
    return bool(lines) and trim(lines[0]) == trim(params["text"])


def _anadiplosis(text: str, params: Params) -> bool:
    pieces = [cores(sentence) for sentence in sentences(text)]
    chained = all(a[-1] == b[0] for a, b in itertools.pairwise(pieces)) if all(pieces) else False
    return len(pieces) >= 2 and chained


def _epiphora(text: str, params: Params) -> bool:
    units = items(text, _kind(params)) if params.get("unit", "items") == "items" else paragraphs(text)
    pieces = [cores(unit) for unit in units]
    return len(pieces) >= 2 and all(pieces) and len({piece[-1] for piece in pieces}) == 1


def _no_repeated(text: str, params: Params) -> bool:
    least, found = int(params.get("min_length", 4)), cores(text)
    long = [word for word in found if len(word) >= least]
    return bool(found) and len(set(long)) == len(long)


# 6.3


def _forbidden(text: str, letter: str) -> bool:
    return letter.lower() in text.lower()


def _letter_starts(text: str, letter: str) -> int:
    return sum(found[0] == fold(letter) for found in cores(text))


def _letter_start_count(text: str, params: Params) -> bool:
    return meets(_letter_starts(text, params["letter"]), params)


def _sentence_initials(text: str, params: Params) -> bool:
    letters = [first_letter(sentence) for sentence in sentences(text)]
    return len(letters) >= 2 and None not in letters and len(set(letters)) == len(letters)


def _anaphora(text: str, params: Params) -> bool:
    pieces = [cores(paragraph) for paragraph in paragraphs(text)]
    return len(pieces) >= 2 and all(pieces) and len({piece[0] for piece in pieces}) == 1


def _no_markdown(text: str, params: Params) -> bool:
    if "*" in text or "`" in text or "__" in text:
        return False
    for line in raw_lines(text):
        rest = line
        while rest and is_blank(rest[0]):
            rest = rest[1:]
        if rest[:1] in ("#", ">") and rest:
            return False
        if rest and rest[0] in "-+•" and len(rest) > 1 and is_blank(rest[1]):
            return False
        digits = len(rest) - len(rest.lstrip("".join(char for char in rest if char.isdecimal())))
        if digits and rest[digits : digits + 1] in (".", ")") and len(rest) > digits + 1 and is_blank(rest[digits + 1]):
            return False
    return True


def _max_word_length(text: str, params: Params) -> bool:
    most, found = int(params["max"]), cores(text)
    return bool(found) and all(sum(map(str.isalpha, word)) <= most for word in found)


def _signed(text: str, params: Params, sign: str) -> bool:
    return meets(sum(ends_with_sign(sentence, sign) for sentence in sentences(text)), params)


def _replaced(text: str, params: Params, forbidden: Callable[[str], bool]) -> bool:
    clean = not any(map(forbidden, text))
    if "any_words" in params:
        return any(fold(word) in cores(text) for word in list(params["any_words"])) and clean
    if "any_stems" in params:
        return any(hits(text, stem) for stem in list(params["any_stems"])) and clean
    return clean


# 6.5


def _conditional_format(text: str, params: Params) -> bool:
    branch = params["then"] if params["holds"] else params["otherwise"]
    shapes: dict[str, Callable[[], bool]] = {
        "bullet_list": lambda: counted_list(text, branch, "bullet"),
        "numbered_list": lambda: counted_list(text, branch, "numbered"),
        "sentences": lambda: meets(len(sentences(text)), branch),
        "paragraphs": lambda: meets(len(paragraphs(text)), branch),
    }
    return shapes[branch["shape"]]()


def _override(text: str, params: Params) -> bool:
    return READINGS[params["winner"]["category"]](text, params["winner"]["params"])


READINGS: Final[Mapping[str, Reading]] = {
    "structure:word_count": lambda text, params: meets(word_count(text), params),
    "structure:sentence_count": lambda text, params: meets(len(sentences(text)), params),
    "structure:paragraph_count": lambda text, params: meets(len(paragraphs(text)), params),
    "structure:char_count": lambda text, params: meets(len(trim(text)), params),
    "structure:sentence_words": lambda text, params: _each(sentences(text), word_count, unit_spec(params)),
    "structure:item_words": lambda text, params: _each(items(text, _kind(params)), word_count, unit_spec(params)),
    "structure:paragraph_sentences": lambda text, params: _each(
        paragraphs(text), lambda paragraph: len(sentences(paragraph)), unit_spec(params)
    ),
    "structure:ascending_sentences": _ascending,
    "structure:items_total_words": _items_total,
    "structure:item_words_ladder": _ladder,
    "structure:first_line_count": _first_line,
    "structure:checksum": _checksum,
    "structure:word_char_count": lambda text, params: (
        (word_count(text), len(trim(text))) == (int(params["words"]), int(params["chars"]))
    ),
    "structure:mirror_sentences": _mirror,
    "lexical:include_keyword": _include_keyword,
    "lexical:include_all": lambda text, params: all(_included(text, params)),
    "lexical:exclude_word": lambda text, params: not any(_included(text, params)),
    "lexical:starts_with": lambda text, params: fold(trim(text)).startswith(fold(trim(params["phrase"]))),
    "lexical:ends_with": lambda text, params: fold(closing_trimmed(text)).endswith(
        fold(closing_trimmed(params["phrase"]))
    ),
    "lexical:nth_word": lambda text, params: _nth_word(text, params, False),
    "lexical:nth_word_from_end": lambda text, params: _nth_word(text, params, True),
    "lexical:acrostic": lambda text, params: _spells(items(text, _kind(params)), params["word"]),
    "lexical:sentence_acrostic": lambda text, params: _spells(sentences(text), params["word"]),
    "lexical:word_exact_count": lambda text, params: len(hits(text, params["stem"])) == int(params["count"]),
    "lexical:word_cap": lambda text, params: len(hits(text, params["stem"])) <= int(params["cap"]),
    "lexical:ring_word": _ring,
    "lexical:paragraph_echo": _paragraph_echo,
    "lexical:item_chain": _item_chain,
    "lexical:order_words": _order_words,
    "lexical:alpha_items": _alpha_items,
    "lexical:exclude_phrases": _exclude_phrases,
    "lexical:quote_task": _quote_task,
    "lexical:anadiplosis": _anadiplosis,
    "lexical:epiphora": _epiphora,
    "lexical:no_repeated_word": _no_repeated,
    "style:forbid_letter": lambda text, params: not _forbidden(text, params["letter"]),
    "style:forbid_letters": lambda text, params: not any(_forbidden(text, letter) for letter in params["letters"]),
    "style:no_commas": lambda text, params: "," not in text,
    "style:comma_count": lambda text, params: meets(text.count(","), params),
    "style:no_caps": lambda text, params: text == text.lower(),
    "style:end_punctuation": lambda text, params: trim(text)[-1:] == params["char"] != "",
    "style:sentence_initials": _sentence_initials,
    "style:letter_start_count": _letter_start_count,
    "style:anaphora": _anaphora,
    "style:no_markdown": _no_markdown,
    "style:max_word_length": _max_word_length,
    "style:question_count": lambda text, params: _signed(text, params, "?"),
    "style:exclamation_count": lambda text, params: _signed(text, params, "!"),
    "style:no_digits": lambda text, params: _replaced(text, params, str.isdigit),
    "style:no_latin": lambda text, params: _replaced(text, params, lambda char: char.isascii() and char.isalpha()),
    **FORMATS,
    "logic:conditional_include": lambda text, params: bool(hits(text, params["stem"])) is bool(params["holds"]),
    "logic:conditional_format": _conditional_format,
    "logic:override": _override,
}


def passes(category: str, text: str, params: Params) -> bool:
    """What the contract's wording says of a text; an error is a fail (section 7)."""
    try:
        return READINGS[category](text, params)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, RecursionError, OverflowError, csv.Error):
        return False
