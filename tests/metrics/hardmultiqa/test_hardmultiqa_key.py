"""Scoring keys, answers and the normalisation: what is refused at load, what is cut, what counts as equal."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.hardmultiqa import RowError, answer_text, fold, occurs, parse_key, question_options, split_answer

OPTIONS = "Что верно?\n1) Да\n 2. Нет\n3) Не знаю"


def scoring(**changes):
    entry = {"type": "open", "question": "Кто?", "reference": ["Пушкин"]} | changes
    return json.dumps({name: value for name, value in entry.items() if value is not ...}, ensure_ascii=False)


REFUSED = [
    ("not json", "{", "not JSON"),
    ("too deep", "[" * 100_000, "not JSON"),
    ("a list", "[]", "not an object"),
    ("unknown type", scoring(type="closed"), "type: must be one of"),
    ("no type", scoring(type=...), "type: must be one of"),
    ("blank question", scoring(question=" "), "question: must be a text"),
    ("no reference", scoring(reference=...), "must be a list of texts"),
    ("empty reference", scoring(reference=[]), "reference: is empty"),
    ("blank element", scoring(reference=["а", " \n"]), "blank element"),
    ("number as reference", scoring(reference=[1]), "must be a list of texts"),
    ("text as reference", scoring(reference="Пушкин"), "must be a list of texts"),
    ("cut no list", scoring(cut="Вопрос:"), "cut: must be a list"),
    ("blank cut", scoring(cut=[""]), "cut: must be a list"),
    ("option not a number", scoring(type="one-option-many-options", question=OPTIONS, reference=["да"]), "'да'"),
    ("option zero", scoring(type="one-option-many-options", question=OPTIONS, reference=["0"]), "option numbers"),
    ("option not there", scoring(type="one-option-many-options", question=OPTIONS, reference=["4"]), "has 1, 2, 3"),
]


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_row_that_cannot_be_judged_is_refused(text, message):
    """Before a token is generated, with what is wrong."""
    with pytest.raises(RowError, match=message):
        parse_key(text)


def test_equal_reference_elements_are_merged():
    """The first spelling is kept; equality is the normalisation's."""
    key = parse_key(scoring(type="strict-list", reference=["Пётр  I", "ПЕТР I", "Павел I", "Пётр I"]))
    assert key.reference == ("Пётр  I", "Павел I")


def test_options_are_read_from_the_question():
    """Numbers with a bracket or a dot, at the beginning of lines or else inside one; twice the same: unknown."""
    assert question_options(OPTIONS) == {1: "Да", 2: "Нет", 3: "Не знаю"}
    assert question_options("1) а\n1) б") == {}
    assert question_options("В 1380 году. 1) а") == {}
    assert question_options("Что это? 1) Волга; 2) река Дон, 3) Ока.") == {1: "Волга;", 2: "река Дон,", 3: "Ока."}
    assert question_options("1) Волга 2) Дон") == {1: "Волга", 2: "Дон"}
    assert question_options("Что 2) раньше 3) того?") == {}
    key = parse_key(scoring(type="one-option-many-options", question=OPTIONS, reference=["2", "1"]))
    assert key.right_options == {1, 2}


FOLDED = [
    ("Ёлка", "елка"),
    ("е\u0308лка", "елка"),
    (" a \n\t b ", "a b"),
    ("ﬁ", "fi"),
    ("Straße", "strasse"),
    ("①", "1"),
]


@pytest.mark.parametrize(("text", "folded"), FOLDED)
def test_what_is_folded_away(text, folded):
    """Case, compatibility forms, ё, runs of white space."""
    assert fold(text) == folded


@settings(deadline=None)
@given(st.text())
def test_folding_is_stable(text):
    """Folding twice changes nothing, so quotes and answers meet in one form."""
    assert fold(fold(text)) == fold(text)


OCCURS = [
    ("Ока", "на реке ока.", True),
    ("Ока", "окава", False),
    ("Ока", "волока", False),
    ("Ока", "_ока_ и **ока**", True),
    ("«Восток»", "корабль «восток»-1", True),
    ("Восток-1", "корабль «восток-1»", True),
    ("Восток", "корабль «восток-1»", True),
    ("ЁЖ", "еж", True),
    ("a  b", "a b", True),
    ("", "ока", False),
    (" \n", "ока", False),
    (".*", "ока", False),
    ("Oка", "ока", False),
]


@pytest.mark.parametrize(("quote", "text", "found"), OCCURS)
def test_a_quote_occurs_as_whole_words(quote, text, found):
    """Not inside a word, not by look-alike letters, not as a pattern."""
    assert occurs(quote, text) is found


ANSWERS = [
    ("plain", "  Волга \n", "Волга", False),
    ("reasoning", "<think>Ока</think>\nВолга", "Волга", False),
    ("no opening tag", "думаю...</think>Волга", "Волга", False),
    ("unclosed", "<think>Ока", "<think>Ока", True),
    ("second block stays", "</think>Волга <think>", "Волга <think>", True),
    ("continuation", " Волга\nВопрос: Что?\nОтвет: Ока", "Волга", False),
    ("indented continuation", " Волга\n  Вопрос: Что?", "Волга", False),
    ("at the beginning", " Вопрос: Что?", "", False),
    ("inside a line", "Волга. Вопрос: простой", "Волга. Вопрос: простой", False),
    ("lower case", "Волга\nвопрос: простой", "Волга\nвопрос: простой", False),
    ("none", None, "", False),
]


@pytest.mark.parametrize(("raw", "text", "unclosed"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
def test_what_is_judged_of_a_generation(raw, text, unclosed):
    """Reasoning through the first closing tag goes, then what a base model goes on with."""
    assert split_answer(raw, ("Вопрос:",)) == (text, unclosed)
    assert answer_text({"scoring": scoring(cut=["Вопрос:"])}, raw) == text


def test_without_a_cut_nothing_is_cut():
    """Chat answers may hold a line of the kind."""
    assert answer_text({"scoring": scoring()}, "Волга\nВопрос: Что?") == "Волга\nВопрос: Что?"


@settings(deadline=None)
@given(st.text() | st.none())
def test_any_generation_is_taken_apart(raw):
    """Total, and what is left is a trimmed part of it."""
    answer = split_answer(raw, ("Вопрос:",))
    assert answer.text == answer.text.strip()
    assert answer.text in (raw or "")
