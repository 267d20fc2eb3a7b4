"""Keeps a router's list of servers in step with those that are up.

The paths are vllm-router's: ``POST /add_worker?url=`` and ``POST /remove_worker?url=``. It waits up to ten minutes for
a server that it is told to add, so it is told only of those that are ready. A balancer of the user's own that refuses
the paths keeps the list that it was started with, and has to notice itself who answers.
"""

import http.client
import threading
import urllib.parse
from collections.abc import Callable, Mapping

from endpoints.serving.commands import Launch

__all__ = ["Balancer"]

_LIMIT_S = 10.0


class Balancer:
    """A router's list of servers.

    Args:
        router: its launch.
        say: prints one line.
    """

    def __init__(self, router: Launch, say: Callable[[str], None]) -> None:
        self._router = router
        self._say = say
        self._lock = threading.Lock()
        # URL of each server on the list, by name; None while there is no list.
        self._listed: dict[str, str] | None = None

    def stopped(self) -> None:
        """The router is down and has no list."""
        with self._lock:
            self._listed = None

    def started(self, servers: Mapping[str, str]) -> None:
        """The router is up and was started with these servers: their URLs by name."""
        with self._lock:
            self._listed = dict(servers)

    def follow(self, up: Mapping[str, str]) -> None:
        """Take off the list who is not up, and put on it who is; a call that fails is made again next time.

        Args:
            up: URL of each server that is up, by name. A server that came back elsewhere changes its URL.
        """
        with self._lock:
            listed = self._listed
            if listed is None:
                return
            for name, url in sorted(listed.items() - up.items()):
                if self._told("remove_worker", name, url):
                    del listed[name]
            for name, url in sorted(up.items()):
                if name not in listed and self._told("add_worker", name, url):
                    listed[name] = url

    def _told(self, call: str, name: str, url: str) -> bool:
        """Whether the router has taken, or refused for good, what it was told about a server."""
        connection = http.client.HTTPConnection(*self._address(), timeout=_LIMIT_S)
        try:
            connection.request("POST", f"/{call}?url={urllib.parse.quote(url, safe='')}")
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
