"""A share of the fuzz: the kept inputs, some hundred new ones for each group; and that it can fail."""

import json
import time

import pytest
import yaml

from proofs.fuzz import corpus, ledger
from proofs.fuzz import session as session_module
from proofs.fuzz.__main__ import main
from proofs.fuzz.group import TextGroup
from proofs.fuzz.session import SLOW_S, Session, faults_of
from proofs.fuzz.targets import GROUPS, TARGETS

INPUTS = {"ifhard": 700, "ifbench": 120, "sobhard": 3_000, "streams": 600, "bodies": 800}
OTHERS = 1_500
SEED = 2026


def outcomes(name, inputs, seed=SEED):
    """A session after so many inputs, kept ones among those that they are made of."""
    session = Session(GROUPS[name], seed, [case.given for case in corpus.cases(name)])
    session.run(inputs)
    return session


def shown(session):
    return [(fault, ascii(given)[:2_000]) for fault, given in session.faults.values()]


@pytest.mark.parametrize("name", GROUPS)
def test_kept_inputs_have_no_faults(name):
    """Each is judged by the target that it was kept for; what was a fault once stays mended."""
    kept = corpus.cases(name)
    assert kept
    found = [(case.target, fault) for case in kept for fault in faults_of(GROUPS[name], case.given, case.target)]
    assert found == []


@pytest.mark.parametrize("name", GROUPS)
def test_new_inputs_have_no_faults(name):
    """And reach nearly every target."""
    session = outcomes(name, INPUTS.get(name, OTHERS))
    assert shown(session) == []
    reached = [target for target, tally in session.tallies.items() if tally.inputs]
    assert len(reached) >= 0.9 * len(session.tallies)


def test_the_same_seed_draws_the_same_inputs():
    """Whatever the clock says; another seed draws others."""
    first, again, other = (list(outcomes("judge", 100, seed).news.values()) for seed in (1, 1, 2))
    assert json.dumps(first) == json.dumps(again) != json.dumps(other)


def raising(text):
    if "ё" in text and "1" in text:
        raise ValueError("ё")
    return "ok"


def slow(text):
    end = time.process_time() + (0.09 if "ё" in text else 0.0)
    while time.process_time() < end:
        pass
    return "ok"


def test_what_raises_is_found_and_shrunk():
    """To the two characters that it takes."""
    session = Session(TextGroup("made", {"raising": raising, "fine": lambda _: "ok"}), SEED)
    session.run(3_000)
    [(fault, given)] = session.faults.values()
    assert (fault.target, fault.kind, sorted(given["text"])) == ("raising", "ValueError", ["1", "ё"])
    assert session.tallies["raising"].faults > 0 == session.tallies["fine"].faults


def test_what_is_slow_is_found_and_shrunk(monkeypatch):
    """By the processor's time, each time that it is asked."""
    monkeypatch.setattr(session_module, "SLOW_S", 0.05)
    group = TextGroup("made", {"slow": slow}, lambda source: source.choice(("да", "даё")))
    session = Session(group, SEED)
    session.run(50, lambda: bool(session.faults))
    [(fault, given)] = session.faults.values()
    assert (fault.target, fault.kind, given["text"]) == ("slow", "slow", "ё")
    assert faults_of(group, {"text": "да"}) == []


def test_the_command_keeps_a_fault_and_fails(monkeypatch, tmp_path, capsys):
    """Exit status 1, a line, an input in the corpus, a number in the ledger; a second run keeps it once."""
    monkeypatch.setitem(GROUPS, "made", TextGroup("made", {"raising": raising}))
    places = ["--ledger", str(tmp_path / "l.yaml"), "--corpus", str(tmp_path / "c")]
    asked = ["--group", "made", *places, "--minutes", "0.02"]
    assert main([*asked, "--seed", "1"]) == 1
    assert "FAULT made/raising: ValueError" in capsys.readouterr().out
    assert main([*asked, "--seed", "2"]) == 1
    assert main([*asked, "--seed", "2"]) == 1
    [case] = corpus.cases("made", tmp_path / "c")
    assert (case.target, case.shows, sorted(case.given["text"])) == ("raising", "fault ValueError", ["1", "ё"])
    total = ledger.sums(tmp_path / "l.yaml")["made/raising"]
    assert len(yaml.safe_load((tmp_path / "l.yaml").read_text())) == 2  # the same run again is no further one
    assert total.faults > 1
    assert total.inputs > total.faults


def test_the_ledger_knows_the_targets():
    """All but new ones have had inputs, and none has taken a second."""
    totals = ledger.sums()
    assert len(set(TARGETS) & set(totals)) > 0.9 * len(TARGETS)
    assert all(total.slowest_s < SLOW_S for total in totals.values())
