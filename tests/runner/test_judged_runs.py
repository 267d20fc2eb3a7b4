"""Runs whose answers another model judges: what goes wrong with the judge, and what is kept then."""

import functools
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer, answer, status

import judges.asking
from endpoints.client import Endpoint
from endpoints.retry import RetryPolicy
from runner.exits import Exit

QUICK = RetryPolicy(max_attempts=2, base_s=0.001, cap_s=0.002, retry_after_cap_s=0.002)
ROOT = Path(__file__).resolve().parents[2]
TASK = "hardmultiqa:all:alignment|0"
COUNT = len(servers.QUESTIONS)


@pytest.fixture
def judged(command, monkeypatch):
    """``judged(model, judge, ...)``: a run over the sample set; retries wait milliseconds."""
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, retry=QUICK))

    def run(model, judge, *arguments):
        url = judge if isinstance(judge, str) else judge.url
        there = ["--dataset", "builtin", "--full", "--judge-model", "tiny", "--judge-base-url", url]
        return command(*arguments, *there, server=model, task=TASK, data=None)

    return run


def judgements(result):
    path = result.run_dir / "judgements.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def nothing_right(reply):
    """The reply of a judge that finds nothing right in the same answer."""
    if "Оценка" in reply:
        return "Оценка: -1"
    found = json.loads(reply)
    changes = {"matches": []} if "matches" in found else {"chosen": [], "verdict": "incorrect"}
    return json.dumps(found | changes, ensure_ascii=False)


def test_a_judge_that_is_down_stops_the_run_before_it_starts(judged):
    """Exit 3 with one line that names the URL; nothing is generated."""
    with FaultServer(servers.model) as model:
        result = judged(model, "http://127.0.0.1:9/v1")
        assert result.code == Exit.UNAVAILABLE
        assert "http://127.0.0.1:9/v1" in result.err
        assert not model.bodies


def test_a_judge_that_serves_another_model(judged):
    """The models that it serves are named."""
    with FaultServer(servers.model) as model, FaultServer(servers.judge, models={"data": [{"id": "other"}]}) as judge:
        result = judged(model, judge)
        assert result.code == Exit.UNAVAILABLE
        assert "other" in result.err
        assert not model.bodies


def test_a_judge_that_refuses_everything_stops_the_run(judged):
    """Exit 3 with the server's words; what was generated is kept."""
    with FaultServer(servers.model) as model, FaultServer(status(400, "response_format is not supported")) as judge:
        result = judged(model, judge, "--judge-concurrency", "1", "--concurrency", "1")
        assert result.code == Exit.UNAVAILABLE
        assert "response_format is not supported" in result.err
        assert result.journal


def test_a_judge_that_dies_midway(judged, command):
    """Every answer is kept, exit 4; a resume judges the rest only and gives the totals of an unbroken run."""
    with FaultServer(servers.model) as model:
        with FaultServer(servers.judge, dies_after=15) as judge:
            result = judged(model, judge, "--judge-concurrency", "2")
            assert result.code == Exit.INCOMPLETE
            assert len(result.journal) == COUNT
            row = result.row(TASK)
            assert row["n_unjudged"] + row["n_answered"] == COUNT
            assert 0 < row["n_answered"] <= 15
            assert "INCOMPLETE" in result.out
            assert "UNJUDGED" in result.out
        with FaultServer(servers.judge) as judge:
            again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
            assert again.code == Exit.COMPLETE
            assert len(judge.bodies) == COUNT - row["n_answered"]
        assert len(model.bodies) == COUNT
    assert again.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_a_storm_of_429_is_weathered(judged):
    """The judge is asked again, and the scores are those of a calm day."""
    turns = Counter()

    async def stormy(server, request):
        key = json.dumps(await request.json(), sort_keys=True)
        turns[key] += 1
        return await (status(429, "busy") if turns[key] == 1 else servers.judge)(server, request)

    with FaultServer(servers.model) as model, FaultServer(stormy) as judge:
        result = judged(model, judge)
    assert result.code == Exit.COMPLETE
    assert result.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_unreadable_replies_are_asked_again_and_then_counted(judged):
    """Three attempts with the same answer, then UNJUDGED: no score, bounds, exit 4."""
    with FaultServer(servers.model) as model, FaultServer(answer("Верно, ставлю единицу!")) as judge:
        result = judged(model, judge)
        assert result.code == Exit.INCOMPLETE
        assert len(judge.bodies) == 3 * COUNT
        assert len(model.bodies) == COUNT
    row = result.row(TASK)
    assert row["hardmultiqa_judge"] is None
    assert (row["hardmultiqa_judge_lower_bound"], row["hardmultiqa_judge_upper_bound"]) == (0.0, 1.0)
    assert row["n_unjudged"] == COUNT
    assert all("attempts" in error["error"] for error in result.run["errors"])


def test_another_judge_judges_the_same_answers(judged, command):
    """``--resume`` with another judge generates nothing and replaces the verdicts."""

    async def harsh(server, request):
        honest = json.loads((await servers.judge(server, request)).body)["choices"][0]["message"]["content"]
        return await answer(nothing_right(honest))(server, request)

    two = {"data": [{"id": "tiny"}, {"id": "other"}]}
    with FaultServer(servers.model) as model:
        with FaultServer(servers.judge) as judge:
            result = judged(model, judge)
        with FaultServer(harsh, models=two) as judge:
            more = ["--judge-model", "other", "--judge-base-url", judge.url]
            again = command("--resume", str(result.run_dir), *more)
            assert len(judge.bodies) == COUNT
        assert len(model.bodies) == COUNT
    assert again.code == Exit.COMPLETE
    assert again.run["judge"]["model"] == "other"
    assert again.row(TASK)["hardmultiqa_judge"] == 0.0


def test_judge_options_are_for_judged_tasks(command):
    """Anywhere else they are an error, not an argument that does nothing."""
    result = command("--judge-model", "x", "--model", "tiny")
    assert result.code == Exit.USAGE
    assert "--judge-model is for tasks of hardmultiqa only" in result.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill-9"])
def test_judging_that_was_stopped_goes_on(tmp_path, number):
    """Every reply of the judge is kept, none is asked for twice."""
    turns = Counter()

    async def slow(server, request):
        import asyncio

        turns[json.dumps(await request.json(), sort_keys=True)] += 1
        await asyncio.sleep(0.02)
        return await servers.judge(server, request)

    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HOME": str(tmp_path / "hf")}

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, str(ROOT / "run_lighteval.py"), *arguments],
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    with FaultServer(servers.model) as model, FaultServer(slow) as judge:
        process = start(
            *("--task", TASK, "--dataset", "builtin", "--full", "--output-dir", str(tmp_path / "out")),
            *("--model", "tiny", "--base-url", model.url, "--judge-model", "tiny"),
            *("--judge-base-url", judge.url, "--judge-concurrency", "2"),
        )
        while len(judge.bodies) < 12 and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(number)
        process.communicate()
        (run_dir,) = (tmp_path / "out").iterdir()
        done = {json.loads(line)["key"] for line in (run_dir / "judgements.jsonl").read_text("utf-8").splitlines()}
        again = start("--resume", str(run_dir))
        _, err = again.communicate()
        assert again.returncode == 0, err
        assert len(model.bodies) <= COUNT + 64  # what was on the wire when it was killed
        assert sum(turns.values()) <= COUNT + 2
    assert done
    row = json.loads((run_dir / "run.json").read_text("utf-8"))["tasks"][TASK]
    assert row["hardmultiqa_judge"] == pytest.approx(servers.expected())
