"""Runs on servers that only stream."""

import json

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer, prompt_of, status
from mini import right
from replies import know_all, number_of
from streams import DONE, chunk, stream, usage

from runner.exits import Exit

ONLY = "This model only support stream mode, please enable the stream parameter to access the model."


def streaming(reply):
    """A server that gives the answers of another, but only as streams."""

    async def streamed(server, request):
        if not (await request.json()).get("stream"):
            return await status(400, ONLY)(server, request)
        body = json.loads((await reply(server, request)).body)
        content = body["choices"][0]["message"]["content"]
        pieces = [chunk(role="assistant", content=""), chunk(reasoning="думал"), *(chunk(content=c) for c in content)]
        return await stream(*pieces, chunk("stop"), usage(), DONE)(server, request)

    return streamed


def test_a_server_that_only_streams(command):
    """The error names the option; with it the run is as on a usual server, and a resume goes on with it."""
    with FaultServer(streaming(know_all)) as server:
        refused = command("--concurrency", "2", server=server)
        first = command("--stream", "--max-samples", "20", server=server)
        again = command("--resume", str(first.run_dir), "--full")
    with FaultServer(know_all) as server:
        usual = command("--full", server=server)
    assert [r.code for r in (refused, first, again, usual)] == [Exit.UNAVAILABLE, *[Exit.COMPLETE] * 3]
    assert "add --stream" in refused.err
    assert again.row() == usual.row() | {"n_with_reasoning": 40}  # the streams bring some
    assert {line["reasoning"] for line in again.journal} == {"думал"}
    assert again.run["tokens"]["completion"] == usual.run["tokens"]["completion"]
    assert {line["key"] for line in again.journal} == {line["key"] for line in usual.journal}


def test_a_resume_may_begin_or_cease_to_need_streams(command):
    """A server that streams unasked is read without the option; finished answers are not asked for again."""

    async def unasked(server, request):
        number = number_of(prompt_of(await request.json()))
        return await stream(chunk(content=right(number)), chunk("stop"), DONE)(server, request)

    with FaultServer(unasked) as server:
        first = command("--max-samples", "3", server=server)
        again = command("--resume", str(first.run_dir), "--max-samples", "5", "--stream")
    assert [first.code, again.code] == [Exit.COMPLETE] * 2
    assert [body.get("stream") for body in server.bodies] == [None] * 3 + [True] * 2
    assert again.row()["sample_pass_rate"] == 1.0


def test_a_broken_stream_is_a_failed_sample(command):
    """Named with its reason; its fragment, which would pass, is not scored."""

    async def breaking(server, request):
        number = number_of(prompt_of(await request.json()))
        end = chunk() if number == 4 else chunk("stop")
        return await stream(chunk(content=right(number)), end, DONE)(server, request)

    with FaultServer(breaking) as server:
        result = command("--full", "--stream", server=server)
    assert result.code == Exit.INCOMPLETE
    assert (result.row()["n_answered"], result.row()["n_failed"]) == (39, 1)
    assert "no finish reason before its end (ifhard:all|0 t004)" in result.err


def test_the_judge_streams_too(command):
    """Verdicts are those of a usual judge; structured output is asked for as ever."""
    task = "hardmultiqa:all:alignment|0"
    given = ("--dataset", "builtin", "--full", "--judge-model", "tiny")
    with FaultServer(streaming(servers.model)) as model, FaultServer(streaming(servers.judge)) as judge:
        result = command(*given, "--judge-base-url", judge.url, "--stream", server=model, task=task, data=None)
    assert result.code == Exit.COMPLETE
    assert result.row(task)["hardmultiqa_judge"] == pytest.approx(servers.expected())
    assert all(body["stream"] for body in model.bodies + judge.bodies)
    assert any("response_format" in body for body in judge.bodies)
