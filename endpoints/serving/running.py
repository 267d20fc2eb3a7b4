"""Starts the servers of a plan at the same time, has them looked after, and stops them however the run ends."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from endpoints.errors import EndpointError
from endpoints.process import ServerFailed
from endpoints.serving.checks import check_plan, remarks
from endpoints.serving.commands import base_url, plan_launches, shown_command, with_workers
from endpoints.serving.diagnosis import causes, last_line
from endpoints.serving.plan import ServingPlan
from endpoints.serving.ports import held_port
from endpoints.serving.ray_cluster import look
from endpoints.serving.server import Server
from endpoints.serving.supervision import Role, Supervision
from endpoints.upkeep import looked_after

__all__ = ["Served", "serve"]

_PROGRESS_S: Final = 30.0
_TURN_S: Final = 0.25

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Served:
    """The servers of a plan, all of them ready.

    Attributes:
        model_base_url: URL of the model's API, ending in ``/v1``; None if the plan has no entry ``model``.
        judge_base_url: URL of the judge's API, ending in ``/v1``; None if the plan has no entry ``judge``.
        model_name: the model's name in requests; None if the plan has no entry ``model``.
        judge_name: the judge's name in requests; None if the plan has no entry ``judge``.
        record: description of the servers for ``run.json``: the file, the commands without keys and tokens, and the
            events so far (:class:`endpoints.serving.supervision.Supervision`), which go on.
    """

    model_base_url: str | None
    judge_base_url: str | None
    model_name: str | None
    judge_name: str | None
    record: dict[str, Any]
    _servers: tuple[Server, ...]
    _roles: tuple[Role, ...]

    @property
    def logs(self) -> dict[str, Path]:
        """Path of each process's present log, by the process's name."""
        return {server.name: server.log_path for server in self._servers}

    def pids(self) -> dict[str, int]:
        """The process id of each server, which is its process group's id too, by the server's name."""
        return {server.name: server.process.pid for server in self._servers if server.process.pid is not None}

    def lost(self) -> tuple[str, ...]:
        """One sentence for each entry of which no server is left, with the restarts used up."""
        return tuple(role.upkeep.gone for role in self._roles if role.upkeep.gone)


@contextlib.contextmanager
def serve(
    plan: ServingPlan,
    log_dir: Path,
    say: Say,
    *,
    progress_s: float = _PROGRESS_S,
    on_event: Callable[[], None] | None = None,
) -> Iterator[Served]:
    """Start every server of a plan, wait until all are ready, and stop all of them when the block ends.

    Within the block a server that dies or hangs is started again (:mod:`endpoints.serving.supervision`).

    The servers end with the block however it ends: success, an error, Ctrl-C, a signal that ends the run, even
    ``kill -9`` (see :mod:`endpoints.process`).

    Args:
        plan: the serving plan.
        log_dir: folder for the logs, made if it does not exist; logs of an earlier start are kept, new ones numbered.
        say: prints one line; other threads call it too, when a server dies.
        progress_s: number of seconds between two lines about a server that is not ready yet.
        on_event: called on another thread after each event in ``record``; None to call nothing.

    Raises:
        EndpointError: the plan has a mistake, or a port was taken after the check (nothing was started then); or a
            server died or was not ready at its deadline (the others were stopped then). The message says why, with the
            last lines of the log.
    """
    problems = check_plan(plan, ask_cluster=look)
    if problems:
        raise EndpointError(
            "\n".join([f"{plan.path}: the servers cannot be started:", *(f"  - {problem}" for problem in problems)])
        )
    for line in remarks(plan):
        say(f"note: {line}")
    began = time.monotonic()
    servers = [Server(launch, log_dir) for launch in plan_launches(plan)]
    entries = {entry.role: entry for entry in plan.entries()}
    roles = [
        Role(entry, [server for server in servers if server.launch.role == name], say)
        for name, entry in entries.items()
    ]
    supervision = Supervision(roles, began, say, on_event)
    with contextlib.ExitStack() as stack:
        for server in servers:
            for port in server.launch.ports:
                stack.enter_context(held_port(server.launch.host, port))
        stack.callback(supervision.join)
        stack.callback(_stop_all, servers, say)
        _start_all(servers, roles, say, progress_s)
        for role in roles:
            if role.balancer is not None:
                role.balancer.started(role.urls())
            stack.enter_context(looked_after(base_url(role.entry), role.upkeep))
        stack.callback(supervision.end)
        supervision.begin()
        urls = {role: base_url(entry) for role, entry in entries.items()}
        names = {role: entry.served_name for role, entry in entries.items()}
        yield Served(
            model_base_url=urls.get("model"),
            judge_base_url=urls.get("judge"),
            model_name=names.get("model"),
            judge_name=names.get("judge"),
            record={
                "file": str(plan.path),
                "commands": {server.name: shown_command(server.launch) for server in servers},
                "workers": {role.entry.role: role.workers for role in roles},
                "events": supervision.events,
            },
            _servers=tuple(servers),
            _roles=tuple(roles),
        )


def _start_all(servers: Sequence[Server], roles: Sequence[Role], say: Say, progress_s: float) -> None:
    """Start each server when those before it (``Launch.after``) are ready, and return when all are ready.

    Raises:
        EndpointError: a server died, or its deadline passed.
    """
    answers: queue.Queue[tuple[Server, float | ServerFailed]] = queue.Queue()
    waiting = list(servers)
    ready: set[str] = set()
    spoken = time.monotonic()
    while len(ready) < len(servers):
        for server in [server for server in waiting if ready.issuperset(server.launch.after)]:
            waiting.remove(server)
            for role in roles:
                if server is role.router and role.entry.on_ray:  # only now are their addresses known
                    server.renew(with_workers(server.launch, role.workers))
            _start(server, answers, say)
        try:
            server, answer = answers.get(timeout=_TURN_S)
        except queue.Empty:
            if time.monotonic() - spoken >= progress_s:
                spoken = time.monotonic()
                _say_progress(servers, ready, say)
            continue
        if isinstance(answer, ServerFailed):
            raise _failure(server, answer, servers)
        for role in roles:
            role.locate(server)
        ready.add(server.launch.name)
        where = f" at {server.url}" if server.launch.on_ray else ""
        say(f"{server.launch.name}: ready after {answer:.0f} s{where}")


def _start(server: Server, answers: "queue.Queue[tuple[Server, float | ServerFailed]]", say: Say) -> None:
    """Start one server, and a thread that waits for it.

    Raises:
        EndpointError: the server's program cannot be run.
    """
    launch = server.launch
    gpus = ""
    if launch.kind == "vllm" and launch.gpus is not None:
        gpus = f", GPU {', '.join(map(str, launch.gpus))}" if launch.gpus else ", no GPU"
    where = "on the Ray cluster" if launch.on_ray else f"at http://{launch.host}:{launch.port}"
    say(f"{launch.name}: starting {where}{gpus}, log {server.log_path}")
    server.start()

    def wait() -> None:
        try:
            answers.put((server, server.process.wait_ready()))
        except ServerFailed as failure:
            answers.put((server, failure))

    threading.Thread(target=wait, name=f"wait for {launch.name}", daemon=True).start()


def _say_progress(servers: Sequence[Server], ready: Set[str], say: Say) -> None:
    for server in servers:
        launch = server.launch
        if launch.name in ready:
            continue
        if server.begun:
            last = last_line(server.log_path)
            say(f"{launch.name}: starting for {server.seconds()} s: {last or '(nothing in its log yet)'}")
        else:
            say(f"{launch.name}: waits for {', '.join(name for name in launch.after if name not in ready)}")


def _failure(server: Server, failure: ServerFailed, servers: Sequence[Server]) -> EndpointError:
    found = causes(server.log_path)
    named = "".join(f"\n  {cause}" for cause in found)
    others = [other.launch.name for other in servers if other is not server and other.process.alive]
    return EndpointError(
        f"{failure}"
        + (f"\nExceptions named in its log:{named}" if found else "")
        + (f"\nStopped with it: {', '.join(others)}" if others else "")
    )


def _stop_all(servers: Sequence[Server], say: Say) -> None:
    """End all servers at the same time, and return when they are gone."""
    started = [server for server in servers if server.process.pid is not None]
    if any(server.process.alive for server in started):
        say(f"stopping {', '.join(server.launch.name for server in started if server.process.alive)}")
    threads = [threading.Thread(target=server.process.stop, name=f"stop {server.launch.name}") for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
