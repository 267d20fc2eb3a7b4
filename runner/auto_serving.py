"""``--serve auto``: what the run's tasks want of servers, and the plan that is chosen for it."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from endpoints.serving.auto_plan import AutoPlan, choose
from endpoints.serving.gpus import available, read_gpus
from endpoints.serving.model_files import read_model
from endpoints.serving.plan import DEFAULT_PORTS, ROLES, Role
from endpoints.serving.ports import port_is_free
from endpoints.serving.sizing import Want
from runner.exits import UsageError
from runner.settings import EMBEDDED
from tasks.names import TaskName
from tasks.registry import BENCHMARK_NAMES, benchmark

__all__ = ["choose_servers", "tokens_needed"]

# What HardMultiQA's description serves its judge with: tokens, and sequences at once.
_JUDGE_CONTEXT: Final = 8192
_JUDGE_SEQUENCES: Final = 16
_HOST: Final = "127.0.0.1"
_LAST_PORT: Final = 65_535


def choose_servers(given: Mapping[str, Any]) -> AutoPlan:
    """Choose the servers of a run. One whose URL is given is served elsewhere.

    Args:
        given: the settings of the command line, by name, and ``gpus``, ``gpu_memory``, ``vllm_python``.

    Raises:
        UsageError: no model is named, or there is nothing to serve.
        EndpointError: a config or the GPUs cannot be read, or the models do not fit.
    """
    tasks = given.get("tasks", ())
    served = dict(_served(given, tasks))
    if not served:
        raise UsageError("--serve auto has nothing to serve: no model of its own answers or judges in this run")
    # The GPUs first: without one, a config need not be fetched.
    if "gpu_memory" in given:  # CUDA_VISIBLE_DEVICES is about this machine, which may be another one
        gpus, notes = available(given["gpu_memory"], given.get("gpus"), {})
    else:
        gpus, notes = available(read_gpus(), given.get("gpus"))
    wants = []
    if "model" in served:
        context = tokens_needed(tasks or _any_task(), given.get("max_new_tokens"))
        wants.append(Want("model", read_model(served["model"]), context))
    if "judge" in served:
        wants.append(Want("judge", read_model(served["judge"]), _JUDGE_CONTEXT, _JUDGE_SEQUENCES))
    return choose(wants, gpus, python=_python(given.get("vllm_python")), notes=notes, ports=_free_ports())


def _python(given: str | None) -> str | None:
    if given is None:
        return None
    path = Path(given).expanduser().absolute()
    if not path.is_file():
        raise UsageError(f"--vllm-python {given}: no such file")
    return str(path)


def _free_ports() -> dict[Role, int]:
    """A port for each role: the usual one, or the next one that no program has; another run may be going on."""
    ports: dict[Role, int] = {}
    for role in ROLES:
        candidates = itertools.chain([DEFAULT_PORTS[role]], range(max(DEFAULT_PORTS.values()) + 1, _LAST_PORT))
        ports[role] = next(port for port in candidates if port not in ports.values() and port_is_free(_HOST, port))
    return ports


def _served(given: Mapping[str, Any], tasks: Sequence[TaskName]) -> Iterator[tuple[str, str]]:
    """The roles that are served here, each with the name of its model."""
    model = given.get("model")
    if "responses" not in given and model != EMBEDDED and "base_url" not in given:
        if model is None:
            raise UsageError("--serve auto needs --model NAME: a name on the Hub, or a folder")
        yield "model", model
    if "judge_base_url" in given:
        return
    judgings = [benchmark(task.benchmark).judging for task in tasks]
    defaults = sorted({judging.default_model for judging in judgings if judging is not None})
    judge = given.get("judge_model") or next(iter(defaults), None)
    if given.get("judge_model") is None and len(defaults) > 1:
        raise UsageError(
            f"--serve auto serves one judge, these tasks have {', '.join(defaults)}: name one by --judge-model"
        )
    if judge is not None:
        yield "judge", judge


def tokens_needed(tasks: Sequence[TaskName], cap: int | None) -> int:
    """Tokens of the longest prompt and answer of the tasks.

    Args:
        tasks: at least one.
        cap: most new tokens of an answer; None for the tasks' own.
    """
    return max(_tokens(task, cap) for task in tasks)


def _tokens(task: TaskName, cap: int | None) -> int:
    tokens = benchmark(task.benchmark).facts.tokens
    return tokens.prompt + (cap or tokens.answer[task.mode or "any"])


def _any_task() -> list[TaskName]:
    return [task for name in BENCHMARK_NAMES for task in benchmark(name).tasks()]
