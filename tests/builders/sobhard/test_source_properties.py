"""What holds for every document and value: round trips, totality, line endings, agreement with other readers."""

import configparser
import csv
import io
import json
import random
import re
import xml.etree.ElementTree as ET

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from builders.sobhard.sources import NOTATIONS, Column, Layout, SourceRefused, read, write, yaml_source
from builders.sobhard.sources.model import same_value

# A busy machine is no failure; documents that are nearly right are rarely read by the typed notations.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
NO_CONTROLS = {"exclude_categories": ("Cs", "Cc")}
ANY = st.text(st.characters(**NO_CONTROLS) | st.sampled_from("\n\t"), max_size=12)
LINE = st.text(st.characters(**NO_CONTROLS) | st.sampled_from("ab01 -:#=,;|\\\"'<>&[]{}.\u00a0\u0306й"), max_size=12)
# No white space at the edges, nothing but plain spaces inside one by one.
TRIMMED = LINE.map(lambda text: " ".join(text.split()))
NAME = TRIMMED.filter(lambda text: text and not text.startswith("\ufeff"))


def _records(name, cell, columns=4):
    """Lists of objects of strings with the same keys, no record all empty."""
    names = st.lists(name, min_size=1, max_size=columns, unique=True)
    return names.flatmap(
        lambda keys: st.lists(
            st.tuples(*[cell] * len(keys)).filter(any).map(lambda cells: dict(zip(keys, cells, strict=True))),
            min_size=1,
            max_size=5,
        )
    )


SCALARS = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
    | st.sampled_from(
        ["yes", "n", "~", "null", "1e5", "010", "12:30", "2024-05-01", "", "- a", "a: b", "# x", "x\ny\n", "0x1F"]
    )
)
KEYS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


def _trees(leaf):
    return st.recursive(
        leaf, lambda node: st.lists(node, max_size=4) | st.dictionaries(KEYS, node, max_size=4), max_leaves=15
    )


JSON = _trees(st.none() | SCALARS).filter(lambda value: value is not None)
XML_NAME = st.from_regex(r"[a-zа-яA-Z_][a-z0-9а-я_.-]{0,6}", fullmatch=True)
XML_TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co"), exclude_characters="\ufffe\uffff"), max_size=9
).map(lambda text: " ".join(text.split()))
XML_NODE = st.recursive(
    XML_TEXT,
    lambda node: st.dictionaries(XML_NAME, node | st.lists(node, min_size=2, max_size=3), min_size=1, max_size=4),
    max_leaves=12,
)
KEY = st.from_regex(r"[a-zа-я_][a-z0-9а-я_.]{0,6}", fullmatch=True)
# What each notation must be able to hold, whatever else it may.
HELD = {
    "csv": _records(ANY.filter(lambda name: name.strip() and not name.startswith("\ufeff")), ANY),
    "scsv": _records(ANY.filter(lambda name: name.strip() and not name.startswith("\ufeff")), ANY),
    "tsv": _records(ANY.filter(lambda name: name.strip() and not name.startswith("\ufeff")), ANY),
    "fwf": _records(NAME, TRIMMED),
    "html": _records(NAME, TRIMMED),
    "mdtable": _records(NAME.filter(lambda name: "\\|" not in name), TRIMMED.filter(lambda cell: "\\|" not in cell)),
    "json": JSON,
    "jsonc": JSON,
    "yaml": JSON,
    "jsonl": st.lists(_trees(st.none() | SCALARS), min_size=1, max_size=5),
    "toml": st.dictionaries(KEYS, _trees(SCALARS), min_size=1, max_size=5),
    "xml": st.dictionaries(XML_NAME, XML_NODE, min_size=1, max_size=1),
    "ini": st.dictionaries(
        KEY.filter(lambda name: name != "default"), st.dictionaries(KEY, TRIMMED, max_size=4), min_size=1, max_size=4
    ),
    "properties": st.dictionaries(KEY, TRIMMED.filter(lambda text: not text.endswith("\\")), min_size=1, max_size=5),
    "logline": st.lists(st.dictionaries(KEY, ANY, min_size=1, max_size=4), min_size=1, max_size=4),
}
# Pieces that the notations' documents are made of, for documents that are nearly right.
PIECES = [
    *(
        "a",
        "b",
        "1",
        "1.5",
        "é",
        "😀",
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\n  ",
        ",",
        ";",
        "|",
        "|-|",
        "=",
        ": ",
        ":",
    ),
    *(
        '"',
        "'",
        '""',
        "\\",
        "\\|",
        "[",
        "]",
        "{",
        "}",
        "[s]",
        "[[t]]",
        "k = 1",
        'k="v"',
        "// c",
        "/*",
        "*/",
        "# c",
        "- ",
    ),
    *("null", "true", "<a>", "</a>", "<a b='c'/>", "&amp;", "&x;", "<!--", "-->", "<table>", "<tr><td>", "</td></tr>"),
    *("</table>", "? ", "&a ", "*a", "!t ", "---\n", ">\n", "|\n", "a,b\n1,2\n", "|a|\n|-|\n|1|\n", '{"a": [1]}'),
    *("a  b\n1  2\n", "\u2028", "\xa0", "\ufeff"),
]
DOCUMENTS = st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def _outcome(notation, text, layout=Layout()):  # noqa: B008 - an immutable default
    try:
        return "value", read(notation, text, layout)
    except SourceRefused as refusal:
        return "refused", refusal.code


@pytest.mark.parametrize("notation", NOTATIONS)
@UNTIMED
@given(data=st.data())
def test_round_trip(notation, data):
    """What a notation must hold is written, and read back as the same value, types included."""
    value = data.draw(HELD[notation])
    assert same_value(read(notation, write(notation, value)), value)


@pytest.mark.parametrize("notation", NOTATIONS)
@UNTIMED
@given(text=DOCUMENTS)
def test_every_text_has_an_outcome(notation, text):
    """Any text gets plain JSON data or a refusal, the same each time; what was read can be written or is refused."""
    kind, found = _outcome(notation, text)
    assert (kind, found) == _outcome(notation, text)
    if kind == "value":
        assert same_value(json.loads(json.dumps(found)), found)
        try:
            assert same_value(read(notation, write(notation, found)), found)
        except SourceRefused as refusal:
            assert refusal.code == "not-representable"  # noqa: PT017 - either outcome is right, no third one


@pytest.mark.parametrize("notation", NOTATIONS)
@UNTIMED
@given(text=DOCUMENTS)
def test_line_endings_and_mark_change_nothing(notation, text):
    """CRLF for LF and one U+FEFF at the front change neither value nor refusal."""
    assume("\r" not in text and not text.startswith("\ufeff"))
    assert _outcome(notation, "\ufeff" + text.replace("\n", "\r\n")) == _outcome(notation, text)


@UNTIMED
@given(records=_records(KEY, TRIMMED), attributes=st.frozensets(KEY))
def test_attributes_and_children_read_alike(records, attributes):
    """Which keys of an XML element are attributes changes the document, not the value."""
    value = {"r": {"e": [*records, *records]}}
    assert same_value(read("xml", write("xml", value, Layout(attributes=attributes))), value)


@UNTIMED
@given(records=_records(KEY, TRIMMED), widths=st.lists(st.integers(12, 20), min_size=4, max_size=4))
def test_fixed_columns_round_trip(records, widths):
    """Columns of a layout as wide as their values hold them, touching or apart."""
    names = list(records[0])
    starts = [sum(widths[:place]) for place in range(len(names))]
    layout = Layout(columns=tuple(Column(name, start, start + 12) for name, start in zip(names, starts, strict=True)))
    assert same_value(read("fwf", write("fwf", records, layout), layout), records)


@UNTIMED
@given(records=_records(KEY, st.text("abc0é.", min_size=1, max_size=5)))
def test_log_patterns_round_trip(records):
    """A pattern whose separators no field holds gives the records back."""
    layout = Layout(pattern="[" + "] - [".join(f"<{name}>" for name in records[0]) + "]")
    assert same_value(read("logline", write("logline", records, layout), layout), records)


@UNTIMED
@given(value=JSON, notes=st.lists(LINE, max_size=3))
def test_comments_change_nothing(value, notes):
    """JSON with comments reads as without."""
    assert same_value(read("jsonc", write("jsonc", value, Layout(notes=tuple(notes)))), value)


def _second_csv(delimiter):
    def reader(text):
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]
        return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]

    return reader


def _second_ini(text):
    parser = configparser.ConfigParser(
        strict=False, interpolation=None, default_section="\n", empty_lines_in_values=False
    )
    parser.optionxform = str
    parser.read_string(text)
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _second_properties(text):
    lines = [line.strip() for line in text.split("\n")]
    pairs = [line.split("=", 1) for line in lines if line and line[0] not in "#!"]
    return {key.strip(): value.strip() for key, value in pairs}


def _second_xml(text):
    def value(element):
        children = {child.tag: element.findall(child.tag) for child in element}
        text = (element.text or "").strip()
        if not children and not element.attrib:
            return text
        made = {**element.attrib, **({"text": text} if text else {})}
        return made | {
            tag: value(found[0]) if len(found) == 1 else list(map(value, found)) for tag, found in children.items()
        }

    root = ET.fromstring(text)
    return {root.tag: value(root)}


def _second_mdtable(text):
    rows = [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        for line in text.strip().split("\n")
    ]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


SECOND = {
    "csv": _second_csv(","),
    "scsv": _second_csv(";"),
    "tsv": _second_csv("\t"),
    "ini": _second_ini,
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.split("\n") if line.strip()],
    "mdtable": _second_mdtable,
    "properties": _second_properties,
    "xml": _second_xml,
    "yaml": yaml.safe_load,
}


@pytest.mark.parametrize("notation", SECOND)
@UNTIMED
@given(data=st.data())
def test_a_second_reader_agrees(notation, data):
    """Another reader of the same convention, written apart, gets the same from written documents and near misses."""
    text = data.draw(HELD[notation].map(lambda value: write(notation, value)) | DOCUMENTS).lstrip("\ufeff")
    kind, found = _outcome(notation, text)
    assume(kind == "value")
    assume(notation != "xml" or ":" not in text)  # ElementTree resolves prefixes
    assert same_value(SECOND[notation](text.replace("\r\n", "\n")), found)


YAML_PIECES = [
    *(
        "a",
        "b: ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        '"',
        "'",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ",",
        ":",
        ": ",
        " # c",
        "|",
        ">",
        "|-",
    ),
    *(
        ">+\n",
        "? ",
        "&a ",
        "*a",
        "!t ",
        "%",
        "---",
        "...",
        "~",
        "1",
        "1.5",
        "é",
        "😀",
        " ",
        "  ",
        "\t",
        "\\",
        "\\n",
        "x y",
    ),
    *("-", "@", "`", "=", "\xa0", "''", "0", "null", "|2", "k: |\n  t\n", "- a\n", "k: v\n", '"a": 1\n'),
]


@pytest.mark.skipif(not hasattr(yaml, "CLoader"), reason="PyYAML was built without libyaml: there is one parser only")
def test_the_two_yaml_parsers_agree(monkeypatch):
    """libyaml and the pure parser give one value, or both a refusal, on 4 000 documents that are nearly right."""
    source = random.Random(20)
    for _ in range(4000):
        text = "".join(source.choices(YAML_PIECES, k=source.randint(1, 12)))
        outcomes = []
        for loader in (yaml.CLoader, yaml.Loader):
            monkeypatch.setattr(yaml_source, "_LOADER", loader)
            outcomes.append(_outcome("yaml", text))
        assert outcomes[0][0] == outcomes[1][0], text
        assert outcomes[0][0] == "refused" or same_value(outcomes[0][1], outcomes[1][1]), text
