"""The contents of a serving file: a server, or replicas of it, for the model, and another for the judge."""

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
        port: port on which the router listens; None for the entry's port.
        command: command that replaces ``vllm-router``; ``{python}``, ``{host}`` and ``{port}`` in it are filled in, and
            the options of vllm-router (``--worker-urls`` and so on) are appended.
        policy: name of the router's way to choose a replica; the router's own parser knows the names.
        extra_args: further options, which are passed on unchanged.
    """

    port: int | None = None
    command: tuple[str, ...] | None = None
    policy: str = "round_robin"
    extra_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """One entry of a serving file. An attribute that the file does not set is None, and vLLM's own default holds.

    Attributes:
        role: ``model`` or ``judge``.
        model: the model's name on the Hub, or its folder.
        port: port that takes the entry's requests.
        host: address on which the server listens.
        served_model_name: names that requests may use for the model, of which runs use the first; empty means that
            ``model`` is the name.
        gpus: physical numbers of the GPUs (CUDA_VISIBLE_DEVICES); empty for no GPU, None for those that the run sees.
        tensor_parallel_size, pipeline_parallel_size, data_parallel_size: vLLM's settings of these names, for each
            replica.
        max_model_len: context length in tokens.
        max_num_seqs: most sequences in one batch.
        dtype: type of the weights.
        gpu_memory_utilization: share of each GPU's memory that the server may use, from 0 to 1.
        reasoning_parser: name of vLLM's parser that separates reasoning from the answer.
        distributed_executor_backend: ``mp``, ``ray``, ...
        trust_remote_code: whether Python code that comes with the model is run.
        extra_args: further options, which are passed on unchanged.
        env: variables that are added to the environment; None removes a variable.
        python: path of the Python in vLLM's environment.
        command: command that replaces vLLM's; ``{python}``, ``{model}``, ``{host}`` and ``{port}`` in it are filled in,
            and vLLM's options are appended.
        replicas: number of servers with these settings; they share the GPUs evenly, and two or more have a router.
        router: the router's settings.
        deadline_s: most seconds from the start until the server is ready.
        restarts: most times in a run that each of its servers is started again.
        restart_wait_s: number of seconds before the first of them; each further one waits twice as long, 5 min at most.
        hung_after_s: number of seconds without an answer of ``/health`` after which a server counts as dead.
        placement: ``ray`` for servers on the nodes of a Ray cluster, which have a router even if there is only one;
            None for this machine.
        resources: what each server on the cluster holds besides its GPUs: an amount by Ray's name, ``CPU`` included.
        ray_address: address of the cluster; None for RAY_ADDRESS, or a cluster on this machine.
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
    restarts: int = 3
    restart_wait_s: float = 5.0
    hung_after_s: float = 120.0
    placement: Literal["ray"] | None = None
    resources: Mapping[str, float] = field(default_factory=dict)
    ray_address: str | None = None

    @property
    def served_name(self) -> str:
        """The model's name in requests."""
        return self.served_model_name[0] if self.served_model_name else self.model

    @property
    def front_port(self) -> int:
        """The port that takes the entry's requests: the router's, or that of the only server."""
        if self.has_router and self.router is not None and self.router.port is not None:
            return self.router.port
        return self.port

    @property
    def gpus_needed(self) -> int:
        """Number of GPUs of one replica."""
        sizes = (self.tensor_parallel_size, self.pipeline_parallel_size, self.data_parallel_size)
        product = 1
        for size in sizes:
            product *= size or 1
        return product

    @property
    def has_router(self) -> bool:
        """Whether a router takes the requests: before replicas, and before servers whose addresses change."""
        return self.replicas > 1 or self.on_ray

    @property
    def on_ray(self) -> bool:
        """Whether each server is on a node of a Ray cluster."""
        return self.placement == "ray"

    @property
    def on_cluster(self) -> bool:
        """Whether Ray chooses the GPUs instead of CUDA_VISIBLE_DEVICES."""
        return self.distributed_executor_backend == "ray" or self.on_ray


@dataclass(frozen=True, slots=True)
class ServingPlan:
    """The contents of a serving file; one of the two entries may be absent.

    Attributes:
        path: path of the file.
        model: entry of the model that is evaluated, or None.
        judge: entry of the judge, or None.
    """

    path: Path
    model: ServerPlan | None = None
    judge: ServerPlan | None = None

    def entries(self) -> Iterator[ServerPlan]:
        """The entries of the file, the model first."""
        for entry in (self.model, self.judge):
            if entry is not None:
                yield entry
