"""Documents made to be slow, deep or huge, and the tables cut out of pages."""

import sys

import pytest

from builders.sobhard.sources import (
    NOTATIONS,
    REFUSALS,
    Column,
    Layout,
    SourceRefused,
    html_tables,
    markdown_tables,
    read,
)

SIZE = 250_000
UNITS = {
    "open brackets": "[",
    "open braces": '{"a":',
    "quotes": '"',
    "backslashes": '"\\',
    "escaped quotes": '\\"',
    "comment starts": "/* ",
    "comment starts of markup": "<!--",
    "elements": "<a>",
    "cells": "<tr><td>a</td></tr>",
    "ampersands": "&#",
    "pipes": "|",
    "pairs": "k=v ",
    "lines of pairs": "k = v\n",
    "dashes": "- ",
    "anchors": "&a *a ",
    "digits": "9",
    "dots": "a.",
    "base 60": "1:",
    "spaces": " ",
    "spaces and commas": " ,",
    "line feeds": "\n",
    "records": "1,2;3\t4\n",
    "colour": "😀",
    "everything": 'mixed a b,c;d\t"e" [f] {g} <h> &i; |j| #k\n',
}
HEADS = {
    "csv": "a,b\n",
    "fwf": "a  b\n",
    "html": "<table><tr><th>a</th></tr><tr><td>",
    "ini": "[s]\nk = ",
    "json": "[",
    "jsonc": "[",
    "mdtable": "|a|\n|-|\n|",
    "toml": "k = ",
    "xml": "<a>",
    "yaml": "k: ",
}
LAYOUTS = {
    "logline": Layout(pattern="<a> - <b> [<c>]"),
    "csv": Layout(names=("a", "b"), comment="#"),
    "fwf": Layout(columns=tuple(Column(str(place), place, place + 1) for place in range(200))),
}


def _outcome(notation, text, layout=Layout()):  # noqa: B008 - an immutable default
    try:
        read(notation, text, layout)
    except SourceRefused as refusal:
        return refusal.code
    return "value"


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_repetition(notation, unit):
    """A short thing over a quarter of a million characters ends in a value or a refusal, also inside a document.

    Anything quadratic would not end.
    """
    body = unit * (SIZE // len(unit))
    for text in (body, HEADS.get(notation, "") + body):
        assert _outcome(notation, text) in {*REFUSALS, "value"}
    if notation in LAYOUTS:
        assert _outcome(notation, body, LAYOUTS[notation]) in {*REFUSALS, "value"}


BOMBS = {
    "entities that grow": (
        "xml",
        '<!DOCTYPE l [<!ENTITY l0 "lol">'
        + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
        + "]><l>&l9;</l>",
        "directive",
    ),
    "an entity of a file": ("xml", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>', "directive"),
    "a parameter entity": ("xml", '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://x.invalid/">%p;]><a/>', "directive"),
    "a document type elsewhere": ("xml", '<!DOCTYPE a SYSTEM "http://x.invalid/a.dtd"><a>1</a>', "value"),
    "aliases that grow": (
        "yaml",
        "a: &a [x, x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(9)),
        "alias",
    ),
    "merge keys": ("yaml", "- &a {x1: 1}\n- <<: *a\n", "alias"),
    "a Python tag": ("yaml", "!!python/object/new:os.system [exit 1]", "tag"),
    "keys of a table": ("toml", "\n".join(f"{'a.' * 28}k{n} = 1" for n in range(4000)), "too-large"),
    "an integer": ("json", "-" + "9" * 100_000, "number-range"),
    "an integer of TOML": ("toml", "a = " + "9" * 100_000, "number-range"),
    "an exponent": ("yaml", "a: 1.0e+999999\n", "number-range"),
    "many names, the last twice": ("csv", ",".join(map(str, range(100_000))) + ",0\n1\n", "repeated-name"),
    "many keys, the last twice": (
        "json",
        "{" + "".join(f'"{n}":1,' for n in range(50_000)) + '"0":1}',
        "duplicate-key",
    ),
    "columns that overflow the cells": ("fwf", "a  " * 2000 + "\n" + "x\n" * 1000, "too-large"),
}


@pytest.mark.parametrize(("notation", "text", "code"), BOMBS.values(), ids=BOMBS)
def test_bombs(notation, text, code):
    """What grows, refers to itself or reaches out is refused under its own code; nothing is opened or fetched."""
    assert _outcome(notation, text) == code


@pytest.fixture
def no_files(monkeypatch):
    """Opening a file or a socket fails while the fixture is active."""
    active = [True]

    def guard(event, _):
        if active[0] and event in ("open", "socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system"):
            raise AssertionError(f"reading a document raised the audit event {event}")

    sys.addaudithook(guard)
    yield
    active[0] = False


def test_nothing_is_opened(no_files):
    """Reading opens no file and no socket, whatever the document asks for."""
    for notation, text, code in BOMBS.values():
        assert _outcome(notation, text) == code


def test_the_verdict_does_not_depend_on_the_stack():
    """A document at the limit of depth is read from deep in a program as well as from its top."""

    def deeper(levels):
        return deeper(levels - 1) if levels else [_outcome(notation, text) for notation, text in documents]

    documents = [
        ("json", "[" * 100 + "]" * 100),
        ("yaml", "[" * 100 + "]" * 100),
        ("xml", "<a>" * 100 + "</a>" * 100),
        ("toml", "a = " + "[" * 99 + "]" * 99),
    ]
    assert deeper(0) == deeper(400) == ["value"] * 4


def test_html_tables():
    """The outermost tables of a page in their order, case aside; a table that is not closed is left out."""
    page = "<p>a</p><TABLE id=1><tr><td><table>in</table></td></tr></TABLE >text<tableau><table>b</table><table>c"
    assert html_tables(page) == ["<TABLE id=1><tr><td><table>in</table></td></tr></TABLE >", "<table>b</table>"]
    assert html_tables("</table>") == []


def test_markdown_tables():
    """Lines with pipes under a rule, until one without; not inside fenced code, not a title underlined."""
    page = (
        "a | b\n---\ntext\n\n|a|b|\r\n|:-|-:|\r\n|1|2|\r\n\n```\n|x|\n|-|\n```\nc | d\n- | -\n1 | 2\nend\n| e |\n|---|"
    )
    assert markdown_tables(page) == ["|a|b|\n|:-|-:|\n|1|2|\n", "c | d\n- | -\n1 | 2\n", "| e |\n|---|\n"]
    assert read("mdtable", markdown_tables(page)[0]) == [{"a": "1", "b": "2"}]
