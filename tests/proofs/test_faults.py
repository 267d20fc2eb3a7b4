"""A share of the proof of faults: five kills of a served, judged, repeated run, one of each other fault."""

import os
import random
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from proofs.faults.answering import mark_of, said
from proofs.faults.chains import Unbroken, asked_twice, lost, prepared, prove
from proofs.faults.disks import Skipped
from proofs.faults.evidence import Asked, Outcome, left_running, twice_answered
from proofs.faults.moments import draw_moment
from proofs.faults.refusals import TRIALS, Bench
from proofs.faults.scenarios import SCENARIOS, Place
from proofs.faults.sessions import fork

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.fixture(scope="module", autouse=True)
def _own_caches(tmp_path_factory):
    """Copies of datasets stay out of the user's cache."""
    before = dict(os.environ)
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.slow
def test_five_kills_lose_nothing_and_ask_nothing_twice(tmp_path):
    """Judged, served and repeated at once; the moments are those of seed 15."""
    found = prove(tmp_path / "served", BY_NAME["served"], fork, kills=5, seed=15)
    assert found.faults == []
    assert len(found.kills) == 5


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Servers, and an unbroken run."""
    scenario = BY_NAME["repeated"]
    with prepared(tmp_path_factory.mktemp("trials") / "repeated", scenario, fork, 5.0) as (place, whole):
        yield Bench(place, scenario, fork, whole, thorough=False)


@pytest.mark.slow
@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.__name__)
def test_a_fault_is_one_line_and_loses_nothing(bench, trial):
    """The disturbed run says what is wrong, and a resume ends as the unbroken run did."""
    try:
        assert trial(bench) == []
    except Skipped as reason:
        pytest.skip(str(reason))
    finally:
        shutil.rmtree(bench.out, ignore_errors=True)


@pytest.mark.parametrize(
    ("arrived", "on_disk", "faults"),
    [
        ({"a": 2, "b": 1}, {}, 0),
        ({"a": 1}, {"a": 1, "b": 1}, 0),
        ({"a": 2}, {"a": 1}, 1),
        ({"b": 1}, {"b": 1}, 1),
        ({"c": 1}, {}, 1),
    ],
)
def test_a_request_whose_answer_is_at_hand_is_seen(arrived, on_disk, faults):
    """So is one that the unbroken run never sent."""
    whole = Unbroken(Outcome({}, "", {}), Counter({"a": 2, "b": 1}), [], 0, 1.0, any_questions=False)
    found = asked_twice(Asked(Counter(arrived), Counter()), Counter(on_disk), whole, BY_NAME["repeated"])
    assert len(found) == faults


def test_a_lost_answer_is_seen():
    """One that was in a journal, and more of them than can have been under way."""
    before = Counter("aab")
    assert lost(before, Counter("aabc"), Counter("cdefghi")) == []
    assert len(lost(before, Counter("ab"), Counter())) == 1
    assert len(lost(before, Counter("aabc"), Counter("cdefghij"))) == 1


def test_another_end_is_seen():
    """In run.json, in the details and in the table."""
    row = [{}, {"id": "q", "repeat": 0, "outcome": "answered"}, {}]
    whole = Outcome({"tasks": 1}, "a table\nof two lines", {"t": [row]})
    assert whole.differences(Outcome({"tasks": 1}, "a table\nof two lines", {"t": [row]})) == []
    other = Outcome({"tasks": 2}, "a table\nof three", {"t": [[{}, {**row[1], "repeat": 1}, {}]]})
    assert [found.partition(":")[0] for found in whole.differences(other)] == ["run.json", "details of t", "table.txt"]
    assert whole.differences(Outcome({"tasks": 1}, "a table", {"t": []})) != []


def test_what_is_left_running_is_seen(tmp_path):
    """By its environment; a zombie does not run."""
    place = Place(tmp_path, (1, 2))
    process = subprocess.Popen([sys.executable, "-c", "input()"], env={"X": "token-7"}, stdin=subprocess.PIPE)
    assert left_running(place, "token-7") == [process.pid]
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert left_running(place, "token-7") == []
    process.communicate()


def test_a_key_with_two_answers_is_seen(tmp_path):
    """In one of the two journals."""
    from asking import chat

    from endpoints.journal_lines import to_line
    from endpoints.outcome import Outcome as Answer

    line = to_line(chat("а"), chat("а").key(), Answer(status="answered", text="да", attempts=1))
    (tmp_path / "judgements.jsonl").write_bytes(line)
    assert twice_answered(tmp_path) == []
    (tmp_path / "judgements.jsonl").write_bytes(line * 2)
    assert twice_answered(tmp_path) == [chat("а").key()]


def test_moments_are_the_same_for_a_seed():
    """And of every kind."""
    steps = ["run.json open", *["responses.jsonl write"] * 30, "table.txt open"]
    drawn = [
        [str(draw_moment(chance, steps, 5.0)) for _ in range(60)] for chance in (random.Random(1), random.Random(1))
    ]
    assert drawn[0] == drawn[1]
    kinds = ("answers", "run.json open", "responses.jsonl write", "table.txt open", "after")
    assert all(any(kind in moment for moment in drawn[0]) for kind in kinds)


def test_answers_are_functions_of_the_requests():
    """Each holds its request's mark."""
    body = {"model": "model", "messages": [{"role": "user", "content": "Вопрос"}], "seed": 1}
    assert said(body) == said(dict(reversed(body.items())))
    assert said(body).endswith(f"m{mark_of(body)}")
    assert mark_of(body) != mark_of({**body, "seed": 2})
    assert "Оценка: " in said({**body, "model": "judge"})
