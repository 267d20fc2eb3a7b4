"""The controller of requests in flight, on observations made by hand and against simulated servers."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endpoints.concurrency import Controller, Observation

SCRIPT = Path(__file__).parents[2] / "speed" / "concurrency_auto.py"
LOOKS = 12  # more than a window, its settling and the next window


def look(limit, **changes):
    """A look at a server that works on all that is sent."""
    fields = {"seconds": 1.0, "in_flight": limit, "running": limit, "waiting": 0, "kv_use": 0.1, "generated": 100}
    return Observation(**(fields | changes))


def after(controller, count=LOOKS, **changes):
    """The limit after some looks; a change may be a function of the limit."""
    for _ in range(count):
        made = {name: value(controller.limit) if callable(value) else value for name, value in changes.items()}
        controller.observe(look(controller.limit, **made))
    return controller.limit


def test_grows_while_nothing_waits_and_more_is_generated():
    """It doubles up to the most."""
    limits = []
    controller = Controller(64, 1000)
    for _ in range(60):
        limits.append(after(controller, 1, generated=lambda limit: 10 * limit))
    assert list(dict.fromkeys(limits)) == [64, 128, 256, 512, 1000]


def test_grows_without_counts_of_tokens():
    assert after(Controller(8, 64), 60, generated=None) == 64


@pytest.mark.parametrize(
    "changes",
    [
        {"in_flight": 30, "running": 30},
        {"running": 20},  # requests of ours are held back elsewhere
        {"waiting": 30, "running": lambda limit: limit - 30, "in_flight": lambda limit: limit + 0.0, "seconds": 0.1},
        {"kv_use": 0.95},
    ],
    ids=["too few requests", "the server has fewer", "too short a time", "no room in the cache"],
)
def test_stays(changes):
    """Where more in flight would not be used, or nothing is known yet."""
    assert after(Controller(64, 1000), **changes) == 64


def test_keeps_a_short_queue():
    """Sixteen places: two more wait, none of the 48 that would never come nearer."""
    server = {"running": lambda limit: min(limit, 16), "waiting": lambda limit: max(0, limit - 16)}
    controller = Controller(64, 1000)
    assert after(controller, 40, **server) == 18
    assert after(controller, 100, **server) == 18


def test_a_first_wave_of_long_prompts_is_no_queue():
    """Requests wait only until their prompts are read: more run at every look."""
    controller = Controller(64, 1000)
    for running in range(2, 50, 2):
        controller.observe(look(64, running=running, waiting=64 - running, generated=0))
    assert controller.limit == 64


@pytest.mark.parametrize("length", [3, 4])
def test_a_queue_of_one_window_is_a_first_wave_still(length):
    """A slow server tells the same numbers for seconds; then the queue is gone."""
    controller = Controller(64, 1000)
    assert after(controller, length, running=30, waiting=34, generated=0) == 64
    assert after(controller, 1, running=64, generated=0) == 64
    assert after(controller, 8, running=30, waiting=34) < 40


def test_a_lasting_queue_counts_by_its_shortest():
    """Of a queue of 40 that was 20 at some look of the two windows only 20 can be spared, less a short one."""
    controller = Controller(64, 1000)
    for waiting in (40, 20, 40, 40, 40, 40):
        controller.observe(look(64, running=24, waiting=waiting))
    assert controller.limit == 64 - 20 + 3


def test_backs_off_when_requests_are_put_back():
    """Below what was running, at once; it comes back slowly once there is room."""
    controller = Controller(64, 1000)
    fewer = after(controller, 4, running=40, waiting=24, kv_use=0.99, preempted=3)
    assert 36 <= fewer < 40
    later = after(controller, 12, kv_use=0.8)
    assert fewer <= later <= fewer + 4


def test_backs_off_from_a_full_cache():
    assert 58 <= after(Controller(64, 1000), 4, kv_use=0.99) < 64


def test_waits_until_a_lower_limit_has_taken_effect():
    """Requests that are still in flight are not a reason to go lower."""
    controller = Controller(64, 1000)
    low = after(controller, 4, running=40, waiting=24, kv_use=0.99, preempted=3)
    assert after(controller, 30, in_flight=60, running=36, waiting=24, kv_use=0.99, preempted=3) == low


def test_goes_back_where_more_brings_nothing():
    """Two steps up without more tokens a second: the limit from before, and a rest."""
    controller = Controller(64, 10_000)
    limits = [after(controller, 1, generated=lambda limit: 10 * min(limit, 100)) for _ in range(60)]
    assert max(limits) <= 512
    assert controller.limit == 128


def test_others_queues_are_not_ours_to_shorten():
    """Sixty requests of others are there: of ours two wait, however long the queue is."""
    assert after(Controller(16, 100), 30, running=14, waiting=62, in_flight=16) == 16


OBSERVATIONS = st.builds(
    Observation,
    seconds=st.floats(0.01, 100),
    in_flight=st.integers(0, 3000),
    running=st.integers(0, 3000),
    waiting=st.integers(0, 3000),
    kv_use=st.floats(0, 1),
    preempted=st.integers(0, 100),
    generated=st.none() | st.integers(0, 10**6),
)


@given(st.lists(OBSERVATIONS, max_size=60), st.integers(1, 100), st.integers(1, 2000))
def test_within_bounds_and_the_same_again(observations, limit, most):
    """Always from 1 to the most, whatever the server says, and by the observations alone."""
    first, second = Controller(limit, most), Controller(limit, most)
    for observation in observations:
        assert 1 <= first.observe(observation) <= most
        assert second.observe(observation) == first.limit


def test_near_the_best_fixed_number(monkeypatch):
    """A tenth of each simulated workload; the script runs the whole and states what it measured."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = importlib.util.spec_from_file_location("concurrency_auto", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "concurrency_auto", script)  # dataclasses look themselves up
    spec.loader.exec_module(script)
    for name in ("long SOBHard prompts", "a small KV cache", "few places"):
        workload = script.WORKLOADS[name]
        best = min(workload.run(0.1, number)[0] for number in (16, 32, 64, 128))
        assert workload.run(0.1, None)[0] <= script.FAR * best
