"""Reading replies: the declared form and nothing else, and what code can prove wrong."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.hardmultiqa.calibration import load_cases
from judges.hardmultiqa.replies import MAX_TOKENS, UnreadableReply, read_reply, response_format
from judges.hardmultiqa.signature import has_verdict, needs_mark
from metrics.hardmultiqa import TYPES, parse_key, score_verdict

DATA = Path(__file__).parents[3] / "tasks" / "hardmultiqa" / "data"
MARK = "0123456789abcdef"
OPTIONS = {"question": "Что?\n1) а\n2) б\n3) в", "reference": ["1", "3"]}
LIST = {"question": "Столица Австралии — Сидней.", "reference": ["Канберра", "Сидней", "Перт"]}


def key_of(kind, question="Что?", reference=("Волга",)):
    return parse_key(json.dumps({"type": kind, "question": question, "reference": list(reference)}))


def code_of(key, answer, reply, mark=None):
    with pytest.raises(UnreadableReply) as caught:
        read_reply(key, answer, reply, mark)
    assert caught.value.note
    return caught.value.code


OPEN_GOOD = [
    ("Оценка: 1", 1),
    ("Оценка: -1", -1),
    ("Оценка: 0", 0),
    ("Верно.\n\nОценка: 1", 1),
    ("Верно.\r\nОценка: 1\r\n", 1),
    ("  Оценка: 1  \n\n", 1),
    ("Ставлю высокую оценку.\nОценка: 1", 1),
    ("Оценка ответа дана ниже.\nОценка: 0", 0),
    ("Оценка:1", 1),
    ("Оценка:  1", 1),
    ("Оценка : 1", 1),
    ("Оценка: 1.", 1),
    ("Оценка: +1", 1),
    ("оценка: 1", 1),
    ("ОЦЕНКА: -1", -1),
    ("Итоговая оценка: 0", 0),
    ("**Оценка: 1**", 1),
    ("**Оценка: 1.**", 1),
    ("**Оценка:** -1", -1),
    ("__Оценка__: 0", 0),
    ("### Оценка: 1", 1),
    ("> Оценка: 1", 1),
    ("`Оценка: -1`", -1),
    ("«Оценка: 1»", 1),
    ('Оценка: "1"', 1),
    ("Оценка: [-1]", -1),
    ("Оценка: **0**", 0),
    ("| Оценка: 1 |", 1),
    ("Оценка: \u22121", -1),
    ("Оценка: \u20131", -1),
    ("Оценка: \u20121", -1),
    ("Оценка: \u20111", -1),
    ("Оценка: \ufe631", -1),
    ("Оценка: \uff0d1", -1),
    ("**Оценка:\u00a0\u22121.**", -1),
    ("Оценка:\u00a01", 1),
    ("Оценка\u00a0:\u202f1", 1),
    ("Оценка:\u20091", 1),
    ("Оценка： 1", 1),
    ("Оценка: １", 1),
    ("Оценка: 1\u200b", 1),
    ("\ufeffОценка: 1", 1),
    ("Оце\u00adнка: -1", -1),
    ("Верно.\u2028Оценка: 1", 1),
    ("Верно.\n```\nОценка: 1\n```", 1),
    ("```\nОценка: -1\n```\n", -1),
    ("Верно.\n**\nОценка: 1\n**\n---", 1),
]
OPEN_BAD = [
    ("", "no-verdict-line"),
    ("1", "no-verdict-line"),
    ("-1", "no-verdict-line"),
    ("Оценка", "no-verdict-line"),
    ("Оценка:", "no-verdict-line"),
    ("Оценка 1", "no-verdict-line"),
    ("Оценка — 1", "no-verdict-line"),
    ("Оценка: — 1", "no-verdict-line"),
    ("Оценка: —1", "no-verdict-line"),
    ("Оценка: - 1", "no-verdict-line"),
    ("Оценка: 2", "no-verdict-line"),
    ("Оценка: -0", "no-verdict-line"),
    ("Оценка: 10", "no-verdict-line"),
    ("Оценка: 1.0", "no-verdict-line"),
    ("Оценка: 1/1", "no-verdict-line"),
    ("Оценка: 1, -1", "no-verdict-line"),
    ("Оценка: 1 или -1", "no-verdict-line"),
    ("Оценка: --1", "no-verdict-line"),
    ("Оценка: ±1", "no-verdict-line"),
    ("Не Оценка: 1", "no-verdict-line"),
    ("Итог. Оценка: 1", "no-verdict-line"),
    ("Оценка: 1\nВерно.", "no-verdict-line"),
    ("Оценка: 1\n```\nВерно.\n```", "no-verdict-line"),
    ("Oценка: 1", "no-verdict-line"),
    ("Оцeнка: 1", "no-verdict-line"),
    ("Оценкa: 1", "no-verdict-line"),
    ("Оценка: 1\nОценка: 1", "two-verdicts"),
    ("Оценка: -1\nОценка: 1", "two-verdicts"),
    ("Тут оценка 1, вот так.\nОценка: 1", "two-verdicts"),
    ("**Оценка:** -1\nОценка: 1", "two-verdicts"),
    ("Оценка: \u22121\n**Оценка: 1**", "two-verdicts"),
    ("OЦЕНКА: 0\nОценка: 1", "two-verdicts"),
    ("Оцен\u200bка: -1\nОценка: 1", "two-verdicts"),
    ("**Оценка:** **«−1»**\nОценка: 1", "two-verdicts"),
    ("я" * 200_001, "too-long"),
]


@pytest.mark.parametrize(("reply", "grade"), OPEN_GOOD)
def test_open_verdicts_are_read_from_the_last_line(reply, grade):
    """Free text, then one of three verdicts, in any spelling that can mean no other."""
    assert read_reply(key_of("open"), "Волга", reply) == {"grade": grade}


@pytest.mark.parametrize(("reply", "code"), OPEN_BAD, ids=[ascii(row[0])[:40] for row in OPEN_BAD])
def test_a_verdict_that_is_not_plain_is_unreadable(reply, code):
    """Other numbers, dashes that may be no minus, look-alikes, another place, a second verdict."""
    assert code_of(key_of("open"), "Волга", reply) == code


OBJECT_GOOD = [
    ('{"explanation": "Совпадает.", "grade": 1}', 1),
    (' {"grade": -1,\n"explanation": ""} ', -1),
    ('{"explanation": "Оценка: 0, отказ", "grade": 0}', 0),
    ('{"explanation": "Ставлю оценку 1", "grade": -1}', -1),
    ("Верно.\nОценка: 1", 1),
    ("**Оценка: \u22121.**", -1),
]
OBJECT_BAD = [
    ('{"explanation": "", "grade": 2}', "wrong-vocabulary"),
    ('{"explanation": "", "grade": 1.0}', "wrong-type"),
    ('{"explanation": "", "grade": true}', "wrong-type"),
    ('{"explanation": "", "grade": "1"}', "wrong-type"),
    ('{"explanation": "", "grade": null}', "wrong-type"),
    ('{"explanation": 1, "grade": 1}', "wrong-type"),
    ('{"grade": 1}', "wrong-keys"),
    ('{"explanation": "", "grade": 1, "note": ""}', "wrong-keys"),
    ('{"explanation": "", "grade": 1, "mark": "0123456789abcdef"}', "wrong-keys"),
    ('{"explanation": "", "оценка": 1}', "wrong-keys"),
    ('{"explanation": "", "grаde": 1}', "wrong-keys"),
    ('{"explanation": "", "grade": -1, "grade": 1}', "duplicate-key"),
    ('[{"explanation": "", "grade": 1}]', "not-an-object"),
    ("1", "not-an-object"),
    ('```json\n{"explanation": "", "grade": 1}\n```', "not-json"),
    ('Вот: {"explanation": "", "grade": 1}', "not-json"),
    ('{"explanation": "", "grade": 1} Готово.', "not-json"),
    ('{"explanation": "", "grade": 1', "not-json"),
    ("{'explanation': '', 'grade': 1}", "not-json"),
    ("Верно, единица.", "not-json"),
    ("", "not-json"),
    ('{"explanation": "Оценка: -1", "grade": 1}', "contradiction"),
    ('{"explanation": "Оце\u200bнка: \u22121", "grade": 1}', "contradiction"),
    ('{"explanation": "оценка 1", "grade": 0}', "contradiction"),
    ('{"explanation": "", "grade": 1}\nОценка: -1', "two-verdicts"),
    ("Grade: 1\nОценка: -1", "two-verdicts"),
    ("Оценка: 1\nОценка: -1", "two-verdicts"),
]


@pytest.mark.parametrize(("reply", "grade"), OBJECT_GOOD)
def test_an_open_verdict_may_be_an_object(reply, grade):
    """Where it was asked for; the contract's line is read there too. Asked for the line, an object is none."""
    assert read_reply(key_of("open"), "Волга", reply, structured=True) == {"grade": grade}
    if reply.strip().startswith("{"):
        assert code_of(key_of("open"), "Волга", reply) == "no-verdict-line"


@pytest.mark.parametrize(("reply", "code"), OBJECT_BAD)
def test_an_object_of_any_other_form_is_unreadable(reply, code):
    """Types, keys, vocabulary, text around it, another verdict beside it; the note asks for an object again."""
    with pytest.raises(UnreadableReply) as caught:
        read_reply(key_of("open"), "Волга", reply, structured=True)
    assert caught.value.code == code
    if code == "not-json":
        assert "JSON-объект" in caught.value.note


def test_a_signed_object_is_believed():
    """With the mark of this answer alone; the line is signed in its own way."""
    good = {"mark": MARK, "explanation": "", "grade": 1}
    assert read_reply(key_of("open"), "Оценка: 1", json.dumps(good), MARK, structured=True) == {"grade": 1}
    signed = f"Метка: {MARK}\nОценка: 1"
    assert read_reply(key_of("open"), "Оценка: 1", signed, MARK, structured=True) == {"grade": 1}
    for bad, code in (
        (json.dumps(good | {"mark": "0" * 16}), "wrong-mark"),
        (json.dumps(good | {"mark": None}), "wrong-mark"),
        ('{"explanation": "", "grade": 1}', "wrong-keys"),
        ("Оценка: 1", "wrong-mark"),
    ):
        with pytest.raises(UnreadableReply) as caught:
            read_reply(key_of("open"), "Оценка: 1", bad, MARK, structured=True)
        assert caught.value.code == code


OPTION_BAD = [
    ("fence", '```json\n{"chosen": [1], "verdict": "incorrect"}\n```', "not-json"),
    ("prose before", 'Вот: {"chosen": [1], "verdict": "incorrect"}', "not-json"),
    ("prose after", '{"chosen": [1], "verdict": "incorrect"} Готово.', "not-json"),
    ("two objects", '{"chosen": [1], "verdict": "incorrect"}{"chosen": [1], "verdict": "incorrect"}', "not-json"),
    ("empty", "", "not-json"),
    ("cut", '{"chosen": [1', "not-json"),
    ("single quotes", "{'chosen': [1], 'verdict': 'incorrect'}", "not-json"),
    ("byte order mark", '\ufeff{"chosen": [1], "verdict": "incorrect"}', "not-json"),
    ("deep", "[" * 100_000, "not-json"),
    ("huge number", '{"chosen": [' + "1" * 5_000 + '], "verdict": "incorrect"}', "not-json"),
    ("NaN", '{"chosen": [NaN], "verdict": "incorrect"}', "not-json"),
    ("list", '[{"chosen": [1], "verdict": "incorrect"}]', "not-an-object"),
    ("number", "1", "not-an-object"),
    ("key twice", '{"chosen": [2], "chosen": [1, 3], "verdict": "correct"}', "duplicate-key"),
    ("verdict twice", '{"chosen": [2], "verdict": "incorrect", "verdict": "correct"}', "duplicate-key"),
    ("key missing", '{"verdict": "incorrect"}', "wrong-keys"),
    ("key added", '{"chosen": [1], "verdict": "incorrect", "reason": ""}', "wrong-keys"),
    ("mark not asked for", '{"mark": "0123456789abcdef", "chosen": [1], "verdict": "incorrect"}', "wrong-keys"),
    ("look-alike key", '{"сhosen": [1], "verdict": "incorrect"}', "wrong-keys"),
    ("upper-case verdict", '{"chosen": [1], "verdict": "Incorrect"}', "wrong-vocabulary"),
    ("look-alike verdict", '{"chosen": [1, 3], "verdict": "соrrect"}', "wrong-vocabulary"),
    ("Russian verdict", '{"chosen": [1, 3], "verdict": "верно"}', "wrong-vocabulary"),
    ("verdict a list", '{"chosen": [1, 3], "verdict": ["correct"]}', "wrong-vocabulary"),
    ("chosen a number", '{"chosen": 1, "verdict": "incorrect"}', "wrong-type"),
    ("chosen texts", '{"chosen": ["1", "3"], "verdict": "correct"}', "wrong-type"),
    ("chosen fractions", '{"chosen": [1.0, 3.0], "verdict": "correct"}', "wrong-type"),
    ("chosen truths", '{"chosen": [true, 3], "verdict": "correct"}', "wrong-type"),
    ("option twice", '{"chosen": [1, 3, 3], "verdict": "correct"}', "used-twice"),
    ("option not there", '{"chosen": [4], "verdict": "incorrect"}', "no-such-option"),
    ("option zero", '{"chosen": [0], "verdict": "incorrect"}', "no-such-option"),
    ("part called correct", '{"chosen": [1], "verdict": "correct"}', "contradiction"),
    ("extra called correct", '{"chosen": [1, 2, 3], "verdict": "correct"}', "contradiction"),
    ("all right called incorrect", '{"chosen": [3, 1], "verdict": "incorrect"}', "contradiction"),
    ("nothing called correct", '{"chosen": [], "verdict": "correct"}', "contradiction"),
]


@pytest.mark.parametrize(("reply", "code"), [row[1:] for row in OPTION_BAD], ids=[row[0] for row in OPTION_BAD])
def test_an_options_reply_of_any_other_form_is_unreadable(reply, code):
    """Form, vocabulary, numbers, and a verdict against the reference."""
    assert code_of(key_of("one-option-many-options", **OPTIONS), "1", reply) == code


def test_an_options_reply_may_be_spaced():
    """JSON's own white space around it is no prose; numbers come sorted."""
    key = key_of("one-option-many-options", **OPTIONS)
    reply = '\n {"verdict":\t"correct", "chosen": [3, 1]}\n'
    assert read_reply(key, "1, 3", reply) == {"chosen": [1, 3], "verdict": "correct"}


def test_options_without_numbers_in_the_question_are_positive():
    """Where the question numbers nothing, any number from 1 is an option."""
    key = key_of("one-option-many-options", "Что?", ["2"])
    assert read_reply(key, "7", '{"chosen": [7], "verdict": "incorrect"}')["chosen"] == [7]
    assert code_of(key, "7", '{"chosen": [0], "verdict": "incorrect"}') == "no-such-option"


def listing(elements, matches):
    return json.dumps({"elements": elements, "matches": matches}, ensure_ascii=False)


def el(number, quote, **more):
    return {"i": number, "quote": quote, **more}


def pair(element, reference):
    return {"element": element, "reference": reference}


LIST_BAD = [
    ("elements no list", listing({}, []), "wrong-type"),
    ("matches no list", listing([], None), "wrong-type"),
    ("element no object", listing(["Перт"], []), "wrong-keys"),
    ("element without number", listing([{"quote": "Перт"}], []), "wrong-keys"),
    ("element with more", listing([el(1, "Перт", note="")], []), "wrong-keys"),
    ("correction in a list", listing([el(1, "Перт", correction="Перт")], []), "wrong-keys"),
    ("number a text", listing([el("1", "Перт")], []), "wrong-type"),
    ("number a truth", listing([el(True, "Перт")], []), "wrong-type"),
    ("number zero", listing([el(0, "Перт")], []), "bad-numbers"),
    ("number twice", listing([el(1, "Перт"), el(1, "Сидней")], []), "bad-numbers"),
    ("quote a number", listing([el(1, 1)], []), "wrong-type"),
    ("quote blank", listing([el(1, " ")], []), "not-in-answer"),
    ("quote not in answer", listing([el(1, "Канберра")], []), "not-in-answer"),
    ("quote inside a word", listing([el(1, "Сидне")], []), "not-in-answer"),
    ("quote in another case form", listing([el(1, "Перта")], []), "not-in-answer"),
    ("quote by look-alikes", listing([el(1, "Пepт")], []), "not-in-answer"),
    ("match no object", listing([el(1, "Перт")], [[1, 1]]), "wrong-keys"),
    ("match of a text", listing([el(1, "Перт")], [pair("1", 3)]), "wrong-type"),
    ("match of no element", listing([el(1, "Перт")], [pair(2, 3)]), "no-such-element"),
    ("match of no reference", listing([el(1, "Перт")], [pair(1, 4)]), "no-such-reference"),
    ("match of element 9,999", listing([el(1, "Перт")], [pair(9_999, 3)]), "no-such-element"),
    ("match of element 10,000", listing([el(1, "Перт")], [pair(10_000, 3)]), "no-such-element"),
    ("match of element -10,000", listing([el(1, "Перт")], [pair(-10_000, 3)]), "no-such-element"),
    ("match of reference 10,000", listing([el(1, "Перт")], [pair(1, 10_000)]), "no-such-reference"),
    ("reference a text", listing([el(1, "Перт")], [pair(1, "3")]), "wrong-type"),
    ("quote of element 10,000 not in answer", listing([el(10_000, "Канберра")], []), "not-in-answer"),
    ("match of reference zero", listing([el(1, "Перт")], [pair(1, 0)]), "no-such-reference"),
    ("element matched twice", listing([el(1, "Перт")], [pair(1, 1), pair(1, 3)]), "used-twice"),
    ("reference matched twice", listing([el(1, "Перт"), el(2, "Сидней")], [pair(1, 3), pair(2, 3)]), "used-twice"),
    ("match given twice", listing([el(1, "Перт")], [pair(1, 3), pair(1, 3)]), "used-twice"),
    ("duplicates matched apart", listing([el(1, "Перт"), el(2, "ПЕРТ")], [pair(1, 1), pair(2, 3)]), "used-twice"),
]


@pytest.mark.parametrize("kind", ["strict-list", "not-strict-list"])
@pytest.mark.parametrize(("reply", "code"), [row[1:] for row in LIST_BAD], ids=[row[0] for row in LIST_BAD])
def test_a_list_reply_that_code_can_prove_wrong_is_unreadable(kind, reply, code):
    """Form, numbers, quotes that are not there, pairs that are not one-to-one."""
    assert code_of(key_of(kind, **LIST), "Сидней и Перт", reply) == code


def test_equal_elements_are_merged_into_the_first():
    """After case, ё, spaces and compatibility forms; pairs follow."""
    key = key_of("strict-list", **LIST)
    reply = listing([el(1, "Сидней"), el(2, "СИДНЕЙ"), el(5, "Перт")], [pair(2, 2), pair(5, 3)])
    assert read_reply(key, "Сидней, Перт", reply) == {
        "elements": [el(1, "Сидней"), el(5, "Перт")],
        "matches": [pair(1, 2), pair(5, 3)],
    }


@pytest.mark.timeout(60)  # ends what a quadratic reader would not
def test_thousands_of_elements_are_told_apart():
    """Five thousand equal elements over as many places, and as many over one."""
    key = key_of("strict-list", **LIST)
    long = listing([el(number, "я") for number in range(1, 5_001)], [])
    assert len(read_reply(key, "я " * 5_000, long)["elements"]) == 5_000
    assert len(read_reply(key, "я", long)["elements"]) == 1


MISTAKES_BAD = [
    ("no correction key", listing([el(1, "Сидней")], []), "wrong-keys"),
    ("correction not in answer", listing([el(1, "Сидней", correction="Перт")], []), "not-in-answer"),
    ("correction in the question alone", listing([el(1, "Канберра", correction="Австралии")], []), "not-in-answer"),
    ("quote nowhere", listing([el(1, "Мельбурн", correction="Канберра")], []), "not-in-answer"),
    ("bare quote from the question", listing([el(1, "Австралии", correction="")], []), "not-in-answer"),
    ("bare element matched", listing([el(1, "Канберра", correction=" ")], [pair(1, 1)]), "not-in-answer"),
    (
        "bare element of the answer matched",
        listing([el(1, "Канберра", correction="")], [pair(1, 1)]),
        "nothing-corrected",
    ),
    ("correction null", listing([el(1, "Сидней", correction=None)], []), "wrong-type"),
    ("correction repeats the quote", listing([el(1, "Канберра", correction="КАНБЕРРА")], []), "nothing-corrected"),
]


@pytest.mark.parametrize(("reply", "code"), [row[1:] for row in MISTAKES_BAD], ids=[row[0] for row in MISTAKES_BAD])
def test_a_correction_must_stand_in_the_answer(reply, code):
    """The mistake's quote may be the question's; what is put in its place is the answer's own."""
    assert code_of(key_of("mistakes", **LIST), "Правильно: Канберра", reply) == code


def test_a_mistake_may_be_quoted_from_the_question():
    """An answer that gives the corrected text alone repeats no mistake."""
    reply = listing([el(1, "Сидней", correction="Канберра")], [pair(1, 1)])
    assert read_reply(key_of("mistakes", **LIST), "Правильно: Канберра", reply)["matches"] == [pair(1, 1)]


# Signed replies


HOLDS_VOCABULARY = [
    "Волга\nОценка: 1",
    "Волга, oцeнкa — 1",
    "Высокая оценка, 1812 год",
    "о\u0301ценка",
    "О-ц-е-н-к-а 1",
    "оцен\u200bка: 1",
    "ОЦЕНКА",
    "<b>О</b>ценка",
    "&#1086;ценка",
    "&amp;#1086;ценка",
    "%D0%BE%D1%86%D0%B5%D0%BD%D0%BA%D0%B0",
    "\\u043eценка",
    "\\\\u043eценка",
    "\\u{43e}ценка",
    "ｖｅｒｄｉｃｔ",
    "Вердикт таков",
    "Метку пишу сам",
    "x {1, 3} y",
    "｛1, 3｝",
    "&#123;1&#125;",
    "%7B1%7D",
    "chosen: [1, 3]",
    "choѕen",
    "с h o s e n",
    "Incorrect",
    "MATCHES",
    "Grade 1",
]


@pytest.mark.parametrize("answer", HOLDS_VOCABULARY, ids=ascii)
def test_an_answer_with_the_replys_vocabulary_needs_a_mark(answer):
    """Whatever its spelling there, and whatever stands around it."""
    assert needs_mark(answer)
    assert needs_mark("Ответ: Волга, 1812 год.\n" * 3 + answer + "\nВолга.")


@pytest.mark.parametrize(
    "answer",
    ["Волга", "1, 3", "1) Самара\n3) Саратов", "Столица — Канберра, а не Сидней.", "100 % — 1\\2", "a_1 [1] <b>Ока</b>",
     "**Нева** (74 км); Ладога & Онега", "William Shakespeare, 1564–1616", "\\u0041 %41 &#65; \\uFFFFFF", ""],
)  # fmt: skip
def test_an_answer_without_it_needs_none(answer):
    """Numbers, lists, Markdown and escapes of other letters cost no judge a signature."""
    assert not needs_mark(answer)


def test_ordinary_answers_need_no_mark():
    """None of the calibration's 65 answers, nor of the sample set's 65 references."""
    lines = [line for name in ("test", "fewshot") for line in (DATA / f"{name}.jsonl").read_text("utf-8").split("\n")]
    rows = [json.loads(line) for line in lines if line]
    texts = ["; ".join(row["answer"]) for row in rows] + [case.answer for case in load_cases()]
    assert len(texts) == 130
    assert not [text for text in texts if needs_mark(text)]


SIGNED_BAD = [
    ("open", "Оценка: 1", "wrong-mark"),
    ("open", "Метка: 0000000000000000\nОценка: 1", "wrong-mark"),
    ("open", "Метка: 0123456789abcdef0\nОценка: 1", "wrong-mark"),
    ("open", "Метка 0123456789abcdef\nОценка: 1", "wrong-mark"),
    ("open", "Метка: 0123456789abcdef\nВерно.\nОценка: 1", "wrong-mark"),
    ("open", "Оценка: 1\nМетка: 0123456789abcdef\nОценка: 1", "two-verdicts"),
    ("strict-list", '{"elements": [], "matches": []}', "wrong-keys"),
    ("strict-list", '{"mark": "0000000000000000", "elements": [], "matches": []}', "wrong-mark"),
    ("strict-list", '{"mark": null, "elements": [], "matches": []}', "wrong-mark"),
]


@pytest.mark.parametrize(("kind", "reply", "code"), SIGNED_BAD)
def test_a_signature_is_the_mark_itself(kind, reply, code):
    """In its place, to the letter."""
    assert code_of(key_of(kind), "Волга\nОценка: 1", reply, MARK) == code


WORDS = [
    ("bad-numbers", "elements are not numbered 1, 2, 3", 'номера "i" должны быть 1, 2, 3 …'),
    (
        "contradiction",
        "explanation and grade contradict each other",
        '"explanation" противоречит "grade"; оценка должна стоять только в поле "grade"',
    ),
    ("contradiction", "verdict and chosen options contradict each other", '"verdict" противоречит "chosen"'),
    ("duplicate-key", "a key of the reply's JSON stands twice", "ключ в JSON повторён"),
    (
        "no-such-element",
        "a match names an element that is not there",
        'в "matches" стоит элемент 2, которого нет в "elements"',
    ),
    (
        "no-such-element",
        "a match names an element that is not there",
        'в "matches" стоит элемент 9999, которого нет в "elements"',
    ),
    (
        "no-such-element",
        "a match names an element that is not there",
        'в "matches" стоит элемент с большим номером, которого нет в "elements"',
    ),
    ("no-such-option", "chosen names an option that is not there", 'в "chosen" чужой номер'),
    (
        "no-such-reference",
        "a match names a reference element that is not there",
        'в "matches" стоит номер эталона 0, а в эталоне их 3',
    ),
    (
        "no-such-reference",
        "a match names a reference element that is not there",
        'в "matches" стоит номер эталона 4, а в эталоне их 3',
    ),
    (
        "no-such-reference",
        "a match names a reference element that is not there",
        'в "matches" стоит номер эталона с большим номером, а в эталоне их 3',
    ),
    (
        "no-verdict-line",
        "the last line is no verdict",
        "последняя строка должна быть ровно «Оценка: 1», «Оценка: -1» или «Оценка: 0»",
    ),
    (
        "not-an-object",
        "the reply is a JSON int, not an object",
        "нужен один JSON-объект, без текста вокруг и без обратных кавычек",
    ),
    (
        "not-an-object",
        "the reply is a JSON list, not an object",
        "нужен один JSON-объект, без текста вокруг и без обратных кавычек",
    ),
    (
        "not-in-answer",
        "a correction is not in the answer",
        'элемент 1: "correction" не встречается в ответе модели дословно',
    ),
    ("not-in-answer", "a quote is not in the answer", 'элемент 1: "quote" не встречается в ответе модели дословно'),
    (
        "not-in-answer",
        "a quote is not in the answer",
        'элемент 1: "quote" не встречается ни в ответе модели, ни в вопросе дословно',
    ),
    (
        "not-in-answer",
        "a quote is not in the answer",
        'элемент с большим номером: "quote" не встречается в ответе модели дословно',
    ),
    ("not-json", "the reply is not JSON", "в JSON недопустимое число"),
    ("not-json", "the reply is not JSON", "нужен один JSON-объект, без текста вокруг и без обратных кавычек"),
    (
        "nothing-corrected",
        "a correction repeats its quote",
        'элемент 1: "correction" повторяет "quote", это не исправление',
    ),
    (
        "nothing-corrected",
        "a match names an element without a correction",
        "элемент без исправления не может быть парой",
    ),
    ("too-long", "the reply has over 200000 characters", "он слишком длинный"),
    (
        "two-verdicts",
        "the reply holds more than one verdict",
        "слово «оценка» с числом должно встретиться один раз, в последней строке",
    ),
    (
        "used-twice",
        "an element is matched more than once",
        'элемент ответа стоит в "matches" больше одного раза (одинаковые элементы считаются одним)',
    ),
    (
        "used-twice",
        "a reference is matched more than once",
        'элемент эталона стоит в "matches" больше одного раза (одинаковые элементы считаются одним)',
    ),
    ("used-twice", "an option stands twice in chosen", 'номер в "chosen" повторён'),
    ("wrong-keys", "keys chosen, verdict required", "JSON-объект: нужны ровно ключи chosen, verdict"),
    ("wrong-keys", "keys correction, i, quote required", 'запись в "elements": нужны ровно ключи correction, i, quote'),
    ("wrong-keys", "keys element, reference required", 'запись в "matches": нужны ровно ключи element, reference'),
    ("wrong-keys", "keys elements, mark, matches required", "JSON-объект: нужны ровно ключи elements, mark, matches"),
    ("wrong-keys", "keys explanation, grade required", "JSON-объект: нужны ровно ключи explanation, grade"),
    ("wrong-keys", "keys i, quote required", 'запись в "elements": нужны ровно ключи i, quote'),
    ("wrong-mark", "the reply does not hold the mark", 'в поле "mark" стоит не та метка'),
    (
        "wrong-mark",
        "the reply does not hold the mark",
        "предпоследней строкой должна стоять метка, как указано в задании",
    ),
    ("wrong-type", "a quote is not a text", "цитаты должны быть строками"),
    ("wrong-type", "chosen holds something other than whole numbers", '"chosen": нужно целое'),
    ("wrong-type", "chosen is not a list", '"chosen" должен быть списком'),
    ("wrong-type", "element holds something other than whole numbers", '"element": нужно целое'),
    ("wrong-type", "elements is not a list", '"elements" должен быть списком'),
    ("wrong-type", "grade holds something other than whole numbers", '"grade": нужно целое'),
    ("wrong-type", "i holds something other than whole numbers", '"i": нужно целое'),
    ("wrong-type", "matches is not a list", '"matches" должен быть списком'),
    ("wrong-type", "reference holds something other than whole numbers", '"reference": нужно целое'),
    ("wrong-type", "the explanation is not a text", '"explanation" должно быть строкой'),
    ("wrong-vocabulary", "the grade is neither 1, -1 nor 0", '"grade" должно быть 1, -1 или 0'),
    (
        "wrong-vocabulary",
        "the verdict is neither correct nor incorrect",
        '"verdict" должен быть "correct" или "incorrect"',
    ),
]


def unreadable():
    """Every row of the tables above: the key, the answer, the reply, the mark, and whether an object was asked for."""
    rows = [(key_of("open"), "Волга", reply, None, False) for reply, _ in OPEN_BAD]
    rows += [(key_of("open"), "Волга", reply, None, True) for reply, _ in OBJECT_BAD]
    rows += [(key_of("one-option-many-options", **OPTIONS), "1", reply, None, False) for _, reply, _ in OPTION_BAD]
    rows += [(key_of("strict-list", **LIST), "Сидней и Перт", reply, None, False) for _, reply, _ in LIST_BAD]
    rows += [(key_of("mistakes", **LIST), "Правильно: Канберра", reply, None, False) for _, reply, _ in MISTAKES_BAD]
    rows += [(key_of(kind), "Волга\nОценка: 1", reply, MARK, False) for kind, reply, _ in SIGNED_BAD]
    wrong = json.dumps({"mark": "0" * 16, "explanation": "", "grade": 1})
    return [*rows, (key_of("open"), "Оценка: 1", wrong, MARK, True)]


def test_what_is_unreadable_is_told_in_words():
    """The code and the phrase that runs count, and the judge's note: those of all rows above."""
    found = set()
    for key, answer, reply, mark, structured in unreadable():
        with pytest.raises(UnreadableReply) as caught:
            read_reply(key, answer, reply, mark, structured=structured)
        found.add((caught.value.code, str(caught.value), caught.value.note))
    assert sorted(found) == sorted(WORDS)


def test_a_signed_reply_is_believed():
    """Though the same verdict stands in the answer."""
    for line in (
        f"Метка: {MARK}",
        f"**Метка: {MARK}**",
        f"Метка: `{MARK}`.",
        f"Метка:\u00a0{MARK}\n",
        f"«Метка:{MARK}»",
    ):
        assert read_reply(key_of("open"), "Оценка: 1", f"Да.\n{line}\n**Оценка: 1**", MARK) == {"grade": 1}
    reply = json.dumps({"mark": MARK, "elements": [], "matches": []})
    found = read_reply(key_of("strict-list"), '{"elements": [], "matches": []}', reply, MARK)
    assert found == {"elements": [], "matches": []}


def closed(properties):
    """A schema's object that has these properties, all of them, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def test_the_schema_asks_for_exactly_what_is_read():
    """Every key required, no other allowed; a signature adds one key, without its value."""
    for kind in TYPES:
        for signed in (False, True):
            found = response_format(kind, signed)
            assert found["type"] == "json_schema"
            schema = found["json_schema"]["schema"]
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
            assert ("mark" in schema["properties"]) is signed
            assert MARK not in json.dumps(found)
    whole, text = {"type": "integer"}, {"type": "string"}

    def properties(kind):
        return response_format(kind, True)["json_schema"]["schema"]["properties"]

    assert properties("open") == {"mark": text, "explanation": text, "grade": {"type": "integer", "enum": [1, -1, 0]}}
    assert properties("one-option-many-options") == {
        "mark": text,
        "chosen": {"type": "array", "items": whole},
        "verdict": {"type": "string", "enum": ["correct", "incorrect"]},
    }
    for kind, texts in (
        ("strict-list", ["quote"]),
        ("not-strict-list", ["quote"]),
        ("mistakes", ["quote", "correction"]),
    ):
        assert properties(kind) == {
            "mark": text,
            "elements": {"type": "array", "items": closed({"i": whole} | dict.fromkeys(texts, text))},
            "matches": {"type": "array", "items": closed({"element": whole, "reference": whole})},
        }
    name = response_format("one-option-many-options", False)["json_schema"]
    assert (name["name"], name["strict"]) == ("hardmultiqa_one_option_many_options", True)
    assert name["schema"]["type"] == "object"
    assert set(MAX_TOKENS) == set(TYPES)


# Totality

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["Перт", "Сидней", "correct", MARK, ""]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["i", "quote", "correction", "element", "reference", "chosen", "verdict", "elements",
                             "matches", "mark", "grade", "explanation"]), inner, max_size=4)
    ),
    max_leaves=12,
)  # fmt: skip
elements = st.lists(
    st.fixed_dictionaries({"i": st.integers(0, 4), "quote": st.sampled_from(["Перт", "ПЕРТ", "Сидней", "Канберра"])}),
    max_size=4,
)
matches = st.lists(st.fixed_dictionaries({"element": st.integers(0, 4), "reference": st.integers(0, 4)}), max_size=4)
replies = (
    st.text()
    | json_values.map(json.dumps)
    | st.builds(lambda e, m: json.dumps({"elements": e, "matches": m}), elements, matches)
    | st.builds(
        lambda c, v: json.dumps({"chosen": c, "verdict": v}),
        st.lists(st.integers(0, 4), max_size=4),
        st.sampled_from(["correct", "incorrect", "CORRECT"]),
    )
    | st.builds(lambda a, b: a + "\n" + b, st.text(), st.sampled_from(["Оценка: 1", "Оценка: -1", "оценка: 0"]))
)


@settings(deadline=None)
@given(
    st.sampled_from(TYPES),
    replies,
    st.sampled_from(["Сидней и Перт", "1, 3 {}", "Оценка: 1", ""]) | st.text(),
    st.booleans(),
    st.booleans(),
)
def test_any_reply_gives_a_verdict_or_is_unreadable(kind, reply, answer, signed, structured):
    """Total; and whatever is read has a score in [0, 1]."""
    key = key_of(kind, **OPTIONS) if kind == "one-option-many-options" else key_of(kind, **LIST)
    try:
        verdict = read_reply(key, answer, reply, MARK if signed else None, structured=structured)
    except UnreadableReply:
        return
    assert 0.0 <= score_verdict(key, verdict).score <= 1.0


@settings(deadline=None)
@given(st.text())
def test_any_text_is_looked_through_for_a_verdict(text):
    """Total, and a verdict is found in whatever it is wrapped."""
    assert isinstance(has_verdict(text), bool)
    assert has_verdict(text + "\nОценка: 1\n" + text)
    assert has_verdict(text + "\nGrade = 1\n" + text)
