"""Servers on a Ray cluster, as the run sees them: what is checked, started, and registered again elsewhere."""

import json
import urllib.request

import pytest
from ray_fakes import interpreter
from serving_fakes import PATIENCE_S, eventually, every_port, fakes, judge, model, post

from endpoints.errors import EndpointError
from endpoints.serving import RouterPlan, ServingPlan, check_plan, serve
from endpoints.serving.commands import plan_launches, shown_command, with_workers
from endpoints.serving.ray_cluster import Demand, look, short_of
from endpoints.serving.running import Served

QUICK = {"restart_wait_s": 0.1}


def node(address="10.0.0.1", free=None, **total):
    """What a look says of a node; all is free unless told otherwise."""
    return {"address": address, "total": total, "free": total if free is None else free}


TWO = json.dumps({"nodes": [node(slot=1.0), node("10.0.0.2", slot=1.0)]})


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    """Looks follow each other at once, and no cluster of this machine's user is meant."""
    monkeypatch.setattr("endpoints.serving.ray_cluster._PAUSE_S", 0.0)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.fixture
def made(tmp_path):
    """Stand-ins for servers."""
    with fakes(tmp_path, ports=4) as found:
        yield found


@pytest.fixture
def python(tmp_path):
    """A stand-in for the serving environment's interpreter."""
    return interpreter(tmp_path / "bin", TWO)


def entry(made, python, number=0, mode="plain", **keys):
    """An entry whose servers are on the cluster, the router is the stand-in."""
    own = {"router": {"command": made.command()}, "replicas": 2, **keys}
    return made.entry(
        number, mode, placement="ray", python=str(python), resources={"slot": 1}, **{**own, "gpus": []}, **QUICK
    )


def ports(served: Served):
    """Ports of the servers, as run.json has them."""
    return [int(url.rpartition(":")[2]) for url in served.record["workers"]["model"]]


def listed(served: Served):
    """Ports on the list of the stand-in router."""
    with urllib.request.urlopen(served.model_base_url.removesuffix("/v1") + "/list", timeout=PATIENCE_S) as reply:
        return {int(url.rpartition(":")[2]) for url in json.load(reply)}


class TestServing:
    """Servers that are started by way of the stand-in."""

    def test_two_replicas(self, made, python, tmp_path):
        """Both answer behind the router, at the addresses that they told; nothing is left."""
        lines = []
        plan = made.plan(model=entry(made, python))
        with serve(plan, tmp_path / "logs", lines.append) as served:
            assert served.model_base_url == f"http://127.0.0.1:{made.ports[0]}/v1"
            assert {post(served.model_base_url) for _ in range(4)} == set(map(str, ports(served)))
            assert listed(served) == set(ports(served))
            assert served.record["events"] == []
            assert all("Loading weights" in path.read_text("utf-8") for path in served.logs.values())
        assert made.gone()
        assert lines[0].startswith("model replica 1: starting on the Ray cluster, no GPU, log ")
        assert any(
            line.startswith("model replica 2: ready after ") and "s at http://127.0.0.1:" in line for line in lines
        )
        calls = [json.loads(line) for line in (python.parent / "calls").read_text("utf-8").splitlines()]
        assert [call[0] for call in calls] == ["look", "run", "run"]
        assert calls[1][1:3] == ["--address=auto", "--resource=slot=1"]

    def test_one_has_a_router_too(self, made, python, tmp_path):
        """Its address changes when it is started again; the run's does not."""
        with serve(made.plan(model=entry(made, python, replicas=1)), tmp_path / "logs", print) as served:
            assert set(served.pids()) == {"model replica 1", "model router"}
            (port,) = ports(served)
            made.kill(port)
            assert eventually(lambda: "ready again" in [event["event"] for event in served.record["events"]])
            assert eventually(lambda: listed(served) == set(ports(served)))
            assert post(served.model_base_url) == str(ports(served)[0]) != str(port)
        assert made.gone()

    def test_killed_and_elsewhere(self, made, python, tmp_path):
        """The old address leaves the router's list, the new one is put on it, and run.json says where it is."""
        with serve(made.plan(model=entry(made, python)), tmp_path / "logs", print) as served:
            first, second = ports(served)
            made.kill(second)
            assert eventually(lambda: served.record["events"][-1:] and "url" in served.record["events"][-1])
            assert eventually(lambda: listed(served) == set(ports(served)))
            assert ports(served)[0] == first
            assert ports(served)[1] not in (first, second)
            events = served.record["events"]
            assert [event["event"] for event in events] == ["died", "started again", "ready again"]
            assert events[-1]["url"] == f"http://127.0.0.1:{ports(served)[1]}"
        assert made.gone()

    def test_no_room_any_more(self, made, python, tmp_path):
        """A restart that fails counts as one; the other replica goes on."""
        plan = made.plan(model=entry(made, python, restarts=2))
        with serve(plan, tmp_path / "logs", print) as served:
            (python.parent / "refuses").touch()
            made.kill(ports(served)[0])
            assert eventually(
                lambda: served.record["events"][-1:] and served.record["events"][-1]["event"] == "given up"
            )
            kinds = [event["event"] for event in served.record["events"]]
            assert kinds == ["died", "started again", "died", "started again", "died", "given up"]
            assert served.record["events"][2]["log_ends"] == "[ray] the Ray cluster cannot be reached"
            assert post(served.model_base_url) == str(ports(served)[1])
            assert served.lost() == ()
        assert made.gone()

    def test_dies_at_the_start(self, made, python, tmp_path):
        """As a server of this machine: the run does not begin, the exception of its log is named, nothing is left."""
        with (
            pytest.raises(EndpointError, match=r"model replica 1 ended before .*(?s:.)*ValueError: the model has no"),
            serve(made.plan(model=entry(made, python, mode="die", replicas=1)), tmp_path / "logs", print),
        ):
            pass
        assert made.gone()


RAY = {"placement": "ray", "resources": {"slot": 1.0}, "gpus": (), "replicas": 2}


@pytest.fixture
def on_ray(python):
    """Makes a plan with one entry on the cluster."""

    def make(**keys):
        return ServingPlan(python.parent / "x.yaml", model=model(**{**RAY, "python": str(python), **keys}))

    return make


class TestChecks:
    """One line for each mistake, before anything starts."""

    @pytest.mark.parametrize(
        ("keys", "words"),
        [
            ({"placement": None}, "model: resources is of no use without placement: ray"),
            ({"gpus": (0, 1)}, r"model: gpus cannot be given with placement: ray: the cluster chooses \(\[\] for"),
            ({"distributed_executor_backend": "ray"}, "model: placement: ray keeps each server on one node, "),
            ({"resources": {"GPU": 1.0}}, "model: resources may not hold GPU: it follows from tensor_parallel_size"),
            ({"resources": {"memory": 1.0}}, "model: resources may not hold memory: "),
            ({"resources": {}}, "model: placement: ray needs to know how many servers a node takes: give resources"),
            ({"python": "/no/python"}, "model replica 1, model replica 2: there is no program /no/python; install"),
            ({"ray_address": "local"}, "model: the Ray cluster's address cannot be local: give HOST:PORT"),
            ({"ray_address": "ray://h:1"}, "model: the Ray cluster's address cannot be ray://h:1"),
            ({"env": {"RAY_ADDRESS": "local"}}, "model: the Ray cluster's address cannot be local"),
        ],
    )
    def test_mistakes(self, on_ray, keys, words):
        """Found without asking the cluster."""
        asked = []
        found = check_plan(on_ray(**keys), is_free=every_port, ask_cluster=asked.append)
        assert [sentence for sentence in found if sentence.startswith(words.replace("\\", ""))], found
        assert asked == []

    @pytest.mark.parametrize(
        ("told", "words"),
        [
            ({"missing": "ray"}, "model: ray is not installed beside {python}: install requirements-serve.txt, with"),
            ({"unreachable": "no such"}, "model: no Ray cluster can be reached at auto (no such): start one with `ray"),
            ("no answer within 90 s", "model: the Ray cluster at auto could not be asked: no answer within 90 s"),
            (
                {"nodes": [node(slot=1.0), node("10.0.0.2", CPU=8.0)]},
                "model: the Ray cluster has room for 1 of 2 servers of slot 1 each; free: 10.0.0.1 slot 1 of 1; "
                "10.0.0.2 slot 0 of 0",
            ),
            (
                {"nodes": [node(slot=2.0, free={"slot": 1.0})]},
                "model: the Ray cluster has room for 1 of 2 servers of slot 1 each beside what others hold now; "
                "free: 10.0.0.1 slot 1 of 2",
            ),
        ],
    )
    def test_what_the_cluster_lacks(self, on_ray, python, told, words):
        """No Ray, no cluster, no answer, no room at all, no room now."""
        (found,) = check_plan(on_ray(), is_free=every_port, ask_cluster=lambda _: told)
        assert found.startswith(words.format(python=python))

    def test_where_the_cluster_is(self, on_ray, monkeypatch):
        """The key, the entry's variable, this process's variable."""
        told = {"unreachable": "no"}
        monkeypatch.setenv("RAY_ADDRESS", "h:3")
        for keys, address in (
            ({"ray_address": "h:1", "env": {"RAY_ADDRESS": "h:2"}}, "h:1"),
            ({"env": {"RAY_ADDRESS": "h:2"}}, "h:2"),
            ({}, "h:3"),
        ):
            (found,) = check_plan(on_ray(**keys), is_free=every_port, ask_cluster=lambda _: told)
            assert found == f"model: no Ray cluster can be reached at {address} (no): is it running?"

    def test_room_that_comes_is_waited_for(self, on_ray):
        """What a run that has just ended holds is free soon; what is not there at all is not waited for."""
        busy, free = {"nodes": [node(slot=2.0, free={})]}, {"nodes": [node(slot=2.0)]}
        answers = iter([busy, busy, free])
        assert check_plan(on_ray(), is_free=every_port, ask_cluster=lambda _: next(answers)) == ()
        assert list(answers) == []
        answers = iter([{"nodes": []}])
        assert len(check_plan(on_ray(), is_free=every_port, ask_cluster=lambda _: next(answers))) == 1

    def test_both_roles_share_the_cluster(self, python):
        """Each fits alone; together they do not."""
        plan = ServingPlan(
            python.parent / "x.yaml",
            model=model(placement="ray", python=str(python), tensor_parallel_size=2),
            judge=judge(placement="ray", python=str(python), tensor_parallel_size=3),
        )
        told = {"nodes": [node(GPU=4.0)]}
        (found,) = check_plan(plan, is_free=every_port, ask_cluster=lambda _: told)
        assert found.startswith(
            "model: the Ray cluster has room for 0 of 1 servers of GPU 2 each; free: 10.0.0.1 GPU 4"
        )

    def test_the_stand_in_is_asked(self, on_ray, python):
        """What the interpreter says is read; what is no answer is told."""
        assert look(on_ray().model) == json.loads(TWO)
        (python.parent / "cluster").write_text("no JSON", encoding="utf-8")
        assert look(on_ray().model) == "exit status 0"
        (python.parent / "cluster").unlink()
        assert "FileNotFoundError" in look(on_ray().model)
        python.unlink()
        assert "No such file" in look(on_ray().model)


@pytest.mark.parametrize(
    ("demands", "nodes", "short"),
    [
        ([("m", {"GPU": 2}, 4)], [{"GPU": 4}, {"GPU": 4}], {}),
        ([("m", {"GPU": 2}, 4)], [{"GPU": 5}, {"GPU": 3}], {"m": 3}),  # a server is on one node
        ([("m", {"GPU": 3}, 2)], [{"GPU": 2}, {"GPU": 4}], {"m": 1}),
        ([("m", {"GPU": 1, "own": 1}, 2)], [{"GPU": 8}, {"own": 8}], {"m": 0}),  # all of it there
        ([("m", {"GPU": 1}, 4), ("j", {"GPU": 4}, 1)], [{"GPU": 4}, {"GPU": 4}], {}),  # the large one first
        ([("m", {"own": 0.1}, 10)], [{"own": 1}], {}),  # sums of tenths
        ([("m", {"GPU": 1}, 1)], [], {"m": 0}),
    ],
)
def test_room(demands, nodes, short):
    """How many servers fit, counted by hand."""
    found = short_of([Demand(*demand) for demand in demands], [{"total": total} for total in nodes], "total")
    assert found == short


class TestWorkers:
    """A router's list on its command line."""

    def test_again_and_again(self, on_ray):
        """Fewer, then more: only the URLs change, each time."""
        router = plan_launches(on_ray(router=RouterPlan(extra_args=("--log-level", "warning"))), every_port)[-1]
        fewer = with_workers(router, ["http://a:1"])
        more = with_workers(fewer, ["http://a:1", "http://b:2", "http://c:3"])
        assert " ".join(fewer.argv) == " ".join(router.argv).replace(
            "http://model-replica-1.on-ray http://model-replica-2.on-ray", "http://a:1"
        )
        assert " ".join(more.argv) == " ".join(fewer.argv).replace("http://a:1", "http://a:1 http://b:2 http://c:3")
        assert more.argv[1:] == more.options


class TestLaunches:
    """The processes that keep servers on the cluster."""

    def test_words(self, on_ray, python):
        """What is held, which variables go along, and the server's own command; no value of a variable is in it."""
        plan = on_ray(
            gpus=None,
            tensor_parallel_size=2,
            resources={"slot": 0.5, "CPU": 4.0},
            env={"HF_TOKEN": "hf_secret", "X": None},
        )
        first, second, router = plan_launches(plan, every_port)
        text = " ".join(first.argv)
        assert first.argv[:2] == (str(python), "-P")
        assert (
            "run --address=auto --gpus=2 --cpus=4 --resource=slot=0.5 --env=PYTHONUNBUFFERED --env=HF_TOKEN --env=X -- "
            f"{python} -P -m vllm.entrypoints.cli.main serve org/m --host={{node-address}} --port={{free-port}} "
            "--tensor-parallel-size=2"
        ) in text
        assert "hf_secret" not in text + shown_command(first)
        assert first.env["HF_TOKEN"] == "hf_secret"
        assert "CUDA_VISIBLE_DEVICES" not in first.env
        assert (first.ports, first.after, first.on_ray) == ((), (), True)
        assert first.options[:2] == ("--host=127.0.0.1", "--port=8001")  # for vLLM's own parser
        assert router.port == 8001
        assert router.after == (first.name, second.name)
        assert router.env["NO_PROXY"] == "*"

    def test_own_command(self, on_ray):
        """The address and the port are filled in on the node; without GPUs none is seen."""
        plan = on_ray(command=("serve", "{model}", "--at={host}:{port}"), router=None)
        first = plan_launches(plan, every_port)[0]
        end = first.argv.index("--")
        assert first.argv[end + 1 : end + 4] == ("serve", "org/m", "--at={node-address}:{free-port}")
        assert first.env["CUDA_VISIBLE_DEVICES"] == ""
        assert "--env=CUDA_VISIBLE_DEVICES" in first.argv
