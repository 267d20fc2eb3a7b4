"""Makes the processes of a serving plan: their command lines, environments, ports and GPUs."""

import dataclasses
import itertools
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from endpoints.serving.plan import Role, RouterPlan, ServerPlan, ServingPlan
from endpoints.serving.ports import port_is_free
from endpoints.serving.ray_cluster import placed
from endpoints.serving.ray_replica import HOST_WORD, PORT_WORD

__all__ = ["Launch", "base_url", "fronts", "plan_launches", "program_of", "shown_command", "with_workers"]

_LAST_PORT: Final = 65_535
# vLLM answers a request after as long as it takes; the run's own deadlines decide, not the router's.
_ROUTER_TIMEOUT_S: Final = 86_400
_WORKERS: Final = "--worker-urls"
_SECRET_VARIABLE: Final = re.compile(r"TOKEN|KEY|SECRET|PASSWORD", re.IGNORECASE)
_SECRET_OPTIONS: Final = frozenset({"--api-key", "--hf-token"})

# Option of `vllm serve` for each key that is passed on as written.
_OPTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("tensor_parallel_size", "--tensor-parallel-size"),
    ("pipeline_parallel_size", "--pipeline-parallel-size"),
    ("data_parallel_size", "--data-parallel-size"),
    ("distributed_executor_backend", "--distributed-executor-backend"),
    ("max_model_len", "--max-model-len"),
    ("max_num_seqs", "--max-num-seqs"),
    ("dtype", "--dtype"),
    ("gpu_memory_utilization", "--gpu-memory-utilization"),
    ("reasoning_parser", "--reasoning-parser"),
)


@dataclass(frozen=True, slots=True)
class Launch:
    """One process to start.

    Attributes:
        name: name in messages: ``model``, ``judge replica 2``, ``judge router``; its log's name has hyphens instead.
        role: the entry of the file to which the process belongs.
        kind: ``vllm`` or ``router``.
        argv: the program and its arguments.
        options: the arguments after the program's own words, which its parser can check.
        env: variables that are added to the environment; None removes a variable.
        host, port: address on which the process listens; of one on a Ray cluster they mean nothing.
        metrics_port: second port of a router; None for a vLLM.
        gpus: GPU numbers; None for the GPUs that the run itself sees.
        deadline_s: most seconds from the start until the process is ready.
        after: names of the processes that must be ready before this one is started: the replicas of a router; an
            earlier server on the same GPU, since vLLM measures the free memory while it loads.
        on_ray: whether the process is here to keep a server on a Ray cluster, and tells its URL.
    """

    name: str
    role: Role
    kind: Literal["vllm", "router"]
    argv: tuple[str, ...]
    options: tuple[str, ...]
    env: Mapping[str, str | None]
    host: str
    port: int
    metrics_port: int | None
    gpus: tuple[int, ...] | None
    deadline_s: float
    after: tuple[str, ...] = ()
    on_ray: bool = False

    @property
    def ready_url(self) -> str:
        """URL that answers with status 200 once the process takes requests; it needs no key even if the API does."""
        return f"http://{_address(self.host)}:{self.port}/health"

    @property
    def url(self) -> str:
        """The process's URL without a path, by which a router knows a server; a stand-in if it is not known before."""
        if self.on_ray:
            return f"http://{self.name.replace(' ', '-')}.on-ray"
        return self.ready_url.removesuffix("/health")

    @property
    def ports(self) -> tuple[int, ...]:
        """The ports on which the process listens on this machine."""
        if self.on_ray:
            return ()
        return (self.port,) if self.metrics_port is None else (self.port, self.metrics_port)

    @property
    def log_name(self) -> str:
        """File name of the process's log."""
        return f"{self.name.replace(' ', '-')}.log"


def base_url(entry: ServerPlan) -> str:
    """URL of an entry's API, ending in ``/v1``."""
    return f"http://{_address(entry.host)}:{entry.front_port}/v1"


def _address(host: str) -> str:
    """The host in the URL of a server that listens on ``host``."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


def fronts(plan: ServingPlan) -> dict[Role, int]:
    """The port of each entry that takes its requests."""
    return {entry.role: entry.front_port for entry in plan.entries()}


def plan_launches(plan: ServingPlan, is_free: Callable[[str, int], bool] = port_is_free) -> tuple[Launch, ...]:
    """Make every process of a plan; an entry's router comes after its replicas.

    Replicas and the metrics of a router get ports above the entry's own, free ones that the file does not name.

    Args:
        plan: the serving plan.
        is_free: tells whether a port of a host can be listened on. An OSError counts as "yes", since the check of the
            entry's own port reports it in better words.
    """
    claimed = {entry.port for entry in plan.entries()} | set(fronts(plan).values())
    launches: list[Launch] = []
    for entry in plan.entries():
        if not entry.has_router:
            launches.append(_server(entry, entry.role, entry.port, entry.gpus))
            continue
        ports = _following(entry, claimed, is_free)
        own_ports = itertools.repeat(entry.port) if entry.on_ray else ports
        names = [f"{entry.role} replica {number}" for number in range(1, entry.replicas + 1)]
        replicas = [
            _server(entry, name, next(own_ports), gpus)
            for name, gpus in zip(names, _split(entry.gpus, entry.replicas), strict=True)
        ]
        launches += [*replicas, _router(entry, entry.router or RouterPlan(), replicas, next(ports))]
    local = {entry.role for entry in plan.entries() if not entry.on_cluster}
    return tuple(
        dataclasses.replace(launch, after=launch.after + _sharing(launch, launches[:index], local))
        for index, launch in enumerate(launches)
    )


def _sharing(launch: Launch, earlier: Sequence[Launch], local: Set[Role]) -> tuple[str, ...]:
    """Names of the earlier servers that share a GPU with this one; a server without ``gpus`` may use any GPU."""
    return tuple(
        other.name
        for other in earlier
        if {launch.role, other.role} <= local
        and () not in (launch.gpus, other.gpus)
        and (launch.gpus is None or other.gpus is None or not set(launch.gpus).isdisjoint(other.gpus))
    )


def _following(entry: ServerPlan, claimed: set[int], is_free: Callable[[str, int], bool]) -> Iterator[int]:
    own = [entry.port] if entry.front_port != entry.port else []
    for port in [*own, *range(entry.port + 1, _LAST_PORT + 1)]:
        try:
            free = is_free(entry.host, port)
        except OSError:
            free = True
        if port in own or (port not in claimed and free):
            claimed.add(port)
            yield port
    raise ValueError(f"no free ports from {entry.port} up")


def _split(gpus: tuple[int, ...] | None, parts: int) -> list[tuple[int, ...] | None]:
    """Divide GPUs into equal shares, in their order; the checks report GPUs that are left over."""
    if gpus is None:
        return [None] * parts
    size = len(gpus) // parts
    return [gpus[part * size : (part + 1) * size] for part in range(parts)]


def _server(entry: ServerPlan, name: str, port: int, gpus: tuple[int, ...] | None) -> Launch:
    env: dict[str, str | None] = {"PYTHONUNBUFFERED": "1"}
    if gpus is not None:
        env["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, gpus))
    env.update(entry.env)
    options = _options(entry, entry.host, port)
    if entry.on_ray:
        command = [*_head(entry, HOST_WORD, PORT_WORD), *_options(entry, HOST_WORD, PORT_WORD)]
        argv = placed(entry, command, env)
    else:
        argv = [*_head(entry, entry.host, port), *options]
    env = {**_own_environment(entry), **env}
    made = (tuple(argv), tuple(options), env)
    return Launch(
        *(name, entry.role, "vllm", *made, entry.host, port, None, gpus, entry.deadline_s), on_ray=entry.on_ray
    )


def _head(entry: ServerPlan, host: str, port: int | str) -> list[str]:
    """The words that start vLLM, before its options."""
    if entry.command is not None:
        return _filled(entry.command, entry, host, port)
    if entry.python is not None:
        return [entry.python, "-P", "-m", "vllm.entrypoints.cli.main", "serve", entry.model]
    return ["vllm" if entry.on_ray else _beside_us("vllm"), "serve", entry.model]


def _options(entry: ServerPlan, host: str, port: int | str) -> list[str]:
    options = [f"--host={host}", f"--port={port}"]
    if entry.served_model_name:
        options += ["--served-model-name", *entry.served_model_name]
    for key, option in _OPTIONS:
        value = getattr(entry, key)
        if value is not None:
            options.append(f"{option}={value}")
    if entry.trust_remote_code:
        options.append("--trust-remote-code")
    return [*options, *entry.extra_args]


def _router(entry: ServerPlan, router: RouterPlan, replicas: Sequence[Launch], metrics_port: int) -> Launch:
    port = entry.front_port
    workers = [replica.url for replica in replicas]
    options = [
        *("--host", entry.host, "--port", str(port), _WORKERS, *workers, "--policy", router.policy),
        *("--request-timeout-secs", str(_ROUTER_TIMEOUT_S)),
        # It always opens one, the same for every router unless it is told.
        *("--prometheus-port", str(metrics_port), *router.extra_args),
    ]
    if router.command is not None:
        head = _filled(router.command, entry, entry.host, port)
    elif entry.python is not None:
        head = [str(Path(entry.python).with_name("vllm-router"))]
    else:
        head = [_beside_us("vllm-router")]
    env: dict[str, str | None] = {"PYTHONUNBUFFERED": "1", **_own_environment(entry), **entry.env}
    # The replicas are on this machine or the cluster's: a proxy of the environment must not stand between.
    for name in ("NO_PROXY", "no_proxy"):
        here = ",".join(filter(None, [os.environ.get(name), "127.0.0.1,localhost,::1", entry.host]))
        env[name] = "*" if entry.on_ray else here
    argv, made = (*head, *options), tuple(options)
    return Launch(
        *(f"{entry.role} router", entry.role, "router", argv, made, env, entry.host, port),
        *(metrics_port, (), entry.deadline_s, tuple(replica.name for replica in replicas)),
    )


def with_workers(router: Launch, urls: Sequence[str]) -> Launch:
    """The launch of a router before these servers only: it would wait long for one that is down."""
    head, options = router.argv[: len(router.argv) - len(router.options)], router.options
    first = options.index(_WORKERS) + 1
    end = next(i for i in range(first, len(options)) if options[i].startswith("--"))
    options = (*options[:first], *urls, *options[end:])
    return dataclasses.replace(router, argv=(*head, *options), options=options)


def _filled(command: Sequence[str], entry: ServerPlan, host: str, port: int | str) -> list[str]:
    """Fill in the placeholders of a command; other braces, such as JSON's, are kept."""
    known = {"{model}": entry.model, "{host}": host, "{port}": str(port)}
    if entry.python is not None:
        known["{python}"] = entry.python
    pattern = re.compile("|".join(map(re.escape, known)))
    return [pattern.sub(lambda found: known[found[0]], argument) for argument in command]


def _beside_us(program: str) -> str:
    """The bare name of a program that PATH has; otherwise its path in this Python environment, if it is there."""
    if shutil.which(program) is None:
        beside = Path(sys.executable).with_name(program)
        if os.access(beside, os.X_OK):
            return str(beside)
    return program


def _own_environment(entry: ServerPlan) -> dict[str, str | None]:
    """Variables as if the environment of ``python`` were active: its programs come first, our modules are not seen."""
    if entry.python is None:
        return {}
    folder = str(Path(entry.python).parent)
    return {"PYTHONPATH": None, "PYTHONHOME": None, "PATH": os.pathsep.join([folder, os.environ.get("PATH", "")])}


def program_of(launch: Launch) -> str | None:
    """Full path of the program that a launch starts, or None if there is none."""
    path = launch.env.get("PATH") or os.environ.get("PATH")
    return shutil.which(launch.argv[0], path=path)


def shown_command(launch: Launch) -> str:
    """The command line of a launch as text; keys and tokens are replaced."""
    changes = {name: value for name, value in launch.env.items() if name not in _UNSHOWN}
    unset = [f"-u {name}" for name, value in sorted(changes.items()) if value is None]
    assignments = [
        f"{name}={'***' if _SECRET_VARIABLE.search(name) and value else shlex.quote(value)}"
        for name, value in sorted(changes.items())
        if value is not None
    ]
    words = [*(["env", *unset] if unset else []), *assignments, *map(shlex.quote, _blanked(launch.argv))]
    return " ".join(words)


# Set the same way for every server: they would hide what the file says.
_UNSHOWN: Final = frozenset({"PATH", "PYTHONUNBUFFERED", "PYTHONPATH", "PYTHONHOME", "NO_PROXY", "no_proxy"})


def _blanked(arguments: Sequence[str]) -> Iterator[str]:
    secret = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        is_secret_option = name.replace("_", "-") in _SECRET_OPTIONS
        if is_secret_option and equals:
            yield f"{name}=***"
        else:
            yield "***" if secret and not argument.startswith("--") else argument
        secret = (is_secret_option and not equals) or (secret and not argument.startswith("--"))
