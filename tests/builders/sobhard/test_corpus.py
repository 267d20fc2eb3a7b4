"""The documents of the corpus: this project's own, and the fetched ones where the cache has them."""

import re
from itertools import pairwise

import pytest

from builders.sobhard import sources
from builders.sobhard.corpus import CorpusError, default_cache, load_documents, renderings, survey
from builders.sobhard.corpus.cutting import part_text
from builders.sobhard.corpus.dirt import Dirt, dirt, total
from builders.sobhard.corpus.fetching import checked_bytes
from builders.sobhard.corpus.model import Document, Refusal, is_held_back
from builders.sobhard.corpus.pins import BUILTIN, FILES, File, Part, load_files, load_packages, load_refused
from builders.sobhard.operations import addressable
from builders.sobhard.sources import NOTATIONS, REFUSALS, Layout, SourceRefused
from builders.sobhard.sources.model import same_value

TABLES = (BUILTIN / FILES.name, FILES)
TREES = {"json", "jsonc", "toml", "xml", "yaml"}
GROUPS = {
    "records": {"csv", "tsv", "scsv", "fwf", "html", "mdtable", "logline"},
    "lines": {"jsonl"},
    "trees": TREES,
    "maps": {"properties", "ini"},
}


@pytest.fixture(scope="module")
def builtin():
    return load_documents("builtin")


@pytest.fixture(scope="module")
def fetched():
    cache = default_cache()
    if any(checked_bytes(cache, file) is None for file in load_files()):
        pytest.skip(f"the corpus is not in {cache}: python -m builders.sobhard.corpus fetch")
    return survey(cache)


def _written(document):
    """The value once more, written anew in the document's own notation: an edited copy is."""
    text = sources.write(document.notation, document.value, document.layout)
    return sources.read(document.notation, text, document.layout)


def _keys(value):
    """The keys of all objects in a value."""
    if isinstance(value, dict):
        yield from value
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(entry)


def _proven(documents):
    """The documents hold what they say, sorted and told apart."""
    ids = [document.id for document in documents]
    assert ids == sorted(set(ids))
    for document in documents:
        assert same_value(sources.read(document.notation, document.text, document.layout), document.value), document.id
        assert same_value(_written(document), document.value), document.id
        assert "\r" not in document.text
        assert not document.text.startswith("\ufeff")


def test_builtin_documents(builtin):
    """Every notation, every group in three lengths, nothing held back, addressable keys, dirt of every kind."""
    _proven(builtin)
    assert {document.notation for document in builtin} == set(NOTATIONS)
    assert not any(document.held_back for document in builtin)
    assert all(addressable(key) and key.isprintable() for document in builtin for key in _keys(document.value))
    for group, notations in GROUPS.items():
        sizes = [len(document.text) for document in builtin if document.notation in notations]
        assert min(sizes) < 4_000, group
        assert any(4_000 <= size < 10_000 for size in sizes), group
        assert max(sizes) >= 10_000, group
    assert min(total(map(dirt, builtin))) > 50
    assert survey("builtin")[1] == []


def test_builtin_size():
    """The committed corpus stays small."""
    assert sum(path.stat().st_size for path in BUILTIN.iterdir()) < 300_000


def test_fetched_documents(fetched):
    """All of them read, none is refused; a part is held back, of every group; the longest is shipped."""
    documents, refused = fetched
    _proven(documents)
    assert refused == []
    assert (len(load_files()), len(documents)) == (114, 200)
    shipped = [document for document in documents if not document.held_back]
    assert len(shipped) == 140
    assert 60_000 < max(len(document.text) for document in shipped) < 63_000
    for notations in GROUPS.values():
        assert {document.held_back for document in documents if document.notation in notations} == {True, False}


@pytest.mark.parametrize("table", TABLES, ids=["builtin", "fetched"])
def test_files(table):
    """Ids and origins are unique, and two documents of one file share nothing."""
    files = load_files(table)
    assert len({file.id for file in files}) == len({file.origin for file in files}) == len(files)
    for file in files:
        assert re.fullmatch(r"[a-z0-9-]+", file.id)
        assert len(set(file.parts)) == len(file.parts)
        by_place = {}
        for part in file.parts:
            by_place.setdefault((part.table, part.lines, part.path), []).append(part.rows)
        for rows in by_place.values():
            assert None not in rows or len(rows) == 1
            assert all(left[1] <= right[0] for left, right in pairwise(sorted(row for row in rows if row)))
        paths = [part.path or "$" for part in file.parts if file.notation in TREES]
        assert not any(one != two and two.startswith(one) for one in paths for two in paths), file.id


def test_packages():
    """Wheels that run everywhere, pinned and small enough; every file stands in one of them."""
    packages = load_packages()
    assert sum(package.size for package in packages) < 120_000_000
    for package in packages:
        assert package.wheel.endswith("-none-any.whl")
        assert re.fullmatch("[0-9a-f]{64}", package.sha256)
        assert package.licence
        assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in package.files)


def test_refused_files_have_known_codes():
    """What was looked at and left out says why, in the words of readers and of admission."""
    from builders.sobhard.corpus.admission import RULES

    refused = load_refused()
    assert len(refused) > 20
    assert {one.code for one in refused} <= {*REFUSALS, *RULES}
    assert not {one.id for one in refused} & {file.id for file in load_files()}


def test_an_empty_cache_is_an_error(tmp_path):
    """What is missing is named, with what would work."""
    with pytest.raises(CorpusError, match=r"does not hold csv/airports\.csv.*--corpus builtin"):
        load_documents(tmp_path)


def test_held_back_is_drawn_by_the_id():
    """About a quarter, the same on every machine."""
    names = [f"document {number}" for number in range(2000)]
    assert 0.23 < sum(map(is_held_back, names)) / len(names) < 0.29
    assert is_held_back("xml-pdb2pqr-topology") is False
    assert is_held_back("csv-airportsdata-airports#rows0-30") is is_held_back("csv-airportsdata-airports#rows0-30")


def test_renderings(builtin):
    """The notations that hold a value, its own left out; each gives the value back."""
    documents = {document.id: document for document in builtin}
    assert {"csv", "html", "jsonl", "yaml"} <= set(renderings(documents["builtin-sklad"]))
    assert set(renderings(documents["builtin-stend"])) == {"json", "yaml"}  # numbers and null: no untyped notation
    for document in builtin:
        assert document.notation not in renderings(document)
        for name in renderings(document):
            assert same_value(sources.read(name, sources.write(name, document.value)), document.value)
    assert renderings(documents["builtin-sklad"]) is renderings(documents["builtin-sklad"])


def test_another_text_of_the_same_id_has_renderings_of_its_own():
    """As many characters are not the same text."""
    one, other = (_document([{"a": name}], text=f'[{{"a": "{name}"}}]') for name in "xy")
    assert renderings(one)["csv"] == "a\nx\n"
    assert renderings(other)["csv"] == "a\ny\n"


def _document(value, notation="json", text="x" * 500):
    return Document("d", "json/d.json", notation, value, Layout(), text, False)


def test_dirt():
    """Each kind is counted where it stands, in keys and values."""
    value = {
        "цена": "007",
        "Цена": "1.10",
        "quote": 'a "b"',
        "lines": "x\ny",
        "emoji": "🙂𝟚",
        "number": 7,
        "text": "12",
        "aa": 1,
        "ab": 2,
    }
    found = dirt(_document(value))
    assert found == Dirt(
        emoji=1, astral=2, quotes=1, line_breaks=1, number_strings=3, near_twins=2, not_latin=8, cyrillic=8
    )
    # In an untyped notation "12" stays "12" when it is read as a number.
    assert dirt(_document(value, "properties")).number_strings == 2
    assert total([found, found]).astral == 4
    assert total([]) == Dirt()


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        (["alpha2", "alpha3"], 2),
        (["user_id", "userId", "name"], 2),
        (["colour", "color"], 2),
        (["a", "b"], 0),
        (["price", "total"], 0),
    ],
)
def test_near_twins(keys, count):
    """Case, separators, or one character; short keys are no twins."""
    assert dirt(_document(dict.fromkeys(keys, 1))).near_twins == count


FILE = File("f", "csv", "f.csv", "f.csv", "", "utf-8", Layout(), ())
CUTS = {
    "a quoted line break is no row's end": ("csv", 'a,b\n1,"x\n2"\n3,4\n', Part(rows=(0, 1)), 'a,b\n1,"x\n2"\n'),
    "comments belong to the row after": (
        "csv",
        "a,b\n1,2\n# c\n3,4\n",
        Part(rows=(1, 2)),
        "a,b\n# c\n3,4\n",
        Layout(comment="#"),
    ),
    "names of a layout": ("tsv", "1\t2\n3\t4", Part(rows=(1, 2)), "3\t4\n", Layout(names=("a", "b"))),
    "fixed width": ("fwf", "a  b\n1  2\n3  4\n", Part(rows=(1, 2)), "a  b\n3  4\n"),
    "lines, then rows": (
        "fwf",
        "title\n1 2\n3 4\nend\n",
        Part(lines=(1, 3), rows=(1, 2)),
        "3 4\n",
        Layout(columns=(sources.Column("a", 0, 1), sources.Column("b", 2, 3))),
    ),
    "a Markdown table of a page": (
        "mdtable",
        "x\n\n|a|\n|-|\n|1|\n|2|\n",
        Part(table=0, rows=(1, 2)),
        "|a|\n|-|\n|2|\n",
    ),
    "an HTML table of a page": (
        "html",
        "<p><table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td>1</td></tr>\n<tr><td>2</td></tr>\n</tbody></table>",
        Part(table=0, rows=(0, 1)),
        "<table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td>1</td></tr>\n\n</tbody></table>",
    ),
    "sections": ("ini", "; c\n[a]\nx = 1\n[b]\ny = 2\n", Part(rows=(1, 2)), "[b]\ny = 2\n"),
    "pairs": ("properties", "! c\na = 1\n\nb = 2\n", Part(rows=(1, 2)), "\nb = 2\n"),
    "records of JSON Lines": ("jsonl", '{"a":1}\n{"a":2}\n', Part(rows=(1, 2)), '{"a":2}\n'),
    "log lines": ("logline", "a=1\nb=2\n", Part(rows=(0, 1)), "a=1\n"),
    "entries of an object": ("json", '{"a": {"b": 1, "c": 2}}', Part(path="$.a", rows=(1, 2)), '{\n  "c": 2\n}\n'),
    "a key in quotes, an index": ("yaml", "a.b:\n  - x: 1\n  - x: 2\n", Part(path='$["a.b"][1]'), "x: 2\n"),
    "elements": (
        "xml",
        '<r k="1"><a/>\n<b>2</b><c/></r>',
        Part(rows=(1, 2)),
        '<r k="1"><b>2</b></r>\n',
    ),
    "an element with its namespace": (
        "xml",
        '<r xmlns:p="u"><p:a>1</p:a></r>',
        Part(path="{u}a"),
        '<p:a xmlns:p="u">1</p:a>\n',
    ),
}


@pytest.mark.parametrize("case", CUTS.values(), ids=CUTS)
def test_cuts(case):
    """A part is cut with what it needs to be read, from the file's own characters where it can be."""
    notation, text, part, expected, *layout = case
    file = FILE._replace(notation=notation, layout=layout[0] if layout else Layout())
    assert part_text(file, part, text) == expected


@pytest.mark.parametrize(
    ("notation", "text", "part"),
    [
        ("csv", "a\n1\n", Part(rows=(0, 2))),
        ("json", "[1]", Part(rows=(0, 2))),
        ("json", '{"a": 1}', Part(path="$.b")),
        ("json", '{"a": 1}', Part(path="$..a")),
        ("json", '{"a": 1}', Part(path="$.a", rows=(0, 1))),
        ("html", "<p>", Part(table=0)),
        ("xml", "<a/>", Part(path="b")),
    ],
)
def test_parts_that_are_not_there(notation, text, part):
    """A part the file does not have is an error, not a shorter document."""
    with pytest.raises(CorpusError):
        part_text(FILE._replace(notation=notation), part, text)


def test_a_part_of_a_refused_file_is_refused():
    """A tree is read as a whole before it is cut."""
    with pytest.raises(SourceRefused):
        part_text(FILE._replace(notation="yaml"), Part(path="$.a"), "a: yes\n")


def test_a_refusal_has_its_place(tmp_path, monkeypatch):
    """A document that is refused is reported with its reason and left out; the others stand."""
    from builders.sobhard.corpus import documents

    (tmp_path / "files.yaml").write_text(
        "files:\n- {id: a, notation: json, path: a.json}\n- {id: b, notation: json, path: b.json}\n"
        "- {id: c, notation: json, path: c.json}\n",
        encoding="utf-8",
    )
    (tmp_path / "a.json").write_text('{"a": NaN}', encoding="utf-8")
    (tmp_path / "b.json").write_bytes('\ufeff{"ключ":\r\n"'.encode() + b"x" * 500 + b'"}')
    (tmp_path / "c.json").write_text('{"a": "me@real.org"}' + " " * 500, encoding="utf-8")
    monkeypatch.setattr(documents, "BUILTIN", tmp_path)
    found, refused = survey("builtin")
    assert [(one.id, one.origin, one.value) for one in found] == [("b", "json/b.json", {"ключ": "x" * 500})]
    assert refused == [
        Refusal("a", "number-range", "NaN is no JSON number"),
        Refusal("c", "personal-data", "it holds an address at real.org"),
    ]
