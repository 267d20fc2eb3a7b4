"""``--serve auto``: the serving plan that suits the models and the GPUs, and its file with the reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from endpoints.errors import EndpointError
from endpoints.serving.gpus import GIB, Gpu
from endpoints.serving.model_facts import ModelFacts
from endpoints.serving.plan import DEFAULT_PORTS, Role, ServerPlan, ServingPlan
from endpoints.serving.refusal import kind_words, refusal, weights_words
from endpoints.serving.sizing import Sized, Want, best, kinds

__all__ = ["AutoPlan", "CannotFit", "choose"]

# Where weights come from a network disk, this is what may be counted on.
_LOADED_BYTES_S: Final = 0.2 * GIB
_DEADLINE_STEP_S: Final = 600
_USUAL_DEADLINE_S: Final = 1800
_MOST_SEQUENCES: Final = 256
_JUDGE_PARSER: Final = "qwen3"  # also of the model types that start so


class CannotFit(EndpointError):  # noqa: N818 (the name says what happened)
    """No way to place the servers on these GPUs; the message says what is missing, and what would fit."""


@dataclass(frozen=True, slots=True)
class AutoPlan:
    """A plan that was chosen.

    Attributes:
        plan: the plan, as its file would be read.
        reasons: why a key has its value, one line, by role and key.
        text: the serving file: YAML with the reasons as comments.
    """

    plan: ServingPlan
    reasons: Mapping[Role, Mapping[str, str]]
    text: str


def choose(
    wants: Sequence[Want],
    gpus: Sequence[Gpu],
    *,
    python: str | None = None,
    notes: Sequence[str] = (),
    ports: Mapping[Role, int] = DEFAULT_PORTS,
) -> AutoPlan:
    """Choose the best serving plan for what is wanted.

    Args:
        wants: one or two.
        gpus: that may be used.
        python: interpreter of vLLM's environment; None where ``vllm`` is on the path.
        notes: sentences about the choice of GPUs that belong at the top of the file.
        ports: port of each server.

    Raises:
        CannotFit: there is no way.
    """
    servers = best(wants, gpus)
    if servers is None:
        raise CannotFit("\n  ".join([refusal(wants, gpus), *notes]))
    chosen = {server.want.role: _keys(server, python, ports) for server in servers}
    entries = {role: _entry(role, keys) for role, keys in chosen.items()}
    return AutoPlan(
        ServingPlan(Path("serving.yaml"), entries.get("model"), entries.get("judge")),
        {role: {key: why for key, (_, why) in keys.items() if why} for role, keys in chosen.items()},
        _text(chosen, gpus, [*notes, *_unused(servers, gpus)]),
    )


# Value and reason of each key, in the order of the file; an empty reason for what needs none.
_Keys = dict[str, tuple[Any, str]]


def _keys(server: Sized, python: str | None, ports: Mapping[Role, int]) -> _Keys:
    want, facts, replicas = server.want, server.want.facts, server.replicas
    keys: _Keys = {"model": (facts.folder or facts.name, _model_why(facts))}
    if facts.folder is not None:
        keys["served_model_name"] = (facts.name, "")
    if python is not None:
        keys["python"] = (python, "")
    keys["port"] = (ports[want.role], "")
    keys["gpus"] = ([gpu.number for gpu in server.gpus], _gpus_why(server))
    if server.tensor > 1:
        keys["tensor_parallel_size"] = (server.tensor, _tensor_why(server))
    if replicas > 1:
        keys["replicas"] = (replicas, "each holds the whole model")
    keys["dtype"] = (facts.dtype, "")
    keys["gpu_memory_utilization"] = (server.share, _share_why(server))
    keys["max_model_len"] = (server.context, _context_why(server))
    if facts.state_bytes:
        most = max(1, min(_MOST_SEQUENCES, server.held))
        keys["max_num_seqs"] = (most, "each keeps a state of its own, and vLLM needs room for that many")
    if want.role == "judge" and facts.kind.startswith(_JUDGE_PARSER):
        keys["reasoning_parser"] = (_JUDGE_PARSER, "")
    if facts.multimodal:
        keys["extra_args"] = (["--language-model-only"], "nothing but text is asked")
    keys["env"] = ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, "GPUs are counted as nvidia-smi counts, not the fastest first")
    loading = facts.weight_bytes / _LOADED_BYTES_S
    if loading > _USUAL_DEADLINE_S:
        keys["deadline_s"] = (-int(-loading // _DEADLINE_STEP_S) * _DEADLINE_STEP_S, "large weights take long to load")
    return keys


def _model_why(facts: ModelFacts) -> str:
    experts = f", {facts.experts} experts a layer" if facts.experts else ""
    code = "; its config names code of its own: if vLLM refuses it, trust_remote_code: true runs that" * facts.own_code
    return f"{weights_words(facts)}{experts}{code}"


def _gpus_why(server: Sized) -> str:
    total = min(gpu.total for gpu in server.gpus) / GIB
    place = "shared with the other server" if server.together else "its own"
    return f"{len(server.gpus)} x {total:.1f} GiB, {place}"


def _tensor_why(server: Sized) -> str:
    facts = server.want.facts
    part = facts.weight_bytes / server.tensor / GIB
    return f"{part:.1f} GiB of weights on each; {facts.units['attention heads']} heads divide by {server.tensor}"


def _share_why(server: Sized) -> str:
    facts, tensor = server.want.facts, server.tensor
    token = facts.cache_bytes_on(tensor) / 1024
    kind = "compressed, whole on each GPU" if not facts.kv_heads else f"{facts.kv_heads} key and value heads"
    state = f" and {facts.state_bytes / tensor / 2**20:.0f} MiB a sequence" if facts.state_bytes else ""
    return f"a cache for {server.held} sequences of {server.context} tokens: {token:.1f} KiB a token ({kind}){state}"


def _context_why(server: Sized) -> str:
    want = server.want
    if server.lowered:
        return f"wanted are {want.longest}, but the cache would not hold two such sequences: long answers may be cut"
    if want.context is None or want.context > want.longest:
        return "all that the model can" + (
            f"; the longest question and answer may take {want.context}" * bool(want.context)
        )
    return "the longest question and answer" if want.role == "model" else "the longest answer to judge, and the reply"


def _entry(role: Role, keys: _Keys) -> ServerPlan:
    values = {key: value for key, (value, _) in keys.items()}
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    if "served_model_name" in values:
        values["served_model_name"] = (values["served_model_name"],)
    if "deadline_s" in values:
        values["deadline_s"] = float(values["deadline_s"])
    return ServerPlan(role=role, **values)


def _unused(servers: Sequence[Sized], gpus: Sequence[Gpu]) -> list[str]:
    used = {gpu.number for server in servers for gpu in server.gpus}
    rest = [str(gpu.number) for gpu in gpus if gpu.number not in used]
    return [f"Not used: GPU {', '.join(rest)}"] if rest else []


def _text(chosen: Mapping[Role, _Keys], gpus: Sequence[Gpu], notes: Sequence[str]) -> str:
    lines = [
        "# Chosen by --serve auto. It can be saved, edited and run: --serve FILE.yaml",
        f"# GPUs: {' and '.join(kind_words(kind) for kind in kinds(gpus))}",
        *(f"# {note}" for note in notes),
    ]
    for role, keys in chosen.items():
        lines.append(f"{role}:")
        for key, (value, why) in keys.items():
            lines.append(f"  {key}: {_scalar(value)}" + (f" # {why}" if why else ""))
    return "\n".join(lines) + "\n"


def _scalar(value: Any) -> str:
    """A value as YAML in one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=float("inf"))
    return text.removesuffix("...\n").strip()
