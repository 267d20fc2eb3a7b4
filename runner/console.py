"""Lines for the person at the terminal. Results go to stdout, these go to stderr."""

import sys

__all__ = ["say"]


def say(message: str) -> None:
    """Write one line to stderr at once."""
    sys.stderr.write(message + "\n")
    sys.stderr.flush()
