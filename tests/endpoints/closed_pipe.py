"""Commands whose output nobody reads."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_unread(*arguments, both=False):
    """Run ``python ARGUMENTS...`` with a standard output whose reader has gone.

    Args:
        both: let standard error be the same pipe, as in ``2>&1 | head``.

    Returns:
        the exit status, and what was written to standard error ("" for ``both``).
    """
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer if both else subprocess.PIPE,
            text=True,
            timeout=300,
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr or ""
