"""Exit statuses of the commands, and the error that ends one with status 2."""

from enum import IntEnum

__all__ = ["AuditError", "Exit"]


class Exit(IntEnum):
    """The exit statuses of the commands."""

    COMPLETE = 0
    USAGE = 2  # bad arguments, or files that are not what they should be
    UNAVAILABLE = 3  # the endpoint or the published files could not be had
    INCOMPLETE = 4  # done, but some cases have no label
    INTERRUPTED = 130  # Ctrl-C; a review goes on where it stopped


class AuditError(Exception):
    """The command cannot do what it was asked; the message says why and what to change (exit status 2)."""
