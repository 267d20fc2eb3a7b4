"""Exit statuses of the commands, and the error that ends one with status 2."""

from enum import IntEnum

__all__ = ["Exit", "ReportError"]


class Exit(IntEnum):
    """The exit statuses of the commands."""

    DONE = 0
    DROPPED = 1  # a gate: the drop is established
    USAGE = 2  # bad arguments, folders that are no runs, runs that do not compare
    BROKEN = 3  # a fault of a command, or of what it read: nothing is said of the runs
    INTERRUPTED = 130  # Ctrl-C


class ReportError(Exception):
    """The command cannot do what it was asked; the message says why and what to change (exit status 2)."""
