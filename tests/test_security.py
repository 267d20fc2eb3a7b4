"""SECURITY.md promises what tests hold: each that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_tests_that_it_names_are_there():
    """Patterns too, which each stand for one file or more."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.*]+\.py)`", text)
    assert len(named) > 15
    assert [name for name in named if not list(ROOT.glob(name))] == []
    assert all("tests/" in row for row in text.splitlines() if row.startswith("| ") and not row.startswith("| what"))
