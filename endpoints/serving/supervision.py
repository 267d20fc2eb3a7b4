"""Looks after the servers of a plan while a run uses them: what dies or hangs is started again, a few times at most.

Each server has a thread here. A server falls when its process ends, or when its ``/health`` does not answer for
``hung_after_s`` seconds; then its process group is killed. What a server generates for long is no hang: ``/health``
answers meanwhile. A server that fell is off its router's list at once and is started again after a wait, with a log of
its own; when it is ready it is back on the list. One that fell more than ``restarts`` times is given up; the servers of
a role are lost when none of them, or not its router, is left. Clients learn all this from :mod:`endpoints.upkeep`.
"""

import http
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from endpoints.health import exit_words, health_status
from endpoints.process import ServerFailed
from endpoints.serving.balancing import Balancer
from endpoints.serving.commands import with_workers
from endpoints.serving.diagnosis import cause, last_line
from endpoints.serving.plan import ServerPlan
from endpoints.serving.server import Server
from endpoints.upkeep import Upkeep

__all__ = ["Role", "Supervision"]

_TURN_S: Final = 0.1
# Of hung_after_s: the pause between two looks, and the longest that one look waits for an answer.
_PAUSE_SHARE: Final = 1 / 6
_LOOK_SHARE: Final = 1 / 3
_LONGEST_WAIT_S: Final = 300.0
_FOLLOW_S: Final = 2.0

Say = Callable[[str], None]
Event = dict[str, Any]


class Role:
    """The servers of one entry of a serving file, with their router if they have one.

    Args:
        entry: the entry.
        servers: its servers.
        say: prints one line.

    Attributes:
        entry, servers: as given.
        upkeep: what clients of the entry learn.
        workers: URL of each server that answers, up or not; that of one on another machine changes with each start.
    """

    def __init__(self, entry: ServerPlan, servers: Sequence[Server], say: Say) -> None:
        self.entry = entry
        self.servers = tuple(servers)
        answering = [server for server in servers if server.launch.kind == "vllm"]
        routers = [server for server in servers if server.launch.kind == "router"]
        self.router = routers[0] if routers else None
        self.upkeep = Upkeep([server.name for server in answering], self.router.name if self.router else None)
        self._answering = tuple(answering)
        self.workers = [server.launch.url for server in answering]
        self.balancer = Balancer(self.router.launch, say) if self.router is not None else None

    def urls(self) -> dict[str, str]:
        """The present URL of each server that answers and is up, by name."""
        up = self.upkeep.up
        return {
            server.name: url for server, url in zip(self._answering, self.workers, strict=True) if server.name in up
        }

    def locate(self, server: Server) -> None:
        """A server is ready: note where it is."""
        if server in self._answering:
            self.workers[self._answering.index(server)] = server.url

    def follow(self) -> None:
        """Have the router ask those that are up, and no others."""
        if self.balancer is not None:
            self.balancer.follow(self.urls())


@dataclass(slots=True)
class _Watch:
    """What the thread of one server knows of it."""

    role: Role
    server: Server
    starts: int = 0
    last_look: float = field(default_factory=time.monotonic)
    silent_since: float | None = None


class Supervision:
    """The threads that look after servers, from :meth:`begin` to :meth:`end`, and what they saw.

    Args:
        roles: whom to look after.
        began: when the first server was started, by ``time.monotonic``.
        say: prints one line; threads call it.
        on_event: called after each event, on a thread.

    Attributes:
        events: what happened, in its order, for ``run.json``: each has ``at_s`` (seconds since ``began``), ``server``,
            ``event`` (``died``, ``hung``, ``started again``, ``not ready``, ``ready again``, ``given up``) and what is
            known besides.
    """

    def __init__(
        self, roles: Sequence[Role], began: float, say: Say, on_event: Callable[[], None] | None = None
    ) -> None:
        self.events: list[Event] = []
        self._roles = roles
        self._began = began
        self._say = say
        self._on_event = on_event
        self._over = threading.Event()
        self._starting = threading.Lock()
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        """Look after the servers from now on."""
        for role in self._roles:
            for server in role.servers:
                watch = _Watch(role, server)
                name = f"look after {server.name}"
                self._threads.append(threading.Thread(target=self._look_after, args=(watch,), name=name, daemon=True))
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Start nothing any more; the caller then stops the servers, and :meth:`join` waits for the threads."""
        with self._starting:
            self._over.set()

    def join(self) -> None:
        """Wait for the threads; they end once their servers are stopped."""
        for thread in self._threads:
            thread.join()

    def _look_after(self, watch: _Watch) -> None:
        try:
            self._watch(watch)
        except Exception as error:  # a bug of ours: nobody may wait for this server for ever
            watch.role.upkeep.fell(watch.server.name)
            watch.role.upkeep.lost(watch.server.name, f"{watch.server.name} is no longer looked after: {error!r}")
            self._say(f"{watch.server.name}: internal error, please report it: it is no longer looked after: {error!r}")

    def _watch(self, watch: _Watch) -> None:
        followed = time.monotonic()
        while not self._over.wait(_TURN_S):
            if self._falls(watch) and not self._starts_again(watch):
                return
            if watch.server is watch.role.router and time.monotonic() - followed > _FOLLOW_S:
                followed = time.monotonic()
                watch.role.follow()

    def _falls(self, watch: _Watch) -> bool:
        """Look at a server when it is time to; returns whether it has died, or hangs and was killed."""
        server, upkeep, hung_after_s = watch.server, watch.role.upkeep, watch.role.entry.hung_after_s
        if server.process.fell:
            self._died(watch)
            return True
        now = time.monotonic()
        pause_s = 0.0 if watch.silent_since is not None else hung_after_s * _PAUSE_SHARE
        if now - watch.last_look < pause_s and not upkeep.wants_look(watch.last_look):
            return False
        watch.last_look = now
        silent_s = now - (watch.silent_since or now)
        limit_s = max(min(hung_after_s * _LOOK_SHARE, hung_after_s - silent_s), _TURN_S)
        url = server.process.ready_url
        status = health_status(url, limit_s) if url is not None else None
        # A router is healthy without servers too, whatever it says then.
        if status == http.HTTPStatus.OK or (status is not None and server.launch.kind == "router"):
            watch.silent_since = None
            if not server.process.fell:
                upkeep.heard(server.name, now)
            return False
        watch.silent_since = watch.silent_since or now
        if server.process.fell or time.monotonic() - watch.silent_since < hung_after_s or self._over.is_set():
            return False
        self._hangs(watch)
        return True

    def _died(self, watch: _Watch, *, again: bool = False) -> None:
        server = watch.server
        code, last, why = server.process.exit_code, last_line(server.log_path), cause(server.log_path)
        if not again:
            self._fell(watch)
        if self._over.is_set():
            return
        words = f"died {'while it was started again ' if again else ''}({exit_words(code)})"
        known = f": {why}" if why else f"; its log ends: {last}" if last else ""
        self._note(
            watch,
            f"{words}{known}; its log is {server.log_path}",
            event="died",
            exit_status=code,
            cause=why,
            log_ends=last,
            log=server.log_path.name,
        )

    def _hangs(self, watch: _Watch) -> None:
        silent_s, log = round(time.monotonic() - (watch.silent_since or 0.0), 1), watch.server.log_path
        self._fell(watch)
        self._note(
            watch,
            f"hangs: /health has not answered well for {silent_s:g} s; it is killed; its log is {log}",
            event="hung",
            silent_s=silent_s,
            log=log.name,
        )

    def _fell(self, watch: _Watch) -> None:
        role = watch.role
        role.upkeep.fell(watch.server.name)
        if watch.server is role.router and role.balancer is not None:
            role.balancer.stopped()
        role.follow()

    def _starts_again(self, watch: _Watch) -> bool:
        """Start a server again until it is ready; returns whether it is, rather than given up or stopped."""
        server, entry = watch.server, watch.role.entry
        while not self._over.is_set():
            server.process.kill()
            if watch.starts >= entry.restarts:
                self._give_up(watch)
                return False
            watch.starts += 1
            wait_s = min(entry.restart_wait_s * 2.0 ** min(watch.starts - 1, 30), _LONGEST_WAIT_S)
            self._say(f"{server.name}: restart {watch.starts} of {entry.restarts} in {wait_s:g} s")
            if self._over.wait(wait_s) or not self._workers_are_up(watch):
                return False
            try:
                listed = self._start(watch)
                if listed is None:
                    return False
                ready_s = server.process.wait_ready()
            except (ServerFailed, OSError) as failure:  # its log may not be writable
                if server.process.exit_code is not None or self._over.is_set():
                    self._died(watch, again=True)
                else:
                    words = str(failure).partition(". The last")[0].removeprefix(f"{server.name} ")
                    self._note(watch, words, event="not ready", why=words, log=server.log_path.name)
                continue
            watch.silent_since, watch.last_look = None, time.monotonic()
            watch.role.locate(server)
            watch.role.upkeep.heard(server.name, watch.last_look)
            if server is watch.role.router and watch.role.balancer is not None:
                watch.role.balancer.started(listed)
            watch.role.follow()
            where = {"url": server.url} if server.launch.on_ray else {}
            words = f"ready again after {ready_s:.0f} s{f' at {server.url}' if where else ''}"
            self._note(watch, words, event="ready again", after_s=round(ready_s, 1), **where)
            return True
        return False

    def _workers_are_up(self, watch: _Watch) -> bool:
        """Wait with a router until it has a server to ask; returns whether it has."""
        upkeep = watch.role.upkeep
        while watch.server is watch.role.router and not upkeep.up:
            if upkeep.gone or self._over.wait(_TURN_S):
                return False
        return True

    def _start(self, watch: _Watch) -> dict[str, str] | None:
        """Start a server's next process; returns the servers that are up, None if all is over.

        A router is put before those servers.

        Raises:
            ServerFailed: the program cannot be run.
        """
        server, role = watch.server, watch.role
        with self._starting:
            if self._over.is_set():
                return None
            up = role.urls()
            is_router = server is role.router
            server.renew(with_workers(server.launch, [up[name] for name in sorted(up)]) if is_router else None)
            server.start()
        self._note(
            watch,
            f"started again ({watch.starts} of {role.entry.restarts}), log {server.log_path}",
            event="started again",
            restart=watch.starts,
            log=server.log_path.name,
        )
        return up

    def _give_up(self, watch: _Watch) -> None:
        role, name = watch.role, watch.server.name
        why = f"{name} is given up after {watch.starts} restarts"
        role.upkeep.lost(name, f"no server of the {role.entry.role} is left: {why}")
        lost = f"; no server of the {role.entry.role} is left" if role.upkeep.gone else ""
        self._note(watch, f"given up after {watch.starts} restarts{lost}", event="given up", restarts=watch.starts)

    def _note(self, watch: _Watch, words: str, **facts: Any) -> None:
        self._say(f"{watch.server.name}: {words}")
        at_s = round(time.monotonic() - self._began, 1)
        self.events.append({"at_s": at_s, "server": watch.server.name, **facts})
        if self._on_event is not None:
            self._on_event()
