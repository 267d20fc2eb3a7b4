"""Servers that die or hang while they are used: started again, back on the router's list, or given up."""

import asyncio
import collections
import json
import os
import signal
import urllib.request

import pytest
from asking import questions
from serving_fakes import PATIENCE_S, eventually, fakes, post

from endpoints.client import Endpoint
from endpoints.journal import Journal
from endpoints.retry import RetryPolicy
from endpoints.serving import serve

QUICK = {"restart_wait_s": 0.1}


@pytest.fixture
def made(tmp_path):
    """Stand-ins for servers."""
    with fakes(tmp_path, ports=8) as found:
        yield found


@pytest.fixture
def serving(made, tmp_path):
    """Serves entries; gives what is served and the lines that were said."""

    def start(lines=None, **entries):
        return serve(made.plan(**entries), tmp_path / "logs", (lines if lines is not None else []).append)

    return start


def kinds(served, server=None):
    """What happened so far, to one server or to all."""
    return [event["event"] for event in served.record["events"] if server in (None, event["server"])]


def ready_again(served, server="model"):
    """Whether a server is back."""
    return eventually(lambda: "ready again" in kinds(served, server))


def listed(served):
    """Ports on the list of the stand-in router."""
    with urllib.request.urlopen(served.model_base_url.removesuffix("/v1") + "/list", timeout=PATIENCE_S) as reply:
        return {int(url.rpartition(":")[2]) for url in json.load(reply)}


async def asked(url, number, during, *, concurrency=4, journal=None, **settings):
    """The outcomes of questions to a server, while ``during`` is done on a thread; nothing is tried twice."""
    settings = {"retry": RetryPolicy(max_attempts=1), **settings}
    async with Endpoint(url, None, concurrency=concurrency, **settings) as endpoint:
        outcomes, _ = await asyncio.gather(endpoint.run(questions(number), journal), asyncio.to_thread(during))
    return outcomes


class TestOneServer:
    """Without replicas a run waits for the server that is started again."""

    def test_killed(self, made, serving, tmp_path):
        """What happened is told and recorded, with a log of its own; the other role keeps its process."""
        lines = []
        with serving(lines, model=made.entry(0, **QUICK), judge=made.entry(1)) as served:
            judge = served.pids()["judge"]
            made.kill(made.ports[0])
            assert ready_again(served)
            assert post(served.model_base_url) == str(made.ports[0])
            assert served.pids()["judge"] == judge
            assert served.logs["model"] == tmp_path / "logs" / "model.2.log"
            assert served.lost() == ()
        assert made.gone()
        died, started, ready = served.record["events"]
        assert (died["event"], died["server"], died["exit_status"]) == ("died", "model", -signal.SIGKILL)
        assert (died["cause"], died["log_ends"], died["log"]) == ("", "Loading weights", "model.log")
        assert (started["event"], started["restart"], started["log"]) == ("started again", 1, "model.2.log")
        assert 0 < died["at_s"] <= started["at_s"] <= ready["at_s"]
        told = [line for line in lines if line.startswith("model: ")][2:]
        assert told[0].startswith("model: died (killed by SIGKILL); its log ends: Loading weights; its log is ")
        assert told[1] == "model: restart 1 of 3 in 0.1 s"
        assert told[2].startswith("model: started again (1 of 3), log ")
        assert told[3].startswith("model: ready again after ")

    def test_exit_status_and_cause(self, made, serving):
        """A server that ends by itself, with the exception that its log names."""
        with serving(model=made.entry(0, restarts=0)) as served:
            with served.logs["model"].open("a", encoding="utf-8") as log:
                log.write("torch.OutOfMemoryError: CUDA out of memory\n")
            with pytest.raises(OSError, match=r"."):
                post(served.model_base_url, b"die")
            assert eventually(lambda: "given up" in kinds(served))
            died, given_up = served.record["events"]
            assert (died["exit_status"], died["cause"]) == (9, "torch.OutOfMemoryError: CUDA out of memory")
            assert given_up["restarts"] == 0
            assert served.lost() == ("no server of the model is left: model is given up after 0 restarts",)

    def test_killed_while_it_is_started_again(self, made, serving):
        """A restart that fails counts as one, and the next follows."""
        with serving(model=made.entry(0, "die at 2", **QUICK)) as served:
            made.kill(made.ports[0])
            assert ready_again(served)
            assert kinds(served) == ["died", "started again", "died", "started again", "ready again"]
            assert served.record["events"][2]["cause"] == "ValueError: the model has no weights"
            assert made.starts(made.ports[0]) == 3
        assert made.gone()

    def test_ended_while_it_is_started_again(self, made, serving):
        """The block ends then: nothing is started any more, nothing is left, nothing more is told."""
        with serving(model=made.entry(0, **QUICK)) as served:
            (made.notes / "down").touch()
            made.kill(made.ports[0])
            assert eventually(lambda: made.starts(made.ports[0]) == 2)
        assert made.gone()
        assert kinds(served) == ["died", "started again"]

    def test_not_ready_in_time(self, made, serving):
        """A restart has the deadline of a start."""
        with serving(model=made.entry(0, restarts=1, deadline_s=8, **QUICK)) as served:
            (made.notes / "down").touch()
            made.kill(made.ports[0])
            assert eventually(lambda: "given up" in kinds(served))
            assert kinds(served) == ["died", "started again", "not ready", "given up"]
            assert served.record["events"][2]["why"] == "was not ready within 8 s"
        assert made.gone()

    @pytest.mark.parametrize("how", ["accepts and never answers", "is stopped"])
    def test_hangs(self, made, serving, how):
        """It counts as dead when ``/health`` was silent for the stated time."""
        with serving(model=made.entry(0, hung_after_s=4, **QUICK)) as served:
            if how == "is stopped":
                os.kill(served.pids()["model"], signal.SIGSTOP)
            else:
                post(served.model_base_url, b"hang")
            assert ready_again(served)
            assert kinds(served) == ["hung", "started again", "ready again"]
            assert served.record["events"][0]["silent_s"] >= 4
            assert post(served.model_base_url) == str(made.ports[0])
        assert made.gone()

    def test_a_long_answer_is_no_hang(self, made, serving):
        """``/health`` answers meanwhile, for longer than the stated time."""
        with serving(model=made.entry(0, hung_after_s=3, **QUICK)) as served:

            def wait():
                assert eventually(lambda: made.noted("asked") == 1)
                looks = made.noted("looks")
                assert eventually(lambda: made.noted("looks") >= looks + 9)  # a look each 0.5 s
                (made.notes / "hold").unlink()

            (made.notes / "hold").touch()
            (outcome,) = asyncio.run(asked(served.model_base_url, 1, wait))
            assert outcome.text == str(made.ports[0])
            assert kinds(served) == []


class TestReplicas:
    """The others take the share of one that fell, and it comes back."""

    def entry(self, made, router="plain", **keys):
        """Two replicas behind a router."""
        return made.entry(0, replicas=2, router={"command": made.command(router)}, **{**QUICK, **keys})

    def test_the_list_follows(self, made, serving):
        """Off the list at once, on it when ready; each log is kept."""
        with serving(model=self.entry(made)) as served:
            one, two = (served.record["commands"][f"model replica {n}"] for n in (1, 2))
            both = listed(served)
            with made.while_("down"):
                pid = served.pids()["model replica 1"]
                os.kill(pid, signal.SIGKILL)
                assert eventually(lambda: len(listed(served)) == 1)
                assert listed(served) < both
                assert {int(post(served.model_base_url)) for _ in range(4)} == listed(served)
                assert all(str(port) in two and str(port) not in one for port in listed(served))
            assert ready_again(served, "model replica 1")
            assert listed(served) == both
            assert {int(post(served.model_base_url)) for _ in range(4)} == both
            assert served.logs["model replica 1"].name == "model-replica-1.2.log"
            assert kinds(served, "model replica 2") == kinds(served, "model router") == []
        assert made.gone()

    def test_one_is_given_up(self, made, serving):
        """The run goes on with the other; nothing is lost."""
        with serving(model=self.entry(made, restarts=0)) as served:
            os.kill(served.pids()["model replica 2"], signal.SIGKILL)
            assert eventually(lambda: "given up" in kinds(served, "model replica 2"))
            assert served.lost() == ()
            outcomes = asyncio.run(asked(served.model_base_url, 6, lambda: None))
            assert {int(outcome.text) for outcome in outcomes} == listed(served)

    def test_all_are_given_up(self, made, serving):
        """Then no server is left, though the router lives."""
        with serving(model=self.entry(made, restarts=0)) as served:
            for number in (1, 2):
                os.kill(served.pids()[f"model replica {number}"], signal.SIGKILL)
            assert eventually(lambda: len(served.lost()) == 1)
            outcomes = asyncio.run(asked(served.model_base_url, 6, lambda: None, concurrency=2))
            assert all(outcome.error_code == "server-gone" for outcome in outcomes)
        assert made.gone()

    def test_the_router_is_killed(self, made, serving):
        """It is started again before those that are up; the other joins when it is ready."""
        with serving(model=self.entry(made)) as served:
            both = listed(served)
            with made.while_("down"):
                os.kill(served.pids()["model replica 1"], signal.SIGKILL)
                assert eventually(lambda: len(listed(served)) == 1)
                (left,) = listed(served)
                made.kill(made.ports[0])
                assert eventually(lambda: made.starts(made.ports[0]) == 2)
                (gone,) = both - {left}
                # What it was started with the first time may still be there.
                assert eventually(lambda: f":{gone}" not in str(made.told(made.ports[0])["argv"]))
                assert f":{left}" in str(made.told(made.ports[0])["argv"])
            assert ready_again(served, "model router")
            assert ready_again(served, "model replica 1")
            assert eventually(lambda: listed(served) == both)
        assert made.gone()

    def test_a_balancer_that_takes_no_changes(self, made, serving):
        """It is said, and the server comes back at its old address."""
        lines = []
        with serving(lines, model=self.entry(made, "deaf")) as served:
            os.kill(served.pids()["model replica 1"], signal.SIGKILL)
            assert ready_again(served, "model replica 1")
        note = "model router does not take remove_worker of model replica 1: HTTP 404 no such path"
        assert note in lines

    def test_a_replica_killed_under_questions(self, made, serving, tmp_path):
        """All are answered, each is in the journal once."""
        with serving(model=self.entry(made)) as served:

            def kill():
                assert eventually(lambda: made.noted("asked") >= 4)
                os.kill(served.pids()["model replica 1"], signal.SIGKILL)
                (made.notes / "hold").unlink()

            (made.notes / "hold").touch()
            path = tmp_path / "journal.jsonl"
            with Journal(path) as journal:
                outcomes = asyncio.run(asked(served.model_base_url, 12, kill, journal=journal, retry=RetryPolicy()))
        assert {outcome.status for outcome in outcomes} == {"answered"}
        assert_once(path, 12)

    def test_a_replica_hangs_under_questions(self, made, serving, tmp_path):
        """What it held is asked again, with one attempt a question; the other answers meanwhile."""
        with serving(model=self.entry(made, hung_after_s=4)) as served:
            bad = min(listed(served))
            post(f"http://127.0.0.1:{bad}/v1", b"hang")
            path = tmp_path / "journal.jsonl"
            with Journal(path) as journal:
                outcomes = asyncio.run(asked(served.model_base_url, 12, lambda: None, journal=journal))
            assert {outcome.status for outcome in outcomes} == {"answered"}
            assert "hung" in kinds(served)
            assert ready_again(served, "model replica 1")
            assert made.starts(bad) == 2
        assert_once(path, 12)


def assert_once(path, number):
    """Every question is in a journal once, answered."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    counted = collections.Counter(line["key"] for line in lines)
    assert set(counted.values()) == {1}
    assert len(counted) == number


class TestClients:
    """What was under way when a server fell is asked again; such attempts do not count."""

    def test_killed_twice_under_questions(self, made, serving, tmp_path):
        """With one attempt a question: all are answered by what was started again, each is in the journal once."""
        with serving(model=made.entry(0, **QUICK)) as served:

            def kill():
                for times in (1, 2):
                    assert eventually(lambda times=times: made.noted("asked") == 4 * times)
                    made.kill(made.ports[0])
                assert eventually(lambda: made.noted("asked") == 12)
                (made.notes / "hold").unlink()

            (made.notes / "hold").touch()
            path = tmp_path / "journal.jsonl"
            with Journal(path) as journal:
                outcomes = asyncio.run(asked(served.model_base_url, 12, kill, journal=journal))
        assert [outcome.status for outcome in outcomes] == ["answered"] * 12
        assert_once(path, 12)
        assert made.gone()

    def test_a_hang_under_questions(self, made, serving):
        """Attempts that time out before the hang is noticed do not count, nor is the server given up."""
        with serving(model=made.entry(0, hung_after_s=4, **QUICK)) as served:
            post(served.model_base_url, b"hang")
            outcomes = asyncio.run(
                asked(served.model_base_url, 6, lambda: ready_again(served), concurrency=1, attempt_s=0.5)
            )
            assert [outcome.status for outcome in outcomes] == ["answered"] * 6

    def test_a_slow_server_still_times_out(self, made, serving):
        """One that is healthy has the usual limits."""
        with serving(model=made.entry(0)) as served, made.while_("hold"):
            (outcome,) = asyncio.run(asked(served.model_base_url, 1, lambda: None, attempt_s=0.2))
            assert outcome.error_code == "timeout"
            assert kinds(served) == []

    def test_restarts_used_up(self, made, serving):
        """What was sent has failed, the rest was not asked; the other role answers on."""
        with serving(model=made.entry(0, "die later", restarts=2, **QUICK), judge=made.entry(1)) as served:

            def kill():
                assert eventually(lambda: made.noted("asked", made.ports[0]) == 4)
                made.kill(made.ports[0])

            with made.while_("hold"):
                outcomes = asyncio.run(asked(served.model_base_url, 12, kill))
            counted = collections.Counter((outcome.status, outcome.error_code) for outcome in outcomes)
            assert counted == {("failed", "server-gone"): 4, ("not_asked", "server-gone"): 8}
            assert kinds(served) == ["died", *["started again", "died"] * 2, "given up"]
            assert "model is given up after 2 restarts" in outcomes[0].error
            answers = asyncio.run(asked(served.judge_base_url, 3, lambda: None))
            assert [answer.text for answer in answers] == [str(made.ports[1])] * 3
        assert made.gone()

    def test_a_check_waits_too(self, made, serving):
        """The list of models is asked for again once the server is back."""
        with serving(model=made.entry(0, **QUICK)) as served:

            async def check():
                async with Endpoint(served.model_base_url, None) as endpoint:
                    return await endpoint.describe("m")

            made.kill(made.ports[0])
            assert eventually(lambda: kinds(served))
            assert asyncio.run(check()).served == ("m",)

    def test_requests_that_come_up_one_by_one(self, made, serving):
        """Those to a judge wait likewise, and are not asked once it is given up."""

        async def ask(url):
            async with Endpoint(url, None, retry=RetryPolicy(max_attempts=1)) as endpoint, endpoint.stream() as stream:
                made.kill(made.ports[0])
                assert await asyncio.to_thread(eventually, lambda: kinds(served).count("died") == 1)
                first = await stream.ask(questions(1)[0])
                made.kill(made.ports[0])
                assert await asyncio.to_thread(eventually, lambda: "given up" in kinds(served))
                return first, *[await stream.ask(request) for request in questions(3)[1:]]

        with serving(judge=made.entry(0, restarts=1, **QUICK)) as served:
            first, second, third = asyncio.run(ask(served.judge_base_url))
        assert first.text == str(made.ports[0])
        assert (second.status, third.status) == ("failed", "not_asked")
        assert second.error_code == third.error_code == "server-gone"
