"""Finds the mistakes in a serving plan before anything starts, and reports all of them in sentences."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from endpoints.serving.commands import Launch, fronts, plan_launches, program_of
from endpoints.serving.plan import ServerPlan, ServingPlan
from endpoints.serving.ports import port_is_free
from endpoints.serving.ray_cluster import Look, cluster_problems, placement_problems

__all__ = ["MOST_SHARED", "check_plan", "machine_gpus", "remarks"]

# What the gpu_memory_utilization of the servers on one GPU may come to; the rest is CUDA's own.
MOST_SHARED: Final = 0.95
_GPU_FOLDER: Final = Path("/proc/driver/nvidia/gpus")

_KEY_OF_OPTION: Final = {
    "--model": "model",
    "--served-model-name": "served_model_name",
    "--host": "host",
    "--port": "port",
    "--tensor-parallel-size": "tensor_parallel_size",
    "-tp": "tensor_parallel_size",
    "--pipeline-parallel-size": "pipeline_parallel_size",
    "-pp": "pipeline_parallel_size",
    "--data-parallel-size": "data_parallel_size",
    "-dp": "data_parallel_size",
    "--max-model-len": "max_model_len",
    "--max-num-seqs": "max_num_seqs",
    "--dtype": "dtype",
    "--gpu-memory-utilization": "gpu_memory_utilization",
    "--reasoning-parser": "reasoning_parser",
    "--distributed-executor-backend": "distributed_executor_backend",
    "--trust-remote-code": "trust_remote_code",
}
_REFUSED_OPTIONS: Final = {
    "--uds": "requests go to a port",
    "--ssl-keyfile": "requests go over plain HTTP",
    "--ssl-certfile": "requests go over plain HTTP",
    "--root-path": "requests go to /v1",
    "--config": "it could change what is checked here: write its options into this file",
    "--headless": "such a server answers no requests",
    "--grpc": "such a server answers no HTTP requests",
}


def check_plan(
    plan: ServingPlan,
    *,
    is_free: Callable[[str, int], bool] = port_is_free,
    gpu_count: Callable[[], int | None] | None = None,
    ask_cluster: Look | None = None,
) -> tuple[str, ...]:
    """Find every reason why the plan's servers could not run.

    Args:
        plan: the serving plan.
        is_free: tells whether a port of a host can be listened on; raises OSError if the host is another machine's.
        gpu_count: gives this machine's number of GPUs, or None if it is unknown; :func:`machine_gpus` by default.
        ask_cluster: gives what Ray says of a cluster (:func:`endpoints.serving.ray_cluster.look`); it is called where
            the plan has servers there and no other mistake. None to ask nobody.

    Returns:
        one sentence for each reason; empty if none is known.
    """
    try:
        launches = plan_launches(plan, is_free)
    except ValueError as error:
        return (str(error),)
    count = (gpu_count or machine_gpus)()
    found = (
        *(problem for entry in plan.entries() for problem in _entry_problems(entry, count)),
        *_port_problems(plan, launches, is_free),
        *_sharing_problems(plan, launches),
        *_program_problems(plan, launches),
    )
    return found or (() if ask_cluster is None else tuple(cluster_problems(plan, ask_cluster)))


def remarks(plan: ServingPlan) -> tuple[str, ...]:
    """One sentence for each setting that is allowed but probably a mistake."""
    return tuple(
        f"{entry.role}: of the {len(entry.gpus) // entry.replicas} GPUs of each server only {entry.gpus_needed} "
        f"will be used ({_sizes(entry)})"
        for entry in plan.entries()
        if entry.gpus and entry.gpus_needed < len(entry.gpus) // entry.replicas
    )


def machine_gpus() -> int | None:
    """Number of GPUs that NVIDIA's driver shows to this machine or container; None without that driver."""
    try:
        return len(list(_GPU_FOLDER.iterdir())) or None
    except OSError:
        return None


def _sizes(entry: ServerPlan) -> str:
    return (
        f"tensor {entry.tensor_parallel_size or 1} x pipeline {entry.pipeline_parallel_size or 1} "
        f"x data {entry.data_parallel_size or 1}"
    )


def _entry_problems(entry: ServerPlan, gpu_count: int | None) -> Iterator[str]:
    yield from placement_problems(entry)
    yield from _gpu_problems(entry, gpu_count)
    if not entry.has_router and entry.router is not None:
        yield f"{entry.role}: router is of no use without replicas: 2 or more"
    for name in ("CUDA_VISIBLE_DEVICES", "PYTHONUNBUFFERED"):
        if name in entry.env:
            yield f"{entry.role}: env may not set {name}: {'use the key gpus' if 'CUDA' in name else 'it is always 1'}"
    for argument in entry.extra_args:
        name = argument.partition("=")[0]
        option = name.replace("_", "-") if name.startswith("--") else name
        if option in _KEY_OF_OPTION:
            yield f"{entry.role}: extra_args may not hold {name}: use the key {_KEY_OF_OPTION[option]}"
        elif option in _REFUSED_OPTIONS:
            yield f"{entry.role}: extra_args may not hold {name}: {_REFUSED_OPTIONS[option]}"
    if entry.model.startswith(("/", "./", "../")) and not Path(entry.model).exists():
        yield f"{entry.role}: model {entry.model} does not exist"
    for command in (entry.command, entry.router.command if entry.router else None):
        if entry.python is None and command is not None and any("{python}" in part for part in command):
            yield f"{entry.role}: command uses {{python}}, but the key python is not given"


def _gpu_problems(entry: ServerPlan, count: int | None) -> Iterator[str]:
    gpus, needed = entry.gpus, entry.gpus_needed
    if entry.on_cluster:
        if gpus is not None and not entry.on_ray:
            yield f"{entry.role}: gpus cannot be given with distributed_executor_backend ray: the cluster chooses"
        return
    if gpus is None:
        if entry.replicas > 1:
            yield f"{entry.role}: {entry.replicas} replicas need the key gpus, to be split among them ([] for none)"
        return
    if not gpus:
        return
    if len(gpus) % entry.replicas:
        yield f"{entry.role}: {len(gpus)} GPUs cannot be split evenly among {entry.replicas} replicas"
    elif needed > len(gpus) // entry.replicas:
        each = " for each replica" if entry.replicas > 1 else ""
        yield (
            f"{entry.role}: {_sizes(entry)} = {needed} GPUs, but gpus names {len(gpus) // entry.replicas}{each} "
            f"({', '.join(map(str, gpus))})"
        )
    beyond = [gpu for gpu in gpus if count is not None and gpu >= count]
    if beyond:
        yield f"{entry.role}: there is no GPU {', '.join(map(str, beyond))}: this machine has {count}, counted from 0"


def _port_problems(plan: ServingPlan, launches: Sequence[Launch], is_free: Callable[[str, int], bool]) -> Iterator[str]:
    ports = list(fronts(plan).values())
    if len(set(ports)) < len(ports):
        yield f"model and judge have the same port {ports[0]}"
    for launch in launches:
        for port in launch.ports:
            try:
                if not is_free(launch.host, port):
                    yield (
                        f"{launch.name}: port {port} on {launch.host} is taken (or not allowed): "
                        "stop what listens there, or give another port"
                    )
            except OSError as error:
                yield f"{launch.name}: cannot listen on host {launch.host!r}: {error.strerror or error}"
                break


def _sharing_problems(plan: ServingPlan, launches: Sequence[Launch]) -> Iterator[str]:
    entries = {entry.role: entry for entry in plan.entries()}
    on_gpus = [launch for launch in launches if launch.kind == "vllm" and launch.gpus != ()]
    # Replicas without the key gpus have been told of already.
    unsplit = {role for role, entry in entries.items() if entry.gpus is None and entry.replicas > 1}
    local = [launch for launch in on_gpus if not entries[launch.role].on_cluster and launch.role not in unsplit]
    users: dict[int, list[Launch]] = defaultdict(list)
    for launch in local:
        for gpu in launch.gpus or ():
            users[gpu].append(launch)
    # The same servers on several GPUs are told of once, with the first.
    groups = {
        tuple(launch.name for launch in group): (f"GPU {gpu}", group)
        for gpu, group in sorted(users.items(), reverse=True)
    }
    # Without the key gpus a server sees all of them; two such servers, or one beside others, share.
    anywhere = [launch for launch in local if launch.gpus is None]
    if anywhere and len(local) > 1:
        groups = {(): ("the same GPUs (not all of them name gpus)", local)}
    for where, group in groups.values():
        if len(group) < 2:
            continue
        names = " and ".join(launch.name for launch in group)
        shares = [entries[launch.role].gpu_memory_utilization for launch in group]
        known = [share for share in shares if share is not None]
        if len(known) < len(shares):
            yield (
                f"{names} share {where}: give each a gpu_memory_utilization, together at most {MOST_SHARED}, "
                "or other gpus"
            )
        elif round(sum(known), 6) > MOST_SHARED:
            yield (
                f"{names} share {where}, and their gpu_memory_utilization comes to {round(sum(known), 6):g}: "
                f"at most {MOST_SHARED} fits"
            )


def _program_problems(plan: ServingPlan, launches: Sequence[Launch]) -> Iterator[str]:
    own_command = {entry.role for entry in plan.entries() if entry.command is not None}
    missing: dict[str, list[Launch]] = defaultdict(list)
    for launch in launches:
        if program_of(launch) is None:
            missing[launch.argv[0]].append(launch)
    for program, users in missing.items():
        names = ", ".join(launch.name for launch in users)
        where = "" if os.sep in program else " on PATH"
        advice = (
            "; install requirements-serve.txt into an environment of its own and name its interpreter with the key "
            "python, or give the launch command with the key command"
        )
        yield f"{names}: there is no program {program}{where}{'' if users[0].role in own_command else advice}"
