"""The hand tables of the source notations: what each reads, what each refuses, what each writes."""

import re

import pytest
from source_cases import each, load_cases

from builders.sobhard.sources import (
    NOTATIONS,
    REFUSALS,
    Column,
    Layout,
    LayoutError,
    SourceRefused,
    convention,
    read,
    write,
    xml_attributes,
)
from builders.sobhard.sources.model import same_value

READ, REFUSED, LAYOUTS, WRITTEN, NOT_WRITTEN = map(load_cases, ("read", "refused", "layouts", "written", "not_written"))


def _outcome(notation, text, layout=Layout()):  # noqa: B008 - an immutable default
    """The value, or the code of the refusal if its reason is a sentence."""
    try:
        return read(notation, text, layout)
    except SourceRefused as refusal:
        return refusal.code if refusal.reason and "\n" not in refusal.reason else f"no reason: {refusal}"


def _order(value):
    """Every object's keys in their order, depth first."""
    if isinstance(value, dict):
        return [list(value), *map(_order, value.values())]
    return list(map(_order, value)) if isinstance(value, list) else None


@each(READ)
def test_reads(case):
    """A document gets its one value, types and key order included."""
    found = read(case["notation"], case["text"])
    assert same_value(found, case["value"]), found
    assert _order(found) == _order(case["value"])


@each(REFUSED)
def test_refuses(case):
    """A document without one reading is refused under a stable code, with one sentence of reason."""
    assert _outcome(case["notation"], case["text"]) == case["code"]


@each(LAYOUTS)
def test_layouts(case):
    """A layout changes the reading as it says."""
    expected = case["code"] if "code" in case else case["value"]
    assert _outcome(case["notation"], case["text"], case["layout"]) == expected


@each(WRITTEN)
def test_writes(case):
    """A value gets its document, character by character."""
    assert write(case["notation"], case["value"], case["layout"]) == case["text"]


@each(NOT_WRITTEN)
def test_does_not_write(case):
    """A value the notation cannot hold is refused, never written as another."""
    with pytest.raises(SourceRefused) as refused:
        write(case["notation"], case["value"], case["layout"])
    assert refused.value.code == "not-representable"


def test_a_tuple_is_no_list():
    """A value that JSON would write as another is refused."""
    with pytest.raises(SourceRefused) as refused:
        write("json", {"a": (1,)})
    assert refused.value.code == "not-representable"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (None, "null-document"),
        ([2**63], "number-range"),
        ([float("nan")], "number-range"),
        (["\ud800"], "lone-surrogate"),
        ({1: "x"}, "key-not-string"),
    ],
    ids=["null", "65 bits", "not a number", "half a pair", "a key that is a number"],
)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_writes_json_data_alone(notation, value, code):
    """What no reader gives, no writer takes."""
    with pytest.raises(SourceRefused) as refused:
        write(notation, value)
    assert refused.value.code == code


def test_a_value_that_holds_itself_is_refused():
    """A cycle is too deep, not endless."""
    value = []
    value.append(value)
    with pytest.raises(SourceRefused, match="too-deep"):
        write("json", value)


def test_every_notation_and_code_is_shown():
    """The tables cover the fifteen notations both ways and every code a reader has."""
    assert len(NOTATIONS) == 15
    for cases in (READ, REFUSED, WRITTEN):
        assert {case["notation"] for case in cases} == set(NOTATIONS)
    assert {case["code"] for case in REFUSED} | {"not-representable"} == set(REFUSALS)


@pytest.mark.parametrize("cases", [READ, REFUSED, LAYOUTS, WRITTEN, NOT_WRITTEN], ids=lambda cases: str(len(cases)))
def test_cases_are_told_apart(cases):
    """No two cases of a table have one title, or ask one thing of a notation."""
    assert len({(case["notation"], case["is"]) for case in cases}) == len(cases)
    asked = "text" if cases in (READ, REFUSED, LAYOUTS) else "value"
    assert len({(case["notation"], repr(case[asked]), case["layout"]) for case in cases}) == len(cases)


@pytest.mark.parametrize(
    ("cases", "answer"),
    [(READ, "value"), (REFUSED, "code"), (LAYOUTS, "value code"), (WRITTEN, "text"), (NOT_WRITTEN, "")],
    ids=["read", "refused", "layouts", "written", "not_written"],
)
def test_cases_have_the_fields_of_their_table(cases, answer):
    """A misspelled field is found: a case has a question and one answer, and nothing that no test reads."""
    given = {"is", "notation", "layout", "value" if cases in (WRITTEN, NOT_WRITTEN) else "text"}
    answers = [{name} for name in answer.split()] or [set()]
    for case in cases:
        assert set(case) in [given | one for one in answers], case
        assert all(type(case[name]) is str for name in {"is", "notation", "text", "code"} & set(case)), case


@pytest.mark.parametrize("notation", NOTATIONS)
def test_conventions(notation):
    """A convention is a few Russian sentences of one paragraph, and each notation has its own."""
    entry = NOTATIONS[notation]
    assert entry.id == notation
    assert entry.description.endswith(".")
    text = convention(notation)
    sentences = re.findall(r"[.!?](?:\s|$)", text)
    assert 2 <= len(sentences) <= 4
    assert "\n" not in text
    assert text.endswith(".")
    assert sum("а" <= letter.lower() <= "я" for letter in text) > len(text) / 2
    assert [name for name, other in NOTATIONS.items() if other.convention == entry.convention] == [notation]


def test_conventions_state_the_layout():
    """Names, places, pattern and comments of a layout stand in the convention, places counted from one."""
    assert "колонки по порядку: a, b;" in convention("csv", Layout(names=("a", "b")))
    assert "имена колонок" not in convention("tsv", Layout(names=("a", "b")))
    fixed = convention("fwf", Layout(columns=(Column("a", 0, 2), Column("b", 4, None)), comment="#"))
    assert "a — 1–2; b — с 5 до конца строки" in fixed
    assert fixed.endswith("Строки, которые начинаются с #, пропускаются.")
    assert "записи вида" not in fixed
    assert "вида <a> - <b>," in convention("logline", Layout(pattern="<a> - <b>"))
    assert convention("jsonc", Layout(notes=("x",))) == convention("jsonc")


@pytest.mark.parametrize(
    ("notation", "layout"),
    [
        ("csv", Layout(pattern="<a>")),
        ("json", Layout(comment="#")),
        ("yaml", Layout(notes=("x",))),
        ("fwf", Layout(columns=(Column("a", 0, 4), Column("b", 3, 6)))),
        ("fwf", Layout(columns=(Column("a", 0, None), Column("b", 3, 6)))),
        ("fwf", Layout(columns=(Column("a", 4, 4),))),
        ("fwf", Layout(columns=(Column("a", -1, 4),))),
        ("logline", Layout(pattern="no fields")),
        ("logline", Layout(pattern="<a> <a>")),
        ("logline", Layout(pattern="<a><b>")),
        ("logline", Layout(pattern="<a> > <b>")),
    ],
    ids=str,
)
def test_layouts_that_describe_nothing(notation, layout):
    """A layout the notation does not follow, or that describes no documents, is the caller's mistake and says so."""
    with pytest.raises(LayoutError):
        read(notation, "x  y\n1  2\n", layout)
    with pytest.raises(LayoutError):
        write(notation, [{"a": "1", "b": "2"}], layout)


def test_an_unknown_notation_is_a_mistake_of_the_caller():
    """No notation is guessed."""
    with pytest.raises(KeyError):
        read("sql", "x")


def test_xml_is_written_as_it_was():
    """With the attributes of a document its value is written with the same elements, namespaces among them."""
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<x:a xmlns:x="u" x:k="1">\n  <b n="2">t</b>\n  <b n="3"/>\n</x:a>\n'
    assert xml_attributes("\ufeff" + text) == {"xmlns:x", "x:k", "n"}
    assert write("xml", read("xml", text), Layout(attributes=xml_attributes(text))) == text
