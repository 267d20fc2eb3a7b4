"""``.ci/run`` with a ``make`` that only plays its part: what is prepared in the background fails loudly, and ends."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / ".ci" / "run"
# The preparation leaves the number of a process that would outlive everything; the tests wait until it is there.
PREPARES = """ready) sleep 600 & echo $! > pid.new; mv pid.new pid; wait ;;
test) until [ -e pid ]; do sleep 0.05; done; exit 1 ;;"""
FAILS = "ready) echo 'no route to host' >&2; exit 7 ;;"


@pytest.fixture
def run(tmp_path):
    """Runs a copy of the script in a folder of its own, with a ``make`` of these cases."""
    for folder in (".ci", "bin", "tmp"):
        (tmp_path / folder).mkdir()
    shutil.copy(RUN, tmp_path / ".ci" / "run")

    def run(cases):
        scripts = {"make": f'echo "$1" >> said\ncase "$1" in\n{cases}\nesac', "chromium": ""}
        for name, text in scripts.items():
            path = tmp_path / "bin" / name
            path.write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
            path.chmod(0o755)
        environment = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(tmp_path / "tmp")}
        done = subprocess.run(
            [tmp_path / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert list((tmp_path / "tmp").iterdir()) == []
        return done, (tmp_path / "said").read_text(encoding="utf-8").split()

    return run


def test_all_goes_well(run):
    """Every part, the last ones after the preparation."""
    done, said = run("*) ;;")
    assert done.returncode == 0, done.stderr
    assert said[0] == ".venv/dev.stamp"
    assert sorted(said[1:-2]) == ["lint", "ready", "test"]
    assert said[-2:] == ["other", "e2e"]


def test_what_cannot_be_prepared_is_said(run):
    """Its words and ours on stderr; nothing is tested without it."""
    done, said = run(FAILS)
    assert done.returncode == 1
    assert "no route to host" in done.stderr
    assert "could not be installed" in done.stderr
    assert "e2e" not in said


def test_a_failure_leaves_nothing_running(run, tmp_path):
    """What the preparation started ends with it, whoever started it."""
    done, said = run(PREPARES)
    assert done.returncode == 1
    assert sorted(said) == [".venv/dev.stamp", "ready", "test"]
    process = Path("/proc") / (tmp_path / "pid").read_text(encoding="utf-8").strip() / "stat"
    deadline = time.monotonic() + 30
    while _runs(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(process)


def _runs(stat):
    try:
        return stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
