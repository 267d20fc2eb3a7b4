"""The hand tables of the source notations: what each reads, what each refuses, what each writes."""

import re

import pytest
from source_cases import NOT_WRITTEN, READ, REFUSED, WITH_LAYOUT, WRITTEN

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
)
from builders.sobhard.sources.model import same_value


def _ids(cases):
    return [f"{case[0]} - {case[1]}" for case in cases]


def _flat(tables):
    return [(notation, *case) for notation, cases in tables.items() for case in cases]


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


@pytest.mark.parametrize(("notation", "title", "text", "value"), _flat(READ), ids=_ids(_flat(READ)))
def test_reads(notation, title, text, value):
    """A document gets its one value, types and key order included."""
    found = read(notation, text)
    assert same_value(found, value), found
    assert _order(found) == _order(value)


@pytest.mark.parametrize(("notation", "title", "text", "code"), _flat(REFUSED), ids=_ids(_flat(REFUSED)))
def test_refuses(notation, title, text, code):
    """A document without one reading is refused under a stable code, with one sentence of reason."""
    assert _outcome(notation, text) == code


@pytest.mark.parametrize(("notation", "title", "layout", "text", "expected"), WITH_LAYOUT, ids=_ids(WITH_LAYOUT))
def test_layouts(notation, title, layout, text, expected):
    """A layout changes the reading as it says."""
    assert _outcome(notation, text, layout) == expected


@pytest.mark.parametrize(("notation", "title", "layout", "value", "text"), WRITTEN, ids=_ids(WRITTEN))
def test_writes(notation, title, layout, value, text):
    """A value gets its document, character by character."""
    assert write(notation, value, layout) == text


@pytest.mark.parametrize(("notation", "title", "layout", "value"), NOT_WRITTEN, ids=_ids(NOT_WRITTEN))
def test_does_not_write(notation, title, layout, value):
    """A value the notation cannot hold is refused, never written as another."""
    with pytest.raises(SourceRefused) as refused:
        write(notation, value, layout)
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
    assert set(NOTATIONS) == set(READ) == set(REFUSED) == {case[0] for case in WRITTEN}
    shown = {code for cases in REFUSED.values() for *_, code in cases}
    assert shown | {"not-representable"} == set(REFUSALS)
    for cases in (_flat(READ), _flat(REFUSED)):
        assert len({(case[0], case[1]) for case in cases}) == len(cases)
        assert len({(case[0], case[2]) for case in cases}) == len(cases)


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
