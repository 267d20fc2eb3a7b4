"""One server of a plan: its launch, its process and its log; started again, it has another process and another log."""

import time
from pathlib import Path
from typing import Final

from endpoints.process import ChildServer, ServerCommand
from endpoints.serving.commands import Launch

__all__ = ["Server"]

# An engine needs some seconds to give its GPU back in order.
_GRACE_S: Final = 30.0


class Server:
    """One launch with its process, which is started later.

    Args:
        launch: the launch.
        log_dir: folder for its logs.

    Attributes:
        launch: how the process is started.
        log_path: the process's log.
        process: the process; another one after :meth:`renew`.
    """

    def __init__(self, launch: Launch, log_dir: Path) -> None:
        self.launch = launch
        self._log_dir = log_dir
        self._began = 0.0
        self.renew()

    @property
    def url(self) -> str:
        """The server's URL without a path; a stand-in while one on another machine has not told it."""
        return self.process.url or self.launch.url

    def renew(self, launch: Launch | None = None) -> None:
        """Make another process, not started yet, with a log of its own; with a launch, started by that from now on."""
        self.launch = launch or self.launch
        self.log_path = _fresh(self._log_dir / self.launch.log_name)
        self.process = ChildServer(
            ServerCommand(
                argv=self.launch.argv,
                ready_url=None if self.launch.on_ray else self.launch.ready_url,
                log_path=self.log_path,
                env=self.launch.env,
                deadline_s=self.launch.deadline_s,
                grace_s=_GRACE_S,
                name=self.launch.name,
            )
        )

    @property
    def name(self) -> str:
        """The launch's name."""
        return self.launch.name

    @property
    def begun(self) -> bool:
        """Whether a process was started."""
        return self._began > 0

    def start(self) -> None:
        """Start the process.

        Raises:
            ServerFailed: the program cannot be run.
        """
        self._began = time.monotonic()
        self.process.start()

    def seconds(self) -> int:
        """Number of whole seconds since the process was started."""
        return int(time.monotonic() - self._began)


def _fresh(path: Path) -> Path:
    """``path``, or a numbered path beside it if that exists, so that the earlier logs are kept."""
    number = 1
    fresh = path
    while fresh.exists():
        number += 1
        fresh = path.with_name(f"{path.stem}.{number}{path.suffix}")
    return fresh
