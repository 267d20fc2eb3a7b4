"""Each card's table of scorer versions: in step with ``benchmark.yaml``, and with a measured difference."""

import re
from pathlib import Path

import pytest

from tasks.registry import BENCHMARK_NAMES, benchmark

CARDS = Path(__file__).resolve().parents[2] / "tasks"


def rows(name):
    """The cells of the table under ``## Versions``, its head first."""
    text = (CARDS / name / "README.md").read_text(encoding="utf-8")
    lines = text.partition("\n## Versions\n")[2].partition("\n## ")[0].split("\n")
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return table[:1] + table[2:]


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_the_last_version_is_the_present_one(name):
    """Whoever raises the scorer's version says what changed, and when."""
    head, *versions = rows(name)
    assert head == ["scorer", "date", "change", "measured on stored answers"]
    assert versions[-1][0] == benchmark(name).scorer_version
    numbers = [tuple(map(int, row[0].split("-"))) for row in versions]
    assert numbers == sorted(set(numbers))
    assert [row[1] for row in versions] == sorted(row[1] for row in versions)


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_every_version_says_what_was_measured(name):
    """How many verdicts changed, out of how many, or that it was not measured."""
    for version, _, change, measured in rows(name)[2:]:
        assert change
        assert re.search(r"[0-9,]+ of [0-9,]+ (verdicts|answers)|not measured", measured), version
