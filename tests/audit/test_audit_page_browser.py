"""The review page in a headless Chromium, by keyboard; without the browser these tests fail.

They need Debian's package ``chromium`` and run with the end-to-end tests.
"""

import json

import pytest
from audit_runs import make_round
from devtools import visit_page

from audit.cli import main
from audit.page import render_page
from audit.round import reviewer_order
from runs.files import read_jsonl

pytestmark = pytest.mark.browser  # the mark of what `make e2e` runs


@pytest.fixture
def made(tmp_path):
    """A round and the page of reviewer B."""
    round_ = make_round(tmp_path)
    (tmp_path / "page.html").write_text(render_page(round_, "B"), encoding="utf-8", newline="\n")
    return round_


def in_browser(folder, visit):
    """Run a visit to the page."""
    visit_page(folder / "page.html", visit)


async def saved(chromium, tab):
    """Press s and read the file."""
    before = set(chromium.downloads.glob("*.jsonl"))
    await tab.press("s")
    await tab.until(lambda: set(chromium.downloads.glob("*.jsonl")) - before)
    (path,) = set(chromium.downloads.glob("*.jsonl")) - before
    return path


def test_a_review_by_keyboard(made, tmp_path):
    """Every case labelled with keys alone; the saved file is taken into the round, the same label for each case."""
    order = reviewer_order(made, "B")

    async def visit(chromium, tab):
        for number, case in enumerate(order):
            assert f"case {number + 1} of {len(order)} ({case['case_id']})" in await tab.text("#state")
            assert await tab.text("#instruction") == case["instruction"]
            assert await tab.text("#response") == case["response"]
            await tab.press("p" if number % 2 else "f")
            await tab.press("3", code="Digit3")
            await tab.press("j")
        assert f"{len(order)} labelled" in await tab.text("#state")
        path = await saved(chromium, tab)
        assert path.name == "labels_B.jsonl"
        path.rename(tmp_path / "labels.jsonl")

    in_browser(tmp_path, visit)
    assert main(["review", str(made.folder), "--import", str(tmp_path / "labels.jsonl")]) == 0
    labels = {row["case_id"]: row for row in read_jsonl(made.labels_path("B"))}
    for number, case in enumerate(order):
        row = labels[case["case_id"]]
        assert row["verdict"] == row["lean"] == ("pass" if number % 2 else "fail")
        assert row["confidence"] == "high"


def test_unclear_cases_lean_and_reasons_are_kept(made, tmp_path):
    """An unclear case is not complete before it leans; letters typed as a reason are no commands."""
    (first, *_) = reviewer_order(made, "B")

    async def visit(chromium, tab):
        shown = "document.getElementById('lean').checkVisibility()"
        assert not await tab.value(shown)
        await tab.press("u")
        assert await tab.value(shown)
        await tab.press("1", code="Digit1")
        assert " 0 labelled" in await tab.text("#state")
        await tab.press("F", code="KeyF", shift=True)
        assert " 1 labelled" in await tab.text("#state")
        await tab.press("r")
        for letter in "pfj":
            await tab.press(letter)
        await tab.press("Escape")
        await tab.press("n")
        assert "case 2 of" in await tab.text("#state")
        (row,) = read_jsonl(await saved(chromium, tab))
        assert row == {
            "case_id": first["case_id"],
            "reviewer": "B",
            "cases_sha256": made.cases_sha256,
            "verdict": "unclear",
            "lean": "fail",
            "confidence": "low",
            "reason": "pfj",
        }

    in_browser(tmp_path, visit)


def test_a_russian_keyboard_layout_works(made, tmp_path):
    """The key where p is, which then says «з»."""

    async def visit(chromium, tab):
        await tab.press("з", code="KeyP")
        await tab.press("2", code="Digit2")
        await tab.press("о", code="KeyJ")
        assert "case 2 of 22" in await tab.text("#state")
        assert " 1 labelled" in await tab.text("#state")

    in_browser(tmp_path, visit)


def test_closing_the_page_loses_nothing(made, tmp_path):
    """Labels and place are there again after a reload."""

    async def visit(chromium, tab):
        await tab.press("p")
        await tab.press("2", code="Digit2")
        await tab.press("j")
        await tab.press("f")
        await tab.open(tmp_path / "page.html")
        assert "case 2 of 22" in await tab.text("#state")
        assert " 1 labelled" in await tab.text("#state")
        pressed = "document.querySelector('#verdict [data-value=fail]').getAttribute('aria-pressed')"
        assert await tab.value(pressed) == "true"

    in_browser(tmp_path, visit)


def test_a_saved_file_is_loaded_again(made, tmp_path):
    """On another machine, say; a file of another round or reviewer is refused with a reason, and changes nothing."""
    order = reviewer_order(made, "B")
    row = {
        "case_id": order[0]["case_id"],
        "reviewer": "B",
        "cases_sha256": made.cases_sha256,
        "verdict": "pass",
        "lean": "pass",
        "confidence": "low",
        "reason": "",
    }
    files = {}
    for name, change in (("good", {}), ("other", {"cases_sha256": "0"}), ("wrong", {"reviewer": "A"})):
        files[name] = tmp_path / f"{name}.jsonl"
        files[name].write_text(json.dumps(row | change) + "\n", encoding="utf-8")

    async def visit(chromium, tab):
        async def load(name):
            await tab.choose_file("#load", files[name])
            await tab.value("new Promise(done => setTimeout(done, 300))")
            return await tab.text("#warning"), await tab.text("#state")

        warning, state = await load("other")
        assert "another case list" in warning
        assert " 0 labelled" in state
        warning, state = await load("wrong")
        assert "reviewer A's" in warning
        assert " 0 labelled" in state
        warning, state = await load("good")
        assert not warning
        assert " 1 labelled" in state

    in_browser(tmp_path, visit)


def test_white_space_can_be_seen(made, tmp_path):
    """Tabs, blanks and line ends have signs; the text itself stays as it was."""

    async def visit(chromium, tab):
        await tab.value("go(cases.findIndex(c => c.response.includes('\\t')))")
        before = await tab.text("#response")
        await tab.press("w")
        assert await tab.text("#response") == before.replace(" ", "·").replace("\n", "¶\n").replace("\t", "→\t")
        await tab.press("w")
        assert await tab.text("#response") == before

    in_browser(tmp_path, visit)
