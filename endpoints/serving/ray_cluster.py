"""Servers of a plan that Ray places on nodes: the command that keeps one there, and whether the cluster has room.

This side never imports ``ray``. It runs :mod:`endpoints.serving.ray_replica` in the serving environment.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from endpoints.serving import ray_replica
from endpoints.serving.plan import ServerPlan, ServingPlan
from endpoints.serving.script_answer import script_answer

__all__ = ["cluster_problems", "look", "placed", "placement_problems"]

_SCRIPT: Final = Path(ray_replica.__file__)
# Importing Ray takes 2 s; without a head node it would try for minutes.
_LOOK_S: Final = 90.0
# What a run that has just ended still holds is free soon.
_LOOKS: Final = 4
_PAUSE_S: Final = 3.0
_TINY: Final = 1e-6
_HERE: Final = "auto"

# {"address": "10.0.0.1", "total": {"GPU": 8.0, ...}, "free": {...}}
Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Demand:
    """Servers of an entry, all alike.

    Attributes:
        name: for messages.
        needs: what each holds, by Ray's names.
        copies: how many there are.
    """

    name: str
    needs: Mapping[str, float]
    copies: int


Look = Callable[[ServerPlan], dict[str, Any] | str]


def address_of(entry: ServerPlan) -> str:
    """The address of an entry's cluster; ``auto`` is one that Ray finds on this machine."""
    return entry.ray_address or entry.env.get("RAY_ADDRESS") or os.environ.get("RAY_ADDRESS") or _HERE


def needs_of(entry: ServerPlan) -> dict[str, float]:
    """What each server of an entry holds, by Ray's names."""
    gpus = 0 if entry.gpus == () else entry.gpus_needed
    return {**({"GPU": float(gpus)} if gpus else {}), **entry.resources}


def placed(entry: ServerPlan, command: Sequence[str], env: Mapping[str, str | None]) -> list[str]:
    """The command that keeps a server on the cluster.

    Args:
        entry: the server's entry.
        command: the server's own command, with the words of :mod:`endpoints.serving.ray_replica` in it.
        env: variables of the server. Their values are not on the command line, which others can read.
    """
    needs = needs_of(entry)
    words = [f"--address={address_of(entry)}"]
    for name, option in (("GPU", "--gpus"), ("CPU", "--cpus")):
        if name in needs:
            words.append(f"{option}={needs.pop(name):g}")
    words += [f"--resource={name}={amount:g}" for name, amount in needs.items()]
    words += [f"--env={name}" for name in env]
    return [_python(entry), "-P", str(_SCRIPT), "run", *words, "--", *command]


def _python(entry: ServerPlan) -> str:
    return entry.python or "python"


def placement_problems(entry: ServerPlan) -> Iterator[str]:
    """Mistakes in what an entry says of its placement."""
    role = entry.role
    if not entry.on_ray:
        for key in ("resources", "ray_address"):
            if getattr(entry, key):
                yield f"{role}: {key} is of no use without placement: ray"
        return
    if entry.distributed_executor_backend == "ray":
        yield (
            f"{role}: placement: ray keeps each server on one node, distributed_executor_backend: ray spreads it over "
            "several: leave one of them out"
        )
    if entry.gpus:
        yield f"{role}: gpus cannot be given with placement: ray: the cluster chooses ([] for a server without GPUs)"
    for name, advice in (
        ("GPU", "it follows from tensor_parallel_size and its like"),
        ("memory", "give nodes a resource of your own"),
        ("object_store_memory", "give nodes a resource of your own"),
    ):
        if name in entry.resources:
            yield f"{role}: resources may not hold {name}: {advice}"
    if not needs_of(entry):
        yield (
            f"{role}: placement: ray needs to know how many servers a node takes: give resources, such as "
            "{gpu_slot: 1}, and start the nodes with them"
        )
    address = address_of(entry)
    if address == "local" or "://" in address:
        yield (
            f"{role}: the Ray cluster's address cannot be {address}: give HOST:PORT of its head node, or auto; the run "
            "is started on a node of the cluster"
        )


def look(entry: ServerPlan) -> dict[str, Any] | str:
    """What Ray in the serving environment says of an entry's cluster, or a phrase that says why it says nothing."""
    command = [_python(entry), "-P", str(_SCRIPT), "look", f"--address={address_of(entry)}"]
    return script_answer(command, {"PYTHONPATH": None, "PYTHONHOME": None, **entry.env}, _LOOK_S)


def cluster_problems(plan: ServingPlan, ask: Look) -> Iterator[str]:
    """Why the cluster could not take the servers that the plan places there: no Ray, no cluster, too little room.

    Args:
        plan: a plan without other mistakes.
        ask: gives what Ray says of an entry's cluster, see :func:`look`.
    """
    clusters: dict[tuple[str | None, str], list[ServerPlan]] = defaultdict(list)
    for entry in plan.entries():
        if entry.on_ray:
            clusters[entry.python, address_of(entry)].append(entry)
    for (python, address), entries in clusters.items():
        demands = [Demand(entry.role, needs_of(entry), entry.replicas) for entry in entries]
        roles = " and ".join(entry.role for entry in entries)
        told = _told(entries[0], demands, ask)
        if isinstance(told, str):
            yield f"{roles}: the Ray cluster at {address} could not be asked: {told}"
        elif "missing" in told:
            where = python or "the python on PATH"
            yield (
                f"{roles}: ray is not installed beside {where}: install requirements-serve.txt, with its ray, into an "
                "environment of its own and name its interpreter with the key python"
            )
        elif "unreachable" in told:
            advice = "start one with `ray start --head`, or give ray_address" if address == _HERE else "is it running?"
            yield f"{roles}: no Ray cluster can be reached at {address} ({told['unreachable']}): {advice}"
        else:
            yield from _room_problems(demands, told["nodes"])


def _told(entry: ServerPlan, demands: Sequence[Demand], ask: Look) -> dict[str, Any] | str:
    """The last of some looks; there is another one only where nothing but what others hold is in the way."""
    told = ask(entry)
    for _ in range(_LOOKS - 1):
        nodes = [] if isinstance(told, str) else told.get("nodes", [])
        if short_of(demands, nodes, "total") or not short_of(demands, nodes, "free"):
            break
        time.sleep(_PAUSE_S)
        told = ask(entry)
    return told


def short_of(demands: Sequence[Demand], nodes: Sequence[Node], kind: Literal["total", "free"]) -> dict[str, int]:
    """How many servers of each demand have room; only those demands of which some have none.

    Args:
        demands: the largest are placed first, each server on the first node that has room for it.
        nodes: the nodes.
        kind: whether to count what others hold now.
    """
    left = [dict(node[kind]) for node in nodes]
    short = {}
    for demand in sorted(demands, key=lambda demand: (-demand.needs.get("GPU", 0), -sum(demand.needs.values()))):
        found = sum(_take(demand.needs, left) for _ in range(demand.copies))
        if found < demand.copies:
            short[demand.name] = found
    return short


def _take(needs: Mapping[str, float], left: Sequence[dict[str, float]]) -> bool:
    for node in left:
        if all(node.get(name, 0.0) + _TINY >= amount for name, amount in needs.items()):
            for name, amount in needs.items():
                node[name] -= amount
            return True
    return False


def _room_problems(demands: Sequence[Demand], nodes: Sequence[Node]) -> Iterator[str]:
    never = short_of(demands, nodes, "total")
    short = never or short_of(demands, nodes, "free")
    for demand in demands:
        name = demand.name
        if name in short:
            held = "" if never else " beside what others hold now"
            yield (
                f"{name}: the Ray cluster has room for {short[name]} of {demand.copies} servers of "
                f"{_shown(demand.needs)} each{held}; free: {'; '.join(_free(demands, node) for node in nodes)}"
            )


def _shown(amounts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {amount:g}" for name, amount in amounts.items())


def _free(demands: Sequence[Demand], node: Node) -> str:
    """What a node has of what is wanted: ``10.0.0.1 GPU 2 of 8``."""
    wanted = dict.fromkeys(name for demand in demands for name in demand.needs)
    parts = [f"{name} {node['free'].get(name, 0):g} of {node['total'].get(name, 0):g}" for name in wanted]
    return f"{node['address']} {', '.join(parts)}"
