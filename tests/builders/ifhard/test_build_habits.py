"""Habits of decoys: no answer of a habit's form meets a requirement that is said to exclude it."""

import json
import re

import pytest

from builders.ifhard.habits import HABITS, overruling
from metrics.ifhard import verify
from metrics.ifhard.text import sentences_of

# Habit -> the text as somebody of that habit would put it, in several ways.
FORMS = {
    "list": [
        lambda text: "- " + "\n- ".join(pieces(text)),
        lambda text: "— " + "\n\n— ".join(pieces(text)),
        lambda text: "* " + "\r\n* ".join(pieces(text)),
    ],
    "numbers": [
        lambda text: "\n".join(f"{place}. {piece}" for place, piece in enumerate(pieces(text), 1)),
        lambda text: "\n\n".join(f"{place}) {piece}" for place, piece in enumerate(pieces(text), 1)),
    ],
    "table": [lambda text: "| а | б |\n|---|---|\n" + "\n".join(f"| {piece} | да |" for piece in pieces(text))],
    "question": [
        lambda text: f"{text} Верно?",
        lambda text: f"{text}\n«Как думаешь?»",
        lambda text: f"{text}\n#дом #вечер?",
    ],
    "caps": [str.upper, lambda text: f"{text} ДА."],
    "digits": [lambda text: f"{text} Их 3.", lambda text: f"5 {text}"],
    "exclamation": [lambda text: plain(text) + " Ура! Да!\n\nВот так!"],
    "postscript": [
        lambda text: f"{text}\nP. S. " + " ".join(text.split()),
        lambda text: f"Привет!\n\n{text}\n\nПостскриптум: #дом #вечер",
        lambda text: f"{text}\nP.S. {text.splitlines()[-1]}",
    ],
    "lines": [lambda text: "\n\n".join([*pieces(text), "Вот и всё."])],
    "short": [lambda text: pieces(text)[0], lambda text: " ".join(pieces(text)[:2])],
    "long": [lambda text: text + " Вот так." * 10],
    "solid": [lambda text: re.sub(r"\n\s*\n", "\n", text)],
    "commas": [lambda text: f"{text} Да, вот так."],
}


def pieces(text):
    """Its sentences without line breaks, two at least."""
    found = [" ".join(sentence.split()) for sentence in sentences_of(text)]
    return found if len(found) >= 2 else [*found, "Вот и всё."]


def plain(text):
    return text.replace("!", ".")


def constraints_of(row):
    return json.loads(row["meta"]["constraints"])


def test_the_habits_are_those_of_the_bank(bank):
    """Each habit of the table is some decoy's, and each decoy's is in the table."""
    assert set(HABITS) == {context.habit for topic in bank.values() for context in topic.contexts if context.decoy}
    assert set(FORMS) == set(HABITS)


@pytest.mark.parametrize("habit", HABITS)
def test_the_form_is_seen_and_fails_where_it_is_excluded(habit, committed):
    """Answers that meet everything are put into the habit's form; each requirement that excludes it then fails."""
    test, _, witnesses = committed
    tried = 0
    for row in test:
        constraints = constraints_of(row)
        excluded = overruling(habit, constraints)
        if not excluded:
            continue
        for form in FORMS[habit]:
            answer = form(witnesses[row["meta"]["base_id"]])
            assert HABITS[habit].shown_by(answer), answer
            for item in constraints:
                if item["category"] in excluded:
                    assert not verify(item["category"], item["params"], answer).passed, (item, answer)
            tried += 1
    assert tried >= 10


@pytest.mark.parametrize(
    ("habit", "answer"),
    [
        ("list", "- одно"),
        ("list", "- раз\n* два"),
        ("list", "Вот:\n- раз\n- два"),
        ("list", "- раз\u2028#тег\n- два"),
        ("numbers", "1. раз\nдва"),
        ("table", "а | б\nв | г"),
        ("question", "Правда? Да."),
        ("question", '{"а": "Правда?"}'),
        ("caps", "Дом А. Б."),
        ("digits", "Их три."),
        ("exclamation", "Да! Нет!"),
        ("postscript", "P. S. Пока."),
        ("lines", "Раз вышел. Два вошёл.\n\nВот."),
        ("short", "Раз вышел. Два вошёл. Вот."),
        ("short", ""),
        ("long", "Вот так. " * 9),
        ("solid", "Раз.\n\nДва."),
        ("commas", "Раз и два."),
    ],
)
def test_other_forms_are_not_taken_for_the_habit(habit, answer):
    """A form is no wider than the habit."""
    assert not HABITS[habit].shown_by(answer)


def requirement(category, **params):
    return {"category": category, "family": category.partition(":")[0], "params": params, "is_terminal": False}


BETWEEN = {"op": "between", "min": 2, "max": 3}


@pytest.mark.parametrize(
    ("habit", "category", "params"),
    [
        # An answer of the form meets each of these, so none of them may be called a proof.
        ("short", "structure:word_count", {"op": "eq", "value": 80}),
        ("short", "structure:char_count", {"op": "eq", "value": 400}),
        ("short", "structure:paragraph_count", {"op": "eq", "value": 6}),
        ("short", "structure:sentence_count", {"op": "le", "value": 5}),
        ("short", "structure:sentence_count", {"op": "eq", "value": 2}),
        ("short", "structure:sentence_count", BETWEEN),
        ("short", "structure:paragraph_sentences", {"each": {"op": "eq", "value": 2}}),
        ("short", "style:question_count", {"op": "eq", "value": 2}),
        ("long", "structure:sentence_count", {"op": "ge", "value": 3}),
        ("list", "structure:sentence_count", {"op": "eq", "value": 4}),
        ("list", "structure:paragraph_count", {"op": "eq", "value": 2}),
        ("list", "format:numbered_list", {"op": "eq", "value": 2, "strict": False}),
        ("list", "lexical:starts_with", {"phrase": "- раз"}),
        ("question", "lexical:ends_with", {"phrase": "да"}),
        ("question", "style:end_punctuation", {"char": "!"}),
        ("caps", "format:json_object", {"keys": ["а"]}),
        ("solid", "lexical:epiphora", {"unit": "items"}),
        ("solid", "structure:paragraph_count", {"op": "le", "value": 2}),
        ("exclamation", "style:exclamation_count", {"op": "eq", "value": 3}),
        ("lines", "structure:paragraph_sentences", {"each": {"op": "le", "value": 2}}),
        ("table", "format:markdown_table", {"rows": 2, "cols": 2}),
    ],
)
def test_what_leaves_room_for_the_form_proves_nothing(habit, category, params):
    """A requirement that some answer of the form meets overrules no habit."""
    assert overruling(habit, [requirement(category, **params)]) == []


@pytest.mark.parametrize(
    ("habit", "category", "params"),
    [
        ("short", "structure:sentence_count", {"op": "eq", "value": 3}),
        ("short", "structure:sentence_count", {"op": "between", "min": 3, "max": 4}),
        ("short", "structure:paragraph_sentences", {"each": {"op": "eq", "value": 3}}),
        ("short", "lexical:sentence_acrostic", {"word": "сад"}),
        ("short", "style:exclamation_count", {"op": "eq", "value": 3}),
        ("long", "structure:sentence_count", {"op": "eq", "value": 7}),
        ("list", "lexical:starts_with", {"phrase": "Раз и два"}),
        ("list", "format:numbered_list", {"op": "eq", "value": 4}),
        ("solid", "lexical:epiphora", {"unit": "paragraphs"}),
        ("question", "structure:checksum", {"kind": "commas"}),
        ("commas", "style:no_commas", {}),
    ],
)
def test_what_excludes_the_form_is_named(habit, category, params):
    """So is an override, by what wins."""
    assert overruling(habit, [requirement(category, **params)]) == [category]
    winner = {"winner": {"category": category, "params": params}}
    assert overruling(habit, [requirement("logic:override", **winner)]) == ["logic:override"]


def test_every_decoy_of_the_committed_rows_is_excluded(committed, bank):
    """No shipped question has a decoy that an answer could follow and still pass."""
    decoys = {c.text: c.habit for topic in bank.values() for c in topic.contexts if c.decoy}
    test, shots, _ = committed
    rows = [row for row in (*test, *shots) if row["inputs"]["context"] in decoys]
    assert len(rows) > 100
    assert [
        row["meta"]["id"] for row in rows if not overruling(decoys[row["inputs"]["context"]], constraints_of(row))
    ] == []
