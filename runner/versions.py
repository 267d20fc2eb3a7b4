"""Versions that a run records: of Python, of packages, and the commit of this package's checkout."""

import importlib.metadata
import os
import platform
import subprocess
import tomllib
from pathlib import Path

from endpoints.defaults import APP_NAME

__all__ = ["commit_of", "versions"]

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = ("lighteval", "openai", "datasets", "transformers", "torch", "numpy", "huggingface_hub")
# Variables that make git read another repository than that of the working folder; git sets them for its hooks.
_OTHER_REPOSITORY = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)


def versions() -> dict[str, str | None]:
    """Versions by name: of Python, of this package, of the packages it uses; None for one that is not installed.

    ``commit`` is :func:`commit_of` this package.
    """
    found: dict[str, str | None] = {"python": platform.python_version(), "commit": commit_of(_ROOT)}
    for name in (APP_NAME, *_PACKAGES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def commit_of(root: Path) -> str | None:
    """Commit of a checkout of this package.

    Args:
        root: folder of ``run_lighteval.py``.

    Returns:
        the first 12 digits of the hash, with ``-dirty`` behind it when tracked files have changed. None when ``root``
        is not the top folder of a git repository that tracks this package (an installed package, or a copy inside
        another repository), or when git is missing or refuses.
    """
    tracked = ("run_lighteval.py", "pyproject.toml")
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        if project["project"]["name"] != APP_NAME:
            return None
        top = _git(root, "rev-parse", "--show-toplevel").removesuffix("\n")
        if Path(top).resolve() != root.resolve():
            return None
        _git(root, "ls-files", "--error-unmatch", "--", *tracked)
        return _git(root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").strip()
    except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    """What a git command prints about the repository around a folder, whatever repository the environment names."""
    environment = {name: value for name, value in os.environ.items() if name not in _OTHER_REPOSITORY}
    return subprocess.run(
        ["git", *arguments], cwd=root, env=environment, capture_output=True, text=True, timeout=10, check=True
    ).stdout
