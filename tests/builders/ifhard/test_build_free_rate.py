"""Free rates by hand: shares over answers, then over requirements; branches apart."""

import json

import pytest

from builders.ifhard import free_rate
from builders.ifhard.free_rate import FreeRate, free_rates


def row(*constraints):
    return {"meta": {"constraints": json.dumps([{"category": c, "params": p} for c, p in constraints])}}


ROWS = [
    row(("style:no_commas", {}), ("structure:word_count", {"value": 2})),
    row(("structure:word_count", {"value": 3}), ("logic:conditional_include", {"holds": True, "stem": "кот"})),
    row(("logic:conditional_include", {"holds": False, "stem": "кот"})),
]
ANSWERS = ["Кот спит.", "Дом, сад и двор.", "Кот, пёс."]


def test_rates_by_hand():
    """The table agrees with rates counted by hand."""
    assert free_rates(ROWS, ANSWERS) == [
        FreeRate("logic:conditional_include@true", 1, pytest.approx(2 / 3), pytest.approx(2 / 3)),
        FreeRate("logic:conditional_include@false", 1, pytest.approx(1 / 3), pytest.approx(1 / 3)),
        FreeRate("structure:word_count", 2, pytest.approx(1 / 3), pytest.approx(2 / 3)),
        FreeRate("style:no_commas", 1, pytest.approx(1 / 3), pytest.approx(1 / 3)),
    ]


def test_the_false_branch_is_a_control():
    """The bar does not apply to a branch that asks for nothing to be done."""
    controls = {line.name for line in free_rates(ROWS, ANSWERS) if line.is_control}
    assert controls == {"logic:conditional_include@false"}


def test_no_answers_is_no_rate():
    """No answers is an error, not a rate of zero."""
    with pytest.raises(ValueError, match="needs answers"):
        free_rates(ROWS, [])


def write(folder, rows, answers):
    (folder / "test.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    (folder / "a.jsonl").write_text("".join(json.dumps({"answer": a}) + "\n" for a in answers), encoding="utf-8")
    return ["--answers", str(folder / "a.jsonl"), "--dataset", str(folder)]


def test_the_command_fails_above_the_bar_and_prints_the_table(tmp_path, capsys):
    """A type above the bar is exit status 1, the table is printed all the same."""
    assert free_rate.main(write(tmp_path, ROWS, ANSWERS)) == 1
    assert "| structure:word_count | 2 | 0.333 | 0.667 |" in capsys.readouterr().out


def test_the_command_succeeds_below_the_bar(tmp_path):
    """No type above the bar is exit status 0."""
    assert free_rate.main(write(tmp_path, [row(("style:no_caps", {}))], ANSWERS)) == 0
