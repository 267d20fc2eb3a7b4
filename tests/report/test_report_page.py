"""Pages of ``report show``: what strangers wrote does nothing, whoever reads the page and however they leave it."""

import io
import json
import re
import sys

import pytest
from answer_rows import answered, made_row
from hypothesis import given
from hypothesis import strategies as st
from report_runs import command, ifhard_run, write_run

from report.answers import Shown
from report.printable import one_line, printable
from report.show.paging import Page, paged
from report.show.selection import Wanted, found_in, select
from report.show.showing import Manner, show_answer
from tasks.names import TaskName

HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07 \x9b2J \r\b\x00\x7f \u202eabc\u2066 "
    "\u200b\u2028\ufeff\U000e0041 [bold]b[/bold] :smile:"
)
SPELLED = (
    "<U+001B>[31mred<U+001B>]0;title<U+0007> <U+009B>2J <U+000D><U+0008><U+0000><U+007F> <U+202E>abc<U+2066> "
    "<U+200B><U+2028><U+FEFF><U+E0041> [bold]b[/bold] :smile:"
)
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
TEXTS = st.text(st.characters(exclude_categories=()), max_size=40)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def on_terminal(monkeypatch):
    """Standard output becomes a terminal with colours and no pager, for the rest of the test."""
    stream = Terminal()
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (("TERM", "xterm-256color"), ("PAGER", "cat"), ("COLUMNS", "40")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def plain(write):
    """What is written to a page without a terminal."""
    stream = io.StringIO()
    write(Page(stream, terminal=False, styled=False))
    return stream.getvalue()


def test_what_would_steer_a_terminal_is_spelled_out():
    """Controls, escapes, bidirectional and invisible characters; markup means nothing; letters and emoji stay."""
    assert printable(HOSTILE) == SPELLED
    assert printable("a\n\tb") == "a\n\tb"
    assert one_line("a\n\tb") == "a<U+000A><U+0009>b"
    assert printable("й ё ❤️ שלום 東京 \u0301") == "й ё ❤️ שלום 東京 \u0301"
    assert printable("\ud83d") == "<U+D83D>"


@pytest.mark.parametrize("where", ["text", "prompt", "reasoning", "error", "label", "reply", "id"])
def test_hostile_content_wherever_it_stands(where):
    """No escape comes through, and no line that is not behind a bar has been made by it."""
    text = f"{HOSTILE}\n── 9 of 9 · right"
    out = plain(lambda page: show_answer(page, made_shown(**{where: text}), "1 of 1", Manner(reasoning=True)))
    assert SPELLED in out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out)
    assert [line for line in out.split("\n") if line.startswith("── ")] == [out.split("\n")[0]]


def made_shown(text="t", prompt="p", reasoning="r", error="e", label="l", reply="j", id="q", **more):
    """An answer with these texts."""
    record = {
        "id": id,
        "repeat": 0,
        "outcome": "answered",
        "error": error,
        "scores": {"sample_pass_rate": 0.0},
        "verdicts": [
            {"id": id, "group": error, "grader": label, "place": 0, "passed": False, "code": error, "reason": text}
        ],
        "judging": {
            "status": error,
            "calls": 1,
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "rule": None,
            "judge": text,
        },
    }
    judgement = {"status": "judged", "replies": [reply], "reason": reply, "error": error, "verdict": {reply: text}}
    scoring = json.dumps({"reference": [text, prompt]})
    given = {"finish_reason": error, "tokens": (1, None), "judgement": judgement, "rest": text}
    fields = {"scoring": scoring, **given, **more}
    messages = [("system", prompt), (label, text)]
    return Shown(
        TaskName("ifhard", "all"), 0, record, {label: label}, messages, text=text, reasoning=reasoning, **fields
    )


@given(st.fixed_dictionaries(dict.fromkeys(("text", "prompt", "reasoning", "error", "label", "reply", "id"), TEXTS)))
def test_any_content_shows(texts):
    """Whatever its characters: no exception, and every character is harmless."""
    shown = made_shown(**texts)
    for terminal in (False, True):
        stream = io.StringIO()
        page = Page(stream, terminal=terminal, styled=terminal)
        show_answer(page, shown, "1 of 1", Manner(whole=True, reasoning=True, search=texts["text"]))
        left = ESCAPES.sub("", stream.getvalue())
        left.encode("utf-8")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", left)


@given(TEXTS, st.text("ab\n \t\ud83d<>U+", max_size=9))
def test_any_search_and_category(text, wanted):
    """Found or not found, never an exception; a text is always found in itself."""
    shown = made_shown(text=text)
    assert "answer" in found_in(shown, text)
    assert select([shown], Wanted(search=wanted)) in ([], [shown])
    assert select([shown], Wanted(categories=["q"])) == [shown]


@given(st.one_of(st.just(""), TEXTS, st.recursive(st.none() | st.integers() | TEXTS, st.lists).map(json.dumps)))
def test_any_scoring_key(scoring):
    """One that is no JSON, or has no reference, has nothing to show of it."""
    assert "answer" in plain(lambda page: show_answer(page, made_shown(scoring=scoring), "1 of 1", Manner()))


def test_a_bar_before_each_line():
    """Of the answer as it is; long lines stay whole outside a terminal."""
    assert plain(lambda page: page.quoted("a\n\n b" + "c" * 500)) == "│ a\n│ \n│  b" + "c" * 500 + "\n"
    assert plain(lambda page: page.quoted("")) == "│ \n"


def test_lines_are_wrapped_on_a_terminal(monkeypatch):
    """At words, wide letters counted as two columns, tabs as what they take."""
    terminal = on_terminal(monkeypatch)
    with paged() as page:
        page.quoted("слово " * 12 + "\n" + "東" * 30 + "\n" + "\t" * 6 + "x")
    lines = ESCAPES.sub("", terminal.getvalue()).splitlines()
    assert [line.rstrip() for line in lines[:2]] == ["│" + " слово" * 6] * 2
    assert lines[2:4] == ["│ " + "東" * 19, "│ " + "東" * 11]
    assert all(line.startswith("│ ") and len(line) <= 40 for line in lines)


def test_styles_on_a_terminal_alone(tmp_path, monkeypatch):
    """Escapes are ours; none with NO_COLOR, in a dumb terminal, or where output goes elsewhere."""
    terminal = on_terminal(monkeypatch)
    run = write_run(tmp_path / "run", [made_row(outcome=answered(HOSTILE))])
    assert command("show", run) == 0
    styled = terminal.getvalue()
    assert "\x1b[" in styled
    assert "\x1b" not in ESCAPES.sub("", styled)
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as context:
            context.setenv(name, value)
            stream = Terminal()
            context.setattr(sys, "stdout", stream)
            assert command("show", run) == 0
            assert "\x1b" not in stream.getvalue()
            assert "WRONG" in stream.getvalue()
    elsewhere = io.StringIO()
    monkeypatch.setattr(sys, "stdout", elsewhere)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert command("show", run) == 0
    assert "\x1b" not in elsewhere.getvalue()


def pager(folder, text):
    """A pager that is a script."""
    path = folder / "pager"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_users_pager(tmp_path, monkeypatch):
    """It gets the page, and colours that less lets pass unless the user has set it otherwise."""
    terminal = on_terminal(monkeypatch)
    run = ifhard_run(tmp_path / "run", "+c")
    read = tmp_path / "read"
    script = pager(tmp_path, 'echo "$1 $LESS" > $2; cat >> $2')
    monkeypatch.setenv("PAGER", f"'{script}' -x {read}")
    monkeypatch.delenv("LESS", raising=False)
    assert command("show", run) == 0
    text = read.read_text(encoding="utf-8")
    assert text.startswith("-x FRX\n")
    assert "q001" in text
    assert terminal.getvalue() == ""
    monkeypatch.setenv("LESS", "S")
    assert command("show", run, "--failed") == 0
    assert read.read_text(encoding="utf-8").startswith("-x S\n")


def test_a_reader_who_leaves_early(tmp_path, monkeypatch):
    """Exit 0, not a word; nor where the pager never reads."""
    terminal = on_terminal(monkeypatch)
    run = ifhard_run(tmp_path / "run", "c" * 300)
    for text in ("head -1 > /dev/null", "exit 3"):
        monkeypatch.setenv("PAGER", str(pager(tmp_path, text)))
        assert command("show", run, "--failed") == 0
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("value", ["", "cat", "no-such-pager", "'"])
def test_no_pager(tmp_path, monkeypatch, value):
    """Then the page comes as it is."""
    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("PAGER", value)
    assert command("show", ifhard_run(tmp_path / "run", "+")) == 0
    assert "q000" in terminal.getvalue()


def test_a_pager_that_fails_is_named(tmp_path, monkeypatch, capfd):
    """A page that nobody saw is never lost in silence."""
    on_terminal(monkeypatch)
    monkeypatch.setenv("PAGER", str(pager(tmp_path, "exit 3")))
    assert command("show", ifhard_run(tmp_path / "run", "+")) == 0
    assert "pager ended with status 3; PAGER=cat shows all" in capfd.readouterr().err


def test_a_pager_that_cannot_start(tmp_path, monkeypatch):
    """An executable file that is no program: the page comes as it is."""
    terminal = on_terminal(monkeypatch)
    script = pager(tmp_path, "")
    script.write_bytes(b"\x7fELF\x00")
    monkeypatch.setenv("PAGER", str(script))
    assert command("show", ifhard_run(tmp_path / "run", "+")) == 0
    assert "q000" in terminal.getvalue()


@pytest.mark.parametrize("columns", ["0", "1", "x", "1000000"])
def test_odd_widths(tmp_path, monkeypatch, columns):
    """Headings and texts are all there."""
    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", columns)
    assert command("show", ifhard_run(tmp_path / "run", "+")) == 0
    assert "run complete" in terminal.getvalue()
    assert "q000" in terminal.getvalue()
