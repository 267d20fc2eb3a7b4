"""Serving files with the real vLLM and the real router: options accepted, replicas behind one address."""

import asyncio
import contextlib
import dataclasses
import re
from pathlib import Path

import pytest
from vllm_server import cache_folder, vllm_python

from endpoints.client import Endpoint
from endpoints.embedded_model import prepare_model
from endpoints.process import reserved_port
from endpoints.request import Request
from endpoints.serving import ServingPlan, read_serving, serve
from endpoints.serving.commands import plan_launches
from endpoints.serving.dry_run import ask_parsers

pytestmark = pytest.mark.vllm

READY = Path(__file__).resolve().parents[2] / "serving"
QUESTIONS = 6


@pytest.fixture(scope="module")
def python():
    """The interpreter of vLLM's environment."""
    return str(vllm_python(cache_folder()))


def entries(path: Path, python: str, **keys) -> ServingPlan:
    """A ready file with vLLM's environment named in both entries."""
    plan = read_serving(path)
    changed = {entry.role: dataclasses.replace(entry, python=python, **keys) for entry in plan.entries()}
    return dataclasses.replace(plan, **changed)


def test_every_ready_file_is_accepted_by_the_installed_parsers(python):
    """vLLM's own parser and the router's take all options of all files in serving/."""
    launches = [
        dataclasses.replace(launch, name=f"{path.stem}: {launch.name}")
        for path in sorted(READY.glob("*.yaml"))
        for launch in plan_launches(entries(path, python), lambda _host, _port: True)
    ]
    answers = ask_parsers(launches)
    assert [answer.refused for answer in answers] == [False, False], answers
    assert re.fullmatch(r"cpu: model, .* options accepted by vLLM 0\.32\.0", answers[0].sentence)
    assert re.fullmatch(
        r"eight-gpus: judge router, ray-replicas: model router, ray-replicas: judge router, reference: model router: "
        r"options accepted by vllm-router.*",
        answers[1].sentence,
    )


def test_the_installed_parsers_refuse(python):
    """An unknown option, a value of the wrong kind, a reasoning parser that does not exist, a policy likewise."""
    plan = read_serving(READY / "eight-gpus.yaml")
    model = dataclasses.replace(plan.model, python=python)
    wrong = [
        dataclasses.replace(model, extra_args=("--max-model-length=5",)),
        dataclasses.replace(model, dtype="bf16"),
        dataclasses.replace(model, reasoning_parser="qwen33"),
    ]
    launches = [plan_launches(ServingPlan(plan.path, model=entry), lambda _h, _p: True)[0] for entry in wrong]
    router = dataclasses.replace(plan.judge.router, policy="robin")
    judge = dataclasses.replace(plan.judge, python=python, router=router)
    launches.append(plan_launches(ServingPlan(plan.path, judge=judge), lambda _h, _p: True)[-1])
    answers = ask_parsers(launches)
    assert all(answer.refused for answer in answers)
    words = [answer.sentence for answer in answers]
    assert "unrecognized arguments: --max-model-length=5" in words[0]
    assert "invalid choice: 'bf16'" in words[1]
    assert "invalid choice: 'qwen33'" in words[2]
    assert "invalid choice: 'robin'" in words[3]


def request(number: int, kind: str, model: str) -> Request:
    """A short question; chat questions ask for JSON and pass the template an argument."""
    chat = kind == "chat"
    schema = {"type": "object", "properties": {"a": {"enum": [number]}}, "required": ["a"]}
    extra = {
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        "chat_template_kwargs": {"enable_thinking": False},
    }
    return Request(
        task="serving",
        sample_id=f"{kind}-{number}",
        repeat=0,
        kind=kind,
        model=model,
        messages=({"role": "user", "content": f"Number {number}?"},) if chat else None,
        prompt=None if chat else f"Вопрос: сколько будет {number} + 1?\nОтвет:",
        max_tokens=24,
        sampling={"temperature": 0},
        extra_body=extra if chat else {"stop": ["\nВопрос:"]},
    )


def test_two_replicas_behind_the_router_answer(python, tmp_path):
    """Chat, completions, token counts and the model list at one address; both replicas work; all end together."""
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(reserved_port())
    model = str(prepare_model())
    small = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}
    plan = entries(READY / "cpu.yaml", python, model=model, port=port, replicas=2, env=small, deadline_s=1800.0)
    plan = dataclasses.replace(plan, judge=None)
    lines = []

    async def ask(base_url: str, name: str):
        async with Endpoint(base_url, "EMPTY", concurrency=4) as endpoint:
            info = await endpoint.describe(name)
            chats = [request(number, "chat", name) for number in range(QUESTIONS)]
            completions = [request(number, "completion", name) for number in range(QUESTIONS)]
            counted = await endpoint.count_prompt_tokens(chats[0])
            return info.max_model_len, counted, await endpoint.run([*chats, *completions], None, None)

    with serve(plan, tmp_path / "logs", lines.append) as served:
        window, counted, outcomes = asyncio.run(ask(served.model_base_url, served.model_name))
        logs = {name: path.read_text(encoding="utf-8") for name, path in served.logs.items()}
        assert served.record["events"] == []
        pids = served.pids()
    assert window == 8192
    assert [outcome.status for outcome in outcomes] == ["answered"] * (2 * QUESTIONS)
    assert counted == outcomes[0].prompt_tokens
    for number, outcome in enumerate(outcomes[:QUESTIONS]):
        assert re.fullmatch(rf'\{{\s*"a"\s*:\s*{number}\s*\}}', outcome.text.strip()), outcome.text
    for replica in ("model replica 1", "model replica 2"):
        assert "POST /v1/chat/completions" in logs[replica]
        assert "POST /v1/completions" in logs[replica]
    assert sum("ready after" in line for line in lines) == 3
    assert len(pids) == 3
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids.values())
