"""The deterministic rule for options: what it decides, and that it leaves the unclear alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.hardmultiqa import decide

OPTIONS = {1: "Волга", 2: "Дон", 3: "Днепр Великий", 4: "1812 год"}

DECIDED = [
    ("2", {2}),
    ("2)", {2}),
    ("2.", {2}),
    ("**2**", {2}),
    ("1, 3", {1, 3}),
    ("1 и 3", {1, 3}),
    ("1, 2 и 3.", {1, 2, 3}),
    ("1; 3", {1, 3}),
    ("1) и 3)", {1, 3}),
    ("1\t3", {1, 3}),
    ("Вариант 2", {2}),
    ("варианты 1 и 2", {1, 2}),
    ("Ответ: 2", {2}),
    ("**Ответ:** 1, 3", {1, 3}),
    ("Правильный ответ — 2.", {2}),
    ("Правильные варианты: 1 и 3.", {1, 3}),
    ("Верный вариант ответа: 4", {4}),
    ("Рассмотрим реки по порядку.\nДнепр не подходит.\n\nОтвет: 1, 2", {1, 2}),
    ("Итак, правильные ответы: 1, 2", {1, 2}),
    ("1) Волга", {1}),
    ("1) Волга\n2. Дон;", {1, 2}),
    ("Волга", {1}),
    ("днепр  ВЕЛИКИЙ.", {3}),
    ("1812 год", {4}),
]
UNDECIDED = [
    "",
    "не знаю",
    "5",
    "1 или 2",
    "1812",
    "Волга и Дон",
    "1) Дон",
    "1) Волга\nпотому что длинная",
    "Ответ: 1\nОтвет: 2",
    "Ответ: 1\nВерно и 2",
    "Ответ: Волга, 1",
    "Ни 1, ни 2",
    "Не 2",
    "1, 2 (кроме 2)",
    "2?",
    "-2",
    "2" * 30_000,
    "1, " * 6_000 + "x",  # a list that almost is one must not take for ever
    "Ответ: " + "1 и " * 4_000 + "x",
]


@pytest.mark.parametrize(("answer", "chosen"), DECIDED, ids=[row[0] for row in DECIDED])
def test_plain_answers_are_decided(answer, chosen):
    """Numbers alone, one announced line, options as they stand, one option's text."""
    assert decide(answer, OPTIONS) == chosen


@pytest.mark.parametrize("answer", UNDECIDED, ids=lambda s: s[:20])
def test_unclear_answers_are_left_alone(answer):
    """A rule that guesses would be no check of a judge."""
    assert decide(answer, OPTIONS) is None


@settings(deadline=None)
@given(st.text(alphabet="12345 ,;и\n.)ответ:Волга", max_size=40) | st.text())
def test_only_known_options_are_named(answer):
    """Total, and never a number that the question lacks."""
    chosen = decide(answer, OPTIONS)
    assert chosen is None or (chosen and chosen <= set(OPTIONS))
