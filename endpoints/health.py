"""Asks a server on this machine for its health, and words how one ended."""

import contextlib
import http.client
import signal
import urllib.parse

__all__ = ["exit_words", "health_status"]


def health_status(url: str, limit_s: float) -> int | None:
    """The HTTP status with which ``url`` answers GET; None without an answer. No proxy of the environment is used.

    Args:
        url: an http URL.
        limit_s: most seconds to connect, and to wait for each piece of the answer.
    """
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=limit_s)
    try:
        connection.request("GET", urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, "")))
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def exit_words(code: int | None) -> str:
    """How a process ended, by its exit status; a negative one is a signal, as in :mod:`subprocess`."""
    if code is None:
        return "exit status unknown"
    if code >= 0:
        return f"exit status {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
