"""Nothing more is sent once enough answers are there: from a batch, by a stream, as a retry, from a file."""

import asyncio
import json

import pytest
from asking import LIMITS, chat, questions
from fault_server import FaultServer, echo, prompt_of, status
from lighteval.tasks.requests import Doc

from endpoints.answer_tasks import Scored
from endpoints.client import Endpoint
from endpoints.journal import Journal, read_journal
from endpoints.model import EndpointModel
from endpoints.model_config import EndpointModelConfig
from endpoints.retry import RetryPolicy

PATIENT = RetryPolicy(max_attempts=3, retry_after_cap_s=600.0)


def docs(count):
    return [
        Doc(query=f"q{i}", choices=[""], gold_index=0, task_name="t|0", specific={"id": f"q{i}", "max_tokens": 5})
        for i in range(count)
    ]


def run(server, requests, journal, ends_at, **limits):
    """Outcomes of a batch that has enough when a request of that number is settled."""

    async def main():
        enough = asyncio.Event()

        def arrived(request, outcome):
            if request.sample_id == ends_at:
                enough.set()

        async with Endpoint(server.url, None, concurrency=4, **(LIMITS | limits)) as endpoint:
            return await endpoint.run(requests, journal, arrived, enough=enough)

    return asyncio.run(main())


def test_what_is_under_way_is_kept(tmp_path):
    """Requests in flight come to their answers and into the journal, however long they take; the rest is not asked."""

    async def slow_but_one(server, request):
        if prompt_of(await request.json()) != "q0":
            while "over" not in server.asked:  # set below, once the batch has enough
                await asyncio.sleep(0.002)
        return await echo(server, request)

    with FaultServer(slow_but_one) as server, Journal(tmp_path / "j.jsonl") as journal:

        async def main():
            enough = asyncio.Event()

            def arrived(request, outcome):
                if request.sample_id == "q0":
                    enough.set()
                    asyncio.get_running_loop().call_later(0.05, lambda: server.asked.update({"over": 1}))

            async with Endpoint(server.url, None, concurrency=4, **LIMITS) as endpoint:
                return await endpoint.run(questions(40), journal, arrived, enough=enough)

        outcomes = asyncio.run(main())
        assert len(server.bodies) == 4
    assert [o.status for o in outcomes] == ["answered"] * 4 + ["not_asked"] * 36
    assert outcomes[4].error == "no further answer is needed before its turn"
    assert len(read_journal(tmp_path / "j.jsonl")) == 4


@pytest.mark.parametrize("gone", [False, True])
def test_the_first_are_settled_before_the_others(tmp_path, gone):
    """Until then no other is sent or looked for in the journal; a server that is given up is asked no more."""
    path = tmp_path / "j.jsonl"
    with FaultServer() as server, Journal(path) as journal:
        run(server, [chat("q7")], journal, None)
    happened = []

    async def main(server, journal):
        async def settled():
            await asyncio.sleep(0.02)
            happened.append(f"{len(server.bodies)} sent")

        async with Endpoint(server.url, None, concurrency=1 if gone else 4, **LIMITS) as endpoint:
            requests = [chat("q0"), *questions(9)]  # equal ones are sent once

            def arrived(request, outcome):
                happened.append(request.sample_id)

            return await endpoint.run(requests, journal, arrived, first=3, settled=settled)

    with FaultServer(dies_after=0 if gone else None) as server, Journal(path) as journal:
        outcomes = asyncio.run(main(server, journal))
    assert sorted(happened[:3]) == ["q0", "q0", "q1"]
    assert happened[3:5] == ["1 sent" if gone else "2 sent", "q7"]
    statuses = ["failed"] * 3 + ["not_asked"] * 7 if gone else ["answered"] * 10
    statuses[8] = "answered"
    assert [outcome.status for outcome in outcomes] == statuses


def test_a_retry_is_a_further_request(tmp_path):
    """A request that waits for another attempt fails at once."""
    with (
        FaultServer(scripts={"q1": [status(503, "busy", {"Retry-After": "600"}), echo]}) as server,
        Journal(tmp_path / "j.jsonl") as journal,
    ):
        outcomes = run(server, questions(4), journal, "q3", retry=PATIENT, deadline_s=5_000.0)
        assert server.asked["q1"] == 1
    assert outcomes[1].status == "failed"
    assert "no further attempt: no further answer is needed" in outcomes[1].error
    assert sum(o.status == "answered" for o in outcomes) == 3


def test_a_stream_sends_nothing_more(tmp_path):
    """What waits for its slot is not asked; a known reply is still given."""

    async def main(server, journal):
        enough = asyncio.Event()
        async with (
            Endpoint(server.url, None, concurrency=1, **LIMITS) as endpoint,
            endpoint.stream(journal, enough=enough) as stream,
        ):
            first = await stream.ask(chat("q0"))
            enough.set()
            return [first, await stream.ask(chat("q0")), await stream.ask(chat("q1"))]

    with FaultServer() as server, Journal(tmp_path / "j.jsonl") as journal:
        outcomes = asyncio.run(main(server, journal))
        assert len(server.bodies) == 1
    assert [o.status for o in outcomes] == ["answered", "answered", "not_asked"]


@pytest.mark.parametrize("saved", [False, True])
def test_the_model_asks_in_the_order_that_it_is_given(tmp_path, saved):
    """It looks at each answer before it sends the next request; responses keep the order of the documents."""
    lines = [json.dumps({"task": "t", "id": f"q{i}", "response": f"re: q{i}"}) + "\n" for i in range(9)]
    (tmp_path / "saved.jsonl").write_text("".join(lines), encoding="utf-8")
    with FaultServer() as server:
        config = EndpointModelConfig(
            model_name="tiny",
            base_url=server.url,
            concurrency=1,
            responses_path=str(tmp_path / "saved.jsonl") if saved else None,
        )
        model = EndpointModel(config, strict=False)
        seen = []

        async def score(doc, outcome):
            await asyncio.sleep(0)
            if outcome.status == "answered":
                seen.append(doc.query)
            if doc.query == "q5":
                model.enough.set()
            return Scored({"id": doc.query})

        async def main():
            model.enough = asyncio.Event()
            return await model.greedy_until(docs(9))

        model.on_answer = score
        model.order = lambda found: sorted(range(len(found)), reverse=True)
        responses = asyncio.run(main())
        assert len(server.bodies) == (0 if saved else 4)
    assert seen[:4] == ["q8", "q7", "q6", "q5"]
    asked = [response.outcome == "answered" for response in responses]
    assert asked == [False] * 5 + [True] * 4 or (saved and asked == [False] * 4 + [True] * 5)
    assert [response.record["id"] for response in responses] == [f"q{i}" for i in range(9)]


def test_answers_of_the_journal_may_be_enough(tmp_path):
    """Nothing is sent before they are looked at, though that takes its time."""
    path = tmp_path / "responses.jsonl"
    with FaultServer() as server:
        config = EndpointModelConfig(model_name="tiny", base_url=server.url, concurrency=4, journal_path=str(path))
        asyncio.run(EndpointModel(config).greedy_until(docs(3)))
        model = EndpointModel(config, strict=False)

        async def score(doc, outcome):
            await asyncio.sleep(0.02)
            model.enough.set()
            return Scored({})

        async def main():
            model.enough = asyncio.Event()
            return await model.greedy_until(docs(9))

        model.on_answer = score
        asyncio.run(main())
        assert len(server.bodies) == 3
