"""References in every form that a dataset may give them, and those that are refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.hardmultiqa.names import OPTIONS
from tasks.hardmultiqa.options import option_numbers
from tasks.hardmultiqa.reference import ReferenceFormatError, joined_lists, read_reference

RIVERS = "Какие реки впадают в Каспийское море?\n1) Волга\n2) Дон\n3) Урал\n\nУкажи номера."

FORMS = {
    "a list": (["Ока", "Кама"], "strict-list", ["Ока", "Кама"]),
    "a tuple": (("Ока", "Кама"), "strict-list", ["Ока", "Кама"]),
    "JSON": ('["Ока", "Кама"]', "not-strict-list", ["Ока", "Кама"]),
    "JSON with spaces around": (' [ "Ока" ]\n', "strict-list", ["Ока"]),
    "one a line": ("Ока\nКама", "strict-list", ["Ока", "Кама"]),
    "CRLF and blank lines": ("Ока\r\n\r\n  Кама \r\n", "strict-list", ["Ока", "Кама"]),
    "a comma belongs to its line": ("Ока, приток Волги\nКама", "strict-list", ["Ока, приток Волги", "Кама"]),
    "corrections": ("1840 → 1837\nПетербург → Москва", "mistakes", ["1840 → 1837", "Петербург → Москва"]),
    "repeats are kept once": (["Ока", " Ока", "Кама"], "strict-list", ["Ока", "Кама"]),
    "an open answer": ("Бассов пролив", "open", ["Бассов пролив"]),
    "an open answer of two lines is one": (
        "Кёнигсберг\n(ныне Калининград)",
        "open",
        ["Кёнигсберг\n(ныне Калининград)"],
    ),
    "open: several right answers": (["Кёнигсберг", "Калининград"], "open", ["Кёнигсберг", "Калининград"]),
    "open: a number": (1689, "open", ["1689"]),
    "brackets at one end are text": ("[около] 1689 года", "open", ["[около] 1689 года"]),
}

FORMLESS = {
    "nothing": None,
    "blank": "  \n ",
    "an empty list": [],
    "an empty JSON list": "[]",
    "a blank element": ["Ока", " "],
    "a fraction": 1.5,
    "a truth value": True,
    "a truth value in a list": [True],
    "an object": {"Ока": 1},
    "an object in a list": [{"Ока": 1}],
    "a JSON object": '{"Ока": 1}',
    "a list in Python's spelling": "['Ока', 'Кама']",
    "nested lists": [["Ока"], ["Кама"]],
    "null in a JSON list": '["Ока", null]',
    "deep JSON": "[" * 100_000 + "]" * 100_000,
}


@pytest.mark.parametrize(("value", "kind", "wanted"), FORMS.values(), ids=FORMS)
def test_known_forms(value, kind, wanted):
    """Lists, JSON lists, one element a line; an open answer is one element."""
    assert read_reference(value, kind, "Вопрос?") == wanted


@pytest.mark.parametrize("value", FORMLESS.values(), ids=FORMLESS)
def test_other_forms_are_refused(value):
    """Never guessed at."""
    with pytest.raises(ReferenceFormatError):
        read_reference(value, "strict-list", "Вопрос?")


OPTION_FORMS = {
    "one number": ("2", ["2"]),
    "a whole number": (3, ["3"]),
    "a list of numbers": ([3, 1], ["1", "3"]),
    "a list of digits": (["1", "3"], ["1", "3"]),
    "commas": ("1, 3", ["1", "3"]),
    "no space": ("1,3", ["1", "3"]),
    "semicolons and a stop": ("1; 3.", ["1", "3"]),
    "and": ("1 и 3", ["1", "3"]),
    "spaces": ("3 1", ["1", "3"]),
    "brackets": ("1) 3)", ["1", "3"]),
    "JSON": ("[1, 3]", ["1", "3"]),
    "number and text": ("2) Дон", ["2"]),
    "number with a stop and text": ("2. Дон", ["2"]),
    "number and a text of its own": ("2) Дон (впадает в Азовское море)", ["2"]),
    "one a line": ("1) Волга\n3) Урал", ["1", "3"]),
    "several with text in a line": ("1) Волга, 3) Урал", ["1", "3"]),
    "the text alone": ("волга.", ["1"]),
    "a repeat": ("1, 1", ["1"]),
}


@pytest.mark.parametrize(("value", "wanted"), OPTION_FORMS.values(), ids=OPTION_FORMS)
def test_options_become_numbers(value, wanted):
    """However they are written, ascending and once."""
    assert read_reference(value, OPTIONS, RIVERS) == wanted


OPTION_ERRORS = {
    "no such option": ("4", "option 4"),
    "one of several is not there": ("1, 7", "option 7"),
    "zero": ("0", "option 0"),
    "another option's text": ("2) Волга", "text of option 1"),
    "text of no option": ("Терек", "neither option numbers nor"),
    "several in an unknown form": ("1) Волга (река), 3) Урал (река)", "seems to name several"),
    "a fraction": ("1.5", "neither option numbers nor"),
}


@pytest.mark.parametrize(("value", "words"), OPTION_ERRORS.values(), ids=OPTION_ERRORS)
def test_options_that_contradict_the_question(value, words):
    """A reference that cannot be right stops the run."""
    with pytest.raises(ValueError, match=words):
        read_reference(value, OPTIONS, RIVERS)


def test_a_question_without_options():
    """Nothing to choose from."""
    with pytest.raises(ValueError, match="no numbered options"):
        read_reference("1", OPTIONS, "Какая река впадает в Каспийское море?")


def test_options_inside_a_line():
    """A question may list them so."""
    assert read_reference("Дон", OPTIONS, "Что впадает в Азовское море? 1) Волга; 2) Дон; 3) Урал") == ["2"]


def test_equal_texts_do_not_choose():
    """A text that two options share names neither."""
    question = "Что?\n1) а\n2) а\n3) б"
    assert option_numbers(["2) а"], question) == [2]
    with pytest.raises(ValueError, match="neither"):
        option_numbers(["а"], question)


@given(st.sets(st.integers(1, 9), min_size=1), st.permutations([", ", " ", "; ", " и "]))
def test_any_set_of_numbers_comes_back(numbers, joints):
    """Order and separators do not matter."""
    question = "Что?\n" + "\n".join(f"{n}) вариант {n}" for n in range(1, 10))
    text = joints[0].join(map(str, numbers))
    assert read_reference(text, OPTIONS, question) == [str(n) for n in sorted(numbers)]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip), min_size=1, max_size=5))
def test_a_list_and_its_json_are_the_same(elements):
    """Whatever the texts hold."""
    as_json = read_reference(json.dumps(elements), "strict-list", "Вопрос?")
    assert as_json == read_reference(elements, "strict-list", "Вопрос?")
    assert as_json == list(dict.fromkeys(element.strip() for element in elements))


JOINED = {
    "all in one line": (["а, б", "в; г"], True),
    "one is a list": (["а, б", ["в", "г"]], False),
    "one is JSON": (["а, б", '["в", "г"]'], False),
    "one has lines": (["а, б", "в\nг"], False),
    "one has a single element": (["а, б", "в"], False),
    "none": ([], False),
}


@pytest.mark.parametrize(("values", "wanted"), JOINED.values(), ids=JOINED)
def test_lists_joined_in_one_line_are_noticed(values, wanted):
    """Only where every list looks so: a single one may be an element with a comma."""
    assert joined_lists(values) is wanted
