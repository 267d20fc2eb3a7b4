"""The gate before a server: never more than its limit, in order, whoever is cancelled and whenever it changes."""

import asyncio
from collections import Counter

import pytest
from asking import ask, questions
from fault_server import FaultServer, echo, status, together
from hypothesis import given, settings
from hypothesis import strategies as st

from endpoints.client import Endpoint
from endpoints.endpoint_run import Patience
from endpoints.gate import Gate


async def turn():
    """Let every task run until it waits for something else."""
    for _ in range(6):
        await asyncio.sleep(0)


def holder(gate, let_go, inside, number):
    async def hold():
        async with gate:
            inside.append(number)
            await let_go[number].wait()

    return asyncio.create_task(hold())


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["enter", "leave", "cancel", "1", "2", "5"]), max_size=40))
def test_never_more_than_the_limit(steps):
    """Entries in order; nobody new is let in above the limit, and nobody waits below it."""

    async def walk():
        gate, inside, let_go, tasks = Gate(2, most=5), [], {}, {}
        for step in steps:
            held = gate.in_flight
            if step == "enter":
                number = len(let_go)
                let_go[number] = asyncio.Event()
                tasks[number] = holder(gate, let_go, inside, number)
            elif step.isdigit():
                gate.resize(int(step))
            else:
                alive = [number for number, task in tasks.items() if not task.done()]
                for number in alive[:1] if step == "leave" else alive[-1:]:
                    let_go[number].set() if step == "leave" else tasks[number].cancel()
            await turn()
            waiting = [number for number, task in tasks.items() if not task.done() and number not in inside]
            assert gate.in_flight <= max(gate.limit, held)
            assert not waiting or gate.in_flight >= gate.limit
        assert inside == sorted(inside)
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        assert gate.in_flight == 0

    asyncio.run(walk())


def test_cancelled_just_as_it_is_let_in():
    """The place goes to the next one."""

    async def walk():
        gate, inside, let_go = Gate(1, most=2), [], {number: asyncio.Event() for number in range(3)}
        first, second, third = (holder(gate, let_go, inside, number) for number in range(3))
        await turn()
        gate.resize(2)
        second.cancel()
        await turn()
        assert (inside, gate.in_flight) == ([0, 2], 2)
        for task in (first, third):
            task.cancel()
        await asyncio.gather(first, second, third, return_exceptions=True)
        assert gate.in_flight == 0

    asyncio.run(walk())


@pytest.mark.parametrize(("limit", "most"), [(0, None), (-1, None), (4, 3)])
def test_limits_that_cannot_be(limit, most):
    with pytest.raises(ValueError, match="concurrency is"):
        Gate(limit, most)


def test_limits_are_kept_within_bounds():
    gate = Gate(4, most=8)
    gate.resize(100)
    assert gate.limit == 8
    gate.resize(0)
    assert gate.limit == 1


def test_patience_follows_the_gate():
    """Two failures a place; requests that are still in flight after the gate was narrowed count as places."""
    gate = Gate(4, most=8)
    patience = Patience(gate)
    for _ in range(7):
        patience.failed("server-gone")
    assert not patience.given_up.is_set()
    gate.resize(8)
    for _ in range(8):
        patience.failed("server-gone")
    assert not patience.given_up.is_set()
    gate.resize(1)
    gate.in_flight = 9
    patience.failed("server-gone")
    assert not patience.given_up.is_set()
    gate.in_flight = 0
    patience.failed("server-gone")
    assert patience.given_up.is_set()


def test_a_batch_through_a_gate_that_opens():
    """Requests that the server answers only six at a time are answered once the gate lets six through."""
    gate = Gate(1, most=6)

    async def walk(server):
        async with Endpoint(server.url, None, concurrency=gate) as endpoint:
            return await endpoint.run(questions(13), on_outcome=lambda *_: gate.resize(6))

    with FaultServer(together(6), scripts={"q0": [echo]}) as server:
        outcomes = asyncio.run(walk(server))
    assert Counter(outcome.status for outcome in outcomes) == {"answered": 13}
    assert len(server.bodies) == 13
    assert server.peak == 6
    assert gate.in_flight == 0


def test_a_lost_server_ends_workers_that_wait_at_the_gate():
    """More workers than places: they are not asked, and nothing is left behind."""
    with FaultServer(status(500)) as server:
        outcomes = ask(server, questions(40), concurrency=Gate(2, most=40), grace_s=0.0)
    counts = Counter(outcome.status for outcome in outcomes)
    assert counts["failed"] + counts["not_asked"] == 40
    assert counts["not_asked"] >= 34
