"""Standard streams whose reader goes away."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from closed_pipe import ROOT, run_unread

START = "import sys; from endpoints.terminal import survive_closed_pipes; survive_closed_pipes();"
MUCH = "sys.stdout.write('x' * 1_000_000 + '\\n');"


@pytest.mark.parametrize("switches", [[], ["-u"]], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "writes",
    [
        "sys.stdout.write('left to the flush at exit')",
        "print('flushed', flush=True)",
        MUCH + MUCH,
        "sys.stdout.buffer.write(b'bytes'); sys.stdout.flush()",
        "import argparse; argparse.ArgumentParser().parse_args(['--help'])",
    ],
    ids=["exit", "flush", "much", "bytes", "argparse"],
)
def test_nothing_is_raised_and_the_status_stays(switches, writes):
    """Whoever writes, and whenever the pipe is found to be closed."""
    status, said = run_unread(*switches, "-c", START + writes)
    assert (status, said) == (0, "")


def test_without_the_cure_python_complains():
    """The test above can fail: Python's own streams do."""
    status, said = run_unread("-c", "print('x')")
    assert status == 120
    assert "BrokenPipeError" in said


def test_standard_error_survives_too():
    """A progress bar writes there, and must not end the run."""
    status, _ = run_unread(
        "-c", START + "sys.stderr.write('x' * 1_000_000); sys.stderr.flush(); sys.exit(5)", both=True
    )
    assert status == 5


def run_read(code, **environment):
    """Run code whose output is read to the end, as bytes."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, check=True
    )
    return done.stdout, done.stderr


def test_what_is_read_is_unchanged():
    """Order and bytes, on both streams."""
    out, err = run_read(START + "print('да'); sys.stderr.write('нет\\n'); print('ещё', end='')")
    assert (out.decode(), err.decode()) == ("да\nещё", "нет\n")


def test_a_narrow_encoding_costs_no_run():
    """Characters that it lacks are escaped."""
    out, _ = run_read(START + "print('да', chr(0xD800))", PYTHONIOENCODING="ascii")
    assert out == b"\\u0434\\u0430 \\ud800\n"


def test_a_full_disk_is_still_an_error():
    """Only a reader's going away is a choice of the user's."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", START + "print('x', flush=True)"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode != 0
    assert b"No space left" in done.stderr


def test_no_streams_at_all():
    """``>&-`` leaves Python without them; what is written is dropped."""
    code = START + "sys.stdout.write('x'); sys.exit(3)"
    done = subprocess.run(["/bin/sh", "-c", 'exec "$0" -c "$1" >&-', sys.executable, code], cwd=ROOT)
    assert done.returncode == 3


def test_streams_of_a_test_stay(capsys):
    """They are no files of the process."""
    from endpoints.terminal import survive_closed_pipes

    before = sys.stdout
    survive_closed_pipes()
    assert sys.stdout is before


@pytest.mark.parametrize(
    "arguments",
    [
        ("endpoints.serving", "--help"),
        ("endpoints.serving", "serving/one-gpu.yaml", "--dry-run"),
        ("tasks.ifhard.build.free_rate", "--help"),
    ],
    ids=["serving help", "serving dry run", "free rates"],
)
def test_other_commands(arguments):
    """Those that print results and have no room of tests for it."""
    status, said = run_unread("-m", *arguments)
    assert status in (0, 3)
    assert "Traceback" not in said
    assert "BrokenPipeError" not in said
