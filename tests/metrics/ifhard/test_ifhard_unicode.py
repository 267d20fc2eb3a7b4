"""Facts about code points that the text primitives lean on, over all of Unicode."""

import re

import pytest

from metrics.ifhard.text import CORE_STRIP, fold

EVERYTHING = [chr(code) for code in range(0x110000)]
SPACES = [
    *range(0x09, 0x0E),
    *range(0x1C, 0x21),
    *(0x85, 0xA0, 0x1680),
    *range(0x2000, 0x200B),
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
]
BREAKS = [0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029]


def test_white_space_is_the_contract_s():
    """4.1, as str methods and as the pattern class see it."""
    expected = [chr(code) for code in SPACES]
    assert [char for char in EVERYTHING if char.isspace()] == expected
    assert re.findall(r"\s", "".join(EVERYTHING)) == expected
    assert not any(char.isspace() for char in "\u200b\u2060\ufeff\u00ad\u180e")


def test_line_boundaries_are_the_contract_s():
    """4.2: each splits, the pair CR LF once, a final one opens no line."""
    assert [ord(char) for char in EVERYTHING if len(f"а{char}б".splitlines()) == 2] == BREAKS
    assert "а\r\nб\r\n".splitlines() == ["а", "б"]


def test_alphanumerics_are_the_pattern_s():
    """4.3 and 4.4: the pattern classes agree with the str methods."""
    everything = "".join(EVERYTHING)
    assert re.findall(r"[^\W_]", everything) == [char for char in EVERYTHING if char.isalnum()]
    letters = [char for char in EVERYTHING if char.isalnum() and not char.isdecimal()]
    assert re.findall(r"[^\W\d_]", everything) == letters


@pytest.mark.parametrize("kind", ["isspace", "isalnum"])
def test_folding_keeps_words_in_place(kind):
    """Lower-casing neither makes nor removes white space or alphanumerics, so folded text has the same words."""
    test = getattr(str, kind)
    assert [char for char in EVERYTHING if test(char) != any(map(test, fold(char)))] == []


def test_core_strip_is_the_contract_s():
    """4.7: the 31 characters by code point."""
    codes = "20 2E 2C 3B 3A 21 3F 28 29 5B 5D 7B 7D 3C 3E 2A 5F 60 7C 2F 5C 2D 22 27 2026 AB BB 201E 201C 2014 2013"
    assert sorted(CORE_STRIP) == sorted(chr(int(code, 16)) for code in codes.split())


def test_folding():
    """4.5: full lower-casing, ё to е, decomposed letters left as they are."""
    assert fold("ЁЖ Ёж ё") == "еж еж е"
    assert fold("Е\u0308 И\u0306") == "е\u0308 и\u0306"
    assert fold("İẞΣ") == "i\u0307ßς"
