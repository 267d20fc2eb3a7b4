"""The review page as a file: blind, self-contained, and safe from what its cases hold."""

import json
import re

from audit_runs import MODEL, command, make_round

from audit.page import render_page
from audit.round import reviewer_order


def content_of(page):
    """What the page embeds."""
    (text,) = re.findall(r'<script id="content" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_the_page_holds_the_cases_in_the_reviewers_order(tmp_path):
    """And who it is for, and the SHA-256 of the case list."""
    made = make_round(tmp_path)
    assert command("review", made.folder, "--reviewer", "B", "--html", tmp_path / "page.html") == 0
    content = content_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert content == {"reviewer": "B", "cases_sha256": made.cases_sha256, "cases": reviewer_order(made, "B")}


def test_the_page_is_blind(tmp_path):
    """No model, run, stratum, verdict, reason or fixture label; a case has what cases.jsonl has."""
    made = make_round(tmp_path)
    page = render_page(made, "B")
    for hidden in (MODEL, "secret", "greedy-run", "disagree", "f-1", "AF2", "because", "sealed"):
        assert hidden not in page, hidden
    fields = {"case_id", "round", "instruction_id", "instruction", "prompt", "response"}
    assert all(case.keys() == fields for case in content_of(page)["cases"])


def test_the_page_needs_no_network(tmp_path):
    """No address, and a policy under which nothing could be loaded."""
    page = render_page(make_round(tmp_path), "B")
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|\bsrc=|fetch\(|XMLHttpRequest|WebSocket", page)


def test_no_case_can_end_the_script(tmp_path):
    """A response with a closing script tag and a comment, and half a surrogate, is embedded as data."""
    made = make_round(tmp_path)
    page = render_page(made, "B")
    assert page.count("</script>") == 2
    assert "<!-- here" not in page
    page.encode("utf-8")
    assert any(case["response"].endswith("</script><!-- here") for case in content_of(page)["cases"])
