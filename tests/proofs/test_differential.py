"""A share of the second readings: no new difference, enough of either verdict; and that a wrong reading is found."""

from collections import Counter
from itertools import islice
from random import Random

import pytest

from metrics.ifhard.registry import CATEGORIES
from proofs.differential import contract_rules, explained, ifhard, sobhard
from proofs.differential.__main__ import held, main

ANSWERS = 2_000
SEED = 2026


def test_every_type_has_a_second_reading_or_a_reason():
    """And no reading is of nothing."""
    assert set(contract_rules.READINGS) | set(ifhard.WITHOUT) == set(CATEGORIES)
    rules = {name.rpartition(" ")[2] for name in sobhard.OPERATIONS if name.startswith("left by ")} | set(
        sobhard.WITHOUT
    )
    assert rules == {name.rpartition(" ")[2] for name in sobhard.OPERATIONS if name.startswith("made by ")}


def test_readings_agree():
    """But for what is explained; each target is compared."""
    found = held(ANSWERS, SEED)
    assert found.new == []
    assert {*CATEGORIES, *sobhard.OPERATIONS} == set(found.compared)


def test_answers_pass_and_fail():
    """Readings that always said the same would agree as well."""
    verdicts = Counter(
        (category, contract_rules.passes(category, given.text, params))
        for given in islice(ifhard.answers(Random(SEED)), ANSWERS)
        for category, params in given.asked
    )
    assert {(category, passed) for category in CATEGORIES for passed in (True, False)} == set(verdicts)


@pytest.mark.parametrize("category", ["structure:word_count", "lexical:ring_word", "format:hashtags", "logic:override"])
def test_a_wrong_reading_of_a_type_is_found(monkeypatch, category):
    """Whichever of the two is wrong."""
    right = contract_rules.READINGS[category]

    def wrong(text, params):
        return right(text, params) if "о" in text else not right(text, params)

    monkeypatch.setitem(contract_rules.READINGS, category, wrong)
    found = held(ANSWERS // 3, SEED)
    assert {difference.target for difference in found.new} == {category, *({"logic:override"} & set(_seen(found)))}


def _seen(found):
    return [difference.target for difference in found.new]


def test_a_wrong_operation_fails_the_command(monkeypatch, capsys):
    """With the input on a line."""
    monkeypatch.setattr(sobhard.theirs, "structural_diff", lambda old, new: {"added": {}, "removed": {}, "changed": {}})
    assert main(["--answers", "300", "--seed", "1"]) == 1
    assert "NEW diff {'builder': " in capsys.readouterr().out


def test_explanations_are_of_something():
    """Each is met within some thousand inputs, and has a reason to read."""
    found = held(1, SEED)
    for name in {target for known in explained.EXPLAINED for target in known.targets}:
        source = Random(SEED)
        found.add((name, sobhard.compared(name, source)[1]) for _ in range(6_000))
    assert found.new == []
    assert set(found.known) == {known.name for known in explained.EXPLAINED}
    assert all(len(known.reason) > 40 for known in explained.EXPLAINED)
