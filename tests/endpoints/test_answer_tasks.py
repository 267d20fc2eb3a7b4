"""What is done with answers while others are awaited: results, room, faults."""

import asyncio

import pytest
from fault_server import FaultServer
from lighteval.tasks.requests import Doc

from endpoints.answer_tasks import Scored
from endpoints.journal import read_journal
from endpoints.model import EndpointModel
from endpoints.model_config import EndpointModelConfig


def docs(count):
    names = [f"q{number}" for number in range(count)]
    return [
        Doc(query=name, choices=[""], gold_index=0, task_name="t|0", specific={"id": name, "max_tokens": 5})
        for name in names
    ]


def model(server, tmp_path, **more):
    config = EndpointModelConfig(
        model_name="tiny", base_url=server.url, concurrency=4, journal_path=str(tmp_path / "responses.jsonl")
    )
    return EndpointModel(config, **more)


def test_what_the_work_gives_is_the_record_and_the_judgement(tmp_path):
    """Of its own document, whatever the order in which work ends."""

    async def judge(doc, outcome):
        await asyncio.sleep(0.01 if doc.query.endswith("0") else 0)
        return Scored({"id": doc.query}, f"judged {outcome.text}")

    with FaultServer() as server:
        responses = asyncio.run(model(server, tmp_path, on_answer=judge).greedy_until(docs(12)))
    assert [response.judgement for response in responses] == [f"judged re: q{number}" for number in range(12)]
    assert [response.record for response in responses] == [{"id": f"q{number}"} for number in range(12)]


def test_work_that_is_done_at_once_needs_no_task(tmp_path):
    """A scored answer may be returned as it is; None means that nothing was made of the answer."""

    def score(doc, outcome):
        return Scored({"text": outcome.text}) if doc.query != "q1" else None

    with FaultServer() as server:
        responses = asyncio.run(model(server, tmp_path, on_answer=score).greedy_until(docs(3)))
    assert [response.record for response in responses] == [{"text": "re: q0"}, None, {"text": "re: q2"}]
    assert [response.judgement for response in responses] == [""] * 3


def test_answers_are_worked_on_while_others_are_awaited(tmp_path):
    """The server holds its last answer back until the first one has been judged."""
    judged = asyncio.Event()

    async def judge(doc, outcome):
        judged.set()
        return Scored(None)

    async def reply(server, request):
        from fault_server import echo

        if (await request.json())["messages"][0]["content"] == "q11":
            while not judged.is_set():
                await asyncio.sleep(0.001)
        return await echo(server, request)

    with FaultServer(reply) as server:
        responses = asyncio.run(model(server, tmp_path, on_answer=judge).greedy_until(docs(12)))
    assert all(response.outcome == "answered" for response in responses)


def test_generation_waits_for_slow_work(tmp_path):
    """At most ``most_waiting`` answers wait, beside those on the wire when the limit was reached."""
    waiting, most = 0, 0

    async def judge(doc, outcome):
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.005)
        waiting -= 1
        return Scored(None)

    with FaultServer() as server:
        asyncio.run(model(server, tmp_path, on_answer=judge, most_waiting=3).greedy_until(docs(60)))
        assert len(server.bodies) == 60
    assert most <= 3 + 1 + 4


def test_work_that_raises_ends_the_run_and_keeps_the_answers(tmp_path):
    """At once, not after the last answer."""

    async def judge(doc, outcome):
        raise RuntimeError("the judge refuses everything")

    async def reply(server, request):
        from fault_server import echo, hang

        last = (await request.json())["messages"][0]["content"] == "q3"
        return await (hang if last else echo)(server, request)

    with FaultServer(reply) as server, pytest.raises(RuntimeError, match="refuses everything"):
        asyncio.run(model(server, tmp_path, on_answer=judge).greedy_until(docs(4)))
    assert len(list(read_journal(tmp_path / "responses.jsonl"))) >= 1
