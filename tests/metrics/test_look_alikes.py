"""Reasons whose two texts cannot be told apart by eye name the code points."""

import unicodedata

import pytest

from metrics import ifhard
from metrics.reasons import failed

CYRILLIC, LATIN = "сор", "cop"  # the same to the eye


@pytest.mark.parametrize(
    ("observed", "wanted", "says"),
    [
        (unicodedata.normalize("NFD", "мой"), "мой", "wanted U+0439, found U+0438 U+0306"),
        ("мой", unicodedata.normalize("NFD", "мой"), "wanted U+0438 U+0306, found U+0439"),
        (LATIN, CYRILLIC, "wanted U+0441 U+043E U+0440, found U+0063 U+006F U+0070"),
        ("H", "Н", "wanted U+041D, found U+0048"),
        ("кто\u2011то", "кто-то", "wanted U+002D, found U+2011"),
        ("не так", "не\u00a0так", "wanted U+00A0, found U+0020"),
        ("д\u200bа", "да", "wanted nothing of its own, found U+200B"),
        ("ёж", "ëж", "wanted U+00EB, found U+0451"),
        ("…", "...", "wanted U+002E, found U+2026"),
    ],
)
def test_texts_that_look_alike_are_told_apart(observed, wanted, says):
    """Composed or not, of another alphabet, with another hyphen, space or sign."""
    reason = failed("wrong-word", "word 1 must be this", observed, wanted).reason
    assert reason == f"word 1 must be this (they look alike: {says})"


@pytest.mark.parametrize(
    ("observed", "wanted"),
    [
        ("твой", "мой"),
        ("мой дом", "мой"),
        ("мой", "мои"),
        ("ёлка", "елка"),
        ("Мой", "мой"),
        ("", "мой"),
        ("мой", ""),
        (3, 4),
        (None, "мой"),
        ("о", "а"),
    ],
)
def test_other_reasons_stay_as_they_are(observed, wanted):
    """Where the texts differ to the eye, or nothing is quoted."""
    assert failed("wrong-word", "as it was", observed, wanted).reason == "as it was"


@pytest.mark.parametrize(
    ("category", "params", "answer"),
    [
        ("lexical:nth_word", {"n": 1, "word": "мой"}, "мой дом"),
        ("lexical:starts_with", {"phrase": "мой"}, "мой дом"),
        ("lexical:ends_with", {"phrase": "мой"}, "дом мой"),
        ("style:end_punctuation", {"char": "-"}, "дом\u2010"),
    ],
)
def test_the_verifiers_say_it(category, params, answer):
    """A decomposed answer fails by the contract; the reason shows why."""
    verdict = ifhard.verify(category, params, unicodedata.normalize("NFD", answer))
    assert not verdict.passed
    assert "(they look alike: wanted U+" in verdict.reason
