"""SIGTERM ends a run as orderly as Ctrl-C does, in the background of a script too."""

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from typing import Any

__all__ = ["sigterm_like_ctrl_c"]


@contextlib.contextmanager
def sigterm_like_ctrl_c() -> Iterator[list[int]]:
    """SIGTERM takes Ctrl-C's orderly way out; the list is filled when it came."""
    received: list[int] = []

    def handler(number: int, _: Any) -> None:
        received.append(number)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.raise_signal(signal.SIGINT)
        else:  # a job in the background of a script, for which asyncio installs no handler of its own
            _interrupt()

    before = signal.signal(signal.SIGTERM, handler)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt() -> None:
    """What Ctrl-C does: tasks are cancelled, so that nothing is raised in the middle of one; without any, it raises."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise KeyboardInterrupt from None
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.call_soon_threadsafe(lambda: None)  # wakes the loop up
