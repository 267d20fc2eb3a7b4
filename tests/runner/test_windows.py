"""Where a run learns the server's window, and what a resume may do about caps."""

import pytest
from fault_server import FaultServer, as_json, prompt_of, status
from replies import know_all

from runner.exits import Exit

NO_WINDOW = {"object": "list", "data": [{"id": "tiny", "max_model_len": None, "parent": None}]}


def narrow(window):
    """A server that takes only caps below ``window`` and names it when it refuses, whatever the prompt."""

    async def reply(server, request):
        body = await request.json()
        if body["max_tokens"] >= window:
            words = f"This model's maximum context length is {window} tokens and your request has 20 input tokens."
            return await status(400, words)(server, request)
        return await know_all(server, request)

    return reply


def caps(server):
    """The caps of all requests."""
    return {body["max_tokens"] for body in server.bodies}


@pytest.mark.parametrize("tokenize", [as_json({"count": 20}), None], ids=["tokenizer", "estimate"])
def test_a_window_that_only_a_refusal_names_fails_nobody(command, tokenize):
    """The refused questions are sent again; run.json and the table say where the window was learnt."""
    with FaultServer(narrow(1000), models=NO_WINDOW, tokenize=tokenize) as server:
        result = command("--full", "--concurrency", "4", server=server)
    assert result.code == Exit.COMPLETE
    assert result.run["model"]["max_model_len"] == 1000
    assert result.run["model"]["window_from"] == "a refused request"
    assert "the server's window of 1000 tokens was learnt from a refused request" in result.out
    assert len(server.bodies) <= 40 + 4


def test_a_resume_begins_with_the_window_that_was_learnt(command):
    """No question is refused again, and no answer is asked for twice."""
    with FaultServer(narrow(1000), models=NO_WINDOW, tokenize=as_json({"count": 20})) as server:
        first = command("--max-samples", "8", "--concurrency", "2", server=server)
        before = len(server.bodies)
        again = command("--resume", str(first.run_dir), "--full")
    assert [first.code, again.code] == [Exit.COMPLETE] * 2
    assert len(server.bodies) - before == 32
    assert {body["max_tokens"] for body in server.bodies[before:]} == {980}
    assert again.run["model"]["max_model_len"] == 1000


@pytest.mark.parametrize(
    ("models", "tokenize", "source"),
    [
        ([{"id": "base", "max_model_len": 1000}, {"id": "tiny", "parent": "base"}], None, "parent 'base'"),
        ([{"id": "tiny", "context_length": 1000}], None, "'context_length'"),
        ([{"id": "tiny"}], as_json({"count": 20, "max_model_len": 1000}), "/tokenize"),
    ],
    ids=["adapter", "gateway", "tokenizer"],
)
def test_a_window_that_can_be_read_lets_no_question_be_refused(command, models, tokenize, source):
    """Every request fits from the first one on; the source is said at the start and recorded."""
    with FaultServer(narrow(1000), models={"data": models}, tokenize=tokenize) as server:
        result = command("--full", server=server)
    assert result.code == Exit.COMPLETE
    assert len(server.bodies) == 40
    assert max(caps(server)) < 1000
    assert source in result.run["model"]["window_from"]
    assert f"the server's window: 1000 tokens, learnt from {result.run['model']['window_from']}" in result.err


def test_a_run_that_was_refused_whole_is_mended_by_a_lower_cap(command):
    """The server names no window: every question failed, and a resume with a lower cap answers all."""

    async def mute(server, request):
        if (await request.json())["max_tokens"] > 500:
            return await status(400, "the input exceeds the context window")(server, request)
        return await know_all(server, request)

    with FaultServer(mute, models=NO_WINDOW) as server:
        first = command("--max-samples", "6", server=server)
        again = command("--resume", str(first.run_dir), "--max-new-tokens", "500")
    assert [first.code, again.code] == [Exit.INCOMPLETE, Exit.COMPLETE]
    assert again.row()["n_answered"] == 6


def test_answers_under_a_higher_cap_are_kept(command):
    """Only what is missing is asked for with the lower cap; the table says so; a third session keeps all."""

    async def some(server, request):
        body = await request.json()
        if body["max_tokens"] == 700 and int(prompt_of(body).split("вещь номер ")[1].split(".")[0]) % 2:
            return await status(500, "out of memory")(server, request)
        return await know_all(server, request)

    with FaultServer(some) as server:
        first = command("--full", "--max-new-tokens", "700", "--concurrency", "40", server=server)
        before = len(server.bodies)
        second = command("--resume", str(first.run_dir), "--max-new-tokens", "300")
        third = command("--resume", str(first.run_dir), "--max-new-tokens", "200")
    assert [first.code, second.code, third.code] == [Exit.INCOMPLETE, Exit.COMPLETE, Exit.COMPLETE]
    assert [body["max_tokens"] for body in server.bodies[before:]] == [300] * 20
    assert "20 answers are kept from before the cap was lowered" in second.out
    assert third.run["earlier_limits"] == [[700, 8192], [300, 8192]]
    assert third.row()["sample_pass_rate"] == 1.0


@pytest.mark.parametrize(("first", "then"), [(["--max-new-tokens", "300"], "301"), ([], "1000000")])
def test_a_resume_cannot_raise_the_cap(command, first, then):
    """Neither a given one nor the task's own; the run stays as it was."""
    with FaultServer(know_all) as server:
        run = command("--max-samples", "2", *first, server=server)
        raised = command("--resume", str(run.run_dir), "--max-new-tokens", then)
        again = command("--resume", str(run.run_dir))
    assert raised.code == Exit.USAGE
    assert then in raised.err
    assert "max-new-tokens" in raised.err
    assert again.code == Exit.COMPLETE
    assert len(server.bodies) == 2
