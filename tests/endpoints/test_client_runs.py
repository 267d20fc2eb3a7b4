"""Whole runs: order, concurrency, and the ways in which a run ends early."""

import asyncio

import pytest
from asking import QUICK, ask, chat, questions
from fault_server import FaultServer, echo, hang, prompt_of, status, together

import endpoints.client
from endpoints.errors import RequestRefused
from endpoints.journal import read_journal
from endpoints.retry import RetryPolicy

ONCE = RetryPolicy(max_attempts=1)


def statuses(outcomes):
    """How often each status occurs."""
    return {status: sum(o.status == status for o in outcomes) for status in {o.status for o in outcomes}}


def test_outcomes_keep_the_order_of_the_requests():
    """However the answers arrive, each stands in the place of its request."""

    async def slow_first(server, request):
        await asyncio.sleep(0.05 if prompt_of(await request.json()) == "q0" else 0)
        return await echo(server, request)

    with FaultServer(slow_first) as server:
        outcomes = ask(server, questions(40), concurrency=8)
    assert [o.text for o in outcomes] == [f"re: q{number}" for number in range(40)]


def test_nothing_to_ask():
    """No requests: no outcomes, and no connection."""
    assert ask("http://127.0.0.1:1/v1", []) == []


@pytest.mark.parametrize("concurrency", [1, 150])
def test_concurrency_is_really_in_flight_and_never_more(concurrency):
    """The server holds every answer back until that many requests are with it: they come, and no further one."""
    with FaultServer(together(concurrency)) as server:
        outcomes = ask(server, questions(concurrency * 2), concurrency=concurrency)
    assert statuses(outcomes) == {"answered": concurrency * 2}
    assert server.peak == concurrency


@pytest.mark.parametrize("code", [302, 400, 401, 403, 404, 405, 422])
def test_server_that_refuses_everything_stops_the_run(code):
    """It sees the requests in flight and at most one more: the second refusal settles it."""
    with FaultServer(status(code, "System role not supported")) as server, pytest.raises(RequestRefused) as caught:
        ask(server, questions(500), concurrency=4)
    assert len(server.bodies) <= 4 + 1
    assert caught.value.sample_id in {f"q{number}" for number in range(5)}


@pytest.mark.parametrize("code", [400, 403, 422])
@pytest.mark.parametrize(
    "words", ["content policy violation", "Your input was flagged", "data_inspection_failed", "no", "bad characters"]
)
def test_refusal_of_one_prompt_that_comes_first_is_not_everyones(code, words):
    """The prompt fails by itself, with its words; the others are asked and answered."""
    with FaultServer(scripts={"q0": [status(code, words)]}) as server:
        outcomes = ask(server, questions(4), concurrency=1)
    assert [o.status for o in outcomes] == ["failed", *["answered"] * 3]
    assert (outcomes[0].error_code, outcomes[0].error, outcomes[0].attempts) == ("refused", f"HTTP {code}: {words}", 1)


def test_two_refused_prompts_in_unlike_words_are_two_prompts():
    """Only a second refusal of the same kind is believed to concern all."""
    with FaultServer(scripts={"q0": [status(400, "too odd")], "q1": [status(422, "field x is bad")]}) as server:
        outcomes = ask(server, questions(3), concurrency=2)
    assert [o.status for o in outcomes] == ["failed", "failed", "answered"]


def test_moderation_of_many_prompts_stops_nothing():
    """Its words say that they concern the prompt, however many come first."""
    script = {f"q{number}": [status(400, "blocked by the content filter")] for number in range(3)}
    with FaultServer(scripts=script) as server:
        outcomes = ask(server, questions(5), concurrency=1)
    assert [o.status for o in outcomes] == ["failed"] * 3 + ["answered"] * 2


def test_refusals_that_quote_different_things_are_of_one_kind():
    """Numbers, ids and pieces of the prompt differ from one refusal to the next."""
    turn = iter(range(100))

    async def refuse(server, request):
        number = next(turn)
        words = f"Unknown field in 'question {number}' (request 0f3a99{number:02d}-ab), position {number}"
        return await status(400, words)(server, request)

    with FaultServer(refuse) as server, pytest.raises(RequestRefused):
        ask(server, questions(20), concurrency=1)
    assert len(server.bodies) == 2


def test_repeats_of_one_question_are_one_question():
    """Three refused answers to the same prompt say nothing of another prompt."""
    repeats = [chat("q0", repeat=number, sampling={"seed": number}) for number in range(3)]
    with FaultServer(scripts={"q0": [status(400, "no")]}) as server:
        outcomes = ask(server, [*repeats, chat("q1")], concurrency=2)
    assert [o.status for o in outcomes] == ["failed"] * 3 + ["answered"]


def test_run_in_which_everything_was_refused_stops_at_its_end():
    """Each refusal in words of its own: the first is raised, with what it says."""
    script = {"q0": [status(400, "too odd")], "q1": [status(422, "field x is bad")]}
    with FaultServer(scripts=script) as server, pytest.raises(RequestRefused, match="too odd"):
        ask(server, questions(2), concurrency=1)


def test_refused_prompt_stops_no_resumption(tmp_path):
    """Resumed, the refused prompt is asked first again and still stops nobody."""
    path = tmp_path / "responses.jsonl"
    refused = {"q0": [status(400, "no")]}
    with FaultServer(scripts=refused) as server:
        ask(server, questions(2), concurrency=1, journal=path)
        outcomes = ask(server, questions(4), concurrency=1, journal=path)
    assert [o.status for o in outcomes] == ["failed", *["answered"] * 3]
    assert server.asked == {"q0": 2, "q1": 1, "q2": 1, "q3": 1}


def test_first_refusal_leaves_no_line_in_the_journal(tmp_path):
    """The refused request is asked again when the cause is mended."""
    path = tmp_path / "responses.jsonl"
    with FaultServer(status(401, "bad key")) as server, pytest.raises(RequestRefused):
        ask(server, questions(8), concurrency=2, journal=path)
    assert read_journal(path) == []


def test_refusal_after_an_answer_is_a_failed_sample():
    """Once the server has answered anything, a refusal is one sample's failure."""
    with FaultServer(scripts={"q1": [status(400, "bad characters")]}) as server:
        outcomes = ask(server, questions(4), concurrency=1)
    assert [o.status for o in outcomes] == ["answered", "failed", "answered", "answered"]
    assert (outcomes[1].error_code, outcomes[1].error) == ("refused", "HTTP 400: bad characters")


def test_refusal_after_resumption_without_a_fresh_answer_stops(tmp_path):
    """Answers of an earlier run do not make a refusing server a good one."""
    path = tmp_path / "responses.jsonl"
    with FaultServer() as server:
        ask(server, questions(3), journal=path)
    with FaultServer(status(401, "key expired")) as server, pytest.raises(RequestRefused):
        ask(server, questions(6), journal=path)
    assert len(read_journal(path)) == 3


def test_server_that_dies_midway_leaves_the_rest_unasked(tmp_path):
    """After 2 x concurrency failures in a row the rest is not asked, and only what was sent is journalled."""
    path = tmp_path / "responses.jsonl"
    heard = []
    with FaultServer(dies_after=10) as server:
        outcomes = ask(
            server,
            questions(200),
            concurrency=4,
            journal=path,
            on_outcome=lambda request, outcome: heard.append((request.sample_id, outcome)),
        )
    counts = statuses(outcomes)
    assert counts["answered"] + counts["failed"] + counts["not_asked"] == 200
    assert 7 <= counts["answered"] <= 13
    # Eight in a row end it; those on the wire at the death, and at the end, may fail as well.
    assert 8 <= counts["failed"] <= 8 + 3 + 3
    first_unasked = next(place for place, outcome in enumerate(outcomes) if outcome.status == "not_asked")
    assert {o.status for o in outcomes[first_unasked:]} == {"not_asked"}
    assert {o.error_code for o in outcomes if o.status == "failed"} == {"connection"}
    assert {o.attempts for o in outcomes[first_unasked:]} == {0}
    assert len(read_journal(path)) == counts["answered"] + counts["failed"]
    assert sorted(name for name, _ in heard) == sorted(f"q{number}" for number in range(200))
    assert all(outcome is outcomes[int(name[1:])] for name, outcome in heard)


def test_failures_with_answers_between_do_not_end_the_run():
    """Half of the samples fail, never 2 x concurrency of them in a row: all are asked."""
    scripts = {f"q{number}": [status(500, "down")] for number in range(0, 60, 2)}
    with FaultServer(scripts=scripts) as server:
        outcomes = ask(server, questions(60), concurrency=1, retry=ONCE)
    assert statuses(outcomes) == {"answered": 30, "failed": 30}


@pytest.mark.parametrize("concurrency", [1, 3])
def test_bound_on_failures_in_a_row_is_exact(concurrency):
    """A server that never answers any request gets 2 x concurrency of them, and those then in flight."""
    with FaultServer(status(503, "down")) as server:
        outcomes = ask(server, questions(50), concurrency=concurrency, retry=ONCE)
    failed = statuses(outcomes)["failed"]
    assert 2 * concurrency <= failed <= 3 * concurrency - 1
    assert server.asked.total() == failed


def test_refusals_midway_end_the_run_as_well():
    """A key that expires midway fails 2 x concurrency samples, not all the rest."""
    served = iter(range(1000))

    async def expiring(server, request):
        return await (echo if next(served) < 5 else status(401, "key expired"))(server, request)

    with FaultServer(expiring) as server:
        outcomes = ask(server, questions(50), concurrency=1)
    assert statuses(outcomes) == {"answered": 5, "failed": 2, "not_asked": 43}


def test_overflows_in_a_row_do_not_end_the_run():
    """A server that explains its limit is alive, however many prompts in a row are too long."""
    scripts = {f"q{number}": [status(400, "maximum context length is 10 tokens")] for number in range(20)}
    with FaultServer(scripts=scripts) as server:
        outcomes = ask(server, questions(30), concurrency=1)
    assert [o.status for o in outcomes] == ["failed"] * 20 + ["answered"] * 10


def test_hanging_server_is_given_up_after_two_rounds_of_timeouts():
    """A server that accepts everything and answers nothing costs two attempts of each worker, not all their retries."""
    many = RetryPolicy(max_attempts=100, base_s=0.0)
    with FaultServer(hang) as server:
        outcomes = ask(server, questions(50), concurrency=3, attempt_s=0.2, retry=many, grace_s=0.0)
    assert statuses(outcomes) == {"failed": 3, "not_asked": 47}
    assert {o.error_code for o in outcomes[:3]} <= {"timeout", "server-gone"}
    assert 6 <= server.asked.total() <= 6 + 3


def test_waits_end_when_the_server_is_given_up():
    """A request that waits an hour for its next attempt fails at once when the others have shown that it is vain."""
    an_hour = RetryPolicy(max_attempts=2, base_s=7200.0, cap_s=7200.0)
    scripts = {"q0": [status(500, "down")]}
    with FaultServer(status(413, "too large"), scripts) as server:
        outcomes = ask(server, questions(50), concurrency=2, retry=an_hour, deadline_s=100_000.0)
    assert (outcomes[0].status, outcomes[0].attempts) == ("failed", 1)
    assert outcomes[0].error == "HTTP 500: down; no further attempt: the server was given up"
    assert statuses(outcomes) == {"failed": 5, "not_asked": 45}


def test_request_on_the_wire_may_still_end_well_within_its_grace():
    """An answer that arrives after the server was given up is kept."""

    async def slow(server, request):
        while server.asked.total() < 5:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        return await echo(server, request)

    scripts = {"q0": [slow]}
    with FaultServer(status(413, "too large"), scripts) as server:
        outcomes = ask(server, questions(50), concurrency=2, grace_s=60.0)
    assert outcomes[0].text == "re: q0"
    assert statuses(outcomes) == {"answered": 1, "failed": 4, "not_asked": 45}


def test_request_on_the_wire_fails_after_its_grace():
    """A request that hangs beyond the grace is failed, and told from one that was never sent."""
    with FaultServer(status(413, "too large"), {"q0": [hang]}) as server:
        outcomes = ask(server, questions(50), concurrency=2, grace_s=0.0)
    assert (outcomes[0].status, outcomes[0].error_code) == ("failed", "server-gone")
    assert statuses(outcomes) == {"failed": 5, "not_asked": 45}


def test_bug_of_ours_costs_one_sample(monkeypatch):
    """An exception in our own code fails its sample under its own code, not retried; the others are asked."""
    real = endpoints.client.read_reply

    def buggy(kind, body):
        if b"q1" in body:
            raise KeyError("oops")
        return real(kind, body)

    monkeypatch.setattr(endpoints.client, "read_reply", buggy)
    with FaultServer() as server:
        outcomes = ask(server, questions(3))
    assert [o.status for o in outcomes] == ["answered", "failed", "answered"]
    assert (outcomes[1].error_code, outcomes[1].error) == ("client-bug", "KeyError: 'oops'")


def test_callback_that_raises_ends_the_run_with_the_answer_on_disk(tmp_path):
    """What the caller's code raises is the caller's to see; the answer was journalled before."""
    path = tmp_path / "responses.jsonl"

    def broken(request, outcome):
        raise ZeroDivisionError

    with FaultServer() as server, pytest.raises(ZeroDivisionError):
        ask(server, questions(20), concurrency=1, journal=path, on_outcome=broken)
    assert [record.sample_id for record in read_journal(path)] == ["q0"]


def test_default_policy_bounds_a_dead_server():
    """The bound that the docstring of the endpoint states: two requests' waits, 63 s."""
    assert 2 * RetryPolicy().longest_waiting_s() == 63.0
    assert QUICK.longest_waiting_s() < 1
