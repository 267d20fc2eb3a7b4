"""Keeps a router's list of servers in step with those that are up.

The paths are vllm-router's: ``POST /add_worker?url=`` and ``POST /remove_worker?url=``. It waits up to ten minutes for
a server that it is told to add, so it is told only of those that are ready. A balancer of the user's own that refuses
the paths keeps the list that it was started with, and has to notice itself who answers.
"""

import http.client
import threading
import urllib.parse
from collections.abc import Callable, Mapping, Set

from endpoints.serving.commands import Launch

__all__ = ["Balancer"]

_LIMIT_S = 10.0


class Balancer:
    """A router's list of servers.

    Args:
        router: its launch.
        servers: URL of each server behind it, by name.
        say: prints one line.
    """

    def __init__(self, router: Launch, servers: Mapping[str, str], say: Callable[[str], None]) -> None:
        self._router = router
        self._servers = servers
        self._say = say
        self._lock = threading.Lock()
        self._listed: set[str] | None = set(servers)

    def stopped(self) -> None:
        """The router is down and has no list."""
        with self._lock:
            self._listed = None

    def started(self, names: Set[str]) -> None:
        """The router is up and was started with these servers."""
        with self._lock:
            self._listed = set(names)

    def follow(self, up: Set[str]) -> None:
        """Take off the list who is not up, and put on it who is; a call that fails is made again next time."""
        with self._lock:
            listed = self._listed
            if listed is None:
                return
            for name in sorted(listed - up):
                if self._told("remove_worker", name):
                    listed.discard(name)
            for name in sorted(up - listed):
                if self._told("add_worker", name):
                    listed.add(name)

    def _told(self, call: str, name: str) -> bool:
        """Whether the router has taken, or refused for good, what it was told about a server."""
        connection = http.client.HTTPConnection(*self._address(), timeout=_LIMIT_S)
        try:
            connection.request("POST", f"/{call}?url={urllib.parse.quote(self._servers[name], safe='')}")
            answer = connection.getresponse()
            words = answer.read().decode("utf-8", "replace").strip()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        # vllm-router refuses a server that it has already.
        if answer.status >= 500:
            return False
        if answer.status >= 400 and "already exists" not in words:
            self._say(f"{self._router.name} does not take {call} of {name}: HTTP {answer.status} {words[:80]}".rstrip())
        return True

    def _address(self) -> tuple[str, int]:
        parts = urllib.parse.urlsplit(self._router.url)
        return parts.hostname or "", self._router.port
