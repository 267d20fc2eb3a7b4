"""What a serving file says: one server (or several replicas of it) for the model, one for the judge."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

__all__ = ["DEFAULT_PORTS", "ROLES", "Role", "RouterPlan", "ServerPlan", "ServingPlan"]

Role = Literal["model", "judge"]
ROLES: Final[tuple[Role, ...]] = ("model", "judge")
# The ports of the benchmarks' own instructions, and of --base-url and --judge-base-url by default.
DEFAULT_PORTS: Final[Mapping[Role, int]] = {"model": 8001, "judge": 8002}


@dataclass(frozen=True, slots=True)
class RouterPlan:
    """The load balancer in front of an entry's replicas.

    Attributes:
        port: where it listens; None is the entry's port.
        command: replaces ``vllm-router``; ``{python}``, ``{host}`` and ``{port}`` are filled in, the options of
            vllm-router (``--worker-urls`` and so on) are appended.
        policy: how it chooses a replica; its own parser knows the names.
        extra_args: further options, as they are.
    """

    port: int | None = None
    command: tuple[str, ...] | None = None
    policy: str = "round_robin"
    extra_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """One entry of the file. What is None was not written, and is left to vLLM.

    Attributes:
        role: ``model`` or ``judge``.
        model: a Hub name or a folder.
        port: where the entry is reached.
        host: address to listen on.
        served_model_name: names that requests may use, the first being the one to use; empty for ``model`` itself.
        gpus: physical GPU numbers (CUDA_VISIBLE_DEVICES); empty for none, None for what the run itself sees.
        tensor_parallel_size, pipeline_parallel_size, data_parallel_size: of each replica.
        max_model_len: window, tokens.
        max_num_seqs: sequences in one batch.
        dtype: type of the weights.
        gpu_memory_utilization: share of each GPU's memory, 0 to 1.
        reasoning_parser: splits reasoning from the answer.
        distributed_executor_backend: ``mp``, ``ray``, ...
        trust_remote_code: run Python code that comes with the model.
        extra_args: further options, as they are.
        env: laid over the environment; None removes a variable.
        python: interpreter of vLLM's environment.
        command: replaces the launch command; ``{python}``, ``{model}``, ``{host}`` and ``{port}`` are filled in,
            vLLM's options are appended.
        replicas: how many servers of this kind; GPUs are split evenly, a router stands in front of two or more.
        router: that router's settings.
        deadline_s: seconds from start to ready.
    """

    role: Role
    model: str
    port: int
    host: str = "127.0.0.1"
    served_model_name: tuple[str, ...] = ()
    gpus: tuple[int, ...] | None = None
    tensor_parallel_size: int | None = None
    pipeline_parallel_size: int | None = None
    data_parallel_size: int | None = None
    max_model_len: int | None = None
    max_num_seqs: int | None = None
    dtype: str | None = None
    gpu_memory_utilization: float | None = None
    reasoning_parser: str | None = None
    distributed_executor_backend: str | None = None
    trust_remote_code: bool = False
    extra_args: tuple[str, ...] = ()
    env: Mapping[str, str | None] = field(default_factory=dict)
    python: str | None = None
    command: tuple[str, ...] | None = None
    replicas: int = 1
    router: RouterPlan | None = None
    deadline_s: float = 1800.0

    @property
    def served_name(self) -> str:
        """The model name for requests."""
        return self.served_model_name[0] if self.served_model_name else self.model

    @property
    def front_port(self) -> int:
        """Where requests go: the router's port, or the only server's."""
        if self.replicas > 1 and self.router is not None and self.router.port is not None:
            return self.router.port
        return self.port

    @property
    def gpus_needed(self) -> int:
        """GPUs of one replica."""
        sizes = (self.tensor_parallel_size, self.pipeline_parallel_size, self.data_parallel_size)
        product = 1
        for size in sizes:
            product *= size or 1
        return product

    @property
    def on_cluster(self) -> bool:
        """Whether Ray, not CUDA_VISIBLE_DEVICES, says which GPUs are used."""
        return self.distributed_executor_backend == "ray"


@dataclass(frozen=True, slots=True)
class ServingPlan:
    """A serving file; either entry may be absent.

    Attributes:
        path: the file.
        model: the server of the model that is evaluated.
        judge: the server of the judge.
    """

    path: Path
    model: ServerPlan | None = None
    judge: ServerPlan | None = None

    def entries(self) -> Iterator[ServerPlan]:
        """The entries that are there, the model first."""
        for entry in (self.model, self.judge):
            if entry is not None:
                yield entry
