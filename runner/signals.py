"""Makes SIGTERM end a run as Ctrl-C does, also where a shell has made background jobs ignore Ctrl-C."""

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from typing import Any

__all__ = ["sigterm_like_ctrl_c"]


@contextlib.contextmanager
def sigterm_like_ctrl_c() -> Iterator[list[int]]:
    """Within the block SIGTERM does what Ctrl-C does.

    Yields:
        A list, empty at first, to which each SIGTERM that arrives appends its signal number.
    """
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
    """Cancel every task of the running event loop, as asyncio does on Ctrl-C.

    Raises:
        KeyboardInterrupt: no event loop is running.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise KeyboardInterrupt from None
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.call_soon_threadsafe(lambda: None)  # wakes the loop up
