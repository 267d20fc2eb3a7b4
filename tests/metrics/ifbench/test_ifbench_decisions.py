"""The table of decisions, and what each switch does."""

import json

import pytest
from ifbench_cases import expected, own_fixtures

from metrics import ifbench
from metrics.ifbench.decisions import OFFICIAL, PROPOSED, Readings
from metrics.ifbench.text import Text

OWN = own_fixtures()
OPEN = [decision for decision in ifbench.DECISIONS if decision.switches]


def test_table_is_complete():
    """48 decisions in order, 20 of them with one reading only, and every switch of the readings in one of them."""
    assert [decision.id for decision in ifbench.DECISIONS] == [f"AD{number}" for number in range(1, 49)]
    assert sum(not decision.proposed for decision in ifbench.DECISIONS) == 20
    names = [switch.name for decision in ifbench.DECISIONS for switch in decision.switches]
    assert sorted(names) == sorted(Readings._fields)


@pytest.mark.parametrize("decision", ifbench.DECISIONS, ids=lambda decision: decision.id)
def test_entry_is_whole(decision):
    """An entry names known instructions, asks a question, and has a proposal exactly where it has a switch."""
    assert set(decision.ids) <= set(ifbench.CHECKERS)
    assert decision.question.endswith("?")
    assert decision.official
    assert bool(decision.proposed) == bool(decision.switches)
    assert all(switch.official != switch.proposed for switch in decision.switches)


@pytest.mark.parametrize("decision", OPEN, ids=lambda decision: decision.id)
def test_switch_turns_its_fixtures_and_no_others(decision):
    """With one decision turned, the verdicts that change are those of fixtures that hang on it."""
    turned = ifbench.readings_of([decision.id])
    changed = set()
    for row in OWN:
        checker = ifbench.CHECKERS[row["instruction_id"]]
        arguments = ifbench.check_kwargs(row["instruction_id"], json.loads(row["kwargs_json"]))
        before = checker.check(Text(row["response"]), arguments, OFFICIAL).passed
        after = checker.check(Text(row["response"]), arguments, turned).passed
        if before != after:
            changed.add(row["name"])
            assert row["instruction_id"] in decision.ids
            assert row["decision"] == decision.id
    wanted = {
        row["name"]
        for row in OWN
        if row["decision"] == decision.id and expected(row, "proposed") != expected(row, "fixes_only")
    }
    assert changed == wanted
    assert wanted


def test_readings_between_the_graders():
    """No decision gives the official readings, all of them the proposed ones, and an unknown one is refused."""
    assert ifbench.readings_of() == OFFICIAL
    assert ifbench.readings_of(decision.id for decision in OPEN) == PROPOSED
    with pytest.raises(KeyError, match="AD3"):
        ifbench.readings_of(["AD3"])
