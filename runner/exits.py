"""Exit statuses of the command line; they are part of the public interface."""

from enum import IntEnum

__all__ = ["Exit", "UsageError"]


class Exit(IntEnum):
    """The exit statuses of the command."""

    COMPLETE = 0
    FAIL_UNDER = 1  # a --fail-under bound was not met
    USAGE = 2  # bad arguments, or a refused resume
    UNAVAILABLE = 3  # an endpoint, a dataset or a place to write to could not be had, or the first request was refused
    INCOMPLETE = 4  # some samples have no valid answer or verdict
    INTERRUPTED = 130  # Ctrl-C; the run can be resumed
    TERMINATED = 143  # SIGTERM; likewise


class UsageError(Exception):
    """The command cannot be run as given; the message says what to change (exit status 2)."""
