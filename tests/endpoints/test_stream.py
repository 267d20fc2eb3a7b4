"""Requests put one by one: shared, journalled, limited, given up."""

import asyncio
import gc
import threading

import pytest
from asking import LIMITS, chat
from fault_server import FaultServer, answer, hang, status, together

from endpoints.client import Endpoint
from endpoints.errors import RequestRefused
from endpoints.journal import Journal


def ask_all(server, requests, journal=None, concurrency=4, **limits):
    """Outcomes of requests that all come up at once."""

    async def main():
        async with (
            Endpoint(server.url, None, concurrency=concurrency, **(LIMITS | limits)) as endpoint,
            endpoint.stream(journal) as stream,
        ):
            return await asyncio.gather(*(stream.ask(request) for request in requests), return_exceptions=True)

    return asyncio.run(main())


def test_each_gets_its_own_answer():
    """Twenty requests at four in flight; never more, and really four."""
    requests = [chat(f"q{number}") for number in range(20)]
    with FaultServer(together(4)) as server:
        outcomes = ask_all(server, requests)
        assert [outcome.text for outcome in outcomes] == [f"re: q{number}" for number in range(20)]
        assert server.peak == 4


def test_equal_requests_under_way_are_one():
    """The server is asked once."""
    with FaultServer() as server:
        first, second = ask_all(server, [chat("q"), chat("q")])
        assert first == second
        assert server.asked["q"] == 1


def test_the_journal_answers_the_second_time(tmp_path):
    """What was answered is on disk and is not asked for again; what failed is."""
    with FaultServer(scripts={"bad": [status(400, "odd", error_code="x"), answer("да")]}) as server:
        with Journal(tmp_path / "j") as journal:
            good, bad = ask_all(server, [chat("good"), chat("bad")], journal, concurrency=1)
            assert (good.status, bad.status) == ("answered", "failed")
        with Journal(tmp_path / "j") as journal:
            good, bad = ask_all(server, [chat("good"), chat("bad")], journal)
            assert good.from_journal
            assert bad.text == "да"
        assert server.asked["good"] == 1


def test_a_refused_first_request_is_an_error():
    """As every other would be."""
    with FaultServer(status(401, "no such key")) as server:
        (error,) = ask_all(server, [chat("q")], concurrency=1)
        assert isinstance(error, RequestRefused)
        assert "no such key" in str(error)


@pytest.mark.parametrize("reply", [status(503), hang], ids=["errors", "silence"])
def test_a_lost_server_is_given_up(reply):
    """After twice the concurrency nothing more is sent; the rest says so, and nobody waits forever."""
    requests = [chat(f"q{number}") for number in range(30)]
    with FaultServer(reply) as server:
        outcomes = ask_all(server, requests, concurrency=2, attempt_s=0.2, grace_s=0.05)
        states = [outcome.status for outcome in outcomes]
        assert set(states) == {"failed", "not_asked"}
        assert states.count("not_asked") >= 20
        assert all(outcome.error for outcome in outcomes)


def test_leaving_the_block_ends_what_is_under_way():
    """No request outlives its stream."""

    async def main(server):
        async with Endpoint(server.url, None, concurrency=2, **LIMITS) as endpoint:
            async with endpoint.stream() as stream:
                task = asyncio.create_task(stream.ask(chat("q")))
                while not server.bodies:
                    await asyncio.sleep(0.001)
            with pytest.raises(asyncio.CancelledError):
                await task

    with FaultServer(hang) as server:
        asyncio.run(main(server))


def test_an_error_that_nobody_waits_for_is_not_printed(capsys):
    """Whoever asked was cancelled before the refusal came."""

    async def main(server):
        async with Endpoint(server.url, None, concurrency=1, **LIMITS) as endpoint, endpoint.stream() as stream:
            asked = asyncio.create_task(stream.ask(chat("q")))
            while not server.bodies:
                await asyncio.sleep(0.001)
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
            go.set()
            while server.in_flight:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.05)

    go = threading.Event()

    async def late(server, request):
        while not go.is_set():
            await asyncio.sleep(0.001)
        return await status(401, "no such key")(server, request)

    with FaultServer(late) as server:
        asyncio.run(main(server))
    gc.collect()
    assert "never retrieved" not in capsys.readouterr().err
