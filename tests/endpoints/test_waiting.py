"""Which questions are waited for, and who is told."""

import asyncio

import pytest
from asking import chat, endpoint
from fault_server import FaultServer, answer, echo

import endpoints.waiting


@pytest.fixture
def soon(monkeypatch):
    """A wait is long at once; told of often."""
    monkeypatch.setattr(endpoints.waiting, "AFTER_S", 0.0)
    monkeypatch.setattr(endpoints.waiting, "EVERY_S", 0.01)


def held(told, enough):
    """A reply that comes only when somebody was told, as the test says."""

    async def reply(server, request):
        while not any(map(enough, told)):
            await asyncio.sleep(0.005)
        return await answer("да")(server, request)

    return reply


@pytest.mark.usefixtures("soon")
def test_questions_that_wait_are_told_of_by_name_until_they_are_answered():
    """The longest wait first; an answered question is not among them; at the end there is none."""
    told = []
    scripts = {name: [held(told, lambda waited: len(waited) == 2)] for name in ("один", "два")}

    async def main(url):
        async with endpoint(url) as client:
            await client.run([chat("три"), chat("один"), chat("два", repeat=1)], on_waiting=told.append)

    with FaultServer(echo, scripts) as server:
        asyncio.run(main(server.url))
    both = next(waited for waited in told if len(waited) == 2)
    assert {(one.task, one.sample_id, one.repeat) for one in both} == {
        ("ifhard:all", "один", 0),
        ("ifhard:all", "два", 1),
    }
    assert both[0].seconds >= both[1].seconds > 0


@pytest.mark.usefixtures("soon")
def test_requests_that_come_up_one_by_one_are_told_of_too():
    """Those to a judge; the last word is that nobody waits."""
    told = []

    async def main(url):
        async with endpoint(url) as client, client.stream(on_waiting=told.append) as opened:
            await opened.ask(chat("один"))
            while told[-1]:
                await asyncio.sleep(0.005)

    with FaultServer(held(told, bool)) as server:
        asyncio.run(main(server.url))
    assert [one.sample_id for one in told[0]] == ["один"]
    assert told[-1] == []


def test_short_waits_are_nobodys_matter(monkeypatch):
    """A minute is the limit."""
    assert endpoints.waiting.AFTER_S == 60
    monkeypatch.setattr(endpoints.waiting, "EVERY_S", 0.001)
    told = []

    async def main(url):
        async with endpoint(url) as client:
            await client.run([chat("один")], on_waiting=told.append)

    with FaultServer() as server:
        asyncio.run(main(server.url))
    assert told == []
