"""The documented commands: under their names, and without the part of the installation that one of them needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from builders.ifhard.__main__ import SHIPPED_SEED

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("tasks.ifhard.build", "tasks.ifhard.build.damage", "tasks.ifhard.build.free_rate", "tasks.sobhard.small")


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False, capture_output=True, text=True)


def run_without(module, command, *arguments):
    """Run a command in an interpreter that cannot import a module."""
    code = (
        f"import runpy, sys; sys.modules[{module!r}] = None; sys.argv = ['x', *{arguments!r}]; "
        f"runpy.run_module({command!r}, run_name='__main__', alter_sys=True)"
    )
    return run("-c", code)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_the_documented_name(command):
    """Each command answers --help with the name under which the READMEs list it."""
    done = run("-m", command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[:4] == ["usage:", "python", "-m", command]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_needs_no_solver(command):
    """Help is there before OR-tools is installed."""
    assert run_without("ortools", command, "--help").returncode == 0


def test_a_build_without_the_solver_says_what_to_install(tmp_path):
    """One line that names the command to run, exit status 2, and no file."""
    done = run_without("ortools", "tasks.ifhard.build", "--seed", "1", "--size", "5", "--out", str(tmp_path / "set"))
    assert done.returncode == 2
    line = "python -m tasks.ifhard.build: OR-tools is not installed: pip install -r requirements-build.txt\n"
    assert done.stderr == line
    assert not (tmp_path / "set").exists()


def test_another_missing_module_is_not_hidden(tmp_path):
    """What requirements-build.txt would not bring is not blamed on it."""
    done = run_without("yaml", "tasks.ifhard.build", "--seed", "1", "--size", "5", "--out", str(tmp_path / "set"))
    assert done.returncode == 1
    assert "requirements-build" not in done.stderr
    assert "ModuleNotFoundError" in done.stderr


def test_the_default_seed_is_that_of_the_shipped_set():
    """A build without a seed makes the set that a run takes."""
    shipped = json.loads((ROOT / "tasks/ifhard/data/build.json").read_text(encoding="utf-8"))["seed"]
    assert shipped == SHIPPED_SEED
    assert f"(default {shipped}, that of the shipped set)" in " ".join(run("-m", COMMANDS[0], "--help").stdout.split())


def test_the_solver_is_no_part_of_a_run():
    """What only the generator needs is pinned in requirements-build.txt alone."""
    names = [
        {line.partition("==")[0] for line in (ROOT / file).read_text(encoding="utf-8").splitlines() if "==" in line}
        for file in ("requirements-build.txt", "requirements.txt")
    ]
    assert names[0] == {"ortools", "immutabledict"}
    assert not names[0] & names[1]
