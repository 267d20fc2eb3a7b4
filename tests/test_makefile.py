"""Which Python ``make`` takes, among interpreters that only say which version they are."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BROKEN = (
    "echo 'command not found' >&2; exit 127"  # what a version manager puts on PATH for a version that is not chosen
)
NO_VENV = "without venv"


def interpreter(path, version):
    """A Python that claims to be of a version, or (text) a script."""
    if version == BROKEN:
        script = BROKEN
    else:
        hidden = "sys.modules['ensurepip'] = None; " if version == NO_VENV else ""
        claimed = (3, 13, 2) if version == NO_VENV else version
        code = f"import sys; {hidden}sys.version_info = {claimed!r}; exec(sys.argv[1])"
        script = f'exec {sys.executable} -c "{code}" "$2"'
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def make(tmp_path, names, *arguments):
    """``make -n`` with nothing but these interpreters on PATH; returns the whole output."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, version in names.items():
        interpreter(folder / name, version)
    done = subprocess.run(
        [shutil.which("make") or "make", "-n", "-f", str(ROOT / "Makefile"), f"VENV={tmp_path / 'venv'}", *arguments],
        cwd=ROOT, env={"PATH": str(folder), "HOME": os.environ.get("HOME", "/")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


CASES = [
    ({"python3.11": (3, 11, 7), "python3.12": (3, 12, 1), "python3.13": (3, 13, 0)}, "python3.13"),
    ({"python3.11": (3, 11, 7), "python3.12": (3, 12, 1), "python3.13": BROKEN}, "python3.12"),
    ({"python3.11": (3, 11, 7), "python3.12": BROKEN, "python3.13": NO_VENV}, "python3.11"),
    ({"python3.10": (3, 10, 1), "python3": (3, 12, 3)}, "python3"),
    ({"python3.14": (3, 14, 0), "python3": (3, 14, 0), "python": (3, 13, 9)}, "python"),
    ({"python3.11": (3, 11, 0), "python3": (3, 14, 0)}, "python3.11"),
]


@pytest.mark.parametrize(("names", "taken"), CASES)
def test_make_takes_the_newest_that_works(tmp_path, names, taken):
    """What is on PATH and cannot start, lacks venv or is of another version is passed over."""
    assert f"|| {taken} -m venv {tmp_path / 'venv'}\n" in make(tmp_path, names, "run")


@pytest.mark.parametrize("names", [{}, {"python3": (3, 10, 13), "python": (2, 7, 18)}, {"python3.12": NO_VENV}])
def test_without_one_make_says_what_to_install(tmp_path, names):
    """And does not try to make an environment."""
    shown = make(tmp_path, names, "run")
    assert "no Python from 3.11 to 3.13" in shown
    assert "-m venv" not in shown


def test_a_named_python_is_taken_as_it_is(tmp_path):
    """``make run PYTHON=PATH``."""
    assert "|| /opt/py/bin/python -m venv" in make(
        tmp_path, {"python3.13": (3, 13, 0)}, "run", "PYTHON=/opt/py/bin/python"
    )


@pytest.mark.parametrize(
    ("own", "others", "taken"),
    [
        ((3, 13, 0), {"python3.13": (3, 13, 5), "python3.11": (3, 11, 2)}, "python3.11"),
        ((3, 11, 0), {"python3.13": (3, 13, 5), "python3.11": (3, 11, 2)}, "python3.13"),
        ((3, 12, 0), {"python3": (3, 12, 5)}, None),
    ],
)
def test_the_other_python_is_of_another_version(tmp_path, own, others, taken):
    """Where there is one: the vectors and the built bytes are checked under it in an environment of its own."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    interpreter(tmp_path / "venv" / "bin" / "python", own)
    (tmp_path / "venv" / "run.stamp").write_text("", encoding="utf-8")
    shown = make(tmp_path, others, "other")
    assert (f"PYTHON={taken}" in shown) == (taken is not None)
    assert (f"VENV={tmp_path / 'venv'}-other" in shown) == (taken is not None)
    assert ("no other Python" in shown) == (taken is None)


def test_all_pages_name_the_same_versions():
    """Makefile, README and the package's own bounds."""
    bounds = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert bounds == ">=3.11,<3.14"
    for page in ("Makefile", "README.md"):
        assert "Python 3.11, 3.12 or 3.13" in (ROOT / page).read_text(encoding="utf-8")


def test_what_the_other_python_checks_is_there():
    """Every file that ``make same`` names."""
    named = re.findall(r"tests/\S+/test_\w+\.py", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert len(named) == 6
    assert all((ROOT / name).is_file() for name in named)
