"""Breaks of repair questions: refused each by itself, nothing lost, the same for a seed."""

import re
from random import Random

import pytest

from builders.sobhard import sources
from builders.sobhard.breaks import BREAKABLE, BREAKS, BreakRefused, break_document, with_edits
from builders.sobhard.rows import complete, single
from builders.sobhard.sources import Layout
from builders.sobhard.sources.model import PLAIN

CONFIG = {
    "name": "служба",
    "debug": False,
    "port": 8080,
    "note": "чай & мёд < 5, «x»",
    "owner": {"city": "Омск", "floor": 3, "open": True},
    "hosts": [{"id": "alpha", "rate": 10, "zone": "a"}, {"id": "beta", "rate": 2.5, "zone": "b"}],
    "tags": ["x y", "z"],
}
ROWS = [
    {
        "id": str(n),
        "title": f'бумага "A{n}", л.' if n % 3 else "лист",
        "note": f"так, так; {n}\tда" if n % 2 else f"строка {n}",
    }
    for n in range(9)
]
ELEMENT = {
    "catalogue": {
        "version": "2",
        "section": [
            {"id": "s1", "item": [{"sku": "P-1", "title": "Бумага & клей"}, {"sku": "P-2", "title": "до 5 < 9"}]},
            {"id": "s2", "item": [{"sku": "W-1", "title": "Ручка"}, {"sku": "W-2", "title": "Перо"}]},
        ],
    }
}
SECTIONS = {"server": {"host": "alpha", "port": "8080"}, "store": {"path": "data", "days": "030"}}
VALUES = {
    "json": CONFIG,
    "jsonc": CONFIG,
    "yaml": CONFIG,
    "toml": CONFIG,
    "jsonl": [{**CONFIG, "port": n} for n in range(4)],
    "xml": ELEMENT,
    "ini": SECTIONS,
    "csv": ROWS,
    "scsv": ROWS,
    "tsv": ROWS,
}
LAYOUTS = {"xml": Layout(attributes=frozenset({"id"})), "jsonc": Layout(notes=("заметка: «а», {б}", "ещё"))}


def document(notation):
    """A text with room for every kind, and its layout."""
    layout = LAYOUTS.get(notation, PLAIN)
    text = sources.write(notation, VALUES[notation], layout)
    return text.replace("tags:\n  - x y\n  - z", "tags: [x y, z]"), layout


def refused(notation, text, layout):
    """Whether the strict reader stops."""
    try:
        sources.read(notation, text, layout)
    except sources.SourceRefused:
        return True
    return False


def words(text):
    """Names and values: runs of letters and digits, with the literals of Python as those of JSON."""
    same = {"True": "true", "False": "false", "None": "null"}
    return [same.get(word, word) for word in re.findall(r"\w+", text.replace("&amp;", "&").replace("&lt;", "<"))]


def is_part(few, many):
    """Whether one list is in another, in its order."""
    rest = iter(many)
    return all(word in rest for word in few)


PAIRS = [(kind, notation) for kind in BREAKS for notation in kind.notations]


@pytest.mark.parametrize(("kind", "notation"), PAIRS, ids=[f"{kind.id}-{notation}" for kind, notation in PAIRS])
def test_a_kind_has_a_place_that_the_reader_refuses_and_loses_nothing(kind, notation):
    """At least one; no place takes a word away, and only doubled tags and swapped ones add or move any."""
    text, layout = document(notation)
    edits = kind.sites(text, notation)
    assert edits
    broken = [with_edits(text, [edit]) for edit in edits]
    assert any(refused(notation, one, layout) for one in broken)
    for one in broken:
        assert one != text
        if kind.id == "xml.crossed":
            assert sorted(words(one)) == sorted(words(text))
        elif kind.id == "xml.unclosed":  # the name of the tag still stands in the opening one
            assert set(words(one)) == set(words(text))
        else:
            assert is_part(words(text), words(one))
            assert words(one) == words(text) or kind.id == "xml.closed-twice"


def test_there_are_kinds_enough_with_their_reasons():
    """About nineteen over five notations and more; each says why one reading is left."""
    assert len({kind.id for kind in BREAKS}) == len(BREAKS) >= 19
    assert set(BREAKABLE) == set(VALUES)
    assert all(len(kind.clear) > 15 for kind in BREAKS)


@pytest.mark.parametrize("notation", BREAKABLE)
@pytest.mark.parametrize("count", [1, 3])
def test_a_broken_document_is_the_same_for_a_seed(notation, count):
    """The reader refuses it; no word is lost; so many kinds as asked, told apart where they can be."""
    text, layout = document(notation)
    seen = set()
    for seed in range(12):
        broken, kinds = break_document(Random(seed), notation, text, layout, count)
        assert (broken, kinds) == break_document(Random(seed), notation, text, layout, count)
        assert refused(notation, broken, layout)
        assert len(kinds) == count
        assert set(words(broken)) == set(words(text))
        seen.update(kinds)
    assert len(seen) > 1


@pytest.mark.parametrize(
    ("kind", "notation", "text", "broken"),
    [
        ("json.python-literal", "json", '{"a": null}', '{"a": None}'),
        ("json.trailing-comma", "json", '{"a": 1}', '{"a": 1,}'),
        ("json.missing-comma", "json", '{"a": "x,", "b": 1}', '{"a": "x," "b": 1}'),
        ("json.doubled-comma", "json", '{"a": [1, 2], "b": 1}', '{"a": [1, 2],, "b": 1}'),
        ("json.bare-key", "json", '{"a": 1}', "{a: 1}"),
        ("json.open-key", "json", '{"a": "b: c"}', '{"a: "b: c"}'),
        ("json.equals-for-colon", "jsonc", '{"a": 1 /* "b": 2 */}', '{"a" = 1 /* "b": 2 */}'),
        ("json.other-bracket", "json", '["]"]', '["]"}'),
        ("json.missing-last-bracket", "json", '{"a": {}}', '{"a": {}'),
        ("jsonl.joined-lines", "jsonl", "1\n2", "1 2"),
        ("jsonl.comma-after-line", "jsonl", "[1]\n[2]\n", "[1],\n[2]\n"),
        ("jsonl.split-record", "jsonl", '{"a": 1, "b": 2}', '{"a": 1,\n"b": 2}'),
        ("yaml.no-space", "yaml", "a: 1\nb: |\n  c: 2\n", "a:1\nb: |\n  c: 2\n"),
        ("yaml.shifted", "yaml", "a: 1\nb: 2\nc:\n  d: 3\n", "a: 1\n b: 2\nc:\n  d: 3\n"),
        ("yaml.tab", "yaml", "c:\n  d: 3\n  e: 4\n", "c:\n  d: 3\n\te: 4\n"),
        ("yaml.open-bracket", "yaml", "a: [1, 2]\nb: 1\n", "a: [1, 2\nb: 1\n"),
        ("toml.bare-text", "toml", 'a = "x"\nb = "true"\nc = "x y"\n', 'a = x\nb = "true"\nc = "x y"\n'),
        ("toml.open-quote", "toml", 'a   =  "x y"\nb = """\nc = "z"\n"""\n', 'a   =  "x y\nb = """\nc = "z"\n"""\n'),
        ("toml.open-header", "toml", "[a.b]\nc = [1]\n", "[a.b\nc = [1]\n"),
        ("xml.crossed", "xml", "<a><b>x</b></a>", "<a><b>x</a></b>"),
        ("xml.raw-mark", "xml", "<a>x &amp; y &amp;z</a>", "<a>x & y &amp;z</a>"),
        ("xml.bare-attribute", "xml", "<a id='1' x=\"y z\"/>", '<a id=1 x="y z"/>'),
        ("table.raw-quote", "csv", 'a,b\n"x ""y"", z",1\n', 'a,b\n"x "y"", z",1\n'),
        ("table.extra-delimiter", "csv", "a,b\n1,2\n3,\n", "a,b\n1,2,\n3,\n"),
        ("table.extra-delimiter", "csv", 'a,b\n1,"x\ny,z\n"\n3,4\n', 'a,b\n1,"x\ny,z\n"\n3,4,\n'),
        ("table.doubled-delimiter", "tsv", "a\tb\n1\t2\n3\t\n", "a\tb\n1\t\t2\n3\t\n"),
        ("table.other-delimiter", "csv", "a,b\n1,2;\n", "a,b\n1|2;\n"),
        ("ini.doubled-bracket", "ini", "[a]\nb = [x]\n", "[a]]\nb = [x]\n"),
        ("table.joined-rows", "scsv", "a;b\n1;2\n3;\n", "a;b\n1;2;3;\n"),
        ("ini.unopened-section", "ini", "[a]\nb = 1\n", "a]\nb = 1\n"),
        ("ini.no-sign", "ini", "[a]\nb = 1\nc = x y\n", "[a]\nb 1\nc = x y\n"),
    ],
)
def test_a_break_stands_where_it_can_be_mended_in_one_way(kind, notation, text, broken):
    """The one place of each text; what stands in strings, blocks and comments is no place."""
    (found,) = [one for one in BREAKS if one.id == kind]
    assert broken in [with_edits(text, [edit]) for edit in found.sites(text, notation)]
    assert len(found.sites(text, notation)) == 1
    assert refused(notation, broken, PLAIN)


def test_a_document_without_room_is_refused():
    """No break is given up in silence, none is put beside another."""
    with pytest.raises(BreakRefused, match="of 9 breaks"):
        break_document(Random(0), "ini", "[a]\nb = 1\n", PLAIN, 9)
    with pytest.raises(BreakRefused, match="0 of 1"):
        break_document(Random(0), "mdtable", "| a |\n| - |\n| 1 |\n", PLAIN, 1)


@pytest.mark.parametrize("notation", BREAKABLE)
def test_a_broken_document_makes_a_question(notation):
    """The recipe carries the text and its kinds."""
    text, layout = document(notation)
    broken, kinds = break_document(Random(5), notation, text.removesuffix("\n"), layout, 2)
    recipe = {"family": "repair", "difficulty": "easy", "style": "spec", "document": "d", "source": notation}
    recipe |= {"target": "json", "program": [{"rule": "sort_keys"}], "broken": broken, "kinds": kinds}
    if notation == "xml":
        recipe["layout"] = {"attributes": ["id"]}
    row = single(recipe, {"d": VALUES[notation]})
    complete([row], [])
    assert row["inputs"]["input_data"] == broken
