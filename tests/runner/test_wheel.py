"""The wheel: built, installed beside the packages it needs, and used outside the checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("audit", "builders", "endpoints", "judges", "metrics", "report", "runner", "runs", "tasks")
# What a checkout holds and an installed package has no use for.
NOT_SHIPPED = ("tests", "speed", "simulations", "docs", ".ci")

pytestmark = pytest.mark.slow


def files_of_the_checkout():
    """Paths relative to the checkout, of tracked files and of new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [path for path in map(Path, listed.stdout.split("\0")[:-1]) if (ROOT / path).is_file()]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """A wheel built from a clean copy: what an earlier build left in the checkout does not get in."""
    folder = tmp_path_factory.mktemp("wheel")
    for path in files_of_the_checkout():
        (folder / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / "source" / path)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--no-index",
         "--disable-pip-version-check", "--wheel-dir", str(folder / "wheels")],
        cwd=folder / "source", capture_output=True, text=True, check=True,
    )  # fmt: skip
    [built] = (folder / "wheels").glob("*.whl")
    return built


class Installed(NamedTuple):
    """An environment with the wheel in it.

    Attributes:
        bin: folder of its programs.
        packages: its ``site-packages``.
        work: an empty folder, for use as working folder.
    """

    bin: Path
    packages: Path
    work: Path

    def run(self, program, *arguments, **environment):
        """Run a program of the environment in the empty folder."""
        return subprocess.run(
            [self.bin / program, *map(str, arguments)],
            cwd=self.work,
            env={**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The wheel in an environment of its own, inside another git repository.

    Its dependencies are those of the environment that runs the tests. That one's folder is named in a ``.pth`` file,
    which Python does not follow to further ``.pth`` files: an editable installation there stays unknown.
    """
    project = tmp_path_factory.mktemp("project")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    subprocess.run(["git", *identity, "commit", "--quiet", "--allow-empty", "-m", "x"], cwd=project, check=True)
    venv.create(project / ".venv", with_pip=False, symlinks=True)
    binaries = project / ".venv" / "bin"
    places = json.loads(
        subprocess.run(
            [binaries / "python", "-c", "import json, sysconfig; print(json.dumps(sysconfig.get_paths()))"],
            capture_output=True, text=True, check=True,
        ).stdout
    )  # fmt: skip
    packages = Path(places["purelib"])
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", binaries / "python", "install", "--no-deps", "--no-index",
         "--disable-pip-version-check", str(wheel)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    work = project / "work"
    work.mkdir()
    return Installed(binaries, packages, work)


def test_the_wheel_has_what_runs_need(wheel):
    """Every module, data file, template, prompt and card of our packages, and a mark of types in each of them."""
    with zipfile.ZipFile(wheel) as archive:
        shipped = set(archive.namelist())
    wanted = {path.as_posix() for path in files_of_the_checkout() if path.parts[0] in (*PACKAGES, "serving")}
    assert wanted <= shipped
    assert {f"{name}/py.typed" for name in PACKAGES} <= shipped
    assert "run_lighteval.py" in shipped


def test_the_wheel_has_nothing_else(wheel):
    """No tests and no scripts of ours, no file that is not in the checkout."""
    with zipfile.ZipFile(wheel) as archive:
        shipped = {Path(name) for name in archive.namelist()}
    assert not [path for path in shipped if path.parts[0] in NOT_SHIPPED]
    ours = {path for path in shipped if not path.parts[0].endswith(".dist-info")}
    assert ours <= set(files_of_the_checkout())


def test_a_run_outside_the_checkout(installed):
    """Saved answers score 1.0; the repository around the environment is not taken for ours."""
    witnesses = installed.packages / "tasks" / "ifhard" / "data" / "witnesses.jsonl"
    done = installed.run(
        "lighteval-hard", "--task", "ifhard:all|0", "--max-samples", "3", "--responses", witnesses,
        XDG_CACHE_HOME=str(installed.work.parent / "cache"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [folder] = (installed.work / "results").iterdir()
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert run["tasks"]["ifhard:all|0"]["sample_pass_rate"] == 1.0
    assert run["versions"]["commit"] is None
    assert run["versions"]["lighteval-hard"] == "0.1.0"
    assert "sample_pass_rate" in done.stdout


def test_the_command_speaks_of_itself(installed):
    """Help and hints name the command that was started."""
    done = installed.run("lighteval-hard", "--help")
    assert done.returncode == 0
    assert "usage: lighteval-hard " in done.stdout
    assert "  lighteval-hard --resume results/RUN" in done.stdout
    assert "run_lighteval.py" not in done.stdout


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "serving").glob("*.yaml")))
def test_ready_serving_files_outside_the_checkout(installed, name):
    """``--serve serving/NAME`` and ``python -m endpoints.serving`` find the files of the package."""
    for command in (
        ("lighteval-hard", "--dry-run", "--serve", f"serving/{name}"),
        ("python", "-m", "endpoints.serving", "--dry-run", f"serving/{name}"),
    ):
        done = installed.run(*command)
        assert done.returncode in (0, 3), done.stderr  # 3: this machine lacks the GPUs, or vLLM
        assert "model" in done.stdout


def test_types_of_the_installed_package(installed):
    """A type checker reads them, which it does only where ``py.typed`` is."""
    script = installed.work.parent / "typed.py"
    script.write_text(
        'from metrics import ifhard\nreveal_type(ifhard.verify("structure:word_count", {}, ""))\n', encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", installed.bin / "python", "--follow-imports=silent",
         "--cache-dir", installed.work.parent / "mypy", "typed.py"],
        cwd=script.parent, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "fallback=metrics.verdict.Verdict]" in done.stdout
