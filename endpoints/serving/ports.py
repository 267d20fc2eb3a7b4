"""Checks whether a port is free, and reserves it for a server that needs minutes until it listens.

vLLM binds its port early, listens only when the model is loaded, and lets another server of the same user share the
port (SO_REUSEPORT). Two runs with one serving file would therefore each get some of the other's requests. So a port
counts as taken as soon as a program has bound it, and this module binds it from the check until the run's end.
"""

import contextlib
import errno
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from endpoints.errors import EndpointError

__all__ = ["held_port", "port_is_free"]

_LISTEN: Final = "0A"
_TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_TAKEN: Final = (errno.EADDRINUSE, errno.EACCES)


def port_is_free(host: str, port: int) -> bool:
    """Whether a server could listen on this port, and no other program has bound it.

    Raises:
        OSError: the host is no address of this machine.
    """
    try:
        with contextlib.closing(_bound(host, port)):
            return True
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise


@contextlib.contextmanager
def held_port(host: str, port: int) -> Iterator[None]:
    """Reserve a port within the block: no other program can bind it but a server that sets SO_REUSEADDR.

    This works on Linux; elsewhere nothing is reserved.

    Raises:
        EndpointError: the port is taken or may not be bound.
    """
    try:
        holder = _bound(host, port)
    except OSError as error:
        raise EndpointError(f"port {port} on {host} cannot be had: {error.strerror or error}") from error
    with holder:
        if sys.platform.startswith("linux"):
            # A bound socket that does not listen gives way to one that does when both allow it.
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        else:
            holder.close()
        yield


def _bound(host: str, port: int) -> socket.socket:
    """A socket that is bound to this port and does not listen.

    Raises:
        OSError: the port is taken or not allowed (EADDRINUSE, EACCES), or the host is not this machine's.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    holder = socket.socket(family, kind, protocol)
    try:
        try:
            holder.bind(address)
        except OSError as error:
            # Connections of a server that has ended linger for a minute; they hinder no server that reuses addresses.
            if error.errno != errno.EADDRINUSE or not _only_lingering(port):
                raise
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind(address)
    except BaseException:
        holder.close()
        raise
    return holder


def _only_lingering(port: int) -> bool:
    """Whether the port has old connections but no listener (on Linux; False elsewhere)."""
    states = set()
    for table in _TABLES:
        with contextlib.suppress(OSError):
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if int(fields[1].rpartition(":")[2], 16) == port:
                    states.add(fields[3])
    return bool(states) and _LISTEN not in states
