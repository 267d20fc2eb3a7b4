"""Modules of the user's that bear the names of our packages, in each way of starting the command."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = ("endpoints", "judges", "metrics", "runner", "runs", "tasks")
NOT_IMPORTED = ("audit", "builders", "proofs", "report", "serving", "simulations")
FORMS = ("module", "package")


def shadow(folder, name, form):
    """A module or package that cannot stand in for ours; returns its path."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    if form != "module":
        path = folder / name
        path.mkdir()
    if form != "namespace":
        (path if form == "module" else path / "__init__.py").write_text("raise ImportError('not ours')\n")
    return path


def run(*arguments, folder, path=()):
    """``python ARGUMENTS...`` in a folder; returns the exit status and what was written to both streams."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def assert_named(result, found, name):
    """Exit status 2 and one line that names both places and the remedy."""
    status, out, err = result
    assert (status, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith(f"error: the package '{name}' would be taken from {found}, not from {ROOT / name}: ")
    assert "rename" in line
    assert f"without {found.parent} in PYTHONPATH" in line


def assert_works(result):
    """The command did its work."""
    status, out, err = result
    assert (status, err) == (0, "")
    assert "ifhard:all" in out


@pytest.fixture
def script(tmp_path):
    """What pip makes of the command's entry point: a file in a folder without our packages."""
    path = tmp_path / "bin" / "lighteval-hard"
    path.parent.mkdir()
    path.write_text("import sys\nfrom run_lighteval import main\nsys.exit(main())\n")
    return path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", IMPORTED)
def test_run_as_a_module(tmp_path, name, form):
    """``python -m run_lighteval`` looks into the working folder first."""
    found = shadow(tmp_path / "work", name, form)
    assert_named(run("-m", "run_lighteval", "--list-tasks", folder=found.parent, path=[ROOT]), found, name)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", IMPORTED)
def test_the_installed_command(tmp_path, script, name, form):
    """PYTHONPATH comes before what is installed; the working folder is not looked into."""
    found = shadow(tmp_path / "work", name, form)
    assert_named(run(script, "--list-tasks", folder=tmp_path, path=[found.parent, ROOT]), found, name)
    assert_works(run(script, "--list-tasks", folder=found.parent, path=[ROOT]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", IMPORTED)
def test_run_as_a_file(tmp_path, name, form):
    """``python .../run_lighteval.py`` looks beside that file first, unless ``-P`` forbids it."""
    found = shadow(tmp_path / "work", name, form)
    file = ROOT / "run_lighteval.py"
    assert_works(run(file, "--list-tasks", folder=found.parent, path=[found.parent]))
    assert_named(run("-P", file, "--list-tasks", folder=tmp_path, path=[found.parent, ROOT]), found, name)


@pytest.mark.parametrize("name", IMPORTED)
def test_a_folder_without_init(tmp_path, name):
    """It hides an editable installation, whose finder is asked last; packages on the path come before such folders."""
    found = shadow(tmp_path / "work", name, "namespace")
    assert_works(run("-m", "run_lighteval", "--list-tasks", folder=found.parent, path=[ROOT]))
    editable = f"""
import sys
from importlib.machinery import PathFinder
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return PathFinder.find_spec(name, [{str(ROOT)!r}]) if path is None else None
sys.meta_path.append(Finder)
sys.path.insert(0, {str(found.parent)!r})
from run_lighteval import main
sys.exit(main())
"""
    assert_named(run("-I", "-S", "-c", editable, "--list-tasks", folder=tmp_path), found, name)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NOT_IMPORTED)
def test_names_that_the_command_does_not_import(tmp_path, name, form):
    """A user's own ``audit.py`` or folder ``serving`` is no reason to stop."""
    found = shadow(tmp_path / "work", name, form)
    assert_works(run("-m", "run_lighteval", "--list-tasks", folder=found.parent, path=[ROOT]))


def test_every_package_is_in_one_of_the_lists():
    """A new package gets its tests here."""
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages - {"tests"} <= {*IMPORTED, *NOT_IMPORTED}


def test_packages_that_are_not_found(tmp_path):
    """``-P`` (or PYTHONSAFEPATH) without an installation; ``-S`` leaves installations out."""
    status, out, err = run("-I", "-S", ROOT / "run_lighteval.py", "--list-tasks", folder=tmp_path)
    assert (status, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith("error: the package 'endpoints' is not on Python's path: ")


def test_a_copy_of_the_file_alone(tmp_path):
    """There is nothing of ours beside it to be hidden: it starts what is installed."""
    copy = tmp_path / "run_lighteval.py"
    copy.write_bytes((ROOT / "run_lighteval.py").read_bytes())
    assert_works(run(copy, "--list-tasks", folder=tmp_path, path=[ROOT]))
