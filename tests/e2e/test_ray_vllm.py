"""Replicas on a Ray cluster of two nodes on one machine, each a real vLLM on the CPU, and what is killed under them."""

import asyncio
import collections
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import yaml
from ray_cluster import SECOND, every_process, group, running_cluster, words
from vllm_server import cache_folder, vllm_python

from endpoints.client import Endpoint
from endpoints.embedded_model import prepare_model
from endpoints.journal import Journal
from endpoints.process import reserved_port
from endpoints.request import Request
from endpoints.serving import read_serving, serve

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 300.0
SMALL = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}


@pytest.fixture(scope="module")
def cluster():
    """Both nodes."""
    with running_cluster(vllm_python(cache_folder())) as found:
        yield found


@pytest.fixture
def servers():
    """Collects the process groups of servers; none of them has a member when the test has ended."""
    leaders = set()
    yield leaders
    assert leaders
    assert eventually(lambda: not any(map(group, leaders)), 60), {leader: group(leader) for leader in leaders}


def serving_file(folder, cluster, replicas):
    """A serving file for the cluster."""
    with reserved_port() as port:
        pass
    python = str(vllm_python(cache_folder()))
    entry = {
        "model": str(prepare_model()),
        "served_model_name": "smollm2",
        "python": python,
        "command": ["{python}", "-P", "-m", "vllm.entrypoints.openai.api_server", "--model={model}"],
        "placement": "ray",
        "ray_address": cluster.address,
        "resources": {"gpu_slot": 1},
        "replicas": replicas,
        "gpus": [],
        "port": port,
        "dtype": "bfloat16",
        "max_model_len": 4096,
        "max_num_seqs": 8,
        "extra_args": ["--enforce-eager"],
        "env": {**SMALL, **{name: value for name, value in cluster.env.items() if name.startswith("RAY")}},
        "deadline_s": PATIENCE_S,
        "restart_wait_s": 0.5,
    }
    path = folder / "serving.yaml"
    path.write_text(yaml.safe_dump({"model": entry}), encoding="utf-8")
    return path


def eventually(condition, within_s=PATIENCE_S):
    """Whether a condition becomes true."""
    deadline = time.monotonic() + within_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def server_at(url):
    """The process of the server at a URL, which leads a process group."""
    parts = urllib.parse.urlsplit(url)
    options = {f"--host={parts.hostname}", f"--port={parts.port}", "vllm.entrypoints.openai.api_server"}
    found = {pid: set(words(pid).split()) for pid in every_process()}
    # The supervisor on the node is started with -I, and has the server's words too.
    (pid,) = [pid for pid, its in found.items() if options <= its and "-I" not in its]
    return pid


def question(number):
    """A question with a short answer."""
    return Request(
        task="ray",
        sample_id=f"{number}",
        repeat=0,
        kind="chat",
        model="smollm2",
        messages=({"role": "user", "content": f"Tell a story about the number {number}."},),
        prompt=None,
        max_tokens=32,
        sampling={"temperature": 0},
        extra_body={"ignore_eos": True},
    )


def lines_of(journal):
    """The lines of a journal so far."""
    return [json.loads(line) for line in journal.read_text("utf-8").splitlines()] if journal.exists() else []


def assert_once(journal, number):
    """Every question is in the journal once, answered."""
    lines = lines_of(journal)
    assert {line["status"] for line in lines} == {"answered"}
    counted = collections.Counter(line["key"] for line in lines)
    assert set(counted.values()) == {1}
    assert len(counted) == number


def listed(served):
    """The router's list."""
    with urllib.request.urlopen(served.model_base_url.removesuffix("/v1") + "/list_workers", timeout=60) as reply:
        return set(json.load(reply)["urls"])


def test_a_replica_and_a_node_are_lost(cluster, servers, tmp_path):
    """All questions are answered; what was lost is back at a new address, on a new node where the old one is gone."""
    journal = tmp_path / "journal.jsonl"
    with serve(read_serving(serving_file(tmp_path, cluster, 2)), tmp_path / "logs", print) as served:
        workers, events = served.record["workers"]["model"], served.record["events"]

        def count(kind):
            return [event["event"] for event in events].count(kind)

        def on_second():
            return next(url for url in workers if SECOND in url)

        async def ask(numbers, meanwhile):
            async with Endpoint(served.model_base_url, "EMPTY", concurrency=4) as endpoint:
                with Journal(journal) as kept:
                    asked = asyncio.create_task(endpoint.run([question(number) for number in numbers], kept, None))
                    while not endpoint_is_busy(journal, before, 2):
                        await asyncio.sleep(0.05)
                    await asyncio.to_thread(meanwhile)
                    return await asked

        assert len({urllib.parse.urlsplit(url).hostname for url in workers}) == 2
        servers |= {server_at(url) for url in workers}

        before, first = 0, on_second()
        outcomes = asyncio.run(ask(range(12), lambda: os.kill(server_at(first), signal.SIGKILL)))
        assert {outcome.status for outcome in outcomes} == {"answered"}
        assert eventually(lambda: count("ready again") == 1), events
        assert on_second() != first
        assert eventually(lambda: listed(served) == set(workers), 30)
        servers.add(server_at(on_second()))

        before, second = 12, on_second()
        outcomes = asyncio.run(ask(range(12, 24), cluster.kill_second))
        assert {outcome.status for outcome in outcomes} == {"answered"}
        assert eventually(lambda: count("started again") == 2), events
        assert eventually(lambda: second not in listed(served), 30)
        cluster.start_second()
        assert eventually(lambda: count("ready again") == 2), events
        assert on_second() not in (first, second)
        assert eventually(lambda: listed(served) == set(workers), 30)
        servers.add(server_at(on_second()))
        assert [event["event"] for event in events] == ["died", "started again", "ready again"] * 2
    assert_once(journal, 24)


def endpoint_is_busy(journal, before, number):
    """Whether so many questions were answered since."""
    return len(lines_of(journal)) >= before + number


def test_the_run_is_killed_and_resumed(cluster, servers, tmp_path):
    """``kill -9``: its server ends on its node; the resume asks what was left, and nothing twice."""
    cluster.wait(2)
    arguments = ["--task", "ifhard:all|0", "--max-samples", "6", "--max-new-tokens", "32", "--concurrency", "2"]
    served = ["--serve", str(serving_file(tmp_path, cluster, 1)), "--output-dir", str(tmp_path / "out")]
    command = [sys.executable, str(ROOT / "run_lighteval.py")]
    with subprocess.Popen([*command, *arguments, *served], cwd=tmp_path, stderr=subprocess.DEVNULL) as run:
        try:
            assert eventually(lambda: len(lines_of(journal_in(tmp_path))) >= 2 or run.poll() is not None)
            folder = journal_in(tmp_path).parent
            (url,) = json.loads((folder / "run.json").read_text("utf-8"))["serving"]["workers"]["model"]
            servers.add(server_at(url))
        finally:
            run.kill()
    assert len(lines_of(folder / "responses.jsonl")) < 6
    assert eventually(lambda: not any(map(group, servers)), 60)
    done = subprocess.run(
        [*command, "--resume", str(folder)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert_once(folder / "responses.jsonl", 6)
    again = json.loads((folder / "run.json").read_text("utf-8"))["serving"]
    assert again["events"] == []
    assert again["workers"]["model"] != [url]
    with contextlib.suppress(ValueError):
        pytest.fail(f"a server is left: {server_at(again['workers']['model'][0])}")


def journal_in(folder):
    """The journal of the only run."""
    return next((folder / "out").glob("*/responses.jsonl"), folder / "none")
