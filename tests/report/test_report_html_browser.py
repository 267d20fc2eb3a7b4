"""The page of runs in a headless Chromium: harmless, and usable by keyboard; without the browser these tests fail.

They need Debian's package ``chromium`` and run with the end-to-end tests.
"""

import json

import pytest
from answer_rows import IFHARD, OPEN, answered, judged, made_row
from devtools import visit_page
from page_runs import HOSTILE, ifhard_row, scored, write_page
from report_runs import ifhard_rows

from endpoints.outcome import Outcome
from report.printable import printable

pytestmark = pytest.mark.browser  # the mark of what `make e2e` runs

ROWS = "document.querySelectorAll('#rows tbody tr').length"
FOCUS = "document.activeElement.textContent"
OPENED = "document.querySelector('#sample[open] .text') !== null"
BODY = "document.getElementById('sample-body').textContent"


def visited(page, visit):
    """Visit the page once its table is there."""

    async def ready(_, tab):
        await tab.holds(f"data && {ROWS}")
        await visit(tab)

    visit_page(page, ready)


async def keys(tab, *names):
    for name in names:
        await tab.press(name, code={"/": "Slash", "?": "Slash"}.get(name, ""))


def test_hostile_texts_do_nothing(tmp_path):
    """In names, prompts, answers, reasons, labels, errors, a judge's replies: shown as they are, and nothing runs."""
    rows = [
        made_row(IFHARD, answered(text, finish_reason=text), id=text, labels={"tier": text, "topic": text})
        for text in HOSTILE
    ]
    rows += [
        made_row(OPEN, answered(text), id=text, judgement=judged(0, text, f"<think>{text}</think>{text}\ud800"))
        for text in HOSTILE
    ]
    rows += [
        made_row(IFHARD, Outcome("failed", None, error=text, error_code="http"), id=f"e{text}") for text in HOSTILE
    ]
    runs = [scored(tmp_path / str(n), rows, settings={"name": HOSTILE[n], "model": HOSTILE[n]}) for n in range(2)]
    (runs[0] / "table.txt").write_text("\n".join(HOSTILE), encoding="utf-8")

    async def visit(tab):
        title = await tab.value("document.title")
        for place in range(len(rows)):
            await tab.value(f"openSample({place})")
            await tab.holds(OPENED)
            row = await tab.value(f"shown[{place}].name")
            assert printable(row) in await tab.text("#sample-name")
        for element in ("details", "select"):
            await tab.value(
                f"document.querySelectorAll('{element}').forEach(one => {{ one.open = true; one.focus() }})"
            )
        await tab.value("byId('sample').close()")
        for text in HOSTILE:
            await tab.value(f"byId('search').value = {json.dumps(text[:20])}; search()")
        assert await tab.value("typeof canary") == "undefined"
        assert await tab.value("document.title") == title
        for tag in ("img", "iframe", "link", "main svg[onload]", "[onmouseover]", "main script", "dialog script"):
            assert await tab.value(f"document.querySelectorAll({json.dumps(tag)}).length") == 0, tag
        hidden = (
            "/[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u200f\\x00\\x1b\\ufeff\\u00ad]/.test(document.body.innerText)"
        )
        assert not await tab.value(hidden)

    visited(write_page(tmp_path, *runs), visit)


def test_scripts_that_get_in_do_not_run(tmp_path):
    """Were a text ever put into the page as markup, the policy would still forbid it."""

    async def visit(tab):
        blocked = await tab.value(
            "(() => { try { document.body.innerHTML = '<img src=x onerror=canary=1>'; } catch (error) "
            "{ return error.name } })()"
        )
        assert blocked == "TypeError"
        await tab.value(
            "new Promise(done => { const one = document.createElement('img'); one.src = 'https://example.org/canary';"
            "one.onerror = () => done(1); document.body.append(one); })"
        )
        await tab.until(lambda: tab.refused == ["https://example.org/canary"])
        tab.errors.clear()  # the browser says what it refused

    visited(write_page(tmp_path, scored(tmp_path / "run", ifhard_rows("+"))), visit)


def test_a_huge_answer_opens(tmp_path):
    """A megabyte without a blank, or of marks: its beginning at once, more on request, and all of it is searched."""
    texts = ["я" * 1_000_000 + " иголка", "раз два", "\u202e" * 1_000_000, "a\u2066" * 500_000]
    rows = [ifhard_row(number, text) for number, text in enumerate(texts)]

    async def visit(tab):
        await tab.value("openSample(0)")
        await tab.holds(OPENED)
        lengths = "[...document.querySelectorAll('#sample .answer .text')].map(one => one.textContent.length)"
        assert await tab.value(lengths) == [50_000]
        await tab.value("document.querySelector('#sample .parts button').click()")
        assert await tab.value(lengths) == [50_000, 50_000]
        for place in (2, 3):
            await tab.value(f"openSample({place})")
            await tab.holds(OPENED)
            assert (await tab.value("document.querySelector('#sample .text').textContent")).count("<U+") >= 25_000
        await keys(tab, "Escape", "/", *"игол")
        await tab.holds(f"{ROWS} === 1")

    visited(write_page(tmp_path, scored(tmp_path / "run", rows)), visit)


def test_a_failed_answer_is_found_by_keyboard(tmp_path):
    """f shows the failed ones, arrows move, Enter opens, arrows leaf through, Esc leads back to the row."""

    async def visit(tab):
        assert await tab.value(ROWS) == 6
        await keys(tab, "f")
        assert await tab.value(ROWS) == 3
        assert await tab.text("#count") == "3 of 6 answers"
        assert await tab.value(FOCUS) == "q001"
        await keys(tab, "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp")
        assert await tab.value(FOCUS) == "q003"
        await keys(tab, "Enter")
        await tab.holds(OPENED)
        body = await tab.value(BODY)
        for text in ("Вопрос q003?", "раз, два, три", "structure:word_count", "too-many", "style:no_commas"):
            assert text in body
        await keys(tab, "ArrowRight")
        await tab.holds("document.getElementById('sample-name').textContent.startsWith('q005')")
        await tab.holds(OPENED)
        await keys(tab, "Escape")
        await tab.holds(f"!document.getElementById('sample').open && {FOCUS} === 'q005'")
        await keys(tab, "f")
        assert await tab.value(ROWS) == 6

    visited(write_page(tmp_path, scored(tmp_path / "run", ifhard_rows("+w+-?c"))), visit)


def test_a_category_is_chosen_by_keyboard(tmp_path):
    """Tab leads from the search to the filters; a list's options are chosen with arrows."""
    rows = [ifhard_row(n, "раз два", tier) for n, tier in enumerate(["easy", "hard", "hard", "expert"])]

    async def visit(tab):
        await keys(tab, "/")
        assert await tab.value("document.activeElement.id") == "search"
        await keys(tab, "Tab", "Tab", "Tab")
        assert await tab.value("document.activeElement.id") == "by-category"
        seen = []
        for _ in range(3):
            await keys(tab, "ArrowDown")
            seen.append(
                (await tab.value("document.activeElement.selectedOptions[0].textContent"), await tab.value(ROWS))
            )
        assert seen == [("easy (1)", 1), ("expert (1)", 1), ("hard (2)", 2)]
        assert await tab.text("#count") == "2 of 4 answers"
        await tab.value("document.getElementById('clear').focus()")
        await keys(tab, "Enter")
        await tab.holds(f"{ROWS} === 4")
        await tab.value("document.querySelector('[data-check]').click()")  # a requirement that nobody failed
        chosen = "document.getElementById('by-category').selectedOptions[0].textContent"
        assert await tab.value(chosen) == "structure:word_count (4)"

    visited(write_page(tmp_path, scored(tmp_path / "run", rows)), visit)


def test_a_word_is_searched_by_keyboard(tmp_path):
    """In answers, prompts and reasons, whatever the case; found places are marked; Esc leaves the search."""
    rows = [ifhard_row(0, "Синий кит, плывёт"), ifhard_row(1, "раз два"), ifhard_row(2, "КИТОБОЙ один")]

    async def visit(tab):
        await keys(tab, "/", *"кит")
        await tab.holds(f"{ROWS} === 2")
        await keys(tab, "Enter", "Enter")
        await tab.holds(OPENED)
        assert await tab.value("[...document.querySelectorAll('#sample .text mark')].map(one => one.textContent)") == [
            "кит"
        ]
        await keys(tab, "Escape", "x")
        await tab.holds(f"{ROWS} === 3")
        await keys(tab, "/", *"вопрос q001")
        await tab.holds(f"{ROWS} === 1")
        await keys(tab, "Escape")
        assert await tab.value("document.activeElement.id") != "search"
        await keys(tab, "x", "/", *"FORBIDDEN-comma")
        await tab.holds(f"{ROWS} === 1")  # the code of a verdict

    visited(write_page(tmp_path, scored(tmp_path / "run", rows)), visit)


def test_many_answers_are_paged(tmp_path):
    """Arrows go on over the end of a page; a heading sorts; a Russian layout works."""
    rows = [ifhard_row(n, "раз " * (n % 9 + 1)) for n in range(120)]

    async def visit(tab):
        assert (await tab.value(ROWS), await tab.text("#page")) == (50, "page 1 of 3")
        await tab.press("о", code="KeyJ")
        await keys(tab, "End", "ArrowDown")
        assert await tab.value(FOCUS) == "q050"
        await keys(tab, "PageDown")
        assert (await tab.value(FOCUS), await tab.value(ROWS)) == ("q100", 20)
        await tab.value("document.querySelector('[data-sort=length] button').click()")
        assert await tab.value("document.querySelector('[data-sort=length]').getAttribute('aria-sort')") == "ascending"
        assert await tab.value("shown.every((row, place) => !place || shown[place - 1].length <= row.length)")

    visited(write_page(tmp_path, scored(tmp_path / "run", rows)), visit)


def test_the_judges_work_is_there_and_reasoning_folded(tmp_path):
    """Verdict, reason and replies; what a model or a judge thought opens on request."""
    reply = '<think>Ока — не Волга</think>{"grade": 0}'
    rows = [made_row(OPEN, answered("думаю о реках</think>Ока"), judgement=judged(0, reply))]

    async def visit(tab):
        await keys(tab, "j", "Enter")
        await tab.holds(OPENED)
        seen = await tab.value("document.getElementById('sample-body').innerText")
        assert "Ока" in seen
        assert '"grade": 0' in seen
        assert "думаю о реках" not in seen
        assert "не Волга" not in seen
        await tab.value("document.querySelectorAll('#sample details').forEach(one => { one.open = true })")
        seen = await tab.value("document.getElementById('sample-body').innerText")
        assert "думаю о реках" in seen
        assert "Ока — не Волга" in seen

    visited(write_page(tmp_path, scored(tmp_path / "run", rows)), visit)


def test_what_a_part_above_opens(tmp_path):
    """A requirement, a code, an example, questions won: the table shows these answers, beside the other run's."""
    first, second = scored(tmp_path / "a", ifhard_rows("+-+c")), scored(tmp_path / "b", ifhard_rows("++-c"))

    async def visit(tab):
        async def click(selector):
            await tab.value(f"document.querySelector({json.dumps(selector)}).click()")

        await click("[data-check='style:no_commas'][data-run='0']")
        assert (await tab.value(ROWS), await tab.value(FOCUS)) == (2, "q001")
        await click("[data-check='structure:word_count'][data-run='0']")
        assert await tab.value("shown.map(row => row.name).join()") == "q001"
        await click("[data-code='too-many'][data-run='1']")
        assert (await tab.value(ROWS), await tab.value(FOCUS)) == (1, "q002")
        await click("[data-against=won]")
        assert (await tab.value(ROWS), await tab.value(FOCUS)) == (1, "q001")
        await keys(tab, "Enter")
        await tab.holds(OPENED)
        titles = "[...document.querySelectorAll('#sample .answer > h3')].map(one => one.textContent)"
        assert await tab.value(titles) == ["b ✓ passed", "a ✗ not passed"]
        await keys(tab, "Escape")
        await click(".example[data-run='1']")
        await tab.holds(OPENED)

    visited(write_page(tmp_path, first, second), visit)


def test_the_theme_follows_the_system_and_the_switch(tmp_path):
    """Dark where the system is dark; the switch overrules it and is kept; plots follow as well."""
    ground = "getComputedStyle(document.body).backgroundColor"
    plot = "getComputedStyle(document.querySelector('.plot svg text')).fill"
    page = write_page(tmp_path, scored(tmp_path / "run", ifhard_rows("+-")))

    async def visit(tab):
        await tab.theme("light")
        light = await tab.value(ground), await tab.value(plot)
        await tab.theme("dark")
        dark = await tab.value(ground), await tab.value(plot)
        assert light[0] != dark[0]
        assert light[1] != dark[1]
        await keys(tab, "t")
        assert (await tab.text("#theme"), await tab.value(ground)) == ("Theme: light", light[0])
        await tab.open(page)
        assert (await tab.text("#theme"), await tab.value(ground)) == ("Theme: light", light[0])
        await tab.theme("light")
        await keys(tab, "t")
        assert (await tab.text("#theme"), await tab.value(ground)) == ("Theme: dark", dark[0])

    visited(page, visit)


def test_both_rules_mark_the_same_characters(tmp_path):
    """The page's script and printable.py, over every character of the basic plane and some beyond."""
    texts = [f"{chr(n)}," for n in range(0x10000) if not 0xD800 <= n < 0xE000] + [
        f"{chr(n)}," for n in range(0xE0000, 0xE0200)
    ]
    texts += ["👨‍👩‍👧", "❤️", "a\u200db", "1\ufe0f"]

    async def visit(tab):
        marked = await tab.value(f"{json.dumps(texts)}.map(marked)")
        # A newer Unicode in one of them may know characters that the other one does not.
        apart = [text for text, shown in zip(texts, marked, strict=True) if shown != printable(text)]
        assert not apart

    visited(write_page(tmp_path, scored(tmp_path / "run", ifhard_rows("+"))), visit)


def test_the_page_reads_well_without_its_script_and_for_screen_readers(tmp_path):
    """A skip link first, one h1, each control with a name, each plot described."""

    async def visit(tab):
        await keys(tab, "Tab")
        assert await tab.value("document.activeElement.className") == "skip"
        await keys(tab, "Enter", "Tab")
        assert await tab.value("document.activeElement.id") == "search"
        assert await tab.value("document.querySelectorAll('h1').length") == 1
        tree = (await tab.call("Accessibility.getFullAXTree"))["nodes"]
        unnamed = [
            node["role"]["value"]
            for node in tree
            if not node.get("ignored")
            and node.get("role", {}).get("value")
            in ("button", "combobox", "searchbox", "link", "img", "image", "dialog")
            and not node.get("name", {}).get("value")
        ]
        assert not unnamed

    visited(write_page(tmp_path, scored(tmp_path / "run", ifhard_rows("+-"))), visit)
