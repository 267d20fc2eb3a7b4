"""Requests in flight of a run: a number or auto, and what the run says of its servers' load."""

import asyncio

import pytest
from fault_server import FaultServer
from replies import know_all

from endpoints import load
from endpoints.load import gate_of
from runner.exits import Exit, UsageError
from runner.load import load_phrase
from runner.parser import build_parser


def metrics(running, waiting, generated):
    """The text of a server; it does not tell of its caches."""
    return (
        f"vllm:num_requests_running {running}\nvllm:num_requests_waiting {waiting}\n"
        f"vllm:generation_tokens_total {generated}\n"
    )


@pytest.mark.parametrize("option", ["--concurrency", "--judge-concurrency"])
@pytest.mark.parametrize(("text", "value"), [("auto", "auto"), ("8", 8)])
def test_what_may_be_asked_for(option, text, value):
    given = vars(build_parser().parse_args([option, text]))
    assert given[option.strip("-").replace("-", "_")] == value


@pytest.mark.parametrize("option", ["--concurrency", "--judge-concurrency"])
@pytest.mark.parametrize("text", ["0", "-1", "Auto", "", "1.5", "auto "])
def test_what_may_not(option, text):
    with pytest.raises(UsageError, match=option):
        build_parser().parse_args([f"{option}={text}"])


@pytest.mark.parametrize(("concurrency", "limit", "auto"), [(8, 8, False), ("auto", 64, True), (None, 64, True)])
def test_the_gate_of_a_setting(concurrency, limit, auto):
    gate, follows = gate_of(concurrency)
    assert (gate.limit, follows) == (limit, auto)
    assert auto or gate.most == limit


def test_a_run_whose_server_tells_of_its_load(command, monkeypatch):
    """It is in run.json and in the table, and the score is that of any other number in flight."""
    monkeypatch.setattr(load, "_EVERY_S", 0.001)
    looks = []

    def told():
        looks.append(1)
        return metrics(3, 1, 10 * len(looks))

    async def once_looked(server, request):
        while len(looks) < 4:
            await asyncio.sleep(0.001)
        return await know_all(server, request)

    with FaultServer(once_looked, metrics=told) as server:
        result = command("--full", server=server)
    assert result.code == Exit.COMPLETE
    found = result.run["server_load"]["model"]
    assert found["concurrency"]["auto"] is True
    assert found["running"] == {"mean": 3.0, "max": 3}
    assert found["waiting"] == {"mean": 1.0, "max": 1}
    assert found["generated_tokens"] >= 10
    assert "Load: auto settled on" in result.out
    with FaultServer(know_all) as server:
        fixed = command("--full", "--concurrency", "3", server=server)
        assert server.peak <= 3
    assert fixed.run["server_load"]["model"]["concurrency"] == {"auto": False, "limit": 3}
    assert "Load:" not in fixed.out
    assert fixed.row() == result.row()
    assert {line["key"] for line in fixed.journal} == {line["key"] for line in result.journal}


def test_auto_without_metrics_is_said(command):
    """Who asks for it learns why it did nothing; who does not, has the usual number."""
    with FaultServer(know_all) as server:
        asked = command("--concurrency", "auto", server=server)
        plain = command(server=server)
    words = "--concurrency auto: 64 requests in flight, since the server does not say what its load is"
    assert words in asked.err
    assert "--concurrency" not in plain.err
    for result in (asked, plain):
        found = result.run["server_load"]["model"]
        assert found["concurrency"] == {"auto": True, "limit": 64}
        assert "404" in found["problem"]


def test_the_words_of_the_table():
    found = {
        "concurrency": {"auto": True, "limit": 96},
        "running": {"mean": 80.25, "max": 90},
        "waiting": {"mean": 2.0, "max": 40},
        "tokens_per_second": 1234.56,
        "kv_cache_use_max": 0.875,
        "preemptions": 3,
        "prefix_cache_hit_share": 0.5,
    }
    assert load_phrase(found) == (
        "auto settled on 96 requests in flight, the server had 80.2 running (at most 90) and 2.0 waiting (at most 40), "
        "1234.6 tokens a second, KV cache at most 88% full, 3 preemptions, 50% of prompt tokens from the prefix cache"
    )
    bare = dict.fromkeys(found) | {
        "concurrency": {"auto": False, "limit": 8},
        "running": {"mean": 8.0, "max": 8},
        "waiting": {"mean": 0.0, "max": 0},
    }
    assert (
        load_phrase(bare) == "8 requests in flight, the server had 8.0 running (at most 8) and 0.0 waiting (at most 0)"
    )
