"""Makes the review page: one HTML file that holds its cases, needs no network and saves a file of labels."""

import json
from pathlib import Path
from typing import Any, Final

from audit.round import SHOWN, Round, reviewer_order

__all__ = ["render_page"]

_SLOT: Final = "/*CASES*/"


def render_page(round_: Round, reviewer: str) -> str:
    """The HTML of one reviewer's page, with the cases in that reviewer's own order.

    The page holds what ``cases.jsonl`` holds and nothing else of the round.
    """
    cases = [{name: case[name] for name in SHOWN} for case in reviewer_order(round_, reviewer)]
    content = {"reviewer": reviewer, "cases_sha256": round_.cases_sha256, "cases": cases}
    template = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    before, slot, after = template.partition(_SLOT)
    if not slot:
        raise ValueError(f"page.html has no {_SLOT}")
    return before + _embedded(content) + after


def _embedded(content: Any) -> str:
    """JSON for a script element: no text inside can end the element or begin a comment, for < > & are escaped."""
    text = json.dumps(content, ensure_ascii=False)
    for mark in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text
