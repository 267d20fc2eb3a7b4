"""Watching servers' load: what is recorded, and how the gate follows it."""

import asyncio
import contextlib
import resource

import pytest
from asking import endpoint
from fault_server import FaultServer

from endpoints import load
from endpoints.gate import Gate
from endpoints.load import LoadWatch, gate_of, metrics_url
from endpoints.upkeep import Upkeep, looked_after


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Looks follow each other at once, and each window holds as many as it needs."""
    monkeypatch.setattr(load, "_EVERY_S", 0.001)
    monkeypatch.setattr("endpoints.concurrency._FIRST_WINDOW_S", 0.0)
    monkeypatch.setattr("endpoints.concurrency._WINDOW_S", 0.0)


def metrics(running, waiting, generated=0, **more):
    """The text of a server."""
    lines = {
        "num_requests_running": running,
        "num_requests_waiting": waiting,
        "generation_tokens_total": generated,
        **more,
    }
    return "".join(f'vllm:{name}{{model_name="tiny"}} {value}\n' for name, value in lines.items())


def watch_until(done, urls, gate, auto=False):
    """A watch that has looked until ``done`` of it is true; nothing but the test's own limit ends it otherwise."""
    watch = LoadWatch(gate, auto=auto, urls=urls, connect=lambda: endpoint(urls[0].removesuffix("/metrics") + "/v1"))

    async def walk():
        async with watch.opened():
            while not done(watch.record()):
                await asyncio.sleep(0.001)

    asyncio.run(walk())
    return watch


class Story:
    """Texts of one server, one a look; the last one stays."""

    def __init__(self, *texts):
        self.texts = list(texts)
        self.told = 0

    def __call__(self):
        self.told += 1
        return self.texts[min(self.told, len(self.texts)) - 1]


@contextlib.contextmanager
def told(*stories):
    """Servers that tell so, and the URLs of their metrics."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(FaultServer(metrics=story)) for story in stories]
        yield [metrics_url(server.url) for server in servers]


def looked(count):
    return lambda record: record["looks"] >= count


def test_a_server_that_comes_back_elsewhere():
    """It is looked at there, where it was no more, unless it comes back there. The record has each address once."""
    with told(Story(metrics(4, 0, 100)), Story(metrics(6, 0, 100)), Story(metrics(8, 0, 500))) as (stays, old, new):
        present = [stays, old]
        watch = LoadWatch(
            Gate(4),
            auto=False,
            urls=present,
            connect=lambda: endpoint(stays.removesuffix("/metrics") + "/v1"),
            present=lambda: present,
        )

        async def walk():
            async with watch.opened():
                while watch.record()["looks"] < 3:
                    await asyncio.sleep(0.001)
                present[1] = new
                while (watch.record()["running"] or {"max": 0})["max"] < 12:
                    await asyncio.sleep(0.001)
                present[1] = old  # its port is free again
                looks = watch.record()["looks"]
                while watch.record()["looks"] < looks + 3:
                    await asyncio.sleep(0.001)
                assert [server.url for server in watch._servers] == [stays, old]

        asyncio.run(walk())
        assert watch.record()["metrics"] == [stays, old, new]
        assert watch.problem == ""


def test_what_is_recorded():
    """Means and largest of the looks that end a span, what the counters grew by, and a hit share."""
    story = Story(
        metrics(1, 0, 100, num_preemptions_total=5, prefix_cache_queries_total=50, prefix_cache_hits_total=50),
        metrics(4, 1, 150, num_preemptions_total=5, prefix_cache_queries_total=100, prefix_cache_hits_total=60),
        metrics(8, 3, 300, num_preemptions_total=7, prefix_cache_queries_total=250, prefix_cache_hits_total=100),
        metrics(0, 0, 300, num_preemptions_total=7, prefix_cache_queries_total=250, prefix_cache_hits_total=100),
    )
    with told(story) as urls:
        record = watch_until(looked(5), urls, Gate(7)).record()
    assert record["concurrency"] == {"auto": False, "limit": 7}
    assert record["metrics"] == urls
    assert record["problem"] is None
    assert record["running"] == {"mean": 6.0, "max": 8}
    assert record["waiting"] == {"mean": 2.0, "max": 3}
    assert record["kv_cache_use_max"] is None
    assert (record["preemptions"], record["generated_tokens"], record["prefix_cache_hit_share"]) == (2, 200, 0.25)
    assert record["tokens_per_second"] > 0


def test_the_gate_follows_the_servers():
    """Two servers with four places each: the queue that never moves is not kept in flight."""
    gate = Gate(64, most=100)
    gate.in_flight = 64
    with told(lambda: metrics(4, 28), lambda: metrics(4, 28)) as urls:
        watch = watch_until(lambda record: record["concurrency"]["limit"] < 64, urls, gate, auto=True)
    assert watch.record()["running"] == {"mean": 8.0, "max": 8}
    assert gate.limit == 64 - 56 + 2


def test_a_fixed_number_stays():
    gate = Gate(64)
    gate.in_flight = 64
    with told(lambda: metrics(4, 60)) as urls:
        watch_until(looked(30), urls, gate)
    assert gate.limit == 64


@pytest.mark.parametrize("body", [None, lambda: "<html>hello</html>"], ids=["no such path", "a web page"])
def test_a_server_without_metrics(body):
    """It is asked once; the limit is the usual one, and the record says why."""
    gate = Gate(64, most=100)
    with told(body) as urls:
        record = watch_until(lambda record: record["problem"], urls, gate, auto=True).record()
    assert record["failed_looks"] == 1
    assert record["problem"].startswith(urls[0])
    assert (record["running"], record["preemptions"], gate.limit) == (None, None, 64)


def test_several_servers_at_one_address():
    """A router shows one of them at a time: counters go backwards, and nothing of it is believed."""
    gate = Gate(64, most=100)
    texts = [metrics(1, 0, 1000), metrics(1, 0, 10)] * 4
    with told(Story(*texts)) as urls:
        watch = watch_until(lambda record: record["problem"], urls, gate, auto=True)
    assert "several servers answer at this address" in watch.problem
    assert gate.limit == 64


def test_a_restarted_server_goes_on():
    """Its counters begin anew once: what it told before counts, and so does what it tells then."""
    with told(Story(metrics(1, 0, 100), metrics(1, 0, 150), metrics(1, 0, 5), metrics(1, 0, 25))) as urls:
        record = watch_until(looked(6), urls, Gate(7)).record()
    assert (record["generated_tokens"], record["problem"]) == (70, None)


def test_restarts_in_a_long_run_are_no_router():
    """A server that is started again four times, with some time between, is still one server."""
    lives = [metrics(1, 0, tokens) for _ in range(5) for tokens in range(0, 300, 10)]
    with told(Story(*lives)) as urls:
        record = watch_until(looked(len(lives) + 1), urls, Gate(7)).record()
    assert (record["generated_tokens"], record["problem"]) == (5 * 290, None)


def test_a_dead_replica_is_passed_over():
    """Some looks fail while nobody knows; then the others are looked at alone."""
    with FaultServer(metrics=lambda: metrics(3, 0)) as dying:
        dead = metrics_url(dying.url)
    with told(lambda: metrics(5, 0)) as urls:
        record = watch_until(looked(4), [*urls, dead], Gate(7)).record()
    assert record["running"] == {"mean": 5.0, "max": 5}
    assert record["failed_looks"] >= 4


def test_looks_do_not_wait_for_servers_that_are_down():
    """Neither before a look nor after one that failed, though a question would wait for news of the servers."""
    upkeep = Upkeep(["one", "two"])
    with FaultServer() as dying:
        dead = metrics_url(dying.url)
    with told(lambda: metrics(5, 0)) as urls, looked_after(urls[0].removesuffix("/metrics") + "/v1", upkeep):
        assert watch_until(looked(2), [*urls, dead], Gate(7)).problem.startswith(dead)
        upkeep.fell("one")
        upkeep.fell("two")
        assert watch_until(looked(2), urls, Gate(7)).record()["failed_looks"] == 0


def test_a_bug_of_ours_ends_no_run(monkeypatch):
    monkeypatch.setattr(load, "together", lambda readings: 1 / 0)
    with told(lambda: metrics(5, 0)) as urls:
        watch = LoadWatch(Gate(7), auto=True, urls=urls, connect=lambda: endpoint("http://127.0.0.1:9/v1"))

        async def walk():
            async with watch.opened():
                await asyncio.sleep(0)
                while len(asyncio.all_tasks()) > 1:
                    await asyncio.sleep(0.001)

        asyncio.run(walk())
    assert watch.problem == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("hard", "most"), [(resource.RLIM_INFINITY, 2048), (4096, 1920), (1024, 384), (300, 64), (100, 64)]
)
def test_auto_is_as_wide_as_open_files_allow(monkeypatch, hard, most):
    """It begins at the usual number; half of what is allowed, since a judge may need the other half."""
    monkeypatch.setattr(resource, "getrlimit", lambda which: (100, hard))
    gate, auto = gate_of(None)
    assert (gate.limit, gate.most, auto) == (64, most, True)


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h:1/v1", "http://h:1/metrics"),
        ("http://h:1", "http://h:1/metrics"),
        ("https://h/a/v1", "https://h/a/metrics"),
        ("http://h:1/v1/", "http://h:1/metrics"),
        ("http://h:1/v1?version=2", "http://h:1/metrics"),
    ],
)
def test_where_metrics_are(base_url, url):
    assert metrics_url(base_url) == url
