"""``python -m report ... | head``: exit statuses and files are kept when nobody reads what is printed."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from closed_pipe import run_unread
from report_runs import ifhard_run


@pytest.mark.parametrize("both", [False, True], ids=["stdout", "both streams"])
def test_every_command(tmp_path, both):
    """Help, a comparison, a gate that fails, a repeat check, a plan, the answers, the runs, bad usage."""
    a, b = ifhard_run(tmp_path / "a", "+" * 60), ifhard_run(tmp_path / "b", "w" * 60)
    junit = tmp_path / "gate.xml"
    for expected, arguments in (
        (0, ["--help"]),
        (0, ["compare", a, b]),
        (0, ["compare", a, b, "--json", "-"]),
        (1, ["gate", b, "--against", a, "--max-drop", "0.02", "--junit", junit]),
        (0, ["repeats", a, b]),
        (0, ["power", "--difference", "0.1"]),
        (0, ["show", b, "--failed"]),
        (0, ["runs", tmp_path]),
        (2, ["compare", a]),
    ):
        status, said = run_unread("-m", "report", *arguments, both=both)
        assert status == expected, said
        assert "Traceback" not in said
        assert "BrokenPipeError" not in said
    assert junit.is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    ("where", "status", "said"),
    [(">/dev/full", 3, "error: standard output: No space left on device\n"), (">&-", 0, ""), (">&- 2>&-", 0, "")],
)
def test_where_nothing_can_be_printed(tmp_path, where, status, said):
    """A full disk is told in one line, whenever it shows; a stream that the shell has closed is as good as nobody."""
    ifhard_run(tmp_path / "a", "+w")
    command = shlex.join([sys.executable, "-m", "report", "runs", str(tmp_path)])
    done = subprocess.run(
        f"{command} {where}", shell=True, stderr=subprocess.PIPE, text=True, env=os.environ, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (status, said)
